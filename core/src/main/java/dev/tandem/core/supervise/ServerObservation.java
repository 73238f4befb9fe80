package dev.tandem.core.supervise;

import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Replica;

/**
 * What was seen of etcd on this node.
 *
 * @param generation rises with every start and stop ordered here. An observation of an older one is
 *     outdated; a server that is gone without such a rise has died
 * @param starting it was ordered to start and has not said yet that it serves
 * @param silent it did not answer this time; the rest is from before
 * @param peer the peer in the live member list; {@link Listed.Nowhere} while it does not answer
 * @param log whether the log of a stopped server can be declared committed as a whole
 * @param databaseBytes what a server has to load before it serves
 * @param logBytes what has to be read of a server that was ended
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
        long logBytes,
        String words) {

    public boolean running() {
        return server != EtcdState.STOPPED;
    }

    /**
     * A start that systemd has not confirmed and of which the kernel knows no process. It is under
     * way for whoever gives orders: systemd may still carry it out. For people it is no server that
     * runs.
     */
    public boolean unconfirmedStart() {
        return starting && silent;
    }

    public boolean serves() {
        return server.serves();
    }

    /** The same with another replica. */
    ServerObservation with(Replica changed) {
        return new ServerObservation(
                generation,
                server,
                changed,
                starting,
                silent,
                peer,
                log,
                databaseBytes,
                logBytes,
                words);
    }

    /** The same with what the log said when it was last read. */
    ServerObservation with(WholeLog read) {
        return new ServerObservation(
                generation,
                server,
                replica,
                starting,
                silent,
                peer,
                read,
                databaseBytes,
                logBytes,
                words);
    }
}
