package dev.tandem.agent.ocf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.agent.supervise.SupervisedNode;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.peer.EtcdState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Pacemaker is answered, over a supervisor with an etcd of paper. */
class OcfActionsTest {
    private static final String SHORT = "OCF_RESKEY_CRM_meta_timeout=10000\n";
    private static final String LONG = "OCF_RESKEY_CRM_meta_timeout=60000\n";
    private static final String VERY_LONG = "OCF_RESKEY_CRM_meta_timeout=600000\n";

    /**
     * As long as the agent may take of the long limit, and half of that, which a leave may take.
     */
    private static final Duration ALL_OF_IT = Duration.ofSeconds(28);

    private static final Duration HALF_OF_IT = ALL_OF_IT.dividedBy(2);

    @TempDir Path state;

    private SupervisedNode node;
    private final List<String> done = new CopyOnWriteArrayList<>();
    private Runnable whenThePeerIsTold = () -> {};
    private Runnable whenTheClusterIsLookedAt = () -> {};

    @BeforeEach
    void begin() {
        node = new SupervisedNode(state, "two 1:7");
    }

    @AfterEach
    void end() {
        node.close();
    }

    private OcfActions.Answer run(String action, String environment) throws InterruptedException {
        return new OcfActions(node.supervisor, node.actor, new NotedHands(), node::nanos)
                .run(action, environment);
    }

    private final class NotedHands implements OcfActions.Hands {
        @Override
        public void tellPeer() {
            done.add("peer told");
            whenThePeerIsTold.run();
        }

        @Override
        public void lookAtCluster() {
            done.add("cluster looked at");
            whenTheClusterIsLookedAt.run();
        }

        @Override
        public boolean raisesRevision() {
            return raisesRevision;
        }

        @Override
        public boolean installing() {
            return false;
        }
    }

    private boolean raisesRevision;

    /** What was ordered is taken in, and then the clock goes on. */
    private void passesOnceOrdered(Duration time) {
        Runnable before = whenThePeerIsTold;
        whenThePeerIsTold =
                () -> {
                    whenThePeerIsTold = () -> {};
                    before.run();
                    node.ask(() -> true);
                    node.wait(time);
                };
    }

    // ---- start ---------------------------------------------------------------------------------

    @Test
    void aStartEndsWhenEtcdServes() throws InterruptedException {
        node.peerIs(true);
        node.hears("two 1:7 leading");
        whenThePeerIsTold = () -> node.etcdIs(EtcdState.FOLLOWING);

        assertThat(run("start", LONG)).isEqualTo(new OcfActions.Answer(OcfActions.SUCCESS, ""));
        assertThat(node.etcd.told).containsExactly("start in place");
        assertThat(done).containsExactly("cluster looked at", "peer told");
    }

    @Test
    void aStartThatCannotBeStoredHasFailedAndSaysWhy() throws InterruptedException {
        node.peerIs(true);
        node.hears("two 1:7 leading");
        node.stores = false;
        passesOnceOrdered(ALL_OF_IT);

        OcfActions.Answer answer = run("start", LONG);

        assertThat(answer.code()).isEqualTo(OcfActions.GENERIC);
        assertThat(answer.reason()).isNotBlank().isNotEqualTo("tandem-agent is busy");
    }

    /** It takes minutes with a large database, and a stop would have it begin again. */
    @Test
    void aStartThatRaisesTheRevisionIsAnsweredAsBegun() throws InterruptedException {
        node.peerIs(true);
        node.hears("two 1:7 leading");
        raisesRevision = true;
        passesOnceOrdered(ALL_OF_IT);

        assertThat(run("start", LONG).code()).isEqualTo(OcfActions.SUCCESS);
    }

