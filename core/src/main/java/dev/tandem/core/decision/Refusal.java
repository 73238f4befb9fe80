package dev.tandem.core.decision;

import dev.tandem.core.NodeName;
import dev.tandem.core.Runbook;

/** Why etcd does not start, what is missing and what a person can do. */
public enum Refusal {
    WHO_SERVED_LAST(
            Runbook.PEER_MAY_BE_NEWER,
            "{self} was one of two voters, and {peer} may have served alone since",
            "a report from {peer} on its replica",
            Remedies.TAKE_OVER),
    PEER_IS_NEWER(
            Runbook.PEER_MAY_BE_NEWER,
            "{peer} is known to have continued without {self}",
            "{peer} itself, which has the newer history",
            Remedies.TAKE_OVER),
    YIELDED(
            Runbook.PEER_MAY_BE_NEWER,
            "{self} gave up its right to take over, and {peer} may have continued alone",
            "an answer from {peer}",
            Remedies.TAKE_OVER),
    REMOVED(
            Runbook.RESTORE_A_REPLICA,
            "the replica of {self} records its own removal from the member list and cannot start a"
                    + " cluster",
            "{peer}, which removed {self} from the member list",
            "switch {peer} on; if it is lost, " + Remedies.RESTORE),
    INCOMPLETE(
            Runbook.RESTORE_A_REPLICA,
            "the replica of {self} was still incomplete when {peer} went away",
            "{peer}, which alone holds everything",
            "switch {peer} on; if it is lost, " + Remedies.RESTORE),
    LOG_LACKS_ENTRIES(
            Runbook.LOG_LACKS_ENTRIES,
            "the log of {self} ends before entries that {peer} has reported as committed: the disk"
                    + " of {self} has lost them, or an older copy was put back",
            "{peer}, which holds these entries",
            Remedies.TAKE_OVER),
    LOG_REMOVES_SELF(
            Runbook.RESTORE_A_REPLICA,
            "the log of {self} holds an uncommitted entry that removes {self} from the member list,"
                    + " and {peer} may have continued without it",
            "{peer}, which knows whether {self} was removed",
            "switch {peer} on; if it is lost, " + Remedies.RESTORE),
    LOG_CHANGES_VOTERS(
            Runbook.RESTORE_A_REPLICA,
            "the log of {self} holds a joint configuration change (ConfChangeV2), which only both"
                    + " nodes together can complete",
            "{peer}, which takes part in that change",
            "switch {peer} on; if it is lost, " + Remedies.RESTORE),
    NO_REPLICA(
            Runbook.RESTORE_A_REPLICA,
            "{self} has no replica",
            "{peer}, which may have one",
            "switch {peer} on; if it is lost, " + Remedies.RESTORE),
    DAMAGED(
            Runbook.RESTORE_A_REPLICA,
            "the replica of {self} is damaged and was left untouched",
            "{peer}, which may have a sound one",
            "switch {peer} on; if it is lost, " + Remedies.RESTORE),
    NO_COMPLETE_REPLICA(
            Runbook.RESTORE_A_REPLICA,
            "neither {self} nor {peer} has a complete replica",
            "a complete replica or a backup",
            Remedies.RESTORE),
    FORKED(
            Runbook.FORKED_HISTORIES,
            "{self} and {peer} went on separately, and each may hold writes the other lacks",
            "an administrator's choice of which history to keep",
            "choose the one to keep, as the runbook says; once {peer} serves, on {self}: tandem"
                    + " keep-history {peer}"),
    PEER_IS_THERE(
            Runbook.CONTRADICTED_STATEMENT,
            "{peer} was stated to be off, but it is in the membership or its BMC reads On",
            "a confirmed power state of {peer}: what is seen of it contradicts the statement",
            "look at {peer} itself, and at what its BMC says: tandem fencing check"),
    NOT_INSTALLING(
            Runbook.INSTALLATION_CLOSED,
            "{self} does not create an empty etcd cluster: no installation is in progress, or"
                    + " {self} is not new",
            "an installation in progress",
            "find out whether this pair has served before, on both nodes: tandem replicas list"),
    NO_REPLICA_ALONE(
            Runbook.RESTORE_A_REPLICA,
            "{self} is the only node and has no usable replica",
            "a backup",
            Remedies.RESTORE),
    LISTS_ANOTHER_VOTER(
            Runbook.PEER_MAY_BE_NEWER,
            "{self} is configured as the only node, but its replica lists another voter",
            "the other voter, or its removal",
            Remedies.TAKE_OVER),
    NEEDS_MAJORITY(
            Runbook.RESTORE_A_REPLICA,
            "{self} has no usable replica and no leader has admitted it",
            "a majority of the other members",
            "start the other members; if the majority is lost, " + Remedies.RESTORE);

    private final Runbook runbook;
    private final String why;
    private final String missing;
    private final String remedy;

    Refusal(Runbook runbook, String why, String missing, String remedy) {
        this.runbook = runbook;
        this.why = why;
        this.missing = missing;
        this.remedy = remedy;
    }

    public Runbook runbook() {
        return runbook;
    }

    public String why() {
        return why;
    }

    public Decision decision() {
        return new Decision.Refuse(this);
    }

    public String why(NodeName self, NodeName peer) {
        return Text.fill(why, self, peer);
    }

    public String missing(NodeName self, NodeName peer) {
        return Text.fill(missing, self, peer);
    }

    /** What a person can do, ready to paste. */
    public String remedy(NodeName self, NodeName peer, Incident incident) {
        return Text.fill(remedy, self, peer).replace("{incident}", incident.code());
    }

    /**
     * What several refusals have in common; an enum cannot refer to its own constants before they
     * exist.
     */
    private static final class Remedies {
        private static final String TAKE_OVER =
                "switch {peer} on; if it is lost, on {self}: tandem confirm-peer-off {peer}"
                        + " --incident {incident} --accept-loss";
        private static final String RESTORE =
                "put back a replica that was set aside, as the runbook says; to see which there"
                        + " are: tandem replicas list";
    }
}
