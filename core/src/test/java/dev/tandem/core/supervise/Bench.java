package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.testing.Sketch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The function on a test bench: north's supervisor, with a disk and an etcd that do what they are
 * told, at once, unless they are held or broken. The clock stands until it is moved.
 */
final class Bench {
    enum Disk {
        STORES,
        /** Writes come to no end. */
        HELD,
        FULL
    }

    static final Membership THERE = new Membership(true, true, true, false);
    static final Membership GONE = new Membership(true, false, true, false);
    static final Membership ALONE_SINCE_BOOT = new Membership(true, false, false, true);

    final SupervisorPolicy policy;
    final List<String> told = new ArrayList<>();
    final List<Notice> notices = new ArrayList<>();
    final List<Action.Acknowledgement> acknowledged = new ArrayList<>();
    final List<DurableState> written = new ArrayList<>();
    final List<Action.BmcMark> bmcMarks = new ArrayList<>();
    final List<Action.OrderFence> fenceOrders = new ArrayList<>();
    final List<Step> steps = new ArrayList<>();
    Disk disk = Disk.STORES;
    boolean holdsOrders;
    boolean cannotBeEnded;
    boolean hasRoomToJoin = true;
    WholeLog log = WholeLog.CAN_BE_COMMITTED;
    EtcdState server = EtcdState.STOPPED;
    Replica replica;
    boolean starting;
    int tellsPeer;
    int declaredOff;
    int handsOver;

    /** For people; it stands still unless a test says otherwise. */
    InstantSource wallClock = InstantSource.fixed(Instant.EPOCH);

    Optional<PeerMessage> answer = Optional.empty();

    private final Deque<Event> reports = new ArrayDeque<>();
    private final Deque<Action.Etcd> heldOrders = new ArrayDeque<>();
    private final Deque<Action.Store> heldWrites = new ArrayDeque<>();
    private final State.Node node;
    private final BootId peerBoot;
    private DurableState content;
    private long generation;
    private long number;
    private long caller;
    private Moment now = new Moment(Long.MAX_VALUE - 7);
    private boolean stoppedByResourceAgent;
    private boolean installing;
    private State state;

    Bench(String replica) {
        this(replica, Policy.PAIR);
    }

    Bench(String replica, Policy policy) {
        this(
                replica,
                policy,
                new State.Node(Sketch.NORTH, Sketch.SOUTH, Sketch.NORTH_BOOT),
                Sketch.SOUTH_BOOT);
    }

    private Bench(String replica, Policy policy, State.Node node, BootId peerBoot) {
        this.policy = SupervisorPolicy.of(policy, Duration.ofSeconds(10), Duration.ofSeconds(6));
        this.node = node;
        this.peerBoot = peerBoot;
        this.replica = Sketch.north(replica).replica();
        this.content = DurableState.blank(node.boot());
        this.state = restarted();
    }

    /** The same with the roles changed: this is south's supervisor, and north the peer. */
    static Bench ofSouth(String replica) {
        return new Bench(
                replica,
                Policy.PAIR,
                new State.Node(Sketch.SOUTH, Sketch.NORTH, Sketch.SOUTH_BOOT),
                Sketch.NORTH_BOOT);
    }

    // ---- the agent -----------------------------------------------------------------------------

    /** Pacemaker's resource agent ends etcd itself, for no agent answers, and leaves its mark. */
    Bench stoppedWithoutAgent() {
        stoppedByResourceAgent = true;
        return restart();
    }

    /** The same, and the file with the state is gone too. */
    Bench stoppedWithoutAgentAndState() {
        stoppedByResourceAgent = true;
        return losesState();
    }

    /** The file with the state is gone, and the agent begins again, in the same boot. */
    Bench losesState() {
        content = DurableState.blank(node.boot());
        return restart();
    }

    /** Pacemaker starts etcd, and the mark of a running installation is there. */
    Bench startedWithMark() {
        installing = true;
        return on(new Event.StartRequested(true));
    }

    boolean isMarked() {
        return installing;
    }

    /** The agent ends and begins again, in the same boot. */
    Bench restart() {
        heldOrders.clear();
        heldWrites.clear();
        reports.clear();
        state = restarted();
        return this;
    }

    private State restarted() {
        Supervisor.Outcome begun =
                Supervisor.begin(
                        node,
                        content,
                        seen(),
                        new Supervisor.Marks(false, false, stoppedByResourceAgent, installing),
                        now);
        state = begun.state();
        begun.actions().forEach(this::perform);
        drain();
        return state;
    }

    Bench on(Event event) {
        take(event);
        drain();
        return this;
    }