    @Test
    void aServerThatIsGoneWhileTheRevisionIsRaisedHasNotFailed() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.etcdIs(EtcdState.LEADERLESS);
        node.wait(Duration.ofSeconds(70));
        node.hears("two 1:7 leading");
        raisesRevision = true;
        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.DEGRADED);

        raisesRevision = false;
        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.GENERIC);
    }

    /** On a slow disk it takes longer than Pacemaker waits, and a stop would undo what is done. */
    @Test
    void aTakeOverThatTakesLongerIsAnsweredAsBegun() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.peerIs(false);
        node.fenced();
        assertThat(node.etcd.told).endsWith("take over as epoch 2");
        passesOnceOrdered(ALL_OF_IT);

        OcfActions.Answer answer = run("start", LONG);

        assertThat(answer.code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(answer.reason()).isNotBlank();
    }

    /** Pacemaker would stop it seconds later, when it may have become a voter. */
    @Test
    void aJoinThatTakesLongerIsAnsweredAsBegun() throws InterruptedException {
        node.peerIs(true);
        node.hears("sole 1:9 leading invites");
        passesOnceOrdered(ALL_OF_IT);

        OcfActions.Answer answer = run("start", LONG);

        assertThat(node.etcd.told).containsExactly("join again");
        assertThat(answer.code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(answer.reason()).isNotBlank();
    }

    /** A large database is read for longer than Pacemaker waits. */
    @Test
    void aServerThatRunsAndDoesNotServeYetIsAnsweredAsBegun() throws InterruptedException {
        node.peerIs(true);
        node.hears("two 1:7 leading");
        whenThePeerIsTold = () -> node.etcdIs(EtcdState.LEADERLESS);
        passesOnceOrdered(ALL_OF_IT);

        OcfActions.Answer answer = run("start", LONG);

        assertThat(answer.code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(answer.reason()).isNotBlank();

        node.wait(Duration.ofMinutes(2));
        node.hears("two 1:7 leading");
        assertThat(run("monitor", "").code()).as("and not for ever").isEqualTo(OcfActions.GENERIC);
    }

    /** To fail it would only have it ordered again, and keep the peer's from being ordered. */
    @Test
    void aStartThatWaitsForThePeerIsAnsweredAsBegun() throws InterruptedException {
        node.peerIs(true);
        long began = System.nanoTime();

        OcfActions.Answer answer = run("start", VERY_LONG);

        assertThat(answer.code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(answer.reason()).isNotBlank();
        assertThat(node.etcd.told).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("long before the limit of 298 s")
                .isLessThan(Duration.ofSeconds(100));
    }

    /** It has told systemd that it is ready; to fail it would end it. */
    @Test
    void aStartOfAServerThatCannotBeSeenHasNotFailed() throws InterruptedException {
        node.peerIs(true);
        node.hears("two 1:7 leading");
        whenThePeerIsTold = () -> node.etcdIs(EtcdState.UNSEEN);

        assertThat(run("start", LONG).code()).isEqualTo(OcfActions.SUCCESS);
    }

    // ---- stop ----------------------------------------------------------------------------------

    @Test
    void aFollowerLeavesBeforeItStops() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        whenThePeerIsTold = () -> node.hears("sole 1:8 leading");

        assertThat(run("stop", LONG)).isEqualTo(new OcfActions.Answer(OcfActions.SUCCESS, ""));
        assertThat(node.events(JournalEvent.DepartureAsked.class)).hasSize(1);
        assertThat(node.etcd.told).endsWith("stop");
        assertThat(done).doesNotContain("leadership handed over");
    }

    @Test
    void aLeaderHandsLeadershipOverFirst() throws InterruptedException {
        node.serves(EtcdState.LEADING);
        node.handOver =
                () -> {
                    done.add("leadership handed over");
                    node.etcdIs(EtcdState.FOLLOWING);
                };
        whenThePeerIsTold = () -> node.hears("sole 1:8 leading");

        assertThat(run("stop", LONG).code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(done).contains("leadership handed over");
        assertThat(node.events(JournalEvent.DepartureAsked.class)).hasSize(1);
    }

    /** Half of the time is for the leave; then it stops without. */
    @Test
    void aStopDoesNotWaitForeverForThePeersLeave() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        passesOnceOrdered(HALF_OF_IT);

        assertThat(run("stop", LONG).code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(node.etcd.told).endsWith("stop");
    }

    /** Dropped, it would leave a supervisor that starts etcd again behind Pacemaker's back. */
    @Test
    void aStopThatFindsTheSupervisorBusyIsNotDropped() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        CountDownLatch ordered = new CountDownLatch(1);
        node.actor.post(() -> {
            try {
                ordered.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        // The first thing that is done once the order is given.
        whenTheClusterIsLookedAt = ordered::countDown;
        passesOnceOrdered(HALF_OF_IT);

        assertThat(run("stop", LONG).code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(node.events(JournalEvent.StopRequested.class)).hasSize(1);
    }

    @Test
    void aStopThatIsTakenInTooLateHasFailedAndIsCarriedOutAllTheSame() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        CountDownLatch answered = new CountDownLatch(1);
        node.actor.post(() -> {
            try {
                answered.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });

        OcfActions.Answer answer = run("stop", SHORT);
        answered.countDown();

        assertThat(answer.code()).isEqualTo(OcfActions.GENERIC);
        assertThat(answer.reason()).contains("as soon as it can");
        assertThat(node.ask(() -> node.supervisor.view().wantsEtcd())).isFalse();
    }

    /** It would be started again behind Pacemaker's back by an agent that is restarted. */
    @Test
    void aStopThatCannotBeStoredHasFailed() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.stores = false;
        Thread meanwhile =
                Thread.ofVirtual()
                        .start(() -> {
                            await().until(() -> node.supervisor.view().cannotStore().isPresent());
                            // With what the answer may take back to the shim.
                            node.wait(ALL_OF_IT.plusSeconds(2));
                        });

        OcfActions.Answer answer = run("stop", LONG);

        meanwhile.join();
        assertThat(answer.code()).isEqualTo(OcfActions.GENERIC);
        assertThat(answer.reason()).contains("cannot store").contains("the disk is full");
        assertThat(node.etcd.told).doesNotContain("stop", "kill");
    }

    @Test
    void nothingStartsEtcdAgainAfterAStop() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        passesOnceOrdered(HALF_OF_IT);
        assertThat(run("stop", LONG).code()).isEqualTo(OcfActions.SUCCESS);
        node.etcd.told.clear();

        node.etcdIs(EtcdState.STOPPED);
        node.hears("two 1:7 leading");

        assertThat(node.etcd.told).isEmpty();
        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.NOT_RUNNING);
    }

    @Test
    void anEtcdThatCannotBeStoppedIsToldSo() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        whenThePeerIsTold = () -> node.hears("sole 1:8 leading");
        node.etcd.cannotBeKilled = true;

        assertThat(run("stop", LONG))
                .isEqualTo(
                        new OcfActions.Answer(
                                OcfActions.GENERIC,
                                "cannot stop etcd: the process is still there"));
    }

    // ---- monitor -------------------------------------------------------------------------------

    @Test
    void whatNobodyStartedIsNotRunning() throws InterruptedException {
        assertThat(run("monitor", "")).isEqualTo(new OcfActions.Answer(OcfActions.NOT_RUNNING, ""));
    }

    @ParameterizedTest
    @EnumSource(names = {"FOLLOWING", "LEADING"})
    void aServerThatServesWithItsPeerIsWell(EtcdState server) throws InterruptedException {
        node.serves(server);

        assertThat(run("monitor", "")).isEqualTo(new OcfActions.Answer(OcfActions.SUCCESS, ""));
    }

    @ParameterizedTest
    @EnumSource(names = {"FOLLOWING", "LEADERLESS"})
    void aServerThatTheAgentWasNotToldToRunIsStoppedAndStarted(EtcdState server)
            throws InterruptedException {
        node.peerIs(true);
        node.hears("two 1:7 leading");
        node.etcdIs(server);

        OcfActions.Answer answer = run("monitor", "");

        assertThat(answer.code()).isEqualTo(OcfActions.GENERIC);
        assertThat(answer.reason()).contains("does not know that Pacemaker has started it");
        assertThat(node.etcd.told).as("monitor itself changes nothing").isEmpty();
    }

    @Test
    void aServerThatNobodyHasSeenForAWhileIsNotCalledWell() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.wait(Duration.ofSeconds(31));

        OcfActions.Answer answer = run("monitor", "");

        assertThat(answer.code()).isEqualTo(OcfActions.DEGRADED);
        assertThat(answer.reason()).contains("has not seen etcd");
    }

    @Test
    void aServerThatServesAloneIsWellAndSaysSo() throws InterruptedException {
        node.close();
        node = new SupervisedNode(state, "sole 1:7");
        node.serves(EtcdState.LEADING);

        assertThat(run("monitor", ""))
                .isEqualTo(
                        new OcfActions.Answer(
                                OcfActions.SUCCESS, "etcd serves, without redundancy"));
    }

    @Test
    void aServerThatIsBeingRepairedIsDegradedAndAfterThatFailed() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.etcdIs(EtcdState.LEADERLESS);
        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.DEGRADED);

        node.wait(Duration.ofSeconds(40));
        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.DEGRADED);

        node.wait(Duration.ofSeconds(25));
        assertThat(run("monitor", "").code())
                .as("the peer's agent is silent: no restart brings a leader")
                .isEqualTo(OcfActions.DEGRADED);

        node.hears("two 1:7 leading");
        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.GENERIC);
    }

    /** Pacemaker would otherwise stop what only waits for the fence of its peer. */
    @Test
    void aServerWhosePeerIsGoneIsDegradedForAsLongAsItTakes() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.peerIs(false);
        node.etcdIs(EtcdState.LEADERLESS);
        node.wait(Duration.ofMinutes(10));

        OcfActions.Answer answer = run("monitor", "");

        assertThat(answer.code()).isEqualTo(OcfActions.DEGRADED);
        assertThat(answer.reason()).isNotBlank();
    }

    @Test
    void aServerThatCannotBeSeenIsLeftAlone() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.etcdIs(EtcdState.UNSEEN);
        node.wait(Duration.ofMinutes(10));

        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.DEGRADED);
    }

    /** Pacemaker then stops it, that fails too, and the peer fences this node. */
    @Test
    void aServerThatHangsAndCannotBeKilledHasFailedAtOnce() throws InterruptedException {
        node.serves(EtcdState.FOLLOWING);
        node.etcd.cannotBeKilled = true;
        node.etcdIs(EtcdState.HUNG);

        assertThat(run("monitor", "").code()).isEqualTo(OcfActions.GENERIC);
    }

    // ---- the rest ------------------------------------------------------------------------------

    @Test
    void aNotificationHasTheClusterLookedAtAndThePeerTold() throws InterruptedException {
        assertThat(run("notify", "").code()).isEqualTo(OcfActions.SUCCESS);
        assertThat(done).containsExactly("cluster looked at", "peer told");
    }

    @Test
    void anActionThatDoesNotExistIsToldSo() throws InterruptedException {
        assertThat(run("dance", "").code()).isEqualTo(3);
    }

    @Test
    void aReasonIsOneLine() {
        assertThat(new OcfActions.Answer(1, "one\n  two\r\nthree").text())
                .isEqualTo("1\none; two; three\n");
    }
}
