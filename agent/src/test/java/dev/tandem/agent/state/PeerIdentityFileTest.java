package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
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

/** Which machine the peer is outlives the program that wrote it down. */
class PeerIdentityFileTest {
    private static final HardwareIdentity PEER =
            NodeIdentities.parse(
                    "uuid=4c4c4544-0042-3510-8054-b4c04f4d5032;macs=52:54:00:12:34:56;serial=S1");

    @TempDir private Path state;
    private final List<String> told = new ArrayList<>();

    private static String golden(String name) throws IOException {
        try (InputStream in = PeerIdentityFileTest.class.getResourceAsStream("/golden/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Path file() {
        return state.resolve("peer-identity");
    }

    private PeerIdentityFile holding(String text) throws IOException {
        Files.writeString(file(), text);
        return new PeerIdentityFile(file(), (_, why) -> told.add(why));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1/peer-identity", "2/peer-identity-readable-by-1"})
    void everyFormThatCanBeReadIsRead(String name) throws IOException {
        assertThat(holding(golden(name)).kept()).contains(PEER);
        assertThat(told).isEmpty();
    }

    @Test
    void itIsWrittenAsEver() throws IOException {
        holding(golden("2/peer-identity-readable-by-2")).keep(PEER);

        assertThat(file()).hasContent(golden("1/peer-identity"));
    }

    @Test
    void aFileOfANewerAgentIsToldAndNotGuessedAt() throws IOException {
        assertThat(holding(golden("2/peer-identity-readable-by-2")).kept()).isEmpty();
        assertThat(told).containsExactly("it is of version 2, and this agent knows version 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "version=1;", "version=one;uuid=", "what is this?"})
    void whatNamesNoMachineIsToldAndCountsAsNothing(String text) throws IOException {
        assertThat(holding(text).kept()).isEmpty();
        assertThat(told).hasSize(1);
    }
}
