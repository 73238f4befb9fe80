package dev.tandem.agent.status;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.kube.OutOfServiceNotifier;
import dev.tandem.agent.kube.OutOfServiceStatus;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agentapi.AbdicationKind;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.BmcFaultKind;
import dev.tandem.agentapi.BmcIdentity;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.ReplicaKind;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.RecoveryPrediction;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.core.supervise.VolatileState;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.health.BmcSpeed;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.pacemaker.cib.CibPlan;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Describes the state of this node, in sentences and figures. */
public final class StatusReport {
    private static final long OBJECTIVE_MILLIS = 10_000;

    /** etcd is looked at every three seconds at most, while it can be. */
    private static final Duration LOOKED_JUST_NOW = Duration.ofSeconds(10);

    private final Supplier<ClusterPlan> plan;
    private final NodeName self;
    private final NodeName peer;
    private final EtcdSupervisor supervisor;
    private final PeerExchange talk;
    private final BmcSessions bmcs;
    private final BootGate gate;
    private final PacemakerWatch pacemaker;
    private final StatusInputs inputs;
    private final RecoveryReport recovery;
    private final OutOfServiceNotifier kubernetes;
    private final InstantSource clock;

    public StatusReport(
            Supplier<ClusterPlan> plan,
            NodeName self,
            NodeName peer,
            EtcdSupervisor supervisor,
            PeerExchange talk,
            BmcSessions bmcs,
            BootGate gate,
            PacemakerWatch pacemaker,
            StatusInputs inputs,
            OutOfServiceNotifier kubernetes,
            InstantSource clock) {
        this.plan = plan;
        this.self = self;
        this.peer = peer;
        this.supervisor = supervisor;
        this.talk = talk;
        this.bmcs = bmcs;
        this.gate = gate;
        this.pacemaker = pacemaker;
        this.inputs = inputs;
        this.recovery =
                new RecoveryReport(
                        plan, self, peer, supervisor, talk, bmcs, pacemaker, gate, inputs, clock);
        this.kubernetes = kubernetes;
        this.clock = clock;
    }

    /**
     * As it is now, from what the supervisor knew last. What is said of etcd is as old as the last
     * look at it, where that was not just now.
     */
    public synchronized AgentStatus ask() {
        AgentStatus status = now();
        Duration age = supervisor.view().lookAge();
        return age.compareTo(LOOKED_JUST_NOW) > 0 ? status.aged(age.toMillis()) : status;
    }

    /** Whether this node would recover from the peer's failure, for the peer. */
    public RecoveryReadiness readiness() {
        return recovery.readiness();
    }

    synchronized AgentStatus now() {
        SupervisorView now = supervisor.view();
        NodeFacts mine = now.facts();
        Health health = now.health();
        Optional<NodeFacts> theirs =
                now.peerView() instanceof PeerView.FactsKnown(NodeFacts facts)
                        ? Optional.of(facts)
                        : Optional.empty();
        long ownIndex = index(mine);
        long peerIndex = theirs.map(StatusReport::index).orElse(0L);
        List<AgentStatus.NodeLine> nodes = new ArrayList<>();
        nodes.add(line(mine, true, 0L, Math.max(0, peerIndex - ownIndex)));
        theirs.ifPresent(facts ->
                nodes.add(
                        line(
                                facts,
                                now.membership().peerPresent(),
                                talk.silence().map(Duration::toMillis).orElse(null),
                                Math.max(0, ownIndex - peerIndex))));
        Optional<AgentStatus.PendingLine> pending =
                now.pending().map(waits -> pendingLine(now, waits));
        AgentStatus.Recovery recovery = this.recovery.now(now);
        List<EtcdAlarm> alarms = EtcdAlarm.namedIn(now.observation().words());
        StatusSentence sentence = sentence(now, health, alarms, theirs, pending, recovery);
        return new AgentStatus(
                AgentMessages.VERSION,
                sentence.text(),
                0,
                self.value(),
                peer.value(),
                NodeHealth.of(health),
                sentence.well(),
                health == Health.DOWN ? List.of() : alarms,
                nodes,
                fencingLines(now),
                new AgentStatus.PacemakerLine(
                        RecoveryReport.corosyncAnswers(now),
                        now.membership().quorate(),
                        now.membership().peerPresent(),
                        now.membership().waitsForAll()),
                talk.channel(),
                recovery,
                health == Health.REDUNDANT && recovery.automatic() ? prediction(now) : null,
                health == Health.DOWN ? pending.orElse(null) : null,
                now.trouble().orElse(null),
                kubernetes.status(now.forKubernetes()).map(this::kubernetesLine).orElse(null),
                now.incident().code(),
                plan.get().timing().profile(),
                new AgentStatus.AgentLine(
                        ProcessHandle.current()
                                .info()
                                .startInstant()
                                .map(start -> Duration.between(start, clock.instant()).toMillis())
                                .orElse(0L)));
    }

