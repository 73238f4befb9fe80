package dev.tandem.core.health;

import dev.tandem.core.Runbook;
import java.time.Duration;
import java.util.Optional;

/**
 * A known reason why recovery from a failure would need a person.
 *
 * @param node what the cause is about: its BMC, its agent, its place in the cluster
 * @param failureOf from whose failure there is no automatic recovery; empty for either node's
 * @param sentence half a sentence that stands for itself
 * @param remedy what ends it, as a command where one does
 * @param known for how long it has been so, where that can be told from the cause itself
 */
public record Impediment(
        Cause cause,
        String node,
        Optional<String> failureOf,
        String sentence,
        String remedy,
        Optional<Duration> known) {

    /** What it keeps from happening. */
    private enum Hinders {
        FENCING,
        STARTING,
        BOTH,
        /** Nothing now; the node that survives a failure could not take over. */
        THE_SURVIVOR,
        /** It would have to take over from this node. */
        THE_PEER,
        /** The API; etcd is recovered all the same. */
        API,
        /** Nothing yet; only ever a warning. */
        NOTHING
    }

    /** The causes, the one to tell first first: what holds for all nodes, then one node's. */
    public enum Cause {
        COROSYNC_SILENT(Hinders.BOTH, Runbook.CLUSTER_SILENT),
        PACEMAKER_SILENT(Hinders.BOTH, Runbook.CLUSTER_SILENT),
        STATE_NOT_STORED(Hinders.BOTH, Runbook.DISK_NEARLY_FULL),
        /** A take-over would not be stored, or etcd would soon end after it. */
        DISK_FULL(Hinders.THE_SURVIVOR, Runbook.DISK_NEARLY_FULL),
        SYSTEMD_SILENT(Hinders.THE_SURVIVOR, Runbook.SYSTEMD_SILENT),
        /** One that etcd or the agents need has expired, or is not valid yet. */
        CERTIFICATE_INVALID(Hinders.THE_SURVIVOR, Runbook.CERTIFICATE_ENDS),
        CERTIFICATE_UNREADABLE(Hinders.THE_SURVIVOR, Runbook.CERTIFICATE_ENDS),
        ETCD_RUNS_UNASKED(Hinders.STARTING, Runbook.PACEMAKER_SETTINGS),
        MAINTENANCE(Hinders.BOTH, Runbook.PACEMAKER_SETTINGS),
        FENCING_OFF(Hinders.FENCING, Runbook.PACEMAKER_SETTINGS),
        NO_QUORUM(Hinders.BOTH, Runbook.PEER_NOT_BACK),
        NO_TWO_NODE(Hinders.THE_SURVIVOR, Runbook.NO_TWO_NODE),
        STOPS_ALL_RESOURCES(Hinders.STARTING, Runbook.PACEMAKER_SETTINGS),
        ASYMMETRIC(Hinders.STARTING, Runbook.PACEMAKER_SETTINGS),
        ETCD_DISABLED(Hinders.STARTING, Runbook.PACEMAKER_SETTINGS),
        ETCD_UNMANAGED(Hinders.STARTING, Runbook.PACEMAKER_SETTINGS),
        NODE_MAINTENANCE(Hinders.BOTH, Runbook.PACEMAKER_SETTINGS),
        NODE_STANDBY(Hinders.STARTING, Runbook.PACEMAKER_SETTINGS),
        FENCE_DEVICE_MISSING(Hinders.FENCING, Runbook.FENCE_DEVICE_FAILED),
        FENCE_DEVICE_DISABLED(Hinders.FENCING, Runbook.FENCE_DEVICE_FAILED),
        FENCE_DEVICE_BLOCKED(Hinders.FENCING, Runbook.FENCE_DEVICE_FAILED),
        FENCE_DEVICE_FAILED(Hinders.FENCING, Runbook.FENCE_DEVICE_FAILED),
        FENCE_DEVICE_STOPPED(Hinders.FENCING, Runbook.FENCE_DEVICE_FAILED),
        BMC_OTHER_MACHINE(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_REFUSES_PASSWORD(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_LACKS_RIGHTS(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_UNTRUSTED(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_UNREACHABLE(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_FAULTY(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_READS_OFF(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_NOT_CHECKED(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        BMC_IDENTITY_UNKNOWN(Hinders.FENCING, Runbook.BMC_CANNOT_FENCE),
        API_ADDRESS_MISSING(Hinders.API, Runbook.PACEMAKER_SETTINGS),
        API_ADDRESS_DISABLED(Hinders.API, Runbook.PACEMAKER_SETTINGS),
        API_ADDRESS_UNMANAGED(Hinders.API, Runbook.PACEMAKER_SETTINGS),
        API_ADDRESS_STOPPED(Hinders.API, Runbook.API_NOT_RECOVERED),
        API_ADDRESS_BANNED(Hinders.API, Runbook.API_NOT_RECOVERED),
        /** One that the API server needs, or the agent to see that it writes. */
        API_CERTIFICATE_INVALID(Hinders.API, Runbook.CERTIFICATE_ENDS),
        API_CERTIFICATE_UNREADABLE(Hinders.API, Runbook.CERTIFICATE_ENDS),
        API_CANNOT_WRITE(Hinders.API, Runbook.API_NOT_RECOVERED),
        /** The API server does not let the agent find out whether it writes. */
        API_NOT_TESTED(Hinders.API, Runbook.API_NOT_RECOVERED),
        /** A part of Kubernetes needs it, and neither etcd nor the API does. */
        KUBERNETES_CERTIFICATE_INVALID(Hinders.NOTHING, Runbook.CERTIFICATE_ENDS),
        CERTIFICATE_ENDS_SOON(Hinders.NOTHING, Runbook.CERTIFICATE_ENDS),
        DISK_NEARLY_FULL(Hinders.NOTHING, Runbook.DISK_NEARLY_FULL),
        /** A failure of that network, and of nothing else, would not be recovered. */
        BMC_BEHIND_CLUSTER_NETWORK(Hinders.NOTHING, Runbook.FENCING_NETWORK),
        /** Whoever answers at its address is believed, and gets the password. */
        BMC_UNVERIFIED(Hinders.NOTHING, Runbook.FENCING_LEVELS),
        /** It cannot be fenced while its peer's agent is down. */
        ONE_FENCING_LEVEL(Hinders.NOTHING, Runbook.FENCING_LEVELS),
        /** Nothing is wrong with the first; a file or program that the second needs is. */
        SECOND_LEVEL_BROKEN(Hinders.NOTHING, Runbook.FENCING_LEVELS),
        /** The plan does not say whose power it switches. */
        FURTHER_LEVEL_PROVES_NOTHING(Hinders.NOTHING, Runbook.FENCING_LEVELS),
        /** The one that the BMC itself shows: from that day on it is not trusted. */
        BMC_CERTIFICATE_ENDS(Hinders.NOTHING, Runbook.CERTIFICATE_ENDS),
        /** An open session still serves; a new login with what is stored would be denied. */
        BMC_STORED_PASSWORD_REFUSED(Hinders.NOTHING, Runbook.BMC_CANNOT_FENCE),
        /** In a split the delay of the second level would be too short for it. */
        BMC_SLOWER_THAN_PLAN(Hinders.NOTHING, Runbook.BMC_CANNOT_FENCE),
        /** New settings of a BMC are not everywhere yet. */
        BMC_CHANGE_UNFINISHED(Hinders.NOTHING, Runbook.BMC_CANNOT_FENCE),
        /** The agent runs by another plan than the one on its node's disk. */
        PLAN_NOT_IN_USE(Hinders.NOTHING, Runbook.PLANS_DIFFER),
        /** The two agents run by different plans. */
        PLANS_DIFFER(Hinders.NOTHING, Runbook.PLANS_DIFFER),
        /** An interface of this node, one of several links, has no carrier or no address. */
        LINK_DOWN(Hinders.NOTHING, Runbook.LINK_DOWN),
        /** Corosync reaches the peer over other links only, and this node's interface is up. */
        LINK_LOST(Hinders.NOTHING, Runbook.LINK_DOWN),
        /** etcd was started while an address was missing, or before the plan had it. */
        ETCD_NOT_ON_ALL_LINKS(Hinders.NOTHING, Runbook.LINK_DOWN),
        /** The store or program that has it gives none; the one read last is in use. */
        PASSWORD_SOURCE_SILENT(Hinders.NOTHING, Runbook.PASSWORD_SOURCE),
        /** The store or program has another one than is in use. */
        PASSWORD_NOT_TAKEN(Hinders.NOTHING, Runbook.PASSWORD_SOURCE),
        PEER_AGENT_SILENT(Hinders.THE_PEER, Runbook.AGENT_SILENT),
        /** The peer says that it would not recover, for a cause that has no name here. */
        PEER_CAUSE_UNKNOWN(Hinders.THE_PEER, Runbook.AGENT_SILENT),
        /** The peer has not reported recently whether it would recover. */
        PEER_READINESS_UNKNOWN(Hinders.THE_PEER, Runbook.AGENT_SILENT);

        private final Hinders hinders;
        private final Runbook runbook;

        Cause(Hinders hinders, Runbook runbook) {
            this.hinders = hinders;
            this.runbook = runbook;
        }

        /** What it means, what ends it, and what must not be done. */
        public Runbook runbook() {
            return runbook;
        }

        /**
         * Whether this node's own sentence about it says for how long: from a better source than
         * the first look that found it.
         */
        public boolean sentenceTellsDuration() {
            return switch (this) {
                case PEER_AGENT_SILENT, PACEMAKER_SILENT, BMC_NOT_CHECKED -> true;
                // What was built or planned so has no beginning.
                case BMC_BEHIND_CLUSTER_NETWORK,
                        BMC_UNVERIFIED,
                        ONE_FENCING_LEVEL,
                        FURTHER_LEVEL_PROVES_NOTHING ->
                        true;
                // They name the day.
                case CERTIFICATE_INVALID,
                        API_CERTIFICATE_INVALID,
                        KUBERNETES_CERTIFICATE_INVALID,
                        CERTIFICATE_ENDS_SOON,
                        BMC_CERTIFICATE_ENDS ->
                        true;
                default -> false;
            };
        }

        /**
         * For how long it must have been so before anybody is told: what ends sooner is a recovery
         * under way, or a status of Pacemaker that was old.
         */
        public Duration patience() {
            return switch (this) {
                // Pacemaker is asked every 10 s: three answers in a row.
                case API_ADDRESS_STOPPED -> Duration.ofSeconds(30);
                // An etcd that starts in place, and an API server that finds it again, take three.
                // One that has just started knows nobody's permissions yet.
                case API_CANNOT_WRITE, API_NOT_TESTED -> Duration.ofSeconds(15);
                // A plan that is applied reaches the other agent some seconds after this one.
                case PLANS_DIFFER -> Duration.ofSeconds(10);
                // A peer that joins is not reached over all links at the same moment.
                case LINK_LOST -> Duration.ofSeconds(5);
                default -> Duration.ZERO;
            };
        }

        /** Whether etcd would be recovered, and the API not. */
        public boolean isAboutTheApi() {
            return hinders == Hinders.API;
        }

        /** Whether a certificate of etcd or of an agent cannot be used now. */
        public boolean isAboutACertificate() {
            return this == CERTIFICATE_INVALID || this == CERTIFICATE_UNREADABLE;
        }

        /** Whether the peer would not be confirmed off for it. */
        public boolean keepsFromFencing() {
            return hinders == Hinders.FENCING || hinders == Hinders.BOTH;
        }

        /** Whether Pacemaker would not start etcd for it. */
        public boolean keepsFromStarting() {
            return hinders == Hinders.STARTING || hinders == Hinders.BOTH;
        }
    }
}
