package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdMembers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Two voters, formed the way the product forms them: one founds, the other learns and is promoted.
 */
public final class EtcdPair implements AutoCloseable {
    final EtcdServer north;
    final EtcdServer south;

    private EtcdPair(EtcdServer north, EtcdServer south) {
        this.north = north;
        this.south = south;
    }

    public static EtcdPair form(Path directory, long snapshotCount) {
        EtcdServer north =
                EtcdServer.plain(
                        directory.resolve("north"), "north", EtcdServer.freePorts(), snapshotCount);
        EtcdServer south =
                EtcdServer.plain(
                        directory.resolve("south"), "south", EtcdServer.freePorts(), snapshotCount);
        EtcdPair pair = new EtcdPair(north, south);
        north.start(new EtcdConfig.Bootstrap("pair"), Timing.NORMAL).awaitLeader();
        join(north, south);
        return pair;
    }

    /** Lists, starts and promotes a learner, and waits until it holds everything. */
    public static void join(EtcdServer leader, EtcdServer learner) {
        EtcdMembers members = new EtcdMembers(leader.api(), EtcdServer.LIMIT);
        EtcdApi.Member listed = startLearner(leader, learner);
        await("the learner is promoted")
                .atMost(EtcdServer.LIMIT)
                .pollInterval(Duration.ofMillis(50))
                .until(() ->
                        members.promote(listed.id(), learner.api())
                                instanceof EtcdMembers.Achieved);
        await("the new voter holds everything")
                .atMost(EtcdServer.LIMIT)
                .until(() -> holdsEverything(leader, learner));
    }

    private static boolean holdsEverything(EtcdServer leader, EtcdServer voter) {
        long committed = leader.status().committed();
        EtcdApi.Status holding = voter.status();
        return !holding.learner() && holding.applied() >= committed;
    }

    /** Lists and starts a learner; returns how it is listed. */
    static EtcdApi.Member startLearner(EtcdServer leader, EtcdServer learner) {
        EtcdMembers members = new EtcdMembers(leader.api(), EtcdServer.LIMIT);
        await("the learner is listed")
                .atMost(EtcdServer.LIMIT)
                .until(() ->
                        members.addLearner(learner.config().identity())
                                instanceof EtcdMembers.Achieved);
        List<EtcdApi.Member> all =
                leader.api()
                        .members(Consistency.LINEARIZABLE, EtcdServer.LIMIT)
                        .toOptional()
                        .orElseThrow();
        EtcdApi.Member listed = learner.config().identity().in(all).orElseThrow();
        List<EtcdApi.Member> others = all.stream().filter(each -> !each.equals(listed)).toList();
        learner.start(new EtcdConfig.Join(listed.peerUrls(), others), Timing.NORMAL);
        return listed;
    }

    public EtcdServer leader() {
        return north.status().isLeader() ? north : south;
    }

    public EtcdServer follower() {
        return leader() == north ? south : north;
    }

    /** Writes from several clients at once until it is closed; keeps what was acknowledged. */
    static final class Load implements AutoCloseable {
        private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor();

        Load(EtcdApi target, String prefix, int clients, int mostPerClient) {
            for (int client = 0; client < clients; client++) {
                String stem = prefix + client + "/";
                writers.execute(() -> {
                    for (int i = 0; i < mostPerClient && !stopped.get(); i++) {
                        String key = stem + i;
                        if (target.put(Bytes.of(key), Bytes.of("v"), EtcdServer.GLANCE).isOk()) {
                            acknowledged.add(key);
                        }
                    }
                });
            }
        }

        int count() {
            return acknowledged.size();
        }

        /** Stops, and tells what was acknowledged. */
        Set<String> acknowledged() {
            close();
            return Set.copyOf(acknowledged);
        }

        @Override
        public void close() {
            stopped.set(true);
            writers.shutdown();
            try {
                // The last request may take its whole limit.
                long most = EtcdServer.LIMIT.multipliedBy(2).toSeconds();
                assertThat(writers.awaitTermination(most, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    /** Every key with this prefix, as a majority has it. */
    public static Set<String> keys(EtcdApi api, String prefix) {
        Set<String> keys = new HashSet<>();
        Bytes end = Bytes.of(prefix).prefixEnd();
        Bytes from = Bytes.of(prefix);
        while (true) {
            EtcdApi.Found found =
                    api.range(
                                    from,
                                    Optional.of(end),
                                    5000,
                                    Consistency.LINEARIZABLE,
                                    EtcdServer.LIMIT)
                            .toOptional()
                            .orElseThrow();
            found.keyValues().forEach(each -> keys.add(each.key().text()));
            if (!found.more()) {
                return keys;
            }
            from = new Bytes(found.keyValues().getLast().key().latin1() + "\0");
        }
    }

    static void copy(Path from, Path to) {
        Commands.Output copied =
                new SystemCommands()
                        .run(
                                Duration.ofMinutes(1),
                                List.of(
                                        "cp",
                                        "-a",
                                        "--sparse=always",
                                        from.toString(),
                                        to.toString()));
        assertThat(copied.ok()).as(copied.err()).isTrue();
    }

    @Override
    public void close() {
        north.close();
        south.close();
    }
}
