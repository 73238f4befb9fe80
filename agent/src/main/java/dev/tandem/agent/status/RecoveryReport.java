package dev.tandem.agent.status;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.plan.PlanChanges;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.AgentStatus.DeviceUse;
import dev.tandem.agentapi.PeerReadiness;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.core.BmcAddress;
import dev.tandem.core.BmcName;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Health;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.supervise.SupervisorView;
import dev.tandem.host.NodePaths;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.health.BmcCertificate;
import dev.tandem.host.health.BmcSpeed;
import dev.tandem.host.health.CertificateImpediments;
import dev.tandem.host.health.DiskImpediments;
import dev.tandem.host.health.FencingLevels;
import dev.tandem.host.health.ImpedimentDurations;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.health.LinkImpediments;
import dev.tandem.host.health.ReportedImpediments;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether a failure of either node would be recovered without a person: by what this node knows
 * and, where it is this node that fails, by what the peer says. Any thread may ask.
 */
final class RecoveryReport {
    private final Supplier<ClusterPlan> plan;
    private final NodeName self;
    private final NodeName peer;
    private final EtcdSupervisor supervisor;
    private final PeerExchange talk;
    private final BmcSessions bmcs;
    private final PacemakerWatch pacemaker;
    private final BootGate gate;
    private final StatusInputs inputs;
    private final InstantSource clock;
    private final ImpedimentDurations onsets;
    private long presentSince = System.nanoTime();

    RecoveryReport(
            Supplier<ClusterPlan> plan,
            NodeName self,
            NodeName peer,
            EtcdSupervisor supervisor,
            PeerExchange talk,
            BmcSessions bmcs,
            PacemakerWatch pacemaker,
            BootGate gate,
            StatusInputs inputs,
            InstantSource clock) {
        this.plan = plan;
        this.self = self;
        this.peer = peer;
        this.supervisor = supervisor;
        this.talk = talk;
        this.bmcs = bmcs;
        this.pacemaker = pacemaker;
        this.gate = gate;
        this.inputs = inputs;
        this.clock = clock;
        this.onsets = new ImpedimentDurations(() -> supervisor.now().nanos());
    }

    /** What the peer is told: only what stands in the way of a recovery from its own failure. */
    synchronized RecoveryReadiness readiness() {
        List<Impediment.Cause> causes =
                look(supervisor.view()).own().impediments().stream()
                        .filter(found -> isAboutFailureOf(found, peer))
                        .map(Impediment::cause)
                        .toList();
        return causes.isEmpty()
                ? new RecoveryReadiness.Automatic()
                : new RecoveryReadiness.Impeded(causes);
    }

    synchronized AgentStatus.Recovery now(SupervisorView now) {
        Found found = look(now);
        return new AgentStatus.Recovery(
                found.own().automatic() && found.reported().isEmpty(),
                Stream.concat(
                                found.own().impediments().stream().map(this::found),
                                found.reported().stream().map(this::reported))
                        .toList(),
                found.warnings().stream().map(this::found).toList(),
                peerSays(now));
    }

    /**
     * What there is at a moment.
     *
     * @param warnings without those that the peer reports as worse
     */
    private record Found(Impediments own, List<Impediment> reported, List<Impediment> warnings) {}

    /**
     * Each look notes what is new. The peer is told once a second whether this node would recover,
     * so how long a thing has lasted does not depend on when a person first asked.
     */
    private Found look(SupervisorView now) {
        Impediments all = own(now);
        Impediments own = ripe(all);
        List<Impediment> reported = reported(now, own);
        List<Impediment> warnings =
                own.warnings().stream()
                        .filter(warning ->
                                reported.stream().noneMatch(told -> isSame(told, warning)))
                        .toList();
        onsets.note(
                Stream.of(all.impediments(), reported, all.warnings())
                        .flatMap(List::stream)
                        .toList());
        return new Found(own, reported, warnings);
    }

