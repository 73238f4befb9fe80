package dev.tandem.agentapi.replay;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replay.FlightRecorder;
import dev.tandem.core.replay.PlanLimits;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorPolicy;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.core.testing.Sketch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A supervisor to which anything may happen in any order: events from outside at random, and
 * reports of what it ordered sooner or later, well or badly.
 */
final class RandomNode {
    static final PlanLimits LIMITS =
            new PlanLimits(Policy.PAIR, Duration.ofSeconds(10), Duration.ofSeconds(6));

    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final List<String> SOUTH =
            List.of(
                    "two 1:7 leading",
                    "two 1:7 following",
                    "two 1:9 leaderless",
                    "two 1:7",
                    "two 1:7 left",
                    "two 1:7 stood-down",
                    "sole 2s9:12 leading invites");
    private static final List<String> NORTH =
            List.of("two 1:7", "two 1:7/5", "sole 1:7", "unconfirmed 1:7", "damaged", "none");

    private final Random random;
    private final SupervisorPolicy policy = LIMITS.policy();
    private final FlightRecorder recorder = new FlightRecorder(LIMITS);
    private final List<Action> ordered = new ArrayList<>();
    private final List<Recorded> recording = new ArrayList<>();
    private Moment now = new Moment(1_000_000_000_000L);
    private Instant time = TIME;
    private Replica replica;
    private EtcdState server = EtcdState.STOPPED;
    private long generation;
    private long number;
    private State state;

    RandomNode(long seed) {
        this.random = new Random(seed);
        this.replica = Sketch.north(one(NORTH)).replica();
        Supervisor.Outcome begun =
                Supervisor.begin(
                        new State.Node(Sketch.NORTH, Sketch.SOUTH, Sketch.NORTH_BOOT),
                        DurableState.blank(Sketch.NORTH_BOOT),
                        seen(),
                        Supervisor.Marks.NONE,
                        now);
        state = begun.state();
        ordered.addAll(begun.actions());
    }

