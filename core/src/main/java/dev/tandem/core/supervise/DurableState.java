package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerCommit;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What the node must not forget when its agent ends. The abdication and its number, the claim and
 * peerCommit survive a reboot; the rest belongs to one boot of this node.
 *
 * @param lastAbdication the number of the newest abdication ever given, so that none is given twice
 * @param released the highest number among the peer's abdications that this node released
 * @param met the peer was in the membership in this boot
 * @param peer what was heard last of the peer. Indexes in it may be old, since not every heartbeat
 *     is written; no decision about a peer that is gone looks at them
 * @param wanted Pacemaker has started etcd here and not stopped it since
 * @param ran a start of etcd was decided in this boot
 * @param forced the last start was a take-over
 * @param joinedAs the seat that this node last joined with; the leader may count on what its server
 *     stored there, so it can be used with those data only
 */
public record DurableState(
        Abdication abdication,
        long lastAbdication,
        Claim claim,
        BootId boot,
        long released,
        boolean met,
        boolean peerKnownNotAhead,
        PeerView peer,
        List<PeerProof> proofs,
        boolean wanted,
        boolean ran,
        boolean forced,
        long joinedAs,
        PeerCommit peerCommit) {

    /** A person confirms, or a fence ends, a few times in an incident; more is a loop. */
    private static final int MOST_PROOFS = 20;

    public DurableState {
        List<PeerProof> all = List.copyOf(proofs);
        proofs = all.subList(Math.max(0, all.size() - MOST_PROOFS), all.size());
    }

    /** Of a node that has nothing on its disk. */
    public static DurableState blank(BootId boot) {
        return new DurableState(
                Abdication.none(),
                0,
                Claim.none(),
                boot,
                0,
                false,
                false,
                PeerView.unheard(),
                List.of(),
                false,
                false,
                false,
                0,
                PeerCommit.none());
    }

    /** What is left of it in this boot. */
    public DurableState in(BootId now) {
        return boot.equals(now)
                ? this
                : blank(now)
                        .with(draft -> {
                            draft.abdication = abdication;
                            draft.lastAbdication = lastAbdication;
                            draft.claim = claim;
                            draft.peerCommit = peerCommit;
                        });
    }

    /** The same with some of it changed. */
    public DurableState with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new DurableState(
                draft.abdication,
                Math.max(draft.lastAbdication, draft.abdication.number()),
                draft.claim,
                boot,
                draft.released,
                draft.met,
                draft.peerKnownNotAhead,
                draft.peer,
                draft.proofs,
                draft.wanted,
                draft.ran,
                draft.forced,
                draft.joinedAs,
                draft.peerCommit);
    }

    /** What can change within a boot. */
    public static final class Draft {
        public Abdication abdication;
        public long lastAbdication;
        public Claim claim;
        public long released;
        public boolean met;
        public boolean peerKnownNotAhead;
        public PeerView peer;
        public List<PeerProof> proofs;
        public boolean wanted;
        public boolean ran;
        public boolean forced;
        public long joinedAs;
        public PeerCommit peerCommit;

        private Draft(DurableState now) {
            abdication = now.abdication;
            lastAbdication = now.lastAbdication;
            claim = now.claim;
            released = now.released;
            met = now.met;
            peerKnownNotAhead = now.peerKnownNotAhead;
            peer = now.peer;
            proofs = new ArrayList<>(now.proofs);
            wanted = now.wanted;
            ran = now.ran;
            forced = now.forced;
            joinedAs = now.joinedAs;
            peerCommit = now.peerCommit;
        }
    }

    /**
     * Whether writing this instead of the other would tell nothing that matters at once: only
     * indexes that grow with every write of a client differ.
     */
    public boolean equalsIgnoringIndexes(DurableState other) {
        return withoutIndexes().equals(other.withoutIndexes());
    }

    private DurableState withoutIndexes() {
        return with(draft -> {
            draft.peer = withoutIndexes(peer);
            draft.peerCommit = PeerCommit.none();
        });
    }

    private static PeerView withoutIndexes(PeerView view) {
        if (!(view instanceof PeerView.FactsKnown(NodeFacts facts))
                || !(facts.replica() instanceof Replica.Intact log)) {
            return view;
        }
        return new PeerView.FactsKnown(
                new NodeFacts(
                        facts.node(),
                        facts.boot(),
                        new Replica.Intact(
                                log.lineage(), 0, 0, 0, log.role(), log.complete(), log.memberId()),
                        facts.server(),
                        facts.abdication(),
                        facts.claim(),
                        facts.released(),
                        facts.offer()));
    }

    /**
     * What this node has given up, if the replica is still of the history it was given up in. A
     * take-over begins another one; until its lineage is on the disk nothing was begun, and what
     * was given up stays so.
     */
    public Abdication abdicationOn(Replica replica) {
        return claimOn(replica) instanceof Claim.None ? abdication : Abdication.none();
    }

    /**
     * The claim, if the replica carries its epoch. A claim is written before the lineage; where a
     * power cut fell between the two, nothing was begun yet and the claim means nothing.
     */
    public Claim claimOn(Replica replica) {
        return claim instanceof Claim.TakeOver(Epoch epoch)
                        && !(replica instanceof Replica.Intact(Lineage lineage, _, _, _, _, _, _)
                                && lineage.current().equals(epoch))
                ? Claim.none()
                : claim;
    }
}