    /** Without what may end without anybody: its time is counted, and it is not told yet. */
    private Impediments ripe(Impediments all) {
        return new Impediments(ripe(all.impediments()), ripe(all.warnings()));
    }

    private List<Impediment> ripe(List<Impediment> all) {
        return all.stream()
                .filter(found -> onsets.lasts(found).compareTo(found.cause().patience()) >= 0)
                .toList();
    }

    /** A silent agent is a cause of its own, and what it said before counts no more. */
    private Optional<RecoveryReadiness> told(SupervisorView now) {
        return isHeard(now) ? talk.peerReadiness(ReportedImpediments.OLD_WORD) : Optional.empty();
    }

    private boolean isHeard(SupervisorView now) {
        return now.membership().peerPresent()
                && peerSilence(now).compareTo(Impediments.SILENCE) <= 0;
    }

    private PeerReadiness peerSays(SupervisorView now) {
        return told(now)
                .map(readiness ->
                        switch (readiness) {
                            case RecoveryReadiness.Automatic() -> PeerReadiness.AUTOMATIC;
                            case RecoveryReadiness.Impeded _ -> PeerReadiness.IMPEDED;
                            case RecoveryReadiness.NotTold() -> PeerReadiness.NOT_TOLD;
                        })
                .orElse(PeerReadiness.UNKNOWN);
    }

    /** What only the peer finds: most of Pacemaker's configuration both see. */
    private List<Impediment> reported(SupervisorView now, Impediments own) {
        if (!isHeard(now)) {
            return List.of();
        }
        return ReportedImpediments.of(told(now), self.value(), peer.value()).stream()
                .filter(told ->
                        own.impediments().stream()
                                .filter(found -> isAboutFailureOf(found, self))
                                .noneMatch(found -> found.cause() == told.cause()))
                .toList();
    }

    private static boolean isAboutFailureOf(Impediment impediment, NodeName node) {
        return impediment.failureOf().filter(whose -> !whose.equals(node.value())).isEmpty();
    }

    private static boolean isSame(Impediment one, Impediment other) {
        return one.cause() == other.cause() && one.failureOf().equals(other.failureOf());
    }

    private Impediments own(SupervisorView now) {
        return ofTheCluster(now)
                .and(
                        inputs.passwordSource()
                                .get()
                                .map(trouble -> trouble.warning(peer.value()))
                                .orElseGet(() -> new Impediments(List.of(), List.of())))
                .and(inputs.fencingNetwork().get())
                .and(FencingLevels.of(plan.get()))
                .and(inputs.secondLevel().get().told())
                .and(certificateOfBmc(self))
                .and(certificateOfBmc(peer))
                .and(
                        CertificateImpediments.of(
                                inputs.certificates().get(),
                                clock.instant(),
                                self.value(),
                                peer.value()))
                .and(
                        DiskImpediments.of(
                                inputs.disks().get(),
                                now.observation().databaseBytes(),
                                now.cannotStore().isPresent(),
                                self.value(),
                                peer.value()))
                .and(
                        BmcSpeed.of(
                                peer.value(),
                                plan.get().bmcOff(),
                                ClusterPlan.SLOWEST_BMC_OFF,
                                inputs.switchOff().longest(),
                                bmcs.answers(peer.value()).map(LatencyFigures::ninetieth)))
                .and(LinkImpediments.of(inputs.links().get(), self.value()))
                .and(unusedPlan())
                .and(differentPlans(now))
                .and(unfinishedChanges())
                .and(storedPassword(now));
    }

    private Impediments certificateOfBmc(NodeName node) {
        return BmcCertificate.of(
                plan.get().node(node.value()).orElseThrow(),
                bmcs.certificateEnds(node.value()),
                clock.instant());
    }

    private Impediments unfinishedChanges() {
        return new Impediments(
                List.of(),
                inputs.unfinishedChanges().get().stream().map(this::unfinished).toList());
    }

