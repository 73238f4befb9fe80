package dev.tandem.agent.status;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.kube.NodeOutNotifier;
import dev.tandem.agent.kube.NotifierStatus;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.state.BmcCredibility;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.AbdicationKind;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.BmcFaultKind;
import dev.tandem.agentapi.BmcIdentity;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.ReplicaKind;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Describes the state of this node, in sentences and figures. */
public final class StatusReport {
    private static final long OBJECTIVE_MILLIS = 10_000;

    /** A caller has its answer within three seconds, the start of the command included. */
    private static final Duration GLANCE = Duration.ofSeconds(1);

    private final ClusterPlan plan;
    private final NodeName self;
    private final NodeName peer;
    private final EtcdSupervisor supervisor;
    private final PeerExchange talk;
    private final BmcSessions bmcs;
    private final BootGate gate;
    private final BmcCredibility offWhileAlive;
    private final RecoveryReport recovery;
    private final Actor actor;
    private final NodeOutNotifier kubernetes;
    private final InstantSource clock;
    private volatile @Nullable Kept last;

    private record Kept(AgentStatus status, long nanos) {}

    public StatusReport(
            ClusterPlan plan,
            NodeName self,
            NodeName peer,
            EtcdSupervisor supervisor,
            PeerExchange talk,
            BmcSessions bmcs,
            BootGate gate,
            BmcCredibility offWhileAlive,
            PacemakerWatch pacemaker,
            Actor actor,
            NodeOutNotifier kubernetes,
            InstantSource clock) {
        this.plan = plan;
        this.self = self;
        this.peer = peer;
        this.supervisor = supervisor;
        this.talk = talk;
        this.bmcs = bmcs;
        this.gate = gate;
        this.offWhileAlive = offWhileAlive;
        this.recovery =
                new RecoveryReport(
                        plan, self, peer, supervisor, talk, bmcs, offWhileAlive, pacemaker);
        this.actor = actor;
        this.kubernetes = kubernetes;
        this.clock = clock;
    }

    /**
     * Keeps the present state, for callers that ask while the supervisor is busy; on the
     * supervisor's thread.
     */
    public void keep() {
        last = new Kept(now(), System.nanoTime());
    }

    /** As it is now; while the supervisor is busy, as it was last, with its age. */
    public AgentStatus ask() {
        return actor.call(this::now, GLANCE)
                .orElseGet(() -> {
                    Kept kept = last;
                    if (kept == null) {
                        throw new Failure(
                                "cannot report the status",
                                "tandem-agent has just started and is busy with an action",
                                "ask again in a moment");
                    }
                    return kept.status().aged((System.nanoTime() - kept.nanos()) / 1_000_000);
                });
    }

    /**
     * Whether this node would recover from the peer's failure, for the peer; to be called on the
     * supervisor's thread.
     */
    public RecoveryReadiness readiness() {
        return recovery.readiness();
    }

