package dev.tandem.host.etcd;

import static org.awaitility.Awaitility.await;

import dev.tandem.host.SystemCommands;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Prints how long the etcd part of a take-over takes, step by step, for databases of several sizes:
 * reading the log, declaring its tail committed, and from there to the first acknowledged write.
 * Arguments: sizes in MiB, by default 6 and 100.
 */
final class ForcedRestartBenchmark {
    private static final int RUNS = 3;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** What a take-over could gain, at the price of another restart once the peer is back. */
    private static final Timing SHORT = new Timing(Duration.ofMillis(10), Duration.ofMillis(100));

    private ForcedRestartBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        List<Integer> sizes =
                arguments.length == 0
                        ? List.of(6, 100)
                        : Arrays.stream(arguments).map(Integer::valueOf).toList();
        System.out.printf(
                "%8s %8s %8s %-8s %9s %9s %9s %9s%n",
                "db MiB",
                "log MiB",
                "segments",
                "timers",
                "read ms",
                "tail ms",
                "etcd ms",
                "all ms");
        for (int size : sizes) {
            measure(size);
        }
    }

    private static void measure(int megabytes) throws IOException {
        Path directory = Files.createTempDirectory("forced-restart");
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            Random random = new Random(1);
            byte[] value = new byte[64 << 10];
            for (int i = 0; i < megabytes * 16; i++) {
                random.nextBytes(value);
                EtcdAnswer<EtcdApi.Written> put =
                        pair.leader().api().put(Bytes.of("k" + i), Bytes.of(value), LIMIT);
                if (!put.isOk()) {
                    throw new IllegalStateException(put.words());
                }
            }
            EtcdServer victim = pair.leader();
            EtcdServer survivor = pair.follower();
            victim.kill();
            survivor.kill();
            for (Timing timing : List.of(Timing.NORMAL, SHORT)) {
                for (int run = 0; run < RUNS; run++) {
                    Path copy = directory.resolve(timing.election() + "-" + run);
                    EtcdPair.copy(survivor.data(), copy);
                    print(copy, survivor.config(), timing);
                }
            }
        } finally {
            new SystemCommands().run(LIMIT, List.of("rm", "-rf", directory.toString()));
        }
    }

    private static void print(Path data, EtcdConfig as, Timing timing) throws IOException {
        long start = System.nanoTime();
        CommitTail tail = new CommitTail(data);
        CommitTail.Plan plan = tail.plan();
        long read = System.nanoTime();
        if (plan instanceof CommitTail.Append append) {
            tail.carryOut(append);
        }
        long committed = System.nanoTime();
        try (EtcdServer forced = EtcdServer.plain(data, as.name(), as.ports(), 10_000)) {
            forced.start(new EtcdConfig.TakeOver(), timing);
            await("the first write")
                    .atMost(LIMIT)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() ->
                            forced.api()
                                    .put(Bytes.of("first"), Bytes.of("v"), Duration.ofMillis(500))
                                    .isOk());
            long served = System.nanoTime();
            System.out.printf(
                    "%8d %8d %8d %-8s %9.1f %9.1f %9.1f %9.1f%n",
                    Files.size(data.resolve("member/snap/db")) >> 20,
                    plan.log().bytes() >> 20,
                    plan.log().segments(),
                    timing.equals(SHORT) ? "short" : "normal",
                    (read - start) / 1e6,
                    (committed - read) / 1e6,
                    (served - committed) / 1e6,
                    (served - start) / 1e6);
        }
    }
}
