package dev.tandem.agent.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.DurableStore;
import dev.tandem.agent.state.StopMark;
import dev.tandem.agent.thread.Actor;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorPolicy;
import dev.tandem.core.supervise.VolatileState;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is done for the supervisor is reported, whatever becomes of it. */
class SupervisorActionsTest extends EtcdSupervisorFixture {
    private static final Duration ORDER_LIMIT = Duration.ofMillis(100);
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    private final Actor actor = new Actor();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> notes = new ConcurrentLinkedQueue<>();

    @AfterEach
    void end() {
        actor.close();
    }

    /** As after an upgrade that has replaced the classes of a running agent. */
    private EtcdApi lacksAClass() {
        return (EtcdApi)
                Proxy.newProxyInstance(
                        EtcdApi.class.getClassLoader(),
                        new Class<?>[] {EtcdApi.class},
                        (_, method, _) -> {
                            asked.add(method.getName());
                            throw new NoClassDefFoundError("dev/tandem/Gone");
                        });
    }

    private EtcdSupervisor begin() {
        return begin(ENOUGH);
    }

    private EtcdSupervisor begin(Duration orderLimit) {
        EtcdOrders orders = new EtcdOrders(etcd, PEER_MEMBER);
        DurableStore store = new DurableStore(state.resolve("memory.json"));
        EtcdSupervisor supervisor =
                new EtcdSupervisor(
                        Supervisor.begin(
                                new State.Node(SELF, PEER, BOOT),
                                store.read(BOOT),
                                orders.look(),
                                Supervisor.Marks.NONE,
                                new Moment(nanos.get())),
                        () -> new PlanLimits(policy, Duration.ofSeconds(10), Duration.ofSeconds(6)),
                        actor::post,
                        nanos::get,
                        actor::ring,
                        (_, _, _, _, _) -> {});
        EtcdApi broken = lacksAClass();
        supervisor.start(
                new SupervisorActions(
                        supervisor,
                        orders,
                        store,
                        new StopMark(state.resolve("etcd-stopped")),
                        Runnable::run,
                        notes::add,
                        _ -> {},
                        new MembershipChanges(PEER, PEER_MEMBER, broken, broken, _ -> {}),
                        new BootTimestamps(state.resolve("moments")),
                        new BootTimestamps(state.resolve("second/moments")),
                        new NoInstallation(),
                        new Alone(),
                        orderLimit));
        return supervisor;
    }

    private static final class NoInstallation implements SupervisorActions.Installation {
        @Override
        public boolean open() {
            return false;
        }

        @Override
        public void close() {}
    }

    private static final class Alone implements SupervisorActions.Surroundings {
        @Override
        public void tellPeer() {}

        @Override
        public void lookAtEtcd() {}

        @Override
        public void peerIsOff(Membership membership) {}

        @Override
        public void fencePeer(Action.FenceKind how) {
            throw new Failure("Pacemaker did not fence south", "no device answers", "look");
        }
    }

    /** Leads, beside a peer with this replica. */
    private EtcdSupervisor leading(Replica peers) {
        EtcdSupervisor supervisor = begin();
        supervisor.post(new Event.MembershipRead(new Membership(true, true, true, false)));
        supervisor.post(new Event.PeerAsked(1, new PeerMessage.Facts(peer(peers), BOOT), true));
        supervisor.post(new Event.StartRequested());
        await().until(() -> etcd.told.contains("start in place"));
        await().until(() -> work(supervisor).etcd().isEmpty());
        etcd.server = EtcdState.LEADING;
        etcd.starting = false;
        supervisor.post(new Event.EtcdObserved(new EtcdOrders(etcd, PEER_MEMBER).look()));
        return supervisor;
    }

    private static VolatileState.Work work(EtcdSupervisor supervisor) {
        return supervisor.view().state().live().work();
    }

    @Test
    void aStepThatEndsInAnErrorIsReportedAndTriedAgain() {
        etcd.replica = log(MemberRole.SOLE, 10);
        EtcdSupervisor supervisor = leading(new Replica.Missing());
        PeerMessage empty = new PeerMessage.Facts(peer(new Replica.Missing()), BOOT);
        supervisor.post(new Event.PeerAsked(2, empty, true));
        await().until(() -> !asked.isEmpty());

        await().untilAsserted(() -> assertThat(work(supervisor).step()).isEmpty());

        asked.clear();
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        supervisor.post(new Event.PeerAsked(3, empty, true));
        await().until(() -> !asked.isEmpty());
    }

