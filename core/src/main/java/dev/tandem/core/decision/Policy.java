package dev.tandem.core.decision;

/**
 * What the administrator chose.
 *
 * @param startAloneWhenPeerIsHeldOff a node that is known to have served last may start alone when
 *     the BMC shows that the peer is off and stays off
 * @param deathsBeforeStandDown this many deaths of etcd within minutes, while the peer could go on
 *     alone, end in a stand-down
 */
public record Policy(Shape shape, boolean startAloneWhenPeerIsHeldOff, int deathsBeforeStandDown) {
    public enum Shape {
        SINGLE,
        PAIR,
        /** Two nodes and an arbiter, or more: etcd's own majority decides. */
        MAJORITY
    }

    public static final Policy PAIR = new Policy(Shape.PAIR, false, 5);

    public Policy {
        if (deathsBeforeStandDown < 1) {
            throw new IllegalArgumentException(
                    "a server may die at least once, not " + deathsBeforeStandDown);
        }
    }
}
