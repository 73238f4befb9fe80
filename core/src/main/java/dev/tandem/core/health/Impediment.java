package dev.tandem.core.health;

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
        THE_PEER
    }

    /** The causes, the one to tell first first: what holds for all nodes, then one node's. */
    public enum Cause {
        COROSYNC_SILENT(Hinders.BOTH),
        PACEMAKER_SILENT(Hinders.BOTH),
        MAINTENANCE(Hinders.BOTH),
        FENCING_OFF(Hinders.FENCING),
        NO_QUORUM(Hinders.BOTH),
        STOPS_ALL_RESOURCES(Hinders.STARTING),
        ASYMMETRIC(Hinders.STARTING),
        ETCD_DISABLED(Hinders.STARTING),
        ETCD_UNMANAGED(Hinders.STARTING),
        NODE_MAINTENANCE(Hinders.BOTH),
        NODE_STANDBY(Hinders.STARTING),
        FENCE_DEVICE_MISSING(Hinders.FENCING),
        FENCE_DEVICE_DISABLED(Hinders.FENCING),
        FENCE_DEVICE_BLOCKED(Hinders.FENCING),
        FENCE_DEVICE_FAILED(Hinders.FENCING),
        FENCE_DEVICE_STOPPED(Hinders.FENCING),
        BMC_OTHER_MACHINE(Hinders.FENCING),
        BMC_REFUSES_PASSWORD(Hinders.FENCING),
        BMC_LACKS_RIGHTS(Hinders.FENCING),
        BMC_UNTRUSTED(Hinders.FENCING),
        BMC_UNREACHABLE(Hinders.FENCING),
        BMC_FAULTY(Hinders.FENCING),
        BMC_READS_OFF(Hinders.FENCING),
        BMC_NOT_CHECKED(Hinders.FENCING),
        BMC_IDENTITY_UNKNOWN(Hinders.FENCING),
        PEER_AGENT_SILENT(Hinders.THE_PEER);

        private final Hinders hinders;

        Cause(Hinders hinders) {
            this.hinders = hinders;
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
