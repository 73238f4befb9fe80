package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.supervise.DurableState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state file outlives the program that wrote it. */
class DurableStateTest {
    private static final BootId BOOT = new BootId("0b2d7c1e-6f8a-4d0e-9a51-1f3c5b7d9e02");

    @TempDir private Path directory;

    private static String golden() throws IOException {
        return resource("/golden/1/state.json");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = DurableStateTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private DurableStore holding(String text) throws IOException {
        Path file = directory.resolve("memory.json");
        Files.writeString(file, text);
        return new DurableStore(file);
    }

    @Test
    void aFileOfTheFirstFormIsReadAndWrittenTheSame() throws IOException {
        DurableStore store = holding(golden());

        DurableState state = store.read(BOOT);
        store.write(state);

        assertThat(state.abdication()).isEqualTo(new Abdication.StandDown(6));
        assertThat(state.proofs()).singleElement().isInstanceOf(PeerProof.Fenced.class);
        assertThat(directory.resolve("memory.json")).hasContent(golden());
    }

    @Test
    void whatIsNewInItIsIgnored() throws IOException {
        assertThat(holding(golden().replace("\"ran\":", "\"mood\":\"good\",\"ran\":")).read(BOOT))
                .isEqualTo(holding(golden()).read(BOOT));
    }

    @Test
    void aFileOfANewerAgentIsLeftAlone() throws IOException {
        DurableStore store = holding(golden().replace("\"version\":1", "\"version\":2"));

        assertThatThrownBy(() -> store.read(BOOT))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("memory.json");
        assertThat(Files.readString(directory.resolve("memory.json"))).contains("\"version\":2");
    }

    /** A release that nobody has written yet: its files say who can read them. */
    @Test
    void aFileOfANewerAgentIsReadWhereItSaysThatItCanBe() throws IOException {
        assertThat(holding(resource("/golden/2/state-readable-by-1.json")).read(BOOT))
                .isEqualTo(holding(golden()).read(BOOT));

        DurableStore store = holding(resource("/golden/2/state-readable-by-2.json"));
        assertThatThrownBy(() -> store.read(BOOT))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("a newer agent wrote it: version 2")
                .hasMessageContaining("knows version 1");
    }

    /** A proof of a kind that is not known must not be taken for no proof. */
    @Test
    void aProofThatIsNotKnownStopsTheAgent() throws IOException {
        DurableStore store = holding(golden().replace("\"Fenced\"", "\"Struck\""));

        assertThatThrownBy(() -> store.read(BOOT)).isInstanceOf(Failure.class);
    }
}
