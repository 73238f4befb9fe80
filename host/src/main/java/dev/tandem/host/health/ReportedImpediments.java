package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.host.pacemaker.cib.CibPlan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What stands in the way of a recovery from this node's own failure, by the word of the peer, which
 * would have to recover it.
 *
 * <p>The rule for what the peer has not said: a peer that is heard and whose release does not tell
 * is no impediment, or a pair would be unhealthy for as long as one node is older; the status says
 * that it is not told. A peer whose word is missing or old otherwise is one, since what is not
 * known is not well.
 */
public final class ReportedImpediments {
    /** Each agent tells every second; a few may be lost, and more are too old to rely on. */
    public static final Duration OLD_WORD = Duration.ofSeconds(15);

    private final String self;
    private final String peer;

    private ReportedImpediments(String self, String peer) {
        this.self = self;
        this.peer = peer;
    }

    /**
     * Finds them in what the peer said.
     *
     * @param told what the peer said last, if that is not older than {@link #OLD_WORD}
     */
    public static List<Impediment> of(Optional<RecoveryReadiness> told, String self, String peer) {
        ReportedImpediments here = new ReportedImpediments(self, peer);
        return told.map(readiness ->
                        switch (readiness) {
                            case RecoveryReadiness.Automatic(), RecoveryReadiness.NotTold() ->
                                    List.<Impediment>of();
                            case RecoveryReadiness.Impeded(List<Cause> causes) ->
                                    causes.isEmpty()
                                            ? List.of(here.unnamed())
                                            : causes.stream().map(here::impediment).toList();
                        })
                .orElseGet(() -> List.of(here.unheard()));
    }

    private Impediment unheard() {
        return reported(
                Cause.PEER_READINESS_UNKNOWN,
                "%s has not reported recently whether it would recover from a failure of %s"
                        .formatted(peer, self),
                "to find out why and what to do, on %s: tandem status".formatted(peer));
    }

    private Impediment unnamed() {
        return reported(
                Cause.PEER_CAUSE_UNKNOWN,
                "%s reports a cause that the release on %s does not know".formatted(peer, self),
                "to see what it is, on %s: tandem status; then install the same release on both nodes"
                        .formatted(peer));
    }

