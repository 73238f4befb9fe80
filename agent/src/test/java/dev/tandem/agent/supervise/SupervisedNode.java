package dev.tandem.agent.supervise;

import dev.tandem.agent.state.DurableStore;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.Notice;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A supervisor on its thread with an etcd of paper, for the tests of what stands around it. What it
 * wants done is done at once. The node is north and its peer south, in the words of {@link Sketch}.
 */
public final class SupervisedNode implements AutoCloseable {
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    /** Of an actor that a test keeps busy nothing is waited for. */
    private static final Duration WRITTEN = Duration.ofSeconds(2);

    public final PaperEtcd etcd;
    public final Actor actor = new Actor();
    public final Journal journal;
    public final EtcdSupervisor supervisor;

    /** How often the supervisor wanted the peer asked before the next heartbeat. */
    public final AtomicInteger peerWakeUps = new AtomicInteger();

    /** Hands leadership over, on a thread of its own. */
    public volatile Runnable handOver = () -> {};

    /** Whether the disk stores what it is given. */
    public volatile boolean stores = true;

    private final EtcdOrders orders;
    private final DurableStore store;

    /** Below those of a test that asks by way of the exchange. */
    private final AtomicLong number = new AtomicLong(Long.MIN_VALUE);

    /** By the supervisor's clock; 0 is now. */
    private final AtomicLong later = new AtomicLong();

    /**
     * @param replica of the node, as in {@code two 1:7}
     */
    public SupervisedNode(Path state, String replica) {
        this.etcd = new PaperEtcd(Sketch.north(replica).replica());
        this.orders =
                new EtcdOrders(
                        etcd,
                        new MemberIdentity(
                                Sketch.SOUTH.value(),
                                List.of(URI.create("https://192.0.2.2:2380"))));
        this.store = new DurableStore(state.resolve("memory.json"));
        this.journal = new Journal(state.resolve(JournalLine.FILE), InstantSource.system());
        this.supervisor =
                new EtcdSupervisor(
                        Supervisor.begin(
                                new State.Node(Sketch.NORTH, Sketch.SOUTH, Sketch.NORTH_BOOT),
                                store.read(Sketch.NORTH_BOOT),
                                orders.look(),
                                Supervisor.Marks.NONE,
                                new Moment(nanos())),
                        () ->
                                new PlanLimits(
                                        Policy.PAIR, Duration.ofSeconds(10), Duration.ofSeconds(6)),
                        actor::post,
                        this::nanos,
                        actor::ring,
                        (_, _, _, _, _) -> {});
        supervisor.start(this::perform);
    }

    /** What its clock shows. */
    public long nanos() {
        return System.nanoTime() + later.get();
    }

    private void perform(Action action) {
        switch (action) {
            case Action.Store(long write, DurableState content) ->
                    supervisor.on(stored(write, content));
            case Action.Etcd(long id, EtcdOrder order) ->
                    supervisor.on(new Event.EtcdOrderEnded(id, orders.carryOut(order)));
            case Action.HandLeadershipOver(long id) ->
                    Thread.ofVirtual()
                            .start(() -> {
                                handOver.run();
                                supervisor.post(new Event.HandOverEnded(id));
                            });
            case Action.MarkComplete(long id) -> supervisor.on(new Event.MarkEnded(id, true, ""));
            case Action.TellPeer() -> peerWakeUps.incrementAndGet();
            case Action.Journal(Notice notice) -> journal.record(Notices.event(notice));
            case Action.ChangeMembership _,
                    Action.OrderFence _,
                    Action.CloseInstallation _,
                    Action.AnswerPeer _,
                    Action.LookAtEtcd _,
                    Action.Acknowledge _,
                    Action.DeclarePeerOff _,
                    Action.NoteBmc _ -> {
                // Not needed by these tests.
            }
        }
    }

    private Event stored(long write, DurableState content) {
        if (!stores) {
            return new Event.NotStored(write, "the disk is full");
        }
        try {
            store.write(content);
            return new Event.Stored(write);
        } catch (Failure e) {
            return new Event.NotStored(write, e.why());
        }
    }

    /** On the supervisor's thread. */
    public <T> T ask(Callable<T> question) {
        return actor.call(question, ENOUGH).orElseThrow();
    }

    private void tell(Runnable event) {
        ask(() -> {
            event.run();
            return true;
        });
    }

    /** The peer says this of itself. */
    public void hears(String facts) {
        tell(() ->
                supervisor.on(
                        new Event.PeerAsked(
                                number.incrementAndGet(),
                                new PeerMessage.Facts(Sketch.south(facts), Sketch.NORTH_BOOT),
                                true)));
    }

    public void peerIs(boolean present) {
        tell(() ->
                supervisor.on(
                        new Event.MembershipRead(new Membership(true, present, true, false))));
    }

    /** The peer's BMC reads Off after an order, and Corosync misses the peer. */
    public void fenced() {
        tell(() ->
                supervisor.on(
                        new Event.FenceAnswered(
                                1,
                                new Proofs.Order(Sketch.SOUTH, supervisor.view().peerBoot()),
                                Proofs.Machine.THE_PEER,
                                "fence_tandem",
                                new Event.FenceReading(
                                        PowerReading.OFF, true, Duration.ZERO, supervisor.now()),
                                new Membership(true, false, true, false),
                                Instant.EPOCH)));
    }

    /** It was asked, and has not answered. */
    public void corosyncIsSilent() {
        tell(() -> supervisor.on(new Event.MembershipRead(Membership.UNKNOWN)));
    }

    public void etcdIs(EtcdState server) {
        tell(() -> {
            etcd.server = server;
            etcd.starting = false;
            supervisor.on(new Event.EtcdObserved(orders.look()));
        });
    }

    /** Started by Pacemaker beside a peer that is well. */
    public void serves(EtcdState server) {
        peerIs(true);
        hears("two 1:7 " + (server == EtcdState.LEADING ? "following" : "leading"));
        tell(() -> supervisor.on(new Event.StartRequested()));
        etcdIs(server);
    }

    /** The supervisor's clock goes on. */
    public void wait(Duration time) {
        later.addAndGet(time.toNanos());
    }

    public List<JournalEvent> events() {
        return journal.last(1000).stream().map(line -> JournalLine.parse(line).event()).toList();
    }

    public <T extends JournalEvent> List<T> events(Class<T> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    public void close() {
        // What was begun is written by then; the directory is removed next.
        var _ = actor.call(() -> true, WRITTEN);
        actor.close();
    }
}
