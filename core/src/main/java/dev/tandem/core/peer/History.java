package dev.tandem.core.peer;

import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import java.util.List;

/**
 * How two replicas relate. Terms and indexes within one epoch are etcd's business; between epochs
 * they mean nothing.
 */
public final class History {
    public enum Relation {
        /** One epoch, and neither side can have gone on alone: etcd may sort out the tail. */
        SAME,
        MINE_AHEAD,
        PEER_AHEAD,
        /** Each may hold acknowledged writes the other lacks. */
        FORKED
    }

    private History() {}

    /** Both nodes get mirrored answers from the same two replicas. */
    public static Relation relate(Replica.Intact mine, Replica.Intact peer) {
        int shared = mine.lineage().shared(peer.lineage());
        boolean mineLonger = mine.lineage().epochs().size() > shared;
        boolean peerLonger = peer.lineage().epochs().size() > shared;
        if (shared == 0 || (mineLonger && peerLonger)) {
            return Relation.FORKED;
        }
        if (mineLonger) {
            return kept(peer, mine.lineage().epochs().get(shared).forkIndex(), Relation.MINE_AHEAD);
        }
        if (peerLonger) {
            return kept(mine, peer.lineage().epochs().get(shared).forkIndex(), Relation.PEER_AHEAD);
        }
        return withinOneEpoch(mine, peer);
    }

    /** Holds once and then for the rest of the boot: see {@link PeerMembership}. */
    public static boolean notAhead(NodeFacts mine, NodeFacts peer) {
        if (!(mine.replica() instanceof Replica.Intact ours)
                || !(peer.replica() instanceof Replica.Intact theirs)) {
            return false;
        }
        Relation relation = relate(ours, theirs);
        return relation == Relation.SAME || relation == Relation.MINE_AHEAD;
    }

    /** Up to which index both hold the same for certain; 0 where that cannot be told. */
    public static long sharedUpTo(Replica.Intact mine, Replica.Intact peer) {
        int shared = mine.lineage().shared(peer.lineage());
        long upTo = Long.MAX_VALUE;
        for (Lineage lineage : List.of(mine.lineage(), peer.lineage())) {
            if (shared > 0 && lineage.epochs().size() > shared) {
                upTo = Math.min(upTo, lineage.epochs().get(shared).forkIndex());
            }
        }
        return upTo == Long.MAX_VALUE ? 0 : upTo;
    }

    private static Relation kept(Replica.Intact older, long forkIndex, Relation ahead) {
        return older.acknowledged() <= forkIndex ? ahead : Relation.FORKED;
    }

    /**
     * Within an epoch only seats are compared. Indexes are not: the peer's are as old as the word
     * that brought them, and a learner that knows more than its leader's last word is no fork.
     */
    private static Relation withinOneEpoch(Replica.Intact mine, Replica.Intact peer) {
        boolean mineOver = mine.role() == Replica.MemberRole.REMOVED;
        boolean peerOver = peer.role() == Replica.MemberRole.REMOVED;
        if (mine.role() == Replica.MemberRole.SOLE && peer.role() == Replica.MemberRole.SOLE) {
            return Relation.FORKED;
        }
        if (mine.role() == Replica.MemberRole.SOLE || (peerOver && !mineOver)) {
            return Relation.MINE_AHEAD;
        }
        if (peer.role() == Replica.MemberRole.SOLE || (mineOver && !peerOver)) {
            return Relation.PEER_AHEAD;
        }
        return Relation.SAME;
    }
}
