package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.etcd.wal.WalWriter;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartPreparationTest {
    private static final NodeName NORTH = new NodeName("north");
    private static final BootId BOOT = new BootId("north-1");
    private static final Lineage FIRST = Lineage.installed("c1", NORTH, BOOT);
    private static final Lineage NEXT = FIRST.takenOver(NORTH, BOOT, 4);

    @TempDir private Path root;

    private ReplicaDirectory directory;
    private StartPreparation preparation;

    @BeforeEach
    void aReplicaOfTheFirstEpoch() {
        directory = new ReplicaDirectory(root, InstantSource.system());
        directory.writeLineage(FIRST);
        EtcdConfig config =
                new EtcdConfig(
                        "north",
                        List.of(InetAddress.ofLiteral("127.0.0.1")),
                        EtcdServer.freePorts(),
                        directory.current(),
                        Optional.empty(),
                        Optional.empty(),
                        EtcdConfig.Limits.STANDARD);
        preparation =
                new StartPreparation(
                        NORTH,
                        BOOT,
                        config,
                        directory,
                        new PendingLineage(directory),
                        HttpEtcdApi.plain(config.clientUrl()));
    }

    private WalWriter log() {
        return WalWriter.ofTwoVoters(directory.current());
    }

    private String lineage() throws IOException {
        return Files.readString(directory.current().resolve("lineage.json"));
    }

    @Test
    void aTakeOverStoresTheNewLineageAndKeepsTheWholeLog() throws IOException {
        log().entry(2, 3, "a").entry(2, 4, "b");
        String before = lineage();

        preparation.takeOver(NEXT, directory.inspect());

        assertThat(lineage()).isNotEqualTo(before).contains("\"number\" : 2");
        assertThat(WriteAheadLog.read(directory.current()).hardState().commit()).isEqualTo(4);
    }

    @Test
    void aTakeOverThatTheLogForbidsBeginsNoHistory() throws IOException {
        log().entry(2, 3, "a").confChange(2, 4, 1, WalWriter.NODE);
        String before = lineage();

        assertThatThrownBy(() -> preparation.takeOver(NEXT, directory.inspect()))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("removes this member");
        assertThat(lineage()).isEqualTo(before);
    }
}