    private void take(Event event) {
        Supervisor.Outcome outcome = Supervisor.on(state, event, now, policy);
        state = outcome.state();
        outcome.actions().forEach(this::perform);
    }

    private void drain() {
        for (Event next = reports.poll(); next != null; next = reports.poll()) {
            take(next);
        }
    }

    private void perform(Action action) {
        switch (action) {
            case Action.Store store -> write(store);
            case Action.Etcd etcd -> {
                told.add(words(etcd.order()));
                if (holdsOrders) {
                    heldOrders.add(etcd);
                } else {
                    carryOut(etcd);
                }
            }
            case Action.AnswerPeer(PeerMessage message) -> answer = Optional.of(message);
            case Action.TellPeer() -> tellsPeer++;
            case Action.Acknowledge(long _, Action.Acknowledgement what) -> acknowledged.add(what);
            case Action.DeclarePeerOff _ -> declaredOff++;
            case Action.Journal(Notice notice) -> notices.add(notice);
            case Action.MarkComplete(long id) -> reports.add(new Event.MarkEnded(id, true, ""));
            case Action.HandLeadershipOver(long id) -> {
                handsOver++;
                reports.add(new Event.HandOverEnded(id));
            }
            case Action.OrderFence order -> fenceOrders.add(order);
            case Action.CloseInstallation() -> {
                installing = false;
                reports.add(new Event.InstallationClosed(true));
            }
            case Action.NoteBmc(Action.BmcMark mark) -> bmcMarks.add(mark);
            case Action.ChangeMembership(long _, Step step) -> steps.add(step);
            case Action.LookAtEtcd() -> {}
        }
    }

    private void write(Action.Store store) {
        switch (disk) {
            case STORES -> {
                content = store.content();
                written.add(content);
                reports.add(new Event.Stored(store.write()));
            }
            case HELD -> heldWrites.add(store);
            case FULL -> reports.add(new Event.NotStored(store.write(), "no space"));
        }
    }

    /** The disk comes back from wherever it was. */
    Bench diskStores() {
        disk = Disk.STORES;
        while (!heldWrites.isEmpty()) {
            write(heldWrites.poll());
            drain();
        }
        return this;
    }

    /** Orders that were held are carried out. */
    Bench ordersGoOn() {
        holdsOrders = false;
        while (!heldOrders.isEmpty()) {
            carryOut(heldOrders.poll());
            drain();
        }
        return this;
    }

    private static String afterLoss(boolean accepted) {
        return accepted ? " after a loss" : "";
    }

    private static String words(EtcdOrder order) {
        return switch (order) {
            case EtcdOrder.End end -> end.atOnce() ? "kill" : "stop";
            case EtcdOrder.StartInPlace(boolean lossAccepted) -> "start" + afterLoss(lossAccepted);
            case EtcdOrder.TakeOver over ->
                    "take over as "
                            + over.lineage().current().number()
                            + afterLoss(over.lossAccepted());
            case EtcdOrder.Bootstrap() -> "found";
            case EtcdOrder.Join join -> join.keepData() ? "join on own data" : "join";
            case EtcdOrder.RestartInPlace _ -> "restart";
        };
    }

    private void carryOut(Action.Etcd etcd) {
        if (etcd.order() instanceof EtcdOrder.End && cannotBeEnded) {
            reports.add(
                    new Event.EtcdOrderEnded(
                            etcd.id(),
                            new Event.OrderResult.Failed(
                                    seen(), "cannot end etcd", "it is there", "look", true, true)));
            return;
        }
        if (etcd.order() instanceof EtcdOrder.Join && !hasRoomToJoin) {
            reports.add(
                    new Event.EtcdOrderEnded(
                            etcd.id(),
                            new Event.OrderResult.Failed(
                                    seen(),
                                    "not enough space",
                                    "0 MB are free",
                                    "look",
                                    false,
                                    false)));
            return;
        }
        if (etcd.order() instanceof EtcdOrder.TakeOver over && over.generation() != generation) {
            throw new AssertionError("the log was read for " + over.generation());
        }
        generation++;
        switch (etcd.order()) {
            case EtcdOrder.End _ -> {
                server = EtcdState.STOPPED;
                starting = false;
            }
            case EtcdOrder.TakeOver over -> {
                replica = in(over.lineage());
                begins();
            }
            case EtcdOrder.StartInPlace _,
                    EtcdOrder.Bootstrap _,
                    EtcdOrder.Join _,
                    EtcdOrder.RestartInPlace _ ->
                    begins();
        }
        reports.add(new Event.EtcdOrderEnded(etcd.id(), new Event.OrderResult.Done(seen())));
    }

    private void begins() {
        server = EtcdState.LEADERLESS;
        starting = true;
    }

