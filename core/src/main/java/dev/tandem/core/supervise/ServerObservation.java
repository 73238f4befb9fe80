package dev.tandem.core.supervise;

import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Replica;

/**
 * What was seen of etcd on this node.
 *
 * @param generation rises with every start and stop ordered here. An observation of an older one is
 *     outdated; a server that is gone within one and the same generation has died
 * @param starting the process lives and has not said yet that it serves
 * @param silent it did not answer this time; the rest is from before
 * @param peer the peer in the live member list; {@link Listed.Nowhere} while it does not answer
 * @param log whether the log of a stopped server can be declared committed as a whole
 * @param databaseBytes what a server has to load before it serves
 * @param words for people, where something is out of order
 */
public record ServerObservation(
        long generation,
        EtcdState server,
        Replica replica,
        boolean starting,
        boolean silent,
        Listed peer,
        WholeLog log,
        long databaseBytes,
        String words) {

    /** What a take-over would come to: it declares everything in the log committed. */
    public enum WholeLog {
        /** Nothing in the log speaks against it; also of a server that runs. */
        CAN_BE_COMMITTED,
        /** Behind the commit index stands the removal of this very node. */
        REMOVES_THIS_NODE,
        /**
         * A change of the voters is half done, or this log cannot be continued by its node alone.
         */
        LEAVES_NO_SOLE_VOTER
    }

    public boolean running() {
        return server != EtcdState.STOPPED;
    }

    public boolean serves() {
        return server.serves();
    }

    /** The same replica, declared to hold all that was acknowledged. */
    public ServerObservation with(Replica changed) {
        return new ServerObservation(
                generation, server, changed, starting, silent, peer, log, databaseBytes, words);
    }
}