    private StatusSentence sentence(
            SupervisorView now,
            Health health,
            List<EtcdAlarm> alarms,
            Optional<NodeFacts> theirs,
            Optional<AgentStatus.PendingLine> pending,
            AgentStatus.Recovery found) {
        return StatusSentence.of(
                new StatusSentence.Seen(
                        self.value(),
                        peer.value(),
                        health,
                        now.membership().peerPresent(),
                        theirs.map(Health::of),
                        theirs.filter(facts -> facts.server() == EtcdState.FOLLOWING).isPresent(),
                        recovery.peerSilence(now).compareTo(Impediments.SILENCE) <= 0,
                        now.observation().running() && !now.observation().unconfirmedStart(),
                        now.unfit(),
                        peersPower(now),
                        alarms,
                        now.observation().words(),
                        gate.sentence(),
                        now.sentence(),
                        now.trouble(),
                        now.pending().map(VolatileState.Pending::decision),
                        pending,
                        recovery.failedFence(now),
                        found));
    }

    /** What the peer's BMC reads, where that is about the peer as it is now. */
    private PowerReading peersPower(SupervisorView now) {
        return Optional.ofNullable(bmcs.checks().get(peer.value()))
                .filter(BmcSessions.Check::isTheNodes)
                .filter(check -> recovery.isSinceThePeerCame(now, check))
                .map(BmcSessions.Check::reading)
                .orElse(PowerReading.UNKNOWN);
    }

    static Duration age(BmcSessions.Check check) {
        return Duration.ofNanos(System.nanoTime() - check.nanos());
    }

