package dev.tandem.core.decision;

import java.time.Duration;
import java.util.List;

/**
 * How long a node lets its peer fence first, when both may be alive and cannot hear each other.
 *
 * <p>One of them has to be done before the other begins, or both are switched off. So it is a
 * matter of time, and never of refusing: a node may be the only one that is left, whatever its
 * links look like. With a cable from node to node a peer without power takes the carrier away from
 * the survivor too.
 */
public final class FenceDelay {
    private FenceDelay() {}

    /** What a node sees of one of its own links, which says nothing about the peer. */
    public enum Link {
        UP,

        /** No carrier, or its address is on no interface: nothing leaves this node that way. */
        DOWN,

        UNKNOWN
    }

    /**
     * From the plan.
     *
     * @param split by which time the peer is off that a healthy, preferred node fences through its
     *     agent
     * @param levelTwo how much later a node fences whose agent is down
     */
    public record Times(Duration split, Duration levelTwo) {}

    public enum Reason {
        /** This node goes first. */
        NONE,

        /** The peer is preferred. */
        PEER_PREFERRED,

        /** This node is preferred, and cut off from everybody, as far as it can see. */
        ISOLATED
    }

    public record Delay(Duration time, Reason reason) {}

    /**
     * How long a node waits before it fences, if both may be alive.
     *
     * @param preferred whether this node is the one to survive a split
     * @param own the links that the plan names for this node
     * @param peersFirstLevel whether the peer fences by its first level, if it does: its agent was
     *     heard just before the peer was lost, and could switch this node off
     */
    public static Delay of(
            boolean preferred, List<Link> own, boolean peersFirstLevel, Times times) {
        Duration slower = peersFirstLevel ? Duration.ZERO : times.levelTwo();
        if (!preferred) {
            return new Delay(times.split().plus(slower), Reason.PEER_PREFERRED);
        }
        boolean isolated = !own.isEmpty() && own.stream().allMatch(link -> link == Link.DOWN);
        if (!isolated) {
            return new Delay(Duration.ZERO, Reason.NONE);
        }
        // The peer knows nothing of it. It waits for its own delay, to which its second level adds
        // the time that the other's second level would take, and needs as long as this node would
        // to be done.
        return new Delay(
                times.split().plus(times.split()).plus(slower).plus(slower), Reason.ISOLATED);
    }
}
