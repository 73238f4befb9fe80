package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.core.Failure;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.api.EtcdMembers;
import dev.tandem.host.etcd.wal.CrcChain;
import dev.tandem.host.etcd.wal.RaftConfiguration;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.WalCursor;
import dev.tandem.host.etcd.wal.WalRecord;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The zero-loss take-over, on logs that a real etcd wrote under load and was killed over. */
class TakeOverIT {
    private static final int CRASHES = Integer.getInteger("etcd.crashes", 10);

    @TempDir private Path directory;

    @Test
    void noAcknowledgedWriteIsLostWhenTheLeaderDiesUnderLoad() {
        int lostByStock = 0;
        int lostLater = 0;
        int crashesWithLoss = 0;
        long tailEntries = 0;
        long seed = System.nanoTime();
        Random random = new Random(seed);
        System.out.printf(
                "seed %d%ncrash  acknowledged  tail  lost: stock  ours  of later ones: stock "
                        + " ours%n",
                seed);
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            for (int crash = 0; crash < CRASHES; crash++) {
                if (crash > 0) {
                    pair.north.start(new EtcdConfig.InPlace(), Timing.NORMAL);
                    pair.south.start(new EtcdConfig.InPlace(), Timing.NORMAL);
                    pair.north.awaitLeader();
                    pair.south.awaitLeader();
                }
                EtcdServer victim = pair.leader();
                EtcdServer survivor = pair.follower();
                String prefix = "crash" + crash + "/";
                EtcdPair.Load load = new EtcdPair.Load(victim.api(), prefix, 24, 2000);
                int enough = 100 + random.nextInt(400);
                await("load").atMost(Duration.ofSeconds(30)).until(() -> load.count() >= enough);
                victim.kill();
                Set<String> acknowledged = load.acknowledged();
                survivor.kill();

                Path stock = directory.resolve("stock" + crash);
                Path ours = directory.resolve("ours" + crash);
                EtcdPair.copy(survivor.data(), stock);
                EtcdPair.copy(survivor.data(), ours);
                long kept = commitTail(ours);

                Loss byStock = force(stock, survivor, prefix, acknowledged);
                Loss byOurs = force(ours, survivor, prefix, acknowledged);

                tailEntries += kept;
                lostByStock += byStock.before().size();
                lostLater += byStock.after().size();
                crashesWithLoss += byStock.before().isEmpty() ? 0 : 1;
                System.out.printf(
                        "%5d  %12d  %4d  %11d  %4d  %21d  %4d%n",
                        crash,
                        acknowledged.size(),
                        kept,
                        byStock.before().size(),
                        byOurs.before().size(),
                        byStock.after().size(),
                        byOurs.after().size());
                assertThat(byOurs)
                        .as("crash %d, seed %d", crash, seed)
                        .isEqualTo(new Loss(Set.of(), Set.of()));
            }
        }
        System.out.printf(
                "%d crashes, %d entries above the known commit index; the stock forced restart lost"
                        + " %d acknowledged writes in %d crashes and %d acknowledged after it, ours"
                        + " none%n",
                CRASHES, tailEntries, lostByStock, crashesWithLoss, lostLater);
    }

    /** Nothing comes after it that would carry the news of its commit to the follower's disk. */
    @Test
    void aLoneWriteSurvivesTheDeathOfTheLeaderRightAfterItsAcknowledgement() {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer victim = pair.leader();
            EtcdServer survivor = pair.follower();
            assertThat(victim.api().put(Bytes.of("lone/"), Bytes.of("v"), EtcdServer.LIMIT).isOk())
                    .isTrue();
            victim.kill();
            survivor.kill();
            acknowledged.add("lone/");

            assertThat(new CommitTail(survivor.data()).plan())
                    .isInstanceOf(CommitTail.Append.class);
            commitTail(survivor.data());

            assertServesAlone(survivor, "lone/");
        }
    }

    @Test
    void aTornTailIsRepairedAndEverythingSyncedIsThere() throws IOException {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer survivor = killedUnderLoad(pair, "torn/");
            ReplicaLog before = WriteAheadLog.read(survivor.data());
            assertThat(before.verdict()).isEqualTo(new ReplicaLog.Complete());
            tear(before.end().orElseThrow().position());
            assertThat(WriteAheadLog.read(survivor.data()).verdict())
                    .isInstanceOf(ReplicaLog.TornTail.class);

            commitTail(survivor.data());

            assertThat(WriteAheadLog.read(survivor.data()).lastIndex())
                    .isEqualTo(before.lastIndex());
            assertServesAlone(survivor, "torn/");
        }
    }

    @Test
    void aDamagedRecordIsRefusedByUsAndByEtcd() throws IOException {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer survivor = killedUnderLoad(pair, "damaged/");
            WalRecord entry = entryInTheMiddle(survivor);
            // The last byte before the next record that is not padding: inside the entry's data.
            flip(segment(survivor), entry.end() - 9, 0x10);

            assertThat(new CommitTail(survivor.data()).plan())
                    .isInstanceOfSatisfying(
                            CommitTail.Refused.class,
                            refused -> assertThat(refused.why()).contains("checksum"));
            survivor.start(new EtcdConfig.TakeOver(), Timing.NORMAL);
            await("etcd gives up").atMost(Duration.ofSeconds(30)).until(() -> !survivor.running());
        }
    }

    /** etcd takes such a log for torn, cuts it off in the middle, and serves what is left. */
    @Test
    void aDamagedLengthIsRefusedByUsAlthoughEtcdWouldRepairItAway() throws IOException {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer survivor = killedUnderLoad(pair, "length/");
            WalRecord entry = entryInTheMiddle(survivor);
            flip(segment(survivor), entry.offset() + 4, 0x01);

            assertThat(new CommitTail(survivor.data()).plan())
                    .isInstanceOfSatisfying(
                            CommitTail.Refused.class,
                            refused -> assertThat(refused.why()).contains("damaged"));
            survivor.start(new EtcdConfig.TakeOver(), Timing.NORMAL).awaitLeader();
            Set<String> left = EtcdPair.keys(survivor.api(), "length/");
            System.out.printf(
                    "after its repair of a damaged length etcd serves %d of %d acknowledged"
                            + " writes%n",
                    left.size(), acknowledged.size());
        }
    }

    @Test
    void aLogOfSeveralSegmentsWithSnapshotsIsTakenOverWhole() {
        try (EtcdPair pair = EtcdPair.form(directory, 100)) {
            Bytes large = Bytes.of(new byte[1_200_000]);
            for (int i = 0; i < 120; i++) {
                assertThat(
                                pair.leader()
                                        .api()
                                        .put(
                                                Bytes.of("large/" + i % 4),
                                                large,
                                                Duration.ofSeconds(20))
                                        .isOk())
                        .isTrue();
            }
            EtcdServer survivor = killedUnderLoad(pair, "segments/");

            ReplicaLog log = WriteAheadLog.read(survivor.data());
            assertThat(log.segments()).isGreaterThan(2);
            assertThat(log.snapshot()).isPresent();
            assertThat(log.snapshot().orElseThrow().configuration().voters()).hasSize(2);
            assertThat(log.role()).isEqualTo(RaftConfiguration.Role.VOTER);
            commitTail(survivor.data());

            assertServesAlone(survivor, "segments/");
        }
    }

    /** As an agent does that is restarted beside its etcd, and {@code tandem replicas list}. */
    @Test
    void theLogOfARunningServerCanBeReadAtAnyMoment() {
        try (EtcdPair pair = EtcdPair.form(directory, 100);
                ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            Bytes large = Bytes.of(new byte[1_200_000]);
            Future<?> written =
                    writers.submit(() -> {
                        for (int i = 0; i < 120; i++) {
                            pair.leader()
                                    .api()
                                    .put(Bytes.of("large/" + i % 4), large, EtcdServer.LIMIT);
                        }
                    });
            int read = 0;
            while (!written.isDone()) {
                assertThat(WriteAheadLog.read(pair.follower().data())).matches(ReplicaLog::usable);
                read++;
            }
            for (int restart = 0; restart < 5; restart++) {
                EtcdServer server = pair.south;
                server.kill();
                server.start(new EtcdConfig.InPlace(), Timing.NORMAL);
                Future<?> leads = writers.submit(() -> server.awaitLeader());
                while (!leads.isDone()) {
                    assertThat(WriteAheadLog.read(server.data())).matches(ReplicaLog::usable);
                    read++;
                }
            }
            assertThat(read).isGreaterThan(20);
        }
    }

    @Test
    void afterATakeOverThePeerJoinsAgainAsLearnerAndIsPromoted() throws IOException {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer survivor = killedUnderLoad(pair, "again/");
            EtcdServer peer = survivor == pair.north ? pair.south : pair.north;
            commitTail(survivor.data());
            assertServesAlone(survivor, "again/");
            Files.move(peer.data(), directory.resolve("kept"));

            EtcdPair.join(survivor, peer);

            assertThat(
                            survivor.api()
                                    .members(Consistency.LINEARIZABLE, EtcdServer.LIMIT)
                                    .toOptional()
                                    .orElseThrow())
                    .hasSize(2)
                    .noneMatch(Member::learner);
            assertThat(EtcdPair.keys(peer.api(), "again/"))
                    .isEqualTo(EtcdPair.keys(survivor.api(), "again/"));
            // The replica itself agrees, once it was stopped.
            peer.stopGracefully();
            assertThat(WriteAheadLog.read(peer.data()).role())
                    .isEqualTo(RaftConfiguration.Role.VOTER);
        }
    }

    @Test
    void aLearnerAndARemovedMemberKnowItFromTheirOwnLogs() {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer third =
                    EtcdServer.plain(
                            directory.resolve("third"), "third", EtcdServer.freePorts(), 10_000);
            try (third) {
                EtcdPair.startLearner(pair.leader(), third);
                third.awaitLeader();
                await("the learner follows")
                        .atMost(Duration.ofSeconds(20))
                        .until(() ->
                                third.status().applied() >= pair.leader().status().committed());
                third.kill();

                ReplicaLog learner = WriteAheadLog.read(third.data());
                assertThat(learner.role()).isEqualTo(RaftConfiguration.Role.LEARNER);
                assertThat(new CommitTail(third.data()).plan())
                        .isInstanceOf(CommitTail.Refused.class);
                assertThat(
                                new EtcdMembers(pair.leader().api(), EtcdServer.LIMIT)
                                        .remove(learner.node()))
                        .isInstanceOf(EtcdMembers.Achieved.class);
            }
            EtcdServer leaving = pair.follower();
            EtcdServer staying = pair.leader();
            EtcdId own = leaving.status().member();
            await("removed")
                    .atMost(Duration.ofSeconds(20))
                    .until(() ->
                            new EtcdMembers(staying.api(), EtcdServer.LIMIT).remove(own)
                                    instanceof EtcdMembers.Achieved);
            await("a removed member ends by itself")
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> !leaving.running());

            assertThat(new CommitTail(leaving.data()).plan())
                    .isInstanceOf(CommitTail.Refused.class);
            assertThat(
                            new EtcdMembers(staying.api(), EtcdServer.LIMIT)
                                    .remove(staying.status().member()))
                    .isEqualTo(
                            new EtcdMembers.Denied(
                                    staying.status().member() + " is the last voter"));
        }
    }

    @Test
    void theLogOfARunningEtcdIsLeftAlone() {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            CommitTail tail = new CommitTail(pair.follower().data());
            for (int i = 0; i < 100 && !(tail.plan() instanceof CommitTail.Append); i++) {
                pair.leader().api().put(Bytes.of("k" + i), Bytes.of("v"), EtcdServer.LIMIT);
            }
            CommitTail.Append plan = (CommitTail.Append) tail.plan();

            assertThatThrownBy(() -> tail.carryOut(plan))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("locked");
        }
    }

    /** Kills the leader under load, then its follower; the follower's data remain to be used. */
    private EtcdServer killedUnderLoad(EtcdPair pair, String prefix) {
        EtcdServer victim = pair.leader();
        EtcdServer survivor = pair.follower();
        EtcdPair.Load load = new EtcdPair.Load(victim.api(), prefix, 16, 2000);
        await("load").atMost(Duration.ofSeconds(30)).until(() -> load.count() >= 200);
        victim.kill();
        acknowledged.addAll(load.acknowledged());
        survivor.kill();
        return survivor;
    }

    private final Set<String> acknowledged = new HashSet<>();

    private void assertServesAlone(EtcdServer survivor, String prefix) {
        survivor.start(new EtcdConfig.TakeOver(), Timing.NORMAL).awaitLeader();
        await("the first write")
                .atMost(Duration.ofSeconds(20))
                .until(() ->
                        survivor.api()
                                .put(Bytes.of("after"), Bytes.of("v"), EtcdServer.LIMIT)
                                .isOk());
        assertThat(EtcdPair.keys(survivor.api(), prefix)).containsAll(acknowledged);
        assertThat(
                        survivor.api()
                                .members(Consistency.LINEARIZABLE, EtcdServer.LIMIT)
                                .toOptional()
                                .orElseThrow())
                .hasSize(1);
    }

    private static long commitTail(Path data) {
        CommitTail tail = new CommitTail(data);
        return switch (tail.plan()) {
            case CommitTail.NothingToDo nothing -> 0;
            case CommitTail.Append append -> {
                tail.carryOut(append);
                assertThat(tail.plan()).isInstanceOf(CommitTail.NothingToDo.class);
                yield append.entriesKept();
            }
            case CommitTail.Refused refused -> throw new AssertionError(refused.why());
        };
    }

    /** What was acknowledged before and after a forced restart and is not there any more. */
    private record Loss(Set<String> before, Set<String> after) {}

    private static Loss force(Path data, EtcdServer as, String prefix, Set<String> acknowledged) {
        try (EtcdServer forced =
                EtcdServer.plain(data, as.config().name(), as.config().ports(), 10_000)) {
            forced.start(new EtcdConfig.TakeOver(), Timing.NORMAL).awaitLeader();
            Set<String> after = new HashSet<>();
            for (int i = 0; i < 30; i++) {
                String key = "after/" + prefix + i;
                if (forced.api().put(Bytes.of(key), Bytes.of("v"), EtcdServer.LIMIT).isOk()) {
                    after.add(key);
                }
            }
            Set<String> before = new HashSet<>(acknowledged);
            before.removeAll(EtcdPair.keys(forced.api(), prefix));
            after.removeAll(EtcdPair.keys(forced.api(), "after/" + prefix));
            return new Loss(Set.copyOf(before), Set.copyOf(after));
        }
    }

    /** A record of 3000 bytes of which only the first sector arrived. */
    private static void tear(ReplicaLog.Position end) throws IOException {
        byte[] some = new byte[512];
        Arrays.fill(some, (byte) 0x5a);
        ByteBuffer torn = ByteBuffer.allocate(8 + some.length).order(ByteOrder.LITTLE_ENDIAN);
        torn.putLong(3000).put(some).flip();
        try (FileChannel segment = FileChannel.open(end.segment(), StandardOpenOption.WRITE)) {
            segment.write(torn, end.offset());
        }
    }

    private static Path segment(EtcdServer server) {
        return WriteAheadLog.read(server.data()).end().orElseThrow().position().segment();
    }

    private static WalRecord entryInTheMiddle(EtcdServer server) throws IOException {
        ReplicaLog.Position end = WriteAheadLog.read(server.data()).end().orElseThrow().position();
        try (WalCursor cursor = new WalCursor(end.segment())) {
            CrcChain chain = new CrcChain(0);
            while (cursor.next(chain) instanceof WalCursor.Good(WalRecord found)) {
                if (found.type() == WalRecord.CRC) {
                    chain = new CrcChain(found.crc());
                }
                if (found.type() == WalRecord.ENTRY && found.offset() > end.offset() / 2) {
                    return found;
                }
            }
        }
        throw new AssertionError("no entry behind the middle of " + end.segment());
    }

    private static void flip(Path segment, long offset, int bits) throws IOException {
        try (FileChannel channel =
                FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, offset);
            one.put(0, (byte) (one.get(0) ^ bits)).flip();
            channel.write(one, offset);
        }
    }
}