    /** A disk that stood still may still do what was begun; facts from before it may be over. */
    @Test
    void anOrderThatOutlastsItsLimitIsUnderWayUntilItHasEnded() {
        etcd.replica = log(MemberRole.ONE_OF_TWO, 10);
        EtcdSupervisor supervisor = begin(ORDER_LIMIT);
        CountDownLatch moves = new CountDownLatch(1);
        etcd.stands = Optional.of(moves);
        supervisor.post(new Event.MembershipRead(new Membership(true, true, true, false)));
        supervisor.post(new Event.PeerAsked(1, new PeerMessage.Facts(peer(), BOOT), true));
        supervisor.post(new Event.StartRequested());
        await().until(() -> etcd.told.contains("start in place"));

        await("the order is under way")
                .during(ORDER_LIMIT.multipliedBy(5))
                .until(() -> work(supervisor).etcd().isPresent());

        moves.countDown();
        await().until(() -> work(supervisor).etcd().isEmpty());
        assertThat(supervisor.view().observation().starting()).as("as it is now").isTrue();
    }

    @Test
    void aHandOverThatEndsInAnErrorIsReported() {
        etcd.members =
                List.of(new Member(new EtcdId(8), "south", List.of(PEER_URL), List.of(), false));
        Replica theirs = peer().replica();
        EtcdSupervisor supervisor = leading(theirs);
        supervisor.post(
                new Event.PeerAsked(
                        2, new PeerMessage.Facts(in(theirs, EtcdState.FOLLOWING), BOOT), true));
        Moment now = supervisor.now();
        supervisor.post(
                new Event.StopRequested(
                        now.plus(Duration.ofSeconds(14)), now.plus(Duration.ofSeconds(28))));
        await().until(() -> !asked.isEmpty());

        await().untilAsserted(() -> assertThat(work(supervisor).handOver()).isEmpty());
    }

    /** Events wait for nothing, not even for a file system in memory. */
    @Test
    void aNoteIsWrittenBesideTheEvents() {
        etcd.replica = log(MemberRole.ONE_OF_TWO, 10);
        EtcdSupervisor supervisor = begin();
        Membership there = new Membership(true, true, true, false);
        supervisor.post(new Event.PeerPowerRead(PowerReading.OFF, true, there, Instant.EPOCH));
        await().until(() -> supervisor.view().state().live().power().first().since().isPresent());
        nanos.addAndGet(Duration.ofSeconds(15).toNanos());
        supervisor.post(new Event.PeerPowerRead(PowerReading.OFF, true, there, Instant.EPOCH));
        await().until(() -> supervisor.view().bmcReadsFalseOff());
        await().until(() -> notes.size() == 1);
        assertThat(state.resolve("moments")).doesNotExist();

        notes.remove().run();

        assertThat(state.resolve("moments/false-off-began")).exists();
    }

    @Test
    void aFenceThatFailsIsReported() {
        etcd.replica = log(MemberRole.ONE_OF_TWO, 10);
        EtcdSupervisor supervisor = leading(peer().replica());
        etcd.server = EtcdState.LEADERLESS;
        supervisor.post(new Event.EtcdObserved(new EtcdOrders(etcd, PEER_MEMBER).look()));
        supervisor.post(new Event.PacemakerRead(true));
        Membership gone = new Membership(true, false, true, false);
        supervisor.post(new Event.MembershipRead(gone));
        await().until(() -> !supervisor.view().membership().peerPresent());

        nanos.addAndGet(SupervisorPolicy.PAIR.fenceOrder().toNanos());
        supervisor.post(new Event.MembershipRead(gone));

        await().untilAsserted(() ->
                assertThat(supervisor.view().sentence())
                        .endsWith("the fence that north ordered failed"));
        assertThat(supervisor.view().state().live().fencing().order()).isEmpty();
    }

    private static NodeFacts in(Replica replica, EtcdState server) {
        return new NodeFacts(
                PEER, PEER_BOOT, replica, server, Abdication.none(), Claim.none(), 0, Offer.none());
    }
}
