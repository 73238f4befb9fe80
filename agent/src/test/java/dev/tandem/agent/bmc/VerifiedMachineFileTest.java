package dev.tandem.agent.bmc;

import static dev.tandem.agent.bmc.Identities.identity;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.bmc.MachineCheck.Verified;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a BMC told outlives the program that wrote it down. */
class VerifiedMachineFileTest {
    private static final Verified VERIFIED = new Verified(identity("A/S1/-"), identity("A/S1/m1"));

    @TempDir private Path state;
    private final List<String> told = new ArrayList<>();

    private static String golden(String name) throws IOException {
        try (InputStream in =
                VerifiedMachineFileTest.class.getResourceAsStream("/golden/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Path file() {
        return state.resolve("bmc-identity-south");
    }

    private VerifiedMachineFile holding(String text) throws IOException {
        Files.writeString(file(), text);
        return new VerifiedMachineFile(file(), (_, why) -> told.add(why));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0/bmc-identity", "1/bmc-identity", "2/bmc-identity-readable-by-1"})
    void everyFormThatCanBeReadIsRead(String name) throws IOException {
        assertThat(holding(golden(name)).kept()).contains(VERIFIED);
        assertThat(told).isEmpty();
    }

    @Test
    void itIsWrittenInTheFirstFormThatHasAVersion() throws IOException {
        holding(golden("2/bmc-identity-readable-by-2")).keep(VERIFIED);

        assertThat(file()).hasContent(golden("1/bmc-identity"));
    }

    @Test
    void aFileOfANewerAgentIsToldAndNotGuessedAt() throws IOException {
        assertThat(holding(golden("2/bmc-identity-readable-by-2")).kept()).isEmpty();
        assertThat(told).containsExactly("it is of version 2, and this agent knows version 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "uuid=;macs=;serial=S1\n", "version=1;uuid=\n\n", "a\nb\n"})
    void halfOfItIsToldAndCountsAsNothing(String text) throws IOException {
        assertThat(holding(text).kept()).isEmpty();
        assertThat(told).hasSize(1);
    }

    @Test
    void noFileIsNothingToTell() {
        assertThat(new VerifiedMachineFile(file(), (_, why) -> told.add(why)).kept()).isEmpty();
        assertThat(told).isEmpty();
    }
}
