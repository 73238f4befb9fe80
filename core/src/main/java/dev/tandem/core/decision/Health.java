package dev.tandem.core.decision;

import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.replica.Replica;

/**
 * What a node may say of its etcd. It follows from the server alone: no plan, wait or hope makes a
 * server healthy.
 */
public enum Health {
    /** Serves, and either node can fail without an outage. */
    REDUNDANT,
    /** Serves alone: the next failure of this node is an outage. */
    ALONE,
    /** Learns from the peer and cannot take over. */
    LEARNING,
    /** Nobody on this node can tell: its agent is refused by its own etcd. */
    UNSEEN,
    DOWN;

    public static Health of(NodeFacts mine) {
        if (mine.server() == EtcdState.UNSEEN) {
            return UNSEEN;
        }
        if (!mine.server().serves() || !(mine.replica() instanceof Replica.Intact log)) {
            return DOWN;
        }
        return switch (log.role()) {
            case ONE_OF_TWO, ONE_OF_MANY -> log.complete() ? REDUNDANT : LEARNING;
            case SOLE -> ALONE;
            case LEARNER -> LEARNING;
            case REMOVED -> DOWN;
        };
    }
}