    private Impediment unfinished(BmcChanges.Unfinished change) {
        String begun =
                "the settings for %s were changed on %s, and ".formatted(change.words(), self);
        return switch (change.lacks()) {
            case PEER ->
                    unfinished(
                            change,
                            begun
                                    + "%s does not use them yet".formatted(peer)
                                    + change.refusal().map(" (%s)"::formatted).orElse(""),
                            change.refusal().isPresent()
                                    ? "see whether %1$s reaches that BMC; on %1$s: tandem fencing check"
                                            .formatted(peer)
                                    : "no action needed while %1$s is off; else see whether its agent runs, on %1$s: systemctl status tandem-agent"
                                            .formatted(peer));
            case PEER_HAS_OTHERS ->
                    unfinished(
                            change,
                            "%s and %s have different settings for %s: both were changed while the nodes could not reach each other"
                                    .formatted(self, peer, change.words()),
                            "on either node, with what is set in the BMC: tandem fencing set %s --password-stdin"
                                    .formatted(BmcName.arguments(change.bmc())));
            case SECOND_LEVEL ->
                    unfinished(
                            change,
                            begun
                                    + "Pacemaker's device of the second level does not have them"
                                    + " yet",
                            "it is tried again automatically; if it lasts, see whether Pacemaker"
                                    + " answers: pcs status");
        };
    }

    private static Impediment unfinished(
            BmcChanges.Unfinished change, String sentence, String remedy) {
        return new Impediment(
                Impediment.Cause.BMC_CHANGE_UNFINISHED,
                change.node(),
                Optional.empty(),
                sentence,
                remedy,
                Optional.empty());
    }

    /** While the open session serves, nothing else shows it. */
    private Impediments storedPassword(SupervisorView now) {
        boolean works = bmc(now, peer).fault().isEmpty();
        return new Impediments(
                List.of(),
                bmcs.storedPasswordRefused(peer.value()).filter(_ -> works).stream()
                        .map(why ->
                                new Impediment(
                                        Impediment.Cause.BMC_STORED_PASSWORD_REFUSED,
                                        peer.value(),
                                        Optional.empty(),
                                        "the BMC of %1$s refuses the stored password (%2$s); %3$s can fence %1$s only over the session that is open, which ends when the BMC restarts"
                                                .formatted(peer, why, self),
                                        "find out which password is set in the BMC; if it comes from a program or a store, write it there; otherwise: tandem fencing set %s --password-stdin"
                                                .formatted(peer),
                                        Optional.empty()))
                        .toList());
    }

    /** A restart of the agent, for any reason, would bring it into use. */
    private Impediments unusedPlan() {
        return new Impediments(
                List.of(),
                inputs.unusedPlan().get().stream()
                        .map(plan ->
                                new Impediment(
                                        Impediment.Cause.PLAN_NOT_IN_USE,
                                        self.value(),
                                        Optional.empty(),
                                        unusedPlan(plan),
                                        plan.unreadable().isPresent()
                                                ? "correct what cannot be read; then: tandem"
                                                        + " cluster apply PLAN.yaml"
                                                : "tandem cluster apply " + NodePaths.PLAN,
                                        Optional.of(
                                                Duration.ofNanos(
                                                        System.nanoTime() - plan.sinceNanos()))))
                        .toList());
    }

    private String unusedPlan(PlanChanges.Unused plan) {
        return plan.unreadable()
                .map(why ->
                        "the plan on the disk of %s, or a password that it names, cannot be read, and tandem-agent would need it after a restart: %s"
                                .formatted(self, why))
                .orElseGet(() ->
                        "tandem-agent on %s uses a different plan from the one in %s; they differ in %s"
                                .formatted(
                                        self,
                                        NodePaths.PLAN,
                                        plan.settings().stream()
                                                .map(PlanUse.Changed::subject)
                                                .collect(Collectors.joining(", "))));
    }

