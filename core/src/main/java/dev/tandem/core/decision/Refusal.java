package dev.tandem.core.decision;

/** Why etcd does not start, what evidence is missing and what a person can do. */
public enum Refusal {
    WHO_SERVED_LAST(
            "{self} was one of two voters, and {peer} may have served alone since",
            "the facts of {peer}",
            "switch {peer} on; if it is lost: tandem take-over --node {self} --incident {incident}"
                    + " --peer-is-off --accept-loss"),
    PEER_IS_NEWER(
            "{peer} is known to have gone on without {self}",
            "{peer} itself, which has the newer history",
            "switch {peer} on; if it is lost: tandem take-over --node {self} --incident {incident}"
                    + " --peer-is-off --accept-loss"),
    YIELDED(
            "{self} gave up its right to take over, and {peer} may have gone on",
            "the answer of {peer}",
            "switch {peer} on; if it is lost: tandem take-over --node {self} --incident {incident}"
                    + " --peer-is-off --accept-loss"),
    REMOVED(
            "the replica of {self} holds its own removal and cannot begin a history",
            "{peer}, which took {self} off the member list",
            "switch {peer} on; if it is lost: tandem restore --node {self} --from-replica"
                    + " --accept-loss"),
    INCOMPLETE(
            "the replica of {self} was not complete when {peer} vanished",
            "{peer}, which alone holds everything",
            "switch {peer} on; if it is lost: tandem restore --node {self} --list"),
    NO_REPLICA(
            "{self} has no replica",
            "{peer}, which may have one",
            "switch {peer} on; if it is lost: tandem restore --node {self} --list"),
    DAMAGED(
            "the replica of {self} is damaged and was left as it is",
            "{peer}, which may have a sound one",
            "switch {peer} on; if it is lost: tandem restore --node {self} --list"),
    NO_COMPLETE_REPLICA(
            "neither {self} nor {peer} has a complete replica",
            "a complete replica or a backup",
            "tandem restore --node {self} --list"),
    FORKED(
            "{self} and {peer} went on separately, and each may hold writes the other lacks",
            "a person's choice of the history to keep",
            "compare: tandem explain start; then on the node whose data are set aside:"
                    + " tandem keep-peer --node {self} --incident {incident}"),
    PEER_IS_THERE(
            "{peer} was declared off, but it is in the membership or its BMC reads On",
            "one word about {peer}: its BMC and the declaration contradict each other",
            "look at {peer}; if its BMC is the wrong one: tandem fencing check --node {peer}"),
    NOT_INSTALLING(
            "{self} begins an empty cluster only while the installation is open and it has no"
                    + " replica",
            "an open installation",
            "tandem status --node {self}"),
    NO_REPLICA_ALONE(
            "{self} is the only node and has no usable replica",
            "a backup",
            "tandem restore --node {self} --list"),
    LISTS_ANOTHER_VOTER(
            "{self} is configured as the only node, but its replica lists another voter",
            "the other voter, or its removal",
            "start the other node and run: tandem node remove; or, if it is lost: tandem take-over"
                    + " --node {self} --incident {incident} --peer-is-off --accept-loss"),
    NEEDS_MAJORITY(
            "{self} has no usable replica and no leader invited it",
            "a majority of the other members",
            "start the other members; if the majority is lost: tandem restore --node {self}"
                    + " --list");

    private final String why;
    private final String missing;
    private final String remedy;

    Refusal(String why, String missing, String remedy) {
        this.why = why;
        this.missing = missing;
        this.remedy = remedy;
    }

    String why() {
        return why;
    }

    Decision decision() {
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
}
