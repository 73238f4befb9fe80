package dev.tandem.core.supervise;

import dev.tandem.core.replica.Lineage;
import java.time.Duration;

/**
 * What is to be done to etcd on this node. One at a time; each ends with an {@link
 * Event.EtcdOrderEnded}, also where it failed, was cut short by the limit or was not begun.
 */
public sealed interface EtcdOrder {
    /**
     * Ends the server, cleanly first where there is time for that. It has ended when it is
     * reported, and its log was read then, once.
     */
    record End(boolean atOnce, Duration limit) implements EtcdOrder {}

    /**
     * Starts on the existing data, as the member they name.
     *
     * @param lossAccepted history goes on without writes that clients may have seen: before anybody
     *     is served, every client has to be made to read everything again
     */
    record StartInPlace(boolean lossAccepted) implements EtcdOrder {}

    /**
     * Stores the lineage, declares the whole log committed and starts as the only voter.
     *
     * @param generation of the server when its log was read: what was read then is used, and if it
     *     is not at hand any more nothing is begun
     * @param lossAccepted as for a start in place. A take-over that is completed later does not
     *     need to be told again
     */
    record TakeOver(Lineage lineage, long generation, boolean lossAccepted) implements EtcdOrder {}

    /** Begins an empty cluster. */
    record Bootstrap() implements EtcdOrder {}

    /**
     * Starts as the learner the leader has listed.
     *
     * @param leaders the lineage of the history that is joined
     * @param keepData go on with what is there; else it is set aside first
     */
    record Join(Lineage leaders, boolean keepData) implements EtcdOrder {}

    /** Ends the server and starts it on the same data: a learner that misses its announcement. */
    record RestartInPlace(Duration limit) implements EtcdOrder {}
}