    /** Each of them may equal what is on its own disk, so neither node sees it alone. */
    private Impediments differentPlans(SupervisorView now) {
        boolean differ = isHeard(now) && talk.plansDiffer(ReportedImpediments.OLD_WORD);
        return new Impediments(
                List.of(),
                differ
                        ? List.of(
                                new Impediment(
                                        Impediment.Cause.PLANS_DIFFER,
                                        peer.value(),
                                        Optional.empty(),
                                        "tandem-agent on %s and on %s use different plans"
                                                .formatted(self, peer),
                                        "on the node that has the right plan: tandem cluster apply "
                                                + NodePaths.PLAN,
                                        Optional.empty()))
                        : List.of());
    }

    /** Whether a device that fences a node could be used by the other one. */
    DeviceUse use(String device, String target) {
        NodeName from = target.equals(peer.value()) ? self : peer;
        Optional<PacemakerStatus.Known> fresh =
                pacemaker
                        .status()
                        .filter(_ ->
                                pacemaker.age().compareTo(Impediments.OLD_STATUS) <= 0
                                        && !pacemaker.fails());
        if (fresh.isEmpty()) {
            return DeviceUse.UNKNOWN;
        }
        return switch (Impediments.device(fresh.get(), device, from.value())) {
            case MISSING -> DeviceUse.MISSING;
            case DISABLED -> DeviceUse.DISABLED;
            case BLOCKED -> DeviceUse.BLOCKED;
            case FAILED -> DeviceUse.FAILED;
            case STOPPED -> DeviceUse.STOPPED;
            case FIT ->
                    inputs.secondLevel().get().devices().contains(device)
                            ? DeviceUse.BROKEN
                            : DeviceUse.USABLE;
        };
    }

    private Impediments ofTheCluster(SupervisorView now) {
        return Impediments.of(
                new Impediments.Seen(
                        self.value(),
                        peer.value(),
                        corosyncAnswers(now),
                        now.membership().quorate(),
                        inputs.quorumKeptByOne().getAsBoolean(),
                        now.membership().peerPresent(),
                        peerSilence(now),
                        bmc(now, self),
                        bmc(now, peer),
                        pacemaker.status(),
                        pacemaker.age(),
                        now.cannotStore(),
                        inputs.systemdAnswers().getAsBoolean(),
                        now.runsUnasked(),
                        plan.get().api().map(_ -> api(now)),
                        inputs.secondLevel().get().devices(),
                        pacemaker.fails()));
    }

    /**
     * An API server writes nothing beside an etcd that does not serve, as while a node boots or is
     * in standby; that has causes of its own. So its time begins with the end of a take-over, too.
     */
    private Impediments.Api api(SupervisorView now) {
        boolean serves = now.health() == Health.REDUNDANT || now.health() == Health.ALONE;
        return serves
                ? inputs.api().get()
                : new Impediments.Api(Optional.empty(), Optional.empty());
    }

    /** Decisions keep to the last answer, however old; a person is told that there is no other. */
    static boolean corosyncAnswers(SupervisorView now) {
        return now.membershipAge()
                .filter(age -> age.compareTo(Impediments.OLD_MEMBERSHIP) <= 0)
                .isPresent();
    }

    /** A peer that was never heard has been silent for as long as it is in the cluster. */
    synchronized Duration peerSilence(SupervisorView now) {
        long nanos = System.nanoTime();
        if (!now.membership().peerPresent()) {
            presentSince = nanos;
        }
        return talk.silence().orElseGet(() -> Duration.ofNanos(nanos - presentSince));
    }

    /** What was read before that may be about the boot that ended. */
    synchronized boolean isSinceThePeerCame(SupervisorView now, BmcSessions.Check check) {
        return !now.membership().peerPresent() || check.nanos() - presentSince > 0;
    }

    /** The last fence of a peer that is gone, if it failed. */
    Optional<StatusSentence.FailedFence> failedFence(SupervisorView now) {
        return inputs.lastFence()
                .failed()
                .filter(_ -> !now.membership().peerPresent())
                .map(fence ->
                        new StatusSentence.FailedFence(
                                fence.why(),
                                fence.age(),
                                fence.fault()
                                        .map(fault ->
                                                Impediments.remedy(
                                                        fault, bmc(now, peer), peer.value()))));
    }

