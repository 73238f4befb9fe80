package dev.tandem.agent.supervise;

import dev.tandem.agent.state.DurableStore;
import dev.tandem.agent.state.Journal;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.core.supervise.VolatileState;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A supervisor with an etcd of paper and a real state file, whose actions are done at once, on the
 * thread of the test.
 */
public final class SupervisorOnPaper {
    private final AtomicLong nanos;
    private final EtcdOrders orders;
    private final DurableStore store;
    private final Journal journal;
    private final PaperEtcd etcd;
    private final NodeName peer;
    private final EtcdSupervisor supervisor;
    private final List<Long> stepIds = new ArrayList<>();
    private long number;

    final List<Step> steps = new ArrayList<>();
    final List<Action.Acknowledgement> acknowledged = new ArrayList<>();
    int looks;
    int declaredOff;

    SupervisorOnPaper(
            State.Node node,
            URI peerUrl,
            Policy policy,
            PaperEtcd etcd,
            Path state,
            boolean installing,
            AtomicLong nanos) {
        this.nanos = nanos;
        this.etcd = etcd;
        this.peer = node.peer();
        this.orders = new EtcdOrders(etcd, new MemberIdentity(peer.value(), List.of(peerUrl)));
        this.store = new DurableStore(state.resolve("memory.json"));
        this.journal = new Journal(state.resolve("journal.jsonl"), InstantSource.system());
        this.supervisor =
                new EtcdSupervisor(
                        Supervisor.begin(
                                node,
                                store.read(node.boot()),
                                orders.look(),
                                new Supervisor.Marks(false, false, false, installing),
                                new Moment(nanos.get())),
                        () -> new PlanLimits(policy, Duration.ofSeconds(10), Duration.ofSeconds(6)),
                        Runnable::run,
                        nanos::get,
                        () -> {},
                        (_, _, _, _, _) -> {});
        supervisor.start(this::perform);
    }

    private void perform(Action action) {
        switch (action) {
            case Action.Store(long write, DurableState content) ->
                    supervisor.on(stored(write, content));
            case Action.Etcd(long id, var order) ->
                    supervisor.on(new Event.EtcdOrderEnded(id, orders.carryOut(order)));
            case Action.ChangeMembership(long id, Step step) -> {
                steps.add(step);
                stepIds.add(id);
            }
            case Action.MarkComplete(long id) -> {
                etcd.markComplete();
                supervisor.on(new Event.MarkEnded(id, true, ""));
            }
            case Action.HandLeadershipOver(long id) -> supervisor.on(new Event.HandOverEnded(id));
            case Action.CloseInstallation() -> supervisor.on(new Event.InstallationClosed(true));
            case Action.LookAtEtcd() -> looks++;
            case Action.DeclarePeerOff _ -> declaredOff++;
            case Action.Journal(var notice) -> journal.record(Notices.event(notice));
            case Action.TellPeer(),
                    Action.AnswerPeer _,
                    Action.Acknowledge _,
                    Action.OrderFence _,
                    Action.NoteBmc _ -> {}
        }
    }

    private Event stored(long write, DurableState content) {
        try {
            store.write(content);
            return new Event.Stored(write);
        } catch (dev.tandem.core.Failure e) {
            return new Event.NotStored(write, e.what() + ": " + e.why());
        }
    }

    // ---- what happens --------------------------------------------------------------------------

    void saw(EtcdProcess.EtcdObservation seen) {
        supervisor.on(new Event.EtcdObserved(orders.seen(seen)));
    }

    void membership(Membership now) {
        supervisor.on(new Event.MembershipRead(now));
    }

    PeerMessage asked(PeerMessage theirs) {
        return supervisor.asked(new Event.PeerAsked(++number, theirs, true)).orElseThrow();
    }

    VolatileState.Question question() {
        return view().question();
    }

    void answered(VolatileState.Question question, PeerMessage theirs) {
        supervisor.on(new Event.PeerAnswered(question, theirs, true));
    }

    Moment now() {
        return supervisor.now();
    }

    void fenced(
            Proofs.Order order, Proofs.Machine machine, String method, Event.FenceReading reading) {
        supervisor
                .ask(
                        caller ->
                                new Event.FenceAnswered(
                                        caller,
                                        order,
                                        machine,
                                        method,
                                        reading,
                                        Membership.UNKNOWN,
                                        Instant.EPOCH),
                        Duration.ofMillis(1))
                .ifPresent(acknowledged::add);
    }

    void stated(PeerProof.Statement statement, PowerReading bmc, String person) {
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        String incident = view().incident().code();
        supervisor
                .ask(
                        caller ->
                                new Event.PersonStated(
                                        caller,
                                        statement,
                                        incident,
                                        bmc,
                                        Membership.UNKNOWN,
                                        person,
                                        Instant.EPOCH),
                        Duration.ofMillis(1))
                .ifPresent(acknowledged::add);
    }

    void peerPower(PowerReading reading) {
        supervisor.on(new Event.PeerPowerRead(reading, true, Membership.UNKNOWN, Instant.EPOCH));
    }

    /** Read Off again and again for half a minute. */
    void peerIsHeldOff() {
        for (int i = 0; i <= 6; i++) {
            peerPower(PowerReading.OFF);
            nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        }
    }

    void startRequested() {
        supervisor.on(new Event.StartRequested());
    }

    void stopRequested() {
        Moment now = supervisor.now();
        supervisor.on(
                new Event.StopRequested(
                        now.plus(Duration.ofSeconds(14)), now.plus(Duration.ofSeconds(28))));
    }

    void unheard(long generation) {
        saw(etcd.look());
        supervisor.on(new Event.LearnerUnheard(generation));
    }

    void stepped(Step step, MembershipChanges.Led led) {
        supervisor.on(
                new Event.StepEnded(
                        stepIds.getLast(), step, led.offer(), led.done(), led.outcome()));
    }

    void tick() {
        supervisor.on(new Event.Tick());
    }

    // ---- what can be told ----------------------------------------------------------------------

    SupervisorView view() {
        return supervisor.view();
    }

    DurableState memory() {
        return view().state().stored();
    }

    NodeFacts facts() {
        return view().facts();
    }

    Optional<BootId> peerBoot() {
        return view().peerBoot();
    }

    String sentence() {
        return view().sentence();
    }

    boolean unfit() {
        return view().unfit();
    }

    boolean waitsForOthers() {
        return view().waitsForOthers();
    }

    KubernetesReport forKubernetes() {
        return view().forKubernetes();
    }

    Proofs.Order order() {
        return new Proofs.Order(peer, peerBoot());
    }
}
