package dev.tandem.core.decision;

import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import java.util.List;

/**
 * All that a start decision looks at, as one value: it is what the journal keeps, what {@code
 * explain} prints and what a test writes down. Time is not part of it.
 *
 * @param proofs everything that speaks for the peer being off. Which of it counts is part of the
 *     decision: a receipt may be void because the peer booted since while a person's word holds,
 *     and a caller that picks one could pick the wrong one
 */
public record Situation(
        NodeFacts mine,
        PeerView peer,
        List<PeerProof> proofs,
        PeerMembership membership,
        Policy policy,
        Intent intent) {
    public Situation {
        proofs = List.copyOf(proofs);
    }
}
