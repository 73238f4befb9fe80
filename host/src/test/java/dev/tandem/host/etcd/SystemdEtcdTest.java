package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.api.FakeEtcdApi;
import dev.tandem.host.etcd.wal.WalWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemdEtcdTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration BRIEFLY = Duration.ofMillis(300);
    private static final NodeName SELF = new NodeName("north");
    private static final BootId BOOT = new BootId("boot-1");
    private static final Lineage LINEAGE =
            Lineage.installed(new EtcdId(WalWriter.CLUSTER).toString(), SELF, BOOT);

    @TempDir private Path root;

    private final FakeSystemd systemd = new FakeSystemd();
    private final FakeEtcdApi own = new FakeEtcdApi(FakeEtcdApi.status(1, 1, 5, 5, false));
    private final FakeEtcdApi peer = new FakeEtcdApi(FakeEtcdApi.status(2, 2, 9, 9, false));
    private final AtomicInteger changes = new AtomicInteger();
    private final EtcdConfig.Ports ports = EtcdServer.freePorts();
    private final URI peerUrl = URI.create("http://127.0.0.1:" + ports.peer());
    private final ElectionTrigger election =
            new ElectionTrigger(List.of(peerUrl), Optional.empty());
    private Runnable jump =
            () -> {
                throw new AssertionError("nothing is owed");
            };

    @BeforeEach
    void twoVoters() throws IOException {
        Files.createDirectory(root.resolve("proc"));
        own.members.add(FakeEtcdApi.member(1, peerUrl.toString(), false));
        own.members.add(FakeEtcdApi.member(2, "http://127.0.0.2:2380", false));
        peer.members.addAll(own.members);
    }

    @AfterEach
    void close() {
        systemd.close();
        election.close();
    }

    @Test
    void whatSystemdDoesNotTellIsNotAStoppedServer() throws IOException {
        replica(5, 5);
        SystemdEtcd etcd = etcd();

        systemd.answers = false;
        assertThat(etcd.look().server()).isEqualTo(EtcdState.UNSEEN);

        systemd.answers = true;
        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);
    }

    @Test
    void aStoppedServerIsWhatLiesOnTheDisk() throws IOException {
        replica(5, 4);

        EtcdObservation seen = etcd().look();

        assertThat(seen.replica())
                .isInstanceOfSatisfying(
                        Replica.Intact.class,
                        intact -> {
                            assertThat(intact.lineage()).isEqualTo(LINEAGE);
                            assertThat(intact.role()).isEqualTo(MemberRole.ONE_OF_TWO);
                        });
        assertThat(seen.members()).isEmpty();
    }

    @Test
    void aServerIsStartingUntilSystemdCallsItReady() throws IOException {
        replica(5, 5);
        SystemdEtcd etcd = etcd();
        own.reachable = false;

        etcd.startInPlace(false);

        assertThat(permit()).exists();
        assertThat(systemd.ran)
                .containsSubsequence(
                        "systemctl daemon-reload",
                        "systemctl reset-failed tandem-etcd.service",
                        "systemctl start --no-block tandem-etcd.service");
        EtcdObservation starting = etcd.look();
        assertThat(starting.starting()).isTrue();
        assertThat(starting.server()).isEqualTo(EtcdState.LEADERLESS);
        assertThat(starting.generation()).isEqualTo(1);
        assertThat(etcd.serves()).isFalse();

        own.reachable = true;
        systemd.becomeReady();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > 0);
        EtcdObservation serving = etcd.look();
        assertThat(serving.server()).isEqualTo(EtcdState.LEADING);
        assertThat(serving.members()).hasSize(2);
        assertThat(etcd.serves()).isTrue();
    }

    /** Else its peer, told that it has no leader, would end the healthy one that leads it. */
    @Test
    void aServerThatServesIsSeenWhileItsUnitIsHeldBack() throws IOException {
        replica(5, 5);
        SystemdEtcd etcd = etcd();

        etcd.startInPlace(false);

        EtcdObservation seen = etcd.look();
        assertThat(seen.server()).isEqualTo(EtcdState.LEADING);
        assertThat(seen.starting()).isFalse();
    }

    @Test
    void theEndOfTheProcessIsToldAndSeen() throws IOException {
        SystemdEtcd etcd = serving();
        int before = changes.get();

        systemd.process().destroyForcibly();

        await("somebody is told").atMost(SOON).until(() -> changes.get() > before);
        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);
        assertThat(etcd.serves()).isFalse();
    }

    /** A systemd that hangs and an etcd that died: to call that unknown would help nobody. */
    @Test
    void anEndThatWasSeenIsKnownWithoutSystemd() throws IOException {
        SystemdEtcd etcd = serving();
        int before = changes.get();
        systemd.answers = false;

        systemd.process().destroyForcibly();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > before);
        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);

        etcd.startInPlace(false);
        assertThat(etcd.look().server())
                .as("it was ordered to start, and may have")
                .isNotEqualTo(EtcdState.STOPPED);
    }

    /**
     * systemd is asked for up to 10 s. The server would be called a running one for as long, by a
     * status that has nothing newer.
     */
    @Test
    void anEndThatWasSeenIsToldBeforeSystemdIsAsked() throws IOException {
        SystemdEtcd etcd = serving();
        int before = changes.get();
        systemd.process().destroyForcibly();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > before);
        systemd.ran.clear();

        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);
        assertThat(systemd.ran).isEmpty();

        etcd.look();
        assertThat(systemd.ran)
                .as("afterwards it is asked again: a person may have started one")
                .anyMatch(command -> command.startsWith("systemctl show"));
    }

    /** To start it twice would be worse than to wait: systemd may still carry the order out. */
    @Test
    void aStartThatSystemdTookAndDidNotCarryOutIsUnderWayAndDoesNotRun() throws IOException {
        SystemdEtcd etcd = serving();
        int before = changes.get();
        systemd.process().destroyForcibly();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > before);
        etcd.look();
        systemd.answers = false;
        systemd.startsNothing = true;
        int ended = changes.get();

        etcd.startInPlace(false);

        await("systemctl has given up").atMost(SOON).until(() -> changes.get() > ended);
        EtcdObservation seen = etcd.look();
        assertThat(seen.server()).isEqualTo(EtcdState.LEADERLESS);
        assertThat(seen.starting()).isTrue();
        assertThat(seen.silent()).isTrue();
        assertThat(seen.words()).contains("not running here", "systemd does not answer");

        systemd.answers = true;
        assertThat(etcd.look().server())
                .as("systemd has said that nothing came of it")
                .isEqualTo(EtcdState.STOPPED);
    }

    /** The order may have reached systemd or not; what decides is that its permit is gone. */
    @Test
    void aStartThatSystemdDidNotTakeLeavesWhatHadEnded() throws IOException {
        SystemdEtcd etcd = serving();
        int before = changes.get();
        systemd.answers = false;
        systemd.takesOrders = false;
        systemd.process().destroyForcibly();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > before);

        assertThatThrownBy(() -> etcd.startInPlace(false)).isInstanceOf(Failure.class);

        assertThat(permit()).doesNotExist();
        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);
    }

    @Test
    void anEndTakesThePermitBackAndWaitsForTheProcess() throws IOException {
        replica(5, 5);
        SystemdEtcd etcd = etcd();
        etcd.startInPlace(false);
        etcd.look();

        etcd.end(false, SOON);

        assertThat(permit()).doesNotExist();
        assertThat(systemd.process().isAlive()).isFalse();
        assertThat(systemd.ran).contains("systemctl stop --no-block tandem-etcd.service");
        EtcdObservation seen = etcd.look();
        assertThat(seen.server()).isEqualTo(EtcdState.STOPPED);
        assertThat(seen.generation()).isEqualTo(2);
    }

    @Test
    void aServerThatDoesNotHeedTheSignalIsNotTakenForStopped() throws IOException {
        systemd.obedient = false;
        SystemdEtcd etcd = serving();

        assertThatThrownBy(() -> etcd.end(false, BRIEFLY))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("cannot stop etcd")
                .hasMessageContaining("is still there");
        assertThat(etcd.look().running()).isTrue();

        etcd.end(true, SOON);
        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);
    }

    @Test
    void nobodySaysThatEtcdHasEndedWithoutSystemd() {
        systemd.answers = false;

        assertThatThrownBy(() -> etcd().end(false, BRIEFLY))
                .hasMessageContaining("cannot tell whether etcd has ended");
    }

    @Test
    void aProcessThatSystemdGaveUpOnHangs() throws IOException {
        replica(5, 5);
        SystemdEtcd etcd = etcd();
        etcd.startInPlace(false);
        systemd.gaveUp = true;

        assertThat(etcd.look().server()).isEqualTo(EtcdState.HUNG);
    }

    @Test
    void aServerThatRefusesUsIsUnseenAndNotHung() throws IOException {
        SystemdEtcd etcd = serving();

        own.reachable = false;

        EtcdObservation seen = etcd.look();
        assertThat(seen.server()).isEqualTo(EtcdState.UNSEEN);
        assertThat(seen.words()).contains("connection refused");
        assertThat(etcd.silent()).isFalse();
        assertThat(etcd.serves()).isFalse();
    }

    /** However soon its silence was told: a server with two addresses is asked at each in turn. */
    @Test
    void aServerThatStandsStillAndIsSilentTwiceHangs() throws Exception {
        SystemdEtcd etcd = serving();
        long pid = systemd.process().pid();
        new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
        await("it stands")
                .atMost(SOON)
                .until(() -> Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") T "));
        own.silent = true;

        assertThat(etcd.look().server()).as("once").isNotEqualTo(EtcdState.HUNG);
        assertThat(etcd.silent()).isTrue();
        assertThat(etcd.look().server()).as("twice").isEqualTo(EtcdState.HUNG);
    }

    /** Pacemaker's monitor would fail, and stop what is about to join. */
    @Test
    void whetherTheRevisionIsRaisedIsToldWhileALongOrderIsCarriedOut() throws Exception {
        SystemdEtcd etcd = etcd();

        synchronized (etcd) {
            assertThat(
                            CompletableFuture.supplyAsync(etcd::raisesRevision)
                                    .get(10, TimeUnit.SECONDS))
                    .isFalse();
        }
    }

    /** A firewall drops what we send to its port, and nobody else's. */
    @Test
    void aServerThatIsSilentToUsAndAnswersOnTheLoopbackIsUnseenAndNotHung() throws IOException {
        SystemdEtcd etcd = serving();
        own.silent = true;
        HttpServer metrics =
                HttpServer.create(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), ports.metrics()),
                        1);
        metrics.createContext("/health", exchange -> exchange.sendResponseHeaders(503, -1));
        metrics.start();
        try {
            assertThat(etcd.look().server()).as("once").isNotEqualTo(EtcdState.UNSEEN);
            // The loopback is given a second each time.
            await("a later look tells")
                    .atMost(SOON)
                    .until(() -> etcd.look().server() == EtcdState.UNSEEN);
        } finally {
            metrics.stop(0);
        }
    }

    @Test
    void aLearnerIsNotAskedForTheMembersAndIsNotComplete() throws IOException {
        SystemdEtcd etcd = serving();
        own.status = FakeEtcdApi.status(1, 2, 5, 5, true);
        own.readable = false;

        EtcdObservation seen = etcd.look();

        assertThat(seen.server()).isEqualTo(EtcdState.FOLLOWING);
        assertThat(seen.replica())
                .isInstanceOfSatisfying(
                        Replica.Intact.class,
                        intact -> {
                            assertThat(intact.role()).isEqualTo(MemberRole.LEARNER);
                            assertThat(intact.complete()).isFalse();
                        });
    }

    @Test
    void aTakeOverStoresTheLineageAndDeclaresTheWholeLogCommitted() throws IOException {
        ReplicaDirectory replica = replica(5, 4);
        Lineage next = LINEAGE.takenOver(SELF, BOOT, 5);

        etcd().takeOver(next, 0, false);

        assertThat(permit()).content().contains("\"force-new-cluster\" : true");
        assertThat(replica.inspect().lineage()).isEqualTo(new LineageFile.Known(next));
        assertThat(CommitTail.plan(replica.inspect().log()))
                .isInstanceOf(CommitTail.NothingToDo.class);
    }

    /**
     * A log may have a gigabyte, and nobody serves while it is read. What the look at the stopped
     * server reads has to do for the decision and for the take-over.
     */
    @Test
    void fromTheStopToTheForcedStartTheLogIsReadOnce() throws IOException {
        ReplicaDirectory replica = replica(60, 40);
        long size = replica.inspect().log().bytes();
        SystemdEtcd etcd = etcd();
        Path recorded = root.resolve("reads.jfr");
        try (Recording reads = new Recording()) {
            reads.enable("jdk.FileRead").withoutThreshold();
            reads.start();
            EtcdObservation seen = etcd.look();
            etcd.look();
            etcd.takeOver(LINEAGE.takenOver(SELF, BOOT, 60), seen.generation(), false);
            etcd.look();
            reads.stop();
            reads.dump(recorded);
        }

        long bytes =
                RecordingFile.readAllEvents(recorded).stream()
                        .filter(read -> String.valueOf(read.getString("path")).endsWith(".wal"))
                        .mapToLong(read -> read.getLong("bytesRead"))
                        .sum();
        assertThat(CommitTail.plan(replica.inspect().log()))
                .isInstanceOf(CommitTail.NothingToDo.class);
        assertThat(bytes)
                .as("once, and the record that was appended read back")
                .isBetween(size, size + size / 2);
    }

    @Test
    void anIncompleteReplicaTakesNothingOverAndNothingIsStarted() throws IOException {
        ReplicaDirectory replica = replica(5, 5);
        replica.markIncomplete("syncing");

        assertThatThrownBy(() -> etcd().takeOver(LINEAGE.takenOver(SELF, BOOT, 5), 0, false))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("incomplete: syncing");
        assertThat(permit()).doesNotExist();
        assertThat(systemd.ran).noneMatch(command -> command.startsWith("systemctl start"));
        assertThat(replica.inspect().lineage())
                .as("no epoch is begun that nobody can serve")
                .isEqualTo(new LineageFile.Known(LINEAGE));
    }

    @Test
    void aTakeOverThatCannotListenChangesNothingAndGoesOnLater() throws IOException {
        ReplicaDirectory replica = replica(5, 4);
        Lineage next = LINEAGE.takenOver(SELF, BOOT, 5);
        SystemdEtcd etcd = etcd();
        try (ServerSocket _ =
                new ServerSocket(ports.peer(), 1, InetAddress.ofLiteral("127.0.0.1"))) {
            assertThatThrownBy(() -> etcd.takeOver(next, 0, false)).hasMessageContaining("in use");
            assertThat(replica.inspect().lineage()).isEqualTo(new LineageFile.Known(LINEAGE));
        }

        etcd.takeOver(next, 0, false);
        assertThat(replica.inspect().lineage()).isEqualTo(new LineageFile.Known(next));
    }

    /** What it had read before would be planned on, and be wrong for ever. */
    @Test
    void aTakeOverThatFailedHalfWayReadsTheDiskAgain() throws IOException {
        ReplicaDirectory replica = replica(5, 4);
        Lineage next = LINEAGE.takenOver(SELF, BOOT, 5);
        SystemdEtcd etcd = etcd();
        etcd.look();
        Path inTheWay = Files.createDirectories(permit().resolve("in the way"));
        assertThatThrownBy(() -> etcd.takeOver(next, 0, false)).isInstanceOf(Failure.class);
        Files.delete(inTheWay);
        Files.delete(permit());

        assertThat(etcd.look().replica()).isEqualTo(replica.inspect().replica());
        etcd.takeOver(next, 0, false);
        assertThat(permit()).exists();
    }

    @Test
    void afterAnAcceptedLossTheRevisionJumpsBeforeAnythingIsStarted() throws IOException {
        ReplicaDirectory replica = replica(5, 4);
        Lineage next = LINEAGE.takenOver(SELF, BOOT, 5);
        SystemdEtcd etcd = etcd();
        jump =
                () -> {
                    assertThat(replica.owesRevisionJump()).isTrue();
                    assertThat(replica.inspect().lineage()).isEqualTo(new LineageFile.Known(next));
                    assertThat(permit()).doesNotExist();
                    EtcdObservation meanwhile = CompletableFuture.supplyAsync(etcd::look).join();
                    assertThat(meanwhile.starting()).isTrue();
                    assertThat(meanwhile.serves()).isFalse();
                    replica.revisionHasJumped();
                };

        etcd.takeOver(next, 0, true);

        assertThat(replica.owesRevisionJump()).isFalse();
        assertThat(permit()).content().doesNotContain("force-new-cluster");
        assertThat(etcd.look().generation()).isEqualTo(etcd.generation());
    }

    /** The statement is over by then: the new epoch has begun. */
    @Test
    void aJumpThatFailedIsOwedByWhoeverCompletesTheTakeOver() throws IOException {
        ReplicaDirectory replica = replica(5, 4);
        Lineage next = LINEAGE.takenOver(SELF, BOOT, 5);
        SystemdEtcd etcd = etcd();
        jump =
                () -> {
                    throw new Failure("cannot jump", "the disk is full", "look");
                };

        assertThatThrownBy(() -> etcd.takeOver(next, 0, true)).hasMessageContaining("cannot jump");

        assertThat(permit()).doesNotExist();
        assertThat(replica.owesRevisionJump()).isTrue();
        assertThat(etcd.look().server()).isEqualTo(EtcdState.STOPPED);
        jump = replica::revisionHasJumped;
        etcd.takeOver(next, etcd.generation(), false);
        assertThat(permit()).exists();
        assertThat(replica.owesRevisionJump()).isFalse();
    }

    /** With its peer it goes on from what that has; a jump would make two stores of one. */
    @Test
    void oneOfTwoVotersStartsBesideItsPeerWithoutAJump() throws IOException {
        ReplicaDirectory replica = replica(5, 5);
        replica.oweRevisionJump("put back");

        etcd().startInPlace(false);

        assertThat(permit()).exists();
        assertThat(replica.owesRevisionJump()).as("until it serves alone").isTrue();
    }

    /** The peer leads and both vote: nothing is lost, and a later take-over need not jump. */
    @Test
    void aNoteOfAJumpGoesWhenTheReplicaFollowsItsPeer() throws IOException {
        ReplicaDirectory replica = replica(5, 5);
        SystemdEtcd etcd = etcd();
        replica.oweRevisionJump("put back");
        etcd.startInPlace(false);
        systemd.becomeReady();
        own.status = FakeEtcdApi.status(1, 1, 5, 5, false);
        await("it is seen").atMost(SOON).until(() -> etcd.look().serves());
        assertThat(replica.owesRevisionJump()).as("while it leads itself").isTrue();

        own.status = FakeEtcdApi.status(1, 2, 5, 5, false);
        assertThat(etcd.look().serves()).isTrue();

        assertThat(replica.owesRevisionJump()).isFalse();
    }

    @Test
    void anOlderReplicaThatServesAloneJumpsFirst() throws IOException {
        ReplicaDirectory replica = directory();
        replica.prepare();
        DiskReplica.write(replica, 5, 5)
                .confChange(2, 6, 1, WalWriter.PEER)
                .state(2, WalWriter.NODE, 6);
        replica.writeLineage(LINEAGE);
        replica.oweRevisionJump("put back");
        AtomicInteger jumps = new AtomicInteger();
        jump =
                () -> {
                    jumps.incrementAndGet();
                    replica.revisionHasJumped();
                };

        etcd().startInPlace(false);

        assertThat(jumps).hasValue(1);
        assertThat(permit()).exists();
    }

    @Test
    void aServerThatNobodySawMayHaveWritten() throws IOException {
        replica(5, 4);
        SystemdEtcd etcd = etcd();
        EtcdObservation before = etcd.look();
        systemd.startsNothing = true;
        etcd.startInPlace(false);

        Files.delete(
                DiskReplica.empty(root)
                        .current()
                        .resolve("member/wal/0000000000000000-0000000000000000.wal"));
        replica(7, 6);
        await("systemd is done").atMost(SOON).until(() -> !etcd.look().starting());

        assertThat(etcd.look().replica()).isNotEqualTo(before.replica());
    }

    @Test
    void aDiskThatCannotBeReadIsADamagedReplicaOfAStoppedServer() throws IOException {
        SystemdEtcd etcd = serving();
        Path log = DiskReplica.empty(root).current().resolve("member/wal");
        Files.move(log, log.resolveSibling("away"));
        Files.createSymbolicLink(log, log.getFileName());

        systemd.process().destroyForcibly();
        await("it is seen").atMost(SOON).until(() -> etcd.look().server() == EtcdState.STOPPED);

        assertThat(etcd.look().replica()).isInstanceOf(Replica.Damaged.class);
    }

    @Test
    void whoCannotReadThePeersMembersKeepsItsData() throws IOException {
        ReplicaDirectory replica = replica(5, 5);
        peer.readable = false;

        assertThatThrownBy(() -> etcd().join(LINEAGE, false))
                .hasMessageContaining("its member list cannot be read");

        assertThat(replica.kept()).isEmpty();
        assertThat(replica.inspect().present()).isTrue();
    }

    @Test
    void whoJoinsSetsItsDataAsideAndIsIncompleteUntilTold() throws IOException {
        ReplicaDirectory replica = replica(5, 5);
        Lineage leaders = LINEAGE.takenOver(new NodeName("south"), new BootId("boot-2"), 5);
        SystemdEtcd etcd = etcd();

        etcd.join(leaders, false);

        assertThat(replica.kept()).hasSize(1);
        assertThat(replica.inspect().incomplete()).isPresent();
        assertThat(replica.inspect().lineage()).isEqualTo(new LineageFile.Known(leaders));
        assertThat(permit()).content().contains("\"initial-cluster-state\" : \"existing\"");

        etcd.markComplete();
        assertThat(replica.inspect().incomplete()).isEmpty();
    }

    @Test
    void aJoinThatKeepsTheDataSetsNothingAside() throws IOException {
        ReplicaDirectory replica = replica(5, 5);

        etcd().join(LINEAGE, true);

        assertThat(replica.kept()).isEmpty();
        assertThat(replica.inspect().incomplete()).isEmpty();
        assertThat(permit()).exists();
    }

    @Test
    void theFirstClusterGetsItsLineageWhenItsIdIsKnown() {
        SystemdEtcd etcd = etcd();
        etcd.bootstrap();
        Path note = directory().current().resolve("founding");
        assertThat(note).exists();

        systemd.becomeReady();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > 0);
        EtcdObservation seen = etcd.look();

        Lineage founded = Lineage.installed(own.status.cluster().toString(), SELF, BOOT);
        assertThat(directory().inspect().lineage()).isEqualTo(new LineageFile.Known(founded));
        assertThat(seen.replica())
                .isInstanceOfSatisfying(
                        Replica.Intact.class,
                        intact -> assertThat(intact.lineage()).isEqualTo(founded));
        assertThat(note).doesNotExist();
    }

    /** A plan was changed while it ran: what is new counts from its next start. */
    @Test
    void newTimersAndQuotaCountFromTheNextStart() throws IOException {
        SystemdEtcd etcd = serving();
        assertThat(Files.readString(permit())).contains("\"heartbeat-interval\" : 100");
        adjustable =
                new SystemdEtcd.Adjustable(
                        new EtcdConfig.Limits(
                                64L << 20,
                                EtcdConfig.Limits.STANDARD.compactionRetention(),
                                EtcdConfig.Limits.STANDARD.snapshotCount(),
                                EtcdConfig.Limits.STANDARD.maxRequestBytes()),
                        new Timing(Duration.ofMillis(250), Duration.ofMillis(2500)));
        assertThat(Files.readString(permit())).contains("\"heartbeat-interval\" : 100");

        etcd.end(true, SOON);
        etcd.startInPlace(false);

        assertThat(Files.readString(permit()))
                .contains(
                        "\"heartbeat-interval\" : 250", "\"election-timeout\" : 2500", "67108864");
    }

    private SystemdEtcd serving() throws IOException {
        replica(5, 5);
        SystemdEtcd etcd = etcd();
        etcd.startInPlace(false);
        systemd.becomeReady();
        await("somebody is told").atMost(SOON).until(() -> changes.get() > 0);
        assertThat(etcd.look().serves()).isTrue();
        return etcd;
    }

    private SystemdEtcd.Adjustable adjustable =
            new SystemdEtcd.Adjustable(EtcdConfig.Limits.STANDARD, Timing.NORMAL);

    private SystemdEtcd etcd() {
        return new SystemdEtcd(
                SELF,
                BOOT,
                config(),
                () -> adjustable,
                new EtcdUnitFile(
                        systemd,
                        new EtcdUnitFile.Places(
                                Path.of("/usr/bin/etcd"),
                                root.resolve("units"),
                                root.resolve("run"),
                                // Labs on this machine have servers too.
                                root.resolve("proc"))),
                directory(),
                own,
                peer,
                election,
                () -> jump.run(),
                systemd,
                changes::incrementAndGet,
                _ -> {});
    }

    private Path permit() {
        return root.resolve("run/permit.json");
    }

    private EtcdConfig config() {
        return DiskReplica.config(directory(), ports);
    }

    private ReplicaDirectory directory() {
        return DiskReplica.empty(root);
    }

    private ReplicaDirectory replica(int last, int commit) throws IOException {
        ReplicaDirectory replica = DiskReplica.ofTwoVoters(root, last, commit);
        replica.writeLineage(LINEAGE);
        return replica;
    }
}