    private Impediment impediment(Cause cause) {
        return switch (cause) {
            case COROSYNC_SILENT ->
                    reported(
                            cause,
                            "Corosync does not answer on " + peer,
                            there("systemctl status corosync"));
            case PACEMAKER_SILENT ->
                    reported(
                            cause,
                            "Pacemaker does not answer on " + peer,
                            there("systemctl status pacemaker"));
            case STATE_NOT_STORED ->
                    reported(
                            cause,
                            peer + " cannot store its state: its disk is full or fails",
                            there("df /var/lib/tandem"));
            case DISK_FULL ->
                    reported(
                            cause,
                            "a disk of %s has no room for a take-over".formatted(peer),
                            "free space on %1$s; to see how much there is, on %1$s: df /var/lib/etcd /var/lib/tandem"
                                    .formatted(peer));
            case CERTIFICATE_INVALID ->
                    reported(
                            cause,
                            "a certificate of %s has expired or is not valid yet".formatted(peer),
                            "to see which one and how to replace it, on %s: tandem status"
                                    .formatted(peer));
            case CERTIFICATE_UNREADABLE ->
                    reported(
                            cause,
                            "a certificate of %s cannot be used".formatted(peer),
                            "to see which one and how to replace it, on %s: tandem status"
                                    .formatted(peer));
            case SYSTEMD_SILENT ->
                    reported(cause, Impediments.systemdSilent(peer), "pcs stonith fence " + peer);
            case ETCD_RUNS_UNASKED ->
                    reported(
                            cause,
                            ("etcd runs on %s, but tandem-agent there does not know that Pacemaker"
                                            + " has started it")
                                    .formatted(peer),
                            "pcs resource restart %s %s".formatted(CibPlan.ETCD_CLONE, peer));
            case NO_QUORUM ->
                    reported(
                            cause,
                            peer + " has no quorum and may neither fence nor start anything",
                            "to find out why and what to do, on %s: tandem status".formatted(peer));
            case NO_TWO_NODE ->
                    reported(
                            cause,
                            Impediments.wouldLoseQuorum(peer, self),
                            there(Impediments.RESTORE_TWO_NODE));
            case MAINTENANCE -> seen(cause, "Pacemaker is in maintenance mode");
            case FENCING_OFF -> seen(cause, "fencing is switched off");
            case STOPS_ALL_RESOURCES -> seen(cause, "Pacemaker is told to stop everything");
            case ASYMMETRIC -> seen(cause, "Pacemaker starts nothing without a constraint");
            case ETCD_DISABLED -> seen(cause, "etcd is disabled in Pacemaker");
            case ETCD_UNMANAGED -> seen(cause, "etcd is not managed by Pacemaker");
            case NODE_MAINTENANCE -> seen(cause, "a node is in maintenance mode");
            case NODE_STANDBY ->
                    reported(cause, peer + " is in standby", "pcs node unstandby " + peer);
            case FENCE_DEVICE_MISSING -> device(cause, "missing from Pacemaker");
            case FENCE_DEVICE_DISABLED -> device(cause, "disabled");
            case FENCE_DEVICE_BLOCKED -> device(cause, "blocked");
            case FENCE_DEVICE_FAILED -> device(cause, "marked as failed");
            case FENCE_DEVICE_STOPPED -> device(cause, "not started");
            case BMC_OTHER_MACHINE -> bmc(cause, "controls another machine");
            case BMC_REFUSES_PASSWORD -> bmc(cause, "refuses the password");
            case BMC_LACKS_RIGHTS -> bmc(cause, "does not give the account enough privileges");
            case BMC_UNTRUSTED -> bmc(cause, "has a certificate that is not trusted");
            case BMC_UNREACHABLE ->
                    reported(
                            cause,
                            "%s cannot reach the BMC of %s".formatted(peer, self),
                            there("tandem fencing check"));
            case BMC_FAULTY -> bmc(cause, "does not report the power state");
            case BMC_READS_OFF ->
                    bmc(cause, "reads Off while %s is in the cluster".formatted(self));
            case BMC_NOT_CHECKED -> bmc(cause, "has not been read");
            case BMC_IDENTITY_UNKNOWN -> bmc(cause, "cannot be shown to be that of " + self);
            case API_ADDRESS_MISSING -> seen(cause, "the API address is missing from Pacemaker");
            case API_ADDRESS_DISABLED -> seen(cause, "the API address is disabled in Pacemaker");
            case API_ADDRESS_UNMANAGED ->
                    seen(cause, "the API address is not managed by Pacemaker");
            case API_ADDRESS_STOPPED -> seen(cause, "the API address is not started");
            case API_ADDRESS_BANNED ->
                    seen(cause, "a constraint keeps the API address away from " + peer);
            case API_CERTIFICATE_INVALID ->
                    reported(
                            cause,
                            "a certificate that the API on %s needs has expired or is not valid yet"
                                    .formatted(peer),
                            "to see which one and how to replace it, on %s: tandem status"
                                    .formatted(peer));
            case API_CERTIFICATE_UNREADABLE ->
                    reported(
                            cause,
                            "a certificate that the API on %s needs cannot be used".formatted(peer),
                            "to see which one and how to replace it, on %s: tandem status"
                                    .formatted(peer));
            case API_CANNOT_WRITE ->
                    reported(
                            cause,
                            "the API server on %s cannot write".formatted(peer),
                            there(Impediments.RESTART_API_SERVER));
            case API_NOT_TESTED ->
                    reported(
                            cause,
                            "tandem-agent on %s cannot test whether the API server there writes"
                                    .formatted(peer),
                            "to see why, on %s: tandem status".formatted(peer));
            // They stand in the way of a recovery from the teller's own failure, not of this one.
            case PEER_AGENT_SILENT, PEER_CAUSE_UNKNOWN, PEER_READINESS_UNKNOWN -> unnamed();
            // Warnings here. A release that takes one for more has its reasons, and says them.
            case KUBERNETES_CERTIFICATE_INVALID,
                    CERTIFICATE_ENDS_SOON,
                    DISK_NEARLY_FULL,
                    BMC_BEHIND_CLUSTER_NETWORK,
                    BMC_UNVERIFIED,
                    ONE_FENCING_LEVEL,
                    SECOND_LEVEL_BROKEN,
                    FURTHER_LEVEL_PROVES_NOTHING,
                    BMC_CERTIFICATE_ENDS,
                    BMC_STORED_PASSWORD_REFUSED,
                    BMC_SLOWER_THAN_PLAN,
                    BMC_CHANGE_UNFINISHED,
                    PLAN_NOT_IN_USE,
                    PLANS_DIFFER,
                    LINK_DOWN,
                    LINK_LOST,
                    ETCD_NOT_ON_ALL_LINKS,
                    PASSWORD_SOURCE_SILENT,
                    PASSWORD_NOT_TAKEN ->
                    unnamed();
        };
    }

    private Impediment seen(Cause cause, String sentence) {
        return reported(
                cause,
                "%s reports that %s".formatted(peer, sentence),
                "to find out why and what to do, on %s: tandem status".formatted(peer));
    }

    private Impediment device(Cause cause, String state) {
        return seen(cause, "a fence device of %s is %s".formatted(self, state));
    }

    private Impediment bmc(Cause cause, String does) {
        return reported(
                cause,
                "%s reports that the BMC of %s %s".formatted(peer, self, does),
                there("tandem fencing check"));
    }

    private String there(String command) {
        return "on %s: %s".formatted(peer, command);
    }

    private Impediment reported(Cause cause, String sentence, String remedy) {
        String about = cause.keepsFromFencing() && !cause.keepsFromStarting() ? self : peer;
        return new Impediment(cause, about, Optional.of(self), sentence, remedy, Optional.empty());
    }
}