    private Impediments.Bmc bmc(SupervisorView now, NodeName node) {
        return bmc(
                node,
                bmcs,
                bmcs.address(node.value()),
                now.bmcReadsFalseOff(),
                bmcs.second()
                        .flatMap(second -> bmcBySecond(node, second, now.secondReadsFalseOff())),
                plan.get().node(node.value()).orElseThrow().bmc().further());
    }

    private Optional<Impediments.Bmc> bmcBySecond(
            NodeName node, BmcSessions second, boolean readsFalseOff) {
        return second.addressIfPlanned(node.value())
                .map(address ->
                        bmc(node, second, address, readsFalseOff, Optional.empty(), List.of()));
    }

    private Impediments.Bmc bmc(
            NodeName node,
            BmcSessions through,
            BmcAddress address,
            boolean falseOff,
            Optional<Impediments.Bmc> second,
            List<FurtherLevel> further) {
        Optional<BmcSessions.Check> check = Optional.ofNullable(through.checks().get(node.value()));
        return new Impediments.Bmc(
                check.map(StatusReport::age),
                check.flatMap(BmcSessions.Check::trouble).or(() -> mayNotSwitch(node, through)),
                check.filter(BmcSessions.Check::isTheNodes).isPresent()
                        ? Impediments.Machine.ITS_OWN
                        : check.filter(BmcSessions.Check::isAnothers).isPresent()
                                ? Impediments.Machine.ANOTHER
                                : Impediments.Machine.UNKNOWN,
                node.equals(peer) && falseOff,
                address,
                second,
                further);
    }

    /** As the BMC will answer to a fence; many do not tell before. */
    private static Optional<BmcFault> mayNotSwitch(NodeName node, BmcSessions through) {
        return through.mayReset(node.value()) == BmcPrivileges.MayReset.NO
                ? Optional.of(new BmcFault.Denied(403, "its role may not switch power"))
                : Optional.empty();
    }

    private AgentStatus.ImpedimentLine found(Impediment impediment) {
        return isHeldBack(impediment) ? heldBack(impediment) : line(impediment, null);
    }

    /** Neither answers because the boot gate has not let Corosync start. */
    private boolean isHeldBack(Impediment impediment) {
        return gate.sentence().isPresent()
                && (impediment.cause() == Impediment.Cause.COROSYNC_SILENT
                        || impediment.cause() == Impediment.Cause.PACEMAKER_SILENT);
    }

    private AgentStatus.ImpedimentLine heldBack(Impediment impediment) {
        return new AgentStatus.ImpedimentLine(
                impediment.cause(),
                impediment.node(),
                impediment.failureOf().orElse(null),
                "%s is held back on %s until the link to %s is stable"
                        .formatted(
                                impediment.cause() == Impediment.Cause.COROSYNC_SILENT
                                        ? "Corosync"
                                        : "Pacemaker",
                                self,
                                peer),
                StatusSentence.ENDS_AUTOMATICALLY,
                onsets.lasts(impediment).toMillis(),
                null,
                null);
    }

    /** That the peer has said nothing is this node's own finding. */
    private AgentStatus.ImpedimentLine reported(Impediment impediment) {
        return line(
                impediment,
                impediment.cause() == Impediment.Cause.PEER_READINESS_UNKNOWN
                        ? null
                        : peer.value());
    }

    private AgentStatus.ImpedimentLine line(Impediment impediment, @Nullable String reportedBy) {
        return new AgentStatus.ImpedimentLine(
                impediment.cause(),
                impediment.node(),
                impediment.failureOf().orElse(null),
                impediment.sentence(),
                impediment.remedy(),
                onsets.lasts(impediment).toMillis(),
                impediment.cause().runbook().path(),
                reportedBy);
    }
}
