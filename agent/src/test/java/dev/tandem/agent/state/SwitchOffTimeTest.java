package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SwitchOffTimeTest {
    @TempDir Path state;

    @Test
    void outlivesTheAgent() {
        Path file = state.resolve("new").resolve("switch-off");
        assertThat(new SwitchOffTime(file).longest()).isEmpty();

        new SwitchOffTime(file).took(Duration.ofMillis(6120));

        SwitchOffTime next = new SwitchOffTime(file);
        assertThat(next.longest()).contains(Duration.ofMillis(6120));
        next.took(Duration.ofMillis(40));
        assertThat(next.longest())
                .as("it was off already, and the BMC accepted the order")
                .contains(Duration.ofMillis(6120));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "version=1;",
                "version=1;millis=-1",
                "version=1;millis=99999999",
                "version=9;millis=1"
            })
    void whatIsNotUnderstoodCountsAsMissing(String text) throws IOException {
        Path file = Files.writeString(state.resolve("switch-off"), text);

        assertThat(new SwitchOffTime(file).longest()).isEmpty();
    }
}
