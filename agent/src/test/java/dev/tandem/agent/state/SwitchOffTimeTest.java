package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SwitchOffTimeTest {
    private static final Duration SIX = Duration.ofMillis(6120);
    private static final Duration AT_ONCE = Duration.ofMillis(40);

    @TempDir Path state;
    private BmcAddress bmc = BmcAddress.of("ipmi://192.0.2.10?cipherSuite=3");

    private SwitchOffTime agentStarts() {
        return new SwitchOffTime(state.resolve("new").resolve("switch-off"), () -> bmc);
    }

    @Test
    void outlivesTheAgent() {
        assertThat(agentStarts().longest()).isEmpty();

        agentStarts().took(SIX);

        SwitchOffTime next = agentStarts();
        assertThat(next.longest()).contains(SIX);
        next.took(AT_ONCE);
        assertThat(next.longest())
                .as("it was off already, and the BMC accepted the order")
                .contains(SIX);
        assertThat(agentStarts().longest()).contains(SIX);
    }

    /** One slow fence, of a BMC that was busy, must not be predicted forever. */
    @Test
    void whatIsLongAgoIsForgotten() {
        SwitchOffTime times = agentStarts();
        times.took(SIX);
        for (int fence = 1; fence < SwitchOffTime.LAST; fence++) {
            times.took(AT_ONCE);
        }
        assertThat(times.longest()).contains(SIX);

        times.took(AT_ONCE);

        assertThat(times.longest()).contains(AT_ONCE);
        assertThat(agentStarts().longest()).contains(AT_ONCE);
    }

    @Test
    void anotherBmcMayControlAnotherMachine() {
        SwitchOffTime times = agentStarts();
        times.took(SIX);

        bmc = BmcAddress.of("redfish+https://192.0.2.11/redfish/v1/Systems/1");

        assertThat(times.longest()).as("the plan has changed").isEmpty();
        assertThat(agentStarts().longest()).as("and the agent was restarted").isEmpty();
        times.took(AT_ONCE);
        assertThat(times.longest()).contains(AT_ONCE);
        assertThat(agentStarts().longest()).contains(AT_ONCE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "version=2;",
                "version=1;millis=6120",
                "version=2;millis=6120",
                "version=2;bmc=BMC;millis=-1",
                "version=2;bmc=BMC;millis=99999999",
                "version=2;bmc=BMC;millis=1,",
                "version=2;bmc=BMC;millis=1,2,3,4,5,6,7,8,9",
                "version=9;bmc=BMC;millis=1"
            })
    void whatIsNotUnderstoodCountsAsMissing(String text) throws IOException {
        Path file = state.resolve("switch-off");
        String through = "ipmi%3A%2F%2F192.0.2.10%3A623%3FcipherSuite%3D3";
        Files.writeString(file, "version=2;bmc=%s;millis=1".formatted(through));
        assertThat(new SwitchOffTime(file, () -> bmc).longest()).isPresent();

        Files.writeString(file, text.replace("BMC", through));

        assertThat(new SwitchOffTime(file, () -> bmc).longest()).isEmpty();
    }
}
