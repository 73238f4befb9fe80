package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * On real servers whose election timeout is the longest that etcd takes: who leads sooner was told
 * to.
 */
class ElectionTriggerIT {
    private static final Timing NEVER = new Timing(Duration.ofMillis(100), Duration.ofSeconds(50));

    @TempDir private Path directory;

    @Test
    void aForcedStartLeadsWithoutWaitingForItsTimeout() {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer survivor = pair.follower();
            pair.leader().kill();
            survivor.kill();
            CommitTail tail = new CommitTail(survivor.data());
            if (tail.plan() instanceof CommitTail.Append append) {
                tail.carryOut(append);
            }
            Thread calling = calls(survivor);
            survivor.start(new EtcdConfig.TakeOver(), NEVER).awaitLeader();
            calling.interrupt();

            assertThat(survivor.status().isLeader()).isTrue();
            assertThat(survivor.log()).contains("received MsgTimeoutNow");
            assertThat(survivor.api().put(Bytes.of("k"), Bytes.of("v"), EtcdServer.LIMIT).isOk())
                    .isTrue();
        }
    }

    @Test
    void aVoterOfTwoDoesNotWinByItAlone() {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer survivor = pair.follower();
            pair.leader().kill();
            survivor.kill();
            Thread calling = calls(survivor);
            survivor.start(new EtcdConfig.InPlace(), NEVER);
            await("it stands for election")
                    .atMost(EtcdServer.LIMIT)
                    .until(() -> survivor.log().contains("received MsgTimeoutNow"));
            await("it is not elected")
                    .during(Duration.ofSeconds(2))
                    .atMost(EtcdServer.LIMIT)
                    .until(() -> !survivor.log().contains("became leader"));
            calling.interrupt();

            assertThat(survivor.running()).isTrue();
        }
    }

    private static Thread calls(EtcdServer server) {
        ReplicaLog log = WriteAheadLog.read(server.data());
        return Thread.ofVirtual()
                .start(() -> {
                    try (ElectionTrigger election =
                            new ElectionTrigger(server.config().peerUrls(), Optional.empty())) {
                        election.call(log.cluster(), log.node());
                    }
                });
    }
}