    /** What its recorder wrote while so many events came. */
    List<Recorded> recorded(int events) {
        for (int i = 0; i < events; i++) {
            Duration pause =
                    one(
                            List.of(
                                    Duration.ofMillis(3),
                                    Duration.ofSeconds(1),
                                    Duration.ofSeconds(20)));
            now = now.plus(pause);
            time = time.plus(pause);
            Event event = event();
            State before = state;
            Supervisor.Outcome outcome = Supervisor.on(before, event, now, policy);
            state = outcome.state();
            recording.addAll(recorder.took(before, event, now, outcome, time));
            ordered.addAll(outcome.actions());
            ordered.removeIf(action -> report(action).isEmpty());
        }
        return List.copyOf(recording);
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Event event() {
        if (!ordered.isEmpty() && random.nextInt(3) > 0) {
            return report(ordered.remove(random.nextInt(ordered.size()))).orElseThrow().get();
        }
        SupervisorView view = new SupervisorView(state, now, policy);
        return switch (random.nextInt(17)) {
            case 0 -> new Event.Tick();
            case 1 -> new Event.MembershipRead(membership());
            case 2, 3 -> new Event.PeerAsked(++number, message(), random.nextInt(8) > 0);
            case 4, 5 -> new Event.PeerAnswered(view.question(), message(), true);
            case 6 ->
                    new Event.FenceAnswered(
                            random.nextInt(5),
                            new Proofs.Order(Sketch.SOUTH, view.peerBoot()),
                            one(List.of(Proofs.Machine.values())),
                            "fence_tandem",
                            new Event.FenceReading(
                                    one(List.of(PowerReading.values())),
                                    random.nextBoolean(),
                                    Duration.ofMillis(random.nextInt(600)),
                                    now),
                            membership(),
                            time);
            case 7 ->
                    random.nextBoolean()
                            ? new Event.PeerPowerRead(
                                    one(List.of(PowerReading.values())),
                                    random.nextBoolean(),
                                    membership(),
                                    time)
                            : new Event.SecondPowerRead(
                                    one(List.of(PowerReading.values())),
                                    random.nextBoolean(),
                                    membership());
            case 8 ->
                    new Event.PersonStated(
                            random.nextInt(5),
                            one(List.of(PeerProof.Statement.values())),
                            view.incident().code(),
                            one(List.of(PowerReading.values())),
                            membership(),
                            "anna",
                            time);
            case 9 ->
                    random.nextBoolean()
                            ? new Event.FencingSeen(random.nextBoolean())
                            : record(
                                    new Event.LevelTwoFound(
                                            new Proofs.Order(Sketch.SOUTH, view.peerBoot()),
                                            record(),
                                            one(List.of(Proofs.Machine.values())),
                                            one(List.of(PowerReading.values())),
                                            "fence_redfish",
                                            now,
                                            membership(),
                                            time));
            case 10 -> {
                if (random.nextInt(4) == 0) {
                    yield new Event.FurtherLevelFound(
                            1 + random.nextInt(2),
                            new Proofs.Order(Sketch.SOUTH, view.peerBoot()),
                            record(),
                            random.nextBoolean(),
                            "fence_apc_snmp",
                            now,
                            membership(),
                            time);
                }
                yield random.nextBoolean()
                        ? new Event.FenceExpected(Duration.ofMinutes(2))
                        : new Event.LearnerUnheard(generation);
            }
            case 11 -> new Event.PacemakerRead(random.nextInt(4) > 0);
            case 12 -> new Event.StartRequested(random.nextInt(4) == 0);
            case 13 ->
                    random.nextInt(4) == 0
                            ? new Event.StopRequested(
                                    now.plus(Duration.ofSeconds(14)),
                                    now.plus(Duration.ofSeconds(28)))
                            : new Event.StartRequested();
            case 14 -> forNothing();
            default -> {
                if (server != EtcdState.STOPPED) {
                    server = one(List.of(EtcdState.values()));
                }
                yield new Event.EtcdObserved(seen());
            }
        };
    }

    /** A report of what was not ordered: it changes nothing that matters. */
    private Event forNothing() {
        return one(
                List.of(
                        new Event.Stored(99),
                        new Event.NotStored(99, "no space"),
                        new Event.EtcdOrderEnded(99, new Event.OrderResult.Done(seen())),
                        new Event.StepEnded(
                                99, new Step.Promote(7), Optional.empty(), true, "done"),
                        new Event.HandOverEnded(99),
                        new Event.MarkEnded(99, true, ""),
                        new Event.FenceOrderEnded(99, false, "no device"),
                        new Event.InstallationClosed(true)));
    }

    private Event record(Event.LevelTwoFound found) {
        return random.nextBoolean() ? found : new Event.SecondRecordFound(found);
    }

    private LevelTwoRecord record() {
        return new LevelTwoRecord(
                20,
                random.nextBoolean() ? Optional.of(Duration.ofSeconds(1)) : Optional.empty(),
                random.nextBoolean(),
                one(List.of(LevelTwoRecord.Giver.values())),
                new LevelTwoRecord.SinceBoot.At(random.nextInt(30)),
                one(
                        List.of(
                                new LevelTwoRecord.SinceBoot.Never(),
                                new LevelTwoRecord.SinceBoot.Unknown())));
    }

    private Membership membership() {
        return new Membership(
                random.nextInt(5) > 0,
                random.nextBoolean(),
                random.nextInt(4) > 0,
                random.nextInt(4) == 0);
    }

    private PeerMessage message() {
        BootId boot = random.nextInt(6) == 0 ? new BootId("south-boot-3") : Sketch.SOUTH_BOOT;
        return random.nextInt(4) == 0
                ? new PeerMessage.Hello(boot)
                : new PeerMessage.Facts(Sketch.south(one(SOUTH)), Sketch.NORTH_BOOT);
    }

    private ServerObservation seen() {
        return new ServerObservation(
                generation,
                server,
                replica,
                random.nextInt(5) == 0,
                random.nextInt(8) == 0,
                one(List.of(new Listed.Nowhere(), new Listed.Learner(7), new Listed.Voter(7))),
                WholeLog.CAN_BE_COMMITTED,
                random.nextInt(1 << 20),
                100,
                "");
    }

    /** The report of an action; empty where it has none. */
    private Optional<Supplier<Event>> report(Action action) {
        boolean well = random.nextInt(5) > 0;
        return switch (action) {
            case Action.Store(long write, var _) ->
                    Optional.of(() ->
                            well
                                    ? new Event.Stored(write)
                                    : new Event.NotStored(write, "no space"));
            case Action.Etcd(long id, EtcdOrder order) ->
                    Optional.of(() -> new Event.EtcdOrderEnded(id, result(order, well)));
            case Action.ChangeMembership(long id, var step) ->
                    Optional.of(() ->
                            new Event.StepEnded(
                                    id,
                                    step,
                                    well
                                            ? Optional.of(
                                                    new Offer.JoinToken(
                                                            Sketch.SOUTH, Sketch.SOUTH_BOOT, 7))
                                            : Optional.empty(),
                                    well,
                                    "as it was"));
            case Action.HandLeadershipOver(long id) ->
                    Optional.of(() -> new Event.HandOverEnded(id));
            case Action.MarkComplete(long id) ->
                    Optional.of(() -> new Event.MarkEnded(id, well, well ? "" : "no space"));
            case Action.OrderFence(long id, var _) ->
                    Optional.of(() -> new Event.FenceOrderEnded(id, well, well ? "" : "no device"));
            case Action.CloseInstallation() ->
                    Optional.of(() -> new Event.InstallationClosed(well));
            case Action.AnswerPeer _,
                    Action.TellPeer _,
                    Action.LookAtEtcd _,
                    Action.Acknowledge _,
                    Action.DeclarePeerOff _,
                    Action.NoteBmc _,
                    Action.Journal _ ->
                    Optional.empty();
        };
    }

    private Event.OrderResult result(EtcdOrder order, boolean well) {
        if (!well) {
            return new Event.OrderResult.Failed(
                    seen(), "etcd was not started", "no space", "look", false, true);
        }
        generation++;
        switch (order) {
            case EtcdOrder.End _ -> server = EtcdState.STOPPED;
            case EtcdOrder.TakeOver over -> begins(Optional.of(over.lineage()));
            case EtcdOrder.StartInPlace _,
                    EtcdOrder.Bootstrap _,
                    EtcdOrder.Join _,
                    EtcdOrder.RestartInPlace _ ->
                    begins(Optional.empty());
        }
        return new Event.OrderResult.Done(seen());
    }

    private void begins(Optional<Lineage> lineage) {
        server = EtcdState.LEADERLESS;
        if (lineage.isPresent() && replica instanceof Replica.Intact log) {
            replica =
                    new Replica.Intact(
                            lineage.get(),
                            log.term(),
                            log.lastIndex(),
                            log.lastIndex(),
                            log.role(),
                            log.complete(),
                            log.memberId());
        }
    }
}