    private Replica in(Lineage lineage) {
        Replica.Intact log = (Replica.Intact) replica;
        return new Replica.Intact(
                lineage,
                log.term(),
                log.lastIndex(),
                log.lastIndex(),
                log.role(),
                log.complete(),
                log.memberId());
    }

    // ---- what happens --------------------------------------------------------------------------

    Bench pass(Duration time) {
        now = now.plus(time);
        return this;
    }

    Moment now() {
        return now;
    }

    private ServerObservation seen() {
        return new ServerObservation(
                generation,
                server,
                replica,
                starting,
                false,
                new Listed.Nowhere(),
                server == EtcdState.STOPPED ? log : WholeLog.CAN_BE_COMMITTED,
                0,
                0,
                "");
    }

    /** etcd is looked at. */
    Bench look() {
        return on(new Event.EtcdObserved(seen()));
    }

    Bench etcdIs(EtcdState now) {
        server = now;
        starting = false;
        return look();
    }

    Bench peerIs(Membership membership) {
        return on(new Event.MembershipRead(membership));
    }

    /** The peer asks, and tells these facts. */
    Bench hears(String facts) {
        return hears(new PeerMessage.Facts(theirs(facts), node.boot()));
    }

    private NodeFacts theirs(String facts) {
        return Sketch.facts(facts, node.peer(), peerBoot, node.self(), node.boot());
    }

    Bench hears(PeerMessage message) {
        answer = Optional.empty();
        return on(new Event.PeerAsked(++number, message, true));
    }

    /** The peer is asked, and answers with these facts. */
    Bench answers(String facts) {
        return on(
                new Event.PeerAnswered(
                        view().question(),
                        new PeerMessage.Facts(theirs(facts), node.boot()),
                        true));
    }

    /** Both look and speak for a while, once a second. */
    Bench goOn(int seconds, EtcdState peers) {
        for (int i = 0; i < seconds; i++) {
            pass(Duration.ofSeconds(1));
            look();
            hears("two 1:7 " + Sketch.words(peers));
        }
        return this;
    }

    /** Started by Pacemaker beside a peer that is well. */
    Bench serves() {
        return peerIs(THERE)
                .hears("two 1:7 leading")
                .on(new Event.StartRequested())
                .etcdIs(EtcdState.FOLLOWING);
    }

    /** Pacemaker fences, and nothing is in maintenance. */
    Bench pacemakerMayFence() {
        return on(new Event.PacemakerRead(true));
    }

    /** Pacemaker is through with the last fence that this node ordered. */
    Bench fenceOrderEnds(boolean done) {
        return on(
                new Event.FenceOrderEnded(
                        fenceOrders.getLast().id(), done, done ? "" : "no device answers"));
    }

    Bench fenced() {
        return fenced(off(now));
    }

    /** Of an order that was accepted. */
    static Event.FenceReading off(Moment read) {
        return new Event.FenceReading(PowerReading.OFF, true, Duration.ZERO, read);
    }

    Bench fenced(Event.FenceReading reading) {
        return fenced(order(), Proofs.Machine.THE_PEER, reading);
    }

    Proofs.Order order() {
        return new Proofs.Order(node.peer(), view().peerBoot());
    }

    Bench fenced(Proofs.Order order, Proofs.Machine machine, Event.FenceReading reading) {
        return on(
                new Event.FenceAnswered(
                        ++caller,
                        order,
                        machine,
                        "fence_tandem",
                        reading,
                        Membership.UNKNOWN,
                        wallClock.instant()));
    }

    Bench reads(PowerReading reading, boolean ofThePeer, Membership membership) {
        return on(new Event.PeerPowerRead(reading, ofThePeer, membership, wallClock.instant()));
    }

    Bench stated(PeerProof.Statement statement, PowerReading bmc) {
        return on(
                new Event.PersonStated(
                        ++caller,
                        statement,
                        view().incident().code(),
                        bmc,
                        Membership.UNKNOWN,
                        "anna",
                        wallClock.instant()));
    }

    Bench stop() {
        return on(
                new Event.StopRequested(
                        now.plus(Duration.ofSeconds(14)), now.plus(Duration.ofSeconds(28))));
    }

    // ---- what is told --------------------------------------------------------------------------

    SupervisorView view() {
        return new SupervisorView(state, now, policy);
    }

    State state() {
        return state;
    }

    /** What the next agent would find. */
    DurableState content() {
        return content;
    }

    NodeFacts facts() {
        return view().facts();
    }

    <T extends Notice> List<T> notices(Class<T> kind) {
        return notices.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    static BootId nextBoot() {
        return new BootId("south-boot-3");
    }
}
