package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner of a real cluster, with and without a snapshot. */
class PublishStallDetectorIT {
    /** etcd says so after seven seconds in which it waited. */
    private static final String IN_VAIN = "failed to publish local member";

    @TempDir private Path directory;

    @Test
    void aLearnerThatIsSentASnapshotIsNoticedAndReadyOnceItIsStartedAgain() throws Exception {
        try (EtcdServer leader = founded(100);
                EtcdServer learner = server("learner", 100)) {
            EtcdPair.startLearner(leader, learner);
            try (PublishStallDetector announcement = new PublishStallDetector(learner.config())) {
                assertThat(announcement.await()).isTrue();
            }
            learner.kill();
            String first = learner.log();
            learner.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();

            assertThat(first).contains("applied snapshot");
            // The first life may have lasted long enough to say it.
            assertThat(learner.log().substring(first.length())).doesNotContain(IN_VAIN);
            assertThat(learner.status().learner()).isTrue();
        }
    }

    @Test
    void aLearnerThatIsSentTheLogIsLeftAlone() throws Exception {
        try (EtcdServer leader = founded(10_000);
                EtcdServer learner = server("learner", 10_000);
                PublishStallDetector announcement = new PublishStallDetector(learner.config())) {
            EtcdPair.startLearner(leader, learner);
            Thread watching =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    announcement.await();
                                } catch (InterruptedException e) {
                                    // As it should be.
                                }
                            });
            learner.awaitLeader();

            assertThat(watching.join(Duration.ofSeconds(1))).isFalse();
            watching.interrupt();
            assertThat(watching.join(Duration.ofSeconds(10))).isTrue();
        }
    }

    private EtcdServer server(String name, long snapshotCount) {
        return EtcdServer.plain(
                directory.resolve(name), name, EtcdServer.freePorts(), snapshotCount);
    }

    private EtcdServer founded(long snapshotCount) {
        EtcdServer leader = server("leader", snapshotCount);
        leader.start(new EtcdConfig.Bootstrap("announcement"), Timing.NORMAL).awaitLeader();
        for (int i = 0; i < 300; i++) {
            assertThat(leader.api().put(Bytes.of("k" + i), Bytes.of("v"), EtcdServer.LIMIT).isOk())
                    .isTrue();
        }
        return leader;
    }
}
