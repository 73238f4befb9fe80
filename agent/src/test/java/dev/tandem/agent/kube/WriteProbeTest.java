package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that holds the address and whose API server does not write, though its etcd serves. */
class WriteProbeTest {
    @TempDir private Path directory;

    private final Node node = new Node();
    private long now;

    @AutoClose
    private WriteProbe probe =
            new WriteProbe(
                    "north", Path.of("none"), node, _ -> {}, InstantSource.system(), () -> now);

    private static final class Node implements WriteProbe.LocalNode {
        final List<Boolean> told = new ArrayList<>();
        boolean peerCanWrite;
        boolean peerPresent = true;
        boolean outOfReach;

        @Override
        public boolean peerPresent() {
            return peerPresent;
        }

        @Override
        public boolean holdsAddress() {
            return true;
        }

        @Override
        public boolean etcdServes() {
            return true;
        }

        @Override
        public boolean peerCanWrite() {
            return peerCanWrite;
        }

        @Override
        public boolean isOutOfReach() {
            return outOfReach;
        }

        @Override
        public void tell(boolean canWrite) {
            told.add(canWrite);
        }
    }

    @BeforeEach
    void gaveTheAddressUpAndHasItAgain() throws IOException {
        Path access = new TestAccess(directory).file();
        probe = new WriteProbe("north", access, node, _ -> {}, InstantSource.system(), () -> now);
        grantAccess();
        fails(Writability.PATIENCE);
        assertThat(node.told).containsExactly(false);
        Files.delete(access);
        looks(Duration.ofSeconds(2));
        assertThat(node.told).as("etcd stands for an API that cannot be asked").endsWith(true);
        grantAccess();
        node.told.clear();
    }

    @Test
    void itLetsTheAddressGoAtOnceToAPeerThatWrites() {
        node.peerCanWrite = true;

        fails(Writability.PATIENCE);

        assertThat(node.told).endsWith(false);
    }

    /** The status is told no sooner than the cluster. */
    @Test
    void whyItCannotWriteIsKnownOnceTheClusterIsTold() {
        node.peerCanWrite = true;
        looks(Duration.ofMillis(500));
        assertThat(probe.cannotWrite()).as("one failure is a slow disk").isEmpty();

        fails(Writability.PATIENCE);
        assertThat(probe.cannotWrite()).isPresent().get().asString().isNotBlank();
    }

    /** Nobody else would notice that the only API server hangs. */
    @Test
    void itIsTriedWithoutAPeerTooAndOnlyTheStatusIsTold() throws IOException {
        node.peerPresent = false;
        looks(Duration.ofMillis(500));
        assertThat(probe.cannotWrite()).as("one failure is a slow disk").isEmpty();

        fails(Writability.PATIENCE);
        assertThat(probe.cannotWrite()).isPresent().get().asString().isNotBlank();
        assertThat(node.told).as("Pacemaker would plan again").isEmpty();

        Files.delete(new TestAccess(directory).file());
        looks(Duration.ofMillis(500));
        assertThat(probe.cannotWrite()).as("it writes").isEmpty();
        assertThat(probe.interval()).as("as often as beside a peer").hasSeconds(1);
        assertThat(node.told).isEmpty();
    }

    /** The holder is as patient as ever, and the status goes on saying what it said. */
    @Test
    void aPeerThatComesBackIsToldAfterTheUsualPatience() {
        node.peerPresent = false;
        fails(Writability.PATIENCE);

        node.peerPresent = true;
        looks(Duration.ofSeconds(2));
        assertThat(node.told).isEmpty();
        assertThat(probe.cannotWrite()).isPresent();

        node.peerCanWrite = true;
        fails(Writability.PATIENCE);
        assertThat(node.told).endsWith(false);
    }

    @Test
    void itIsPatientWhileThePeerCouldNotTakeIt() {
        fails(Writability.LONGER_PATIENCE.minusSeconds(2));
        assertThat(node.told).isNotEmpty().doesNotContain(false);

        node.peerCanWrite = true;
        looks(Duration.ofMillis(500));
        assertThat(node.told).as("as soon as the peer says that it writes").endsWith(false);
    }

    /** Its API server writes, and clients do not reach it. */
    @Test
    void theAddressLeavesANodeThatClientsDoNotReachAndTheServerIsNotBlamed() throws IOException {
        Files.delete(new TestAccess(directory).file());
        looks(Duration.ofSeconds(16));
        assertThat(node.told).isNotEmpty().doesNotContain(false);

        node.outOfReach = true;
        looks(Writability.PATIENCE.plusSeconds(1));
        assertThat(node.told).endsWith(false);
        assertThat(probe.cannotWrite()).isEmpty();

        node.outOfReach = false;
        looks(Duration.ofSeconds(2));
        assertThat(node.told).endsWith(true);
    }

    private void fails(Duration time) {
        looks(time.plusSeconds(1));
    }

    private void looks(Duration time) {
        long end = now + time.toNanos();
        while (now < end) {
            probe.look();
            now += Duration.ofMillis(500).toNanos();
        }
    }

    /** To a port on which nobody listens. */
    private void grantAccess() throws IOException {
        TlsIdentity _ = new TestAccess(directory).write(1);
    }
}