    private AgentStatus.PendingLine pendingLine(SupervisorView now, VolatileState.Pending pending) {
        long since = now.now().since(pending.since()).toMillis();
        return switch (pending.decision()) {
            case Decision.Wait(WaitFor what) ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            what,
                            null,
                            what.owner(),
                            what.limit().toMillis(),
                            since > what.limit().toMillis(),
                            null,
                            remedy(now, what),
                            what.runbook().path());
            case Decision.Refuse(var refusal) ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            null,
                            refusal,
                            WaitFor.Owner.PERSON,
                            null,
                            false,
                            refusal.missing(self, peer),
                            refusal.remedy(self, peer, now.incident()),
                            refusal.runbook().path());
            default ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            null,
                            null,
                            null,
                            now.policy().repair().toMillis(),
                            since > now.policy().repair().toMillis(),
                            null,
                            null,
                            null);
        };
    }

    /** A statement that the peer is off is refused while its BMC reads On. */
    private @Nullable String remedy(SupervisorView now, WaitFor what) {
        return what == WaitFor.FENCING && peersPower(now) == PowerReading.ON
                ? "switch %s off (its BMC reads On), then: tandem confirm-peer-off %s"
                        .formatted(peer, peer)
                : what.remedy(self, peer).orElse(null);
    }

    private AgentStatus.KubernetesLine kubernetesLine(OutOfServiceStatus status) {
        return new AgentStatus.KubernetesLine(
                status.state(),
                status.words(peer.value()),
                (System.nanoTime() - status.sinceNanos()) / 1_000_000);
    }

    private static long index(NodeFacts facts) {
        return facts.replica() instanceof Replica.Intact log ? log.lastIndex() : 0;
    }

    private static AgentStatus.NodeLine line(
            NodeFacts facts, boolean present, @Nullable Long heardMillis, long behind) {
        // What a leader lacks by an older report of its peer has reached it since.
        long lag = facts.server() == EtcdState.LEADING ? 0 : behind;
        AbdicationKind abdicated = AbdicationKind.of(facts.abdication());
        return facts.replica() instanceof Replica.Intact log
                ? new AgentStatus.NodeLine(
                        facts.node().value(),
                        present,
                        heardMillis,
                        present ? facts.server() : null,
                        present ? null : facts.server(),
                        ReplicaKind.INTACT,
                        log.role(),
                        log.complete(),
                        log.lineage().current().number(),
                        log.term(),
                        log.lastIndex(),
                        lag,
                        abdicated,
                        Long.toHexString(log.memberId()))
                : new AgentStatus.NodeLine(
                        facts.node().value(),
                        present,
                        heardMillis,
                        present ? facts.server() : null,
                        present ? null : facts.server(),
                        facts.replica() instanceof Replica.Missing
                                ? ReplicaKind.NO_REPLICA
                                : ReplicaKind.DAMAGED,
                        null,
                        false,
                        0,
                        0,
                        0,
                        lag,
                        abdicated,
                        "");
    }

    private List<AgentStatus.FencingLine> fencingLines(SupervisorView now) {
        List<AgentStatus.FencingLine> lines = new ArrayList<>();
        for (ClusterPlan.Node node : plan.get().nodes()) {
            Map<Boolean, List<AgentStatus.DeviceLine>> devices = devices(node);
            lines.add(
                    fencingLine(
                            node.name(),
                            bmcs,
                            now.bmcReadsFalseOff(),
                            null,
                            devices.getOrDefault(false, List.of())));
            bmcs.second()
                    .filter(second -> second.has(node.name()))
                    .map(second ->
                            fencingLine(
                                    node.name(),
                                    second,
                                    now.secondReadsFalseOff(),
                                    true,
                                    devices.getOrDefault(true, List.of())))
                    .ifPresent(lines::add);
        }
        return lines;
    }

    /** By whether they use the second of the node's BMC; further levels use none. */
    private Map<Boolean, List<AgentStatus.DeviceLine>> devices(ClusterPlan.Node node) {
        Optional<String> ofSecond =
                node.bySecond().map(way -> CibPlan.stockDeviceOf(node.name(), way.bmc().address()));
        List<String> all = CibPlan.devicesOf(node);
        return IntStream.range(0, all.size())
                .mapToObj(i ->
                        new AgentStatus.DeviceLine(
                                all.get(i), i + 1, recovery.use(all.get(i), node.name())))
                .collect(
                        Collectors.partitioningBy(
                                line -> ofSecond.filter(line.device()::equals).isPresent()));
    }

    private AgentStatus.FencingLine fencingLine(
            String node,
            BmcSessions through,
            boolean falseOff,
            @Nullable Boolean second,
            List<AgentStatus.DeviceLine> devices) {
        BmcSessions.Check check = through.checks().get(node);
        if (check == null) {
            return new AgentStatus.FencingLine(
                    node,
                    PowerReading.UNKNOWN,
                    null,
                    null,
                    null,
                    "",
                    BmcIdentity.UNKNOWN,
                    "",
                    second,
                    null,
                    devices,
                    null,
                    null);
        }
        // Of the first of the peer's BMCs only: by that this node switches off and looks on.
        Optional<Duration> took =
                second == null && node.equals(peer.value())
                        ? inputs.switchOff().longest()
                        : Optional.empty();
        boolean readsOff = node.equals(peer.value()) && falseOff;
        return new AgentStatus.FencingLine(
                node,
                check.reading(),
                age(check).toMillis(),
                check.latency().map(Duration::toMillis).orElse(null),
                readsOff
                        ? BmcFaultKind.READS_OFF_WHILE_UP
                        : check.trouble().map(StatusReport::kind).orElse(null),
                readsOff
                        ? "it reads Off while %s is in the cluster".formatted(peer)
                        : check.fault(),
                check.isTheNodes()
                        ? BmcIdentity.SAME
                        : check.isAnothers() ? BmcIdentity.DIFFERENT : BmcIdentity.UNKNOWN,
                check.identity(),
                second,
                through.untilNextLogin(node).map(Duration::toMillis).orElse(null),
                devices,
                took.map(Duration::toMillis).orElse(null),
                took.map(time ->
                                BmcSpeed.fittingSeconds(
                                        time, through.answers(node).map(LatencyFigures::ninetieth)))
                        .orElse(null));
    }

    private static BmcFaultKind kind(BmcFault fault) {
        return switch (fault) {
            case BmcFault.Unreachable _ -> BmcFaultKind.UNREACHABLE;
            case BmcFault.Untrusted _ -> BmcFaultKind.UNTRUSTED;
            case BmcFault.Denied _ -> BmcFaultKind.DENIED;
            case BmcFault.NoPassword _ -> BmcFaultKind.NO_PASSWORD;
            case BmcFault.Busy _ -> BmcFaultKind.BUSY;
            case BmcFault.Rejected _ -> BmcFaultKind.REJECTED;
            case BmcFault.Unintelligible _ -> BmcFaultKind.UNINTELLIGIBLE;
        };
    }

    /** Where the peer's BMC has a second way, and the first would fail: at once, or by silence. */
    private Optional<Duration> untilSecondLevel(ClusterPlan planned) {
        Optional<BmcFault> trouble =
                Optional.ofNullable(bmcs.checks().get(peer.value()))
                        .flatMap(BmcSessions.Check::trouble);
        if (trouble.isEmpty() || planned.peerOf(self.value()).bmc().second().isEmpty()) {
            return Optional.empty();
        }
        Duration first =
                switch (trouble.get()) {
                    case BmcFault.Denied _, BmcFault.Untrusted _, BmcFault.NoPassword _ ->
                            Duration.ZERO;
                    default -> planned.powerLimit();
                };
        Duration second =
                planned.preferred().name().equals(peer.value())
                        ? planned.levelTwoSplitDelay()
                        : Duration.ZERO;
        return Optional.of(first.plus(second));
    }

    private AgentStatus.Prediction prediction(SupervisorView now) {
        ServerObservation figures = now.observation();
        ClusterPlan planned = plan.get();
        Optional<Duration> switchOff = inputs.switchOff().longest();
        PredictionWatch.Seen seen = inputs.prediction().seen();
        RecoveryPrediction prediction =
                RecoveryPrediction.of(
                        new RecoveryPrediction.Known(
                                seen.missedAfter()
                                        .orElseGet(() ->
                                                planned.timing()
                                                        .token()
                                                        .plus(planned.timing().consensus())),
                                pacemaker
                                        .status()
                                        .flatMap(PacemakerStatus.Known::dc)
                                        .filter(peer.value()::equals)
                                        .isPresent(),
                                inputs.splitDelay().get(),
                                untilSecondLevel(planned),
                                Optional.ofNullable(bmcs.checks().get(peer.value()))
                                        .flatMap(BmcSessions.Check::latency),
                                switchOff.orElse(planned.bmcOff()),
                                seen.logBytes().orElse(figures.logBytes()),
                                figures.databaseBytes(),
                                planned.api().isPresent()));
        Map<String, Long> parts = new LinkedHashMap<>();
        prediction.parts().forEach((part, time) -> parts.put(part.label(), time.toMillis()));
        return new AgentStatus.Prediction(
                prediction.afterPowerLoss().toMillis(),
                prediction.afterHang().toMillis(),
                prediction.ofApiAfterPowerLoss().map(Duration::toMillis).orElse(null),
                switchOff.isPresent(),
                parts,
                OBJECTIVE_MILLIS);
    }
}