    /** As it is now; to be called on the supervisor's thread. */
    AgentStatus now() {
        NodeFacts mine = supervisor.facts();
        Health health = Health.of(mine);
        Optional<NodeFacts> theirs =
                supervisor.peerView() instanceof PeerView.FactsKnown(NodeFacts facts)
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
                                supervisor.presence().peerPresent(),
                                talk.silence().map(Duration::toMillis).orElse(null),
                                Math.max(0, ownIndex - peerIndex))));
        Optional<AgentStatus.PendingLine> pending = supervisor.pending().map(this::pendingLine);
        AgentStatus.Recovery recovery = this.recovery.now();
        List<EtcdAlarm> alarms = EtcdAlarm.namedIn(supervisor.observation().words());
        StatusSentence sentence = sentence(health, alarms, theirs, pending, recovery);
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
                fencingLines(),
                new AgentStatus.PacemakerLine(
                        supervisor.presence().known(),
                        supervisor.presence().quorate(),
                        supervisor.presence().peerPresent(),
                        supervisor.presence().waitsForAll()),
                talk.channel(),
                recovery,
                health == Health.REDUNDANT && recovery.automatic() ? prediction() : null,
                health == Health.DOWN ? pending.orElse(null) : null,
                supervisor.trouble().orElse(null),
                kubernetes
                        .status(supervisor.forKubernetes())
                        .map(this::kubernetesLine)
                        .orElse(null),
                supervisor.incident().code(),
                plan.timing().profile(),
                new AgentStatus.AgentLine(
                        ProcessHandle.current()
                                .info()
                                .startInstant()
                                .map(start -> Duration.between(start, clock.instant()).toMillis())
                                .orElse(0L)));
    }

    private StatusSentence sentence(
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
                        supervisor.presence().peerPresent(),
                        theirs.map(Health::of),
                        theirs.filter(facts -> facts.server() == EtcdState.FOLLOWING).isPresent(),
                        recovery.peerSilence().compareTo(Impediments.SILENCE) <= 0,
                        supervisor.observation().running(),
                        alarms,
                        supervisor.observation().words(),
                        gate.sentence(),
                        supervisor.sentence(),
                        supervisor.trouble(),
                        supervisor.pending().map(EtcdSupervisor.Pending::decision),
                        pending,
                        found));
    }

    static Duration age(BmcSessions.Check check) {
        return Duration.ofNanos(System.nanoTime() - check.nanos());
    }

    private AgentStatus.PendingLine pendingLine(EtcdSupervisor.Pending pending) {
        long since = (System.nanoTime() - pending.sinceNanos()) / 1_000_000;
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
                            what.remedy(self, peer).orElse(null),
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
                            refusal.remedy(self, peer, supervisor.incident()),
                            refusal.runbook().path());
            default ->
                    new AgentStatus.PendingLine(
                            pending.sentence(),
                            since,
                            null,
                            null,
                            null,
                            EtcdSupervisor.REPAIR_LIMIT.toMillis(),
                            since > EtcdSupervisor.REPAIR_LIMIT.toMillis(),
                            null,
                            null,
                            null);
        };
    }

    private AgentStatus.KubernetesLine kubernetesLine(NotifierStatus status) {
        return new AgentStatus.KubernetesLine(
                status.state(),
                status.words(peer.value()),
                (System.nanoTime() - status.sinceNanos()) / 1_000_000);
    }

    private static long index(NodeFacts facts) {
        return facts.replica() instanceof Replica.Intact log ? log.lastIndex() : 0;
    }

    private static AgentStatus.NodeLine line(
            NodeFacts facts, boolean present, @Nullable Long heardMillis, long lag) {
        AbdicationKind abdicated = AbdicationKind.of(facts.abdication());
        return facts.replica() instanceof Replica.Intact log
                ? new AgentStatus.NodeLine(
                        facts.node().value(),
                        present,
                        heardMillis,
                        facts.server(),
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
                        facts.server(),
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

    private List<AgentStatus.FencingLine> fencingLines() {
        List<AgentStatus.FencingLine> lines = new ArrayList<>();
        Map<String, BmcSessions.Check> checks = bmcs.checks();
        for (ClusterPlan.Node node : plan.nodes()) {
            BmcSessions.Check check = checks.get(node.name());
            lines.add(
                    check == null
                            ? new AgentStatus.FencingLine(
                                    node.name(),
                                    PowerReading.UNKNOWN,
                                    null,
                                    null,
                                    null,
                                    "",
                                    BmcIdentity.UNKNOWN,
                                    "")
                            : fencingLine(node.name(), check));
        }
        return lines;
    }

    private AgentStatus.FencingLine fencingLine(String node, BmcSessions.Check check) {
        boolean readsOff = node.equals(peer.value()) && offWhileAlive.found();
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
                check.identity());
    }

    private static BmcFaultKind kind(BmcFault fault) {
        return switch (fault) {
            case BmcFault.Unreachable _ -> BmcFaultKind.UNREACHABLE;
            case BmcFault.Untrusted _ -> BmcFaultKind.UNTRUSTED;
            case BmcFault.Denied _ -> BmcFaultKind.DENIED;
            case BmcFault.Busy _ -> BmcFaultKind.BUSY;
            case BmcFault.Rejected _ -> BmcFaultKind.REJECTED;
            case BmcFault.Unintelligible _ -> BmcFaultKind.UNINTELLIGIBLE;
        };
    }

    /** From what the lab measures: reading a log and loading a database are the parts that grow. */
    private AgentStatus.Prediction prediction() {
        EtcdProcess.Figures figures = supervisor.observation().figures();
        BmcSessions.Check check = bmcs.checks().get(peer.value());
        long latency = check == null ? 1000 : check.latency().map(Duration::toMillis).orElse(1000L);
        Map<String, Long> parts = new LinkedHashMap<>();
        parts.put("detect", plan.timing().token().plus(plan.timing().consensus()).toMillis());
        parts.put("order", 1000L);
        parts.put("fence", 2 * latency + 20);
        parts.put("log", 150 + 5 * figures.logBytes() / 1_000_000);
        parts.put("etcd", 200 + 7 * figures.databaseBytes() / 1_000_000);
        return new AgentStatus.Prediction(
                parts.values().stream().mapToLong(Long::longValue).sum(), parts, OBJECTIVE_MILLIS);
    }
}
