package dev.tandem.core.decision;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How long a node lets its peer fence first, when both may be alive and cannot hear each other.
 *
 * <p>One of them has to be done before the other begins, or both are switched off. So it is a
 * matter of time, and never of refusing: a node may be the only one that is left, whatever its
 * links look like. With a cable from node to node a peer without power takes the carrier away from
 * the survivor too.
 */
public final class FenceDelay {
    /**
     * What the node that waits adds to the time of the other's BMC: the agent's own second, and one
     * in which a BMC answers twice.
     */
    public static final Duration AFTER_THE_FIRST_SHOT = Duration.ofSeconds(2);

    /** Which machine it is may have to be asked before the order, or a session be opened. */
    private static final int ANSWERS = 2;

    /** So much of them is in the time that every plan adds. */
    private static final Duration IN_EVERY_PLAN = Duration.ofSeconds(1);

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
    public record Times(Duration split, Duration levelTwo) {
        /** Until a second level is done, and a first level that is as slow. */
        private Duration longest() {
            return split.plus(levelTwo);
        }

        /**
         * Until a first level is done that needs this time. The limits of a fence have room for the
         * second level, and for no longer wait.
         */
        private Duration until(Duration needs) {
            Duration done = needs.plus(AFTER_THE_FIRST_SHOT);
            return done.compareTo(split) <= 0
                    ? split
                    : done.compareTo(longest()) < 0 ? done : longest();
        }
    }

    /**
     * How long each node would need through its agent to have the other without power, by what each
     * has measured of the other's BMC and told the other.
     *
     * @param own as this node has told
     * @param peers as the peer told last; zero if it did not
     */
    public record Needs(Duration own, Duration peers) {
        public static final Needs AS_PLANNED = new Needs(Duration.ZERO, Duration.ZERO);
    }

    /**
     * What a node tells its peer: never less than the plan says, for a BMC that was quick until now
     * may be slow.
     *
     * @param planned for the slowest BMC
     * @param switchedOff the longest time from an order until the peer read Off
     * @param answer how long its BMC takes for nearly every answer
     */
    public static Duration needs(
            Duration planned, Optional<Duration> switchedOff, Optional<Duration> answer) {
        Duration answers = answer.orElse(Duration.ZERO).multipliedBy(ANSWERS);
        Duration known = switchedOff.orElseGet(() -> planned.minus(IN_EVERY_PLAN)).plus(answers);
        return known.compareTo(planned) > 0 ? known : planned;
    }

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
            boolean preferred, List<Link> own, boolean peersFirstLevel, Times times, Needs needs) {
        if (!preferred) {
            return new Delay(
                    peersFirstLevel ? times.until(needs.peers()) : times.longest(),
                    Reason.PEER_PREFERRED);
        }
        boolean isolated = !own.isEmpty() && own.stream().allMatch(link -> link == Link.DOWN);
        if (!isolated) {
            return new Delay(Duration.ZERO, Reason.NONE);
        }
        // The peer knows nothing of it. It waits for its own delay, and then needs as long as this
        // node would to be done. If either is not as planned, the two nodes may judge it
        // differently: only twice the longest of these delays is more than all of them.
        boolean asPlanned =
                peersFirstLevel
                        && times.until(needs.own()).equals(times.split())
                        && times.until(needs.peers()).equals(times.split());
        return new Delay(
                (asPlanned ? times.split() : times.longest()).multipliedBy(2), Reason.ISOLATED);
    }
}
