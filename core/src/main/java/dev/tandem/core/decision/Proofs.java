package dev.tandem.core.decision;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PeerProof.Fenced;
import dev.tandem.core.decision.PeerProof.Stated;
import dev.tandem.core.decision.PeerProof.Statement;
import dev.tandem.core.peer.PeerView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How proofs about the peer begin and end. Whether one that stands is enough is not decided here
 * but in {@link StartDecision}.
 *
 * <p>A fence speaks of one boot of the peer: the one that was known when it was ordered. A sign of
 * life that is younger than the proof ends it: either the fence was none, or that boot is history
 * and the proof of no further use. No time of day takes part: it can be set.
 */
public final class Proofs {
    /** Which machine the BMC that read Off controls. */
    public enum Machine {
        THE_PEER,
        ANOTHER,
        /** The BMC tells nothing that could be compared: its Off may be any machine's. */
        NOT_TOLD,
        /** No BMC was asked, and the plan does not say whose power it was. */
        NOT_STATED
    }

    /**
     * A fence that was ordered.
     *
     * @param peerBoot the boot the peer was last heard in at that moment; empty if it was not heard
     */
    public record Order(NodeName target, Optional<BootId> peerBoot) {
        /**
         * Whether the peer is in a newer boot than the one that this order is about, and what it
         * was to end has ended by itself.
         *
         * @param now what an order would be about that is given now. What is first heard after this
         *     one was given may be the very boot that it is about, and silence is no boot at all
         */
        public boolean isOvertakenBy(Order now) {
            return peerBoot.isPresent()
                    && now.peerBoot().isPresent()
                    && !peerBoot.equals(now.peerBoot());
        }
    }

    private Proofs() {}

    /**
     * What the answer to an order proves; empty if nothing.
     *
     * @param now what is known of the peer when the answer comes. A boot that was first heard while
     *     the order was under way may be one that began after the power was cut
     */
    public static Optional<Fenced> ofFence(
            Order order,
            PeerView now,
            Machine machine,
            String method,
            PowerReading observed,
            Instant time) {
        return order.peerBoot()
                .filter(now::isIn)
                .filter(_ -> machine == Machine.THE_PEER)
                .map(boot -> new Fenced(order.target(), boot, method, observed, time));
    }

    /** What is left of the proofs when the peer gave a sign of life after they were made. */
    public static List<PeerProof> afterSignOfLife(List<PeerProof> proofs) {
        return proofs.stream().filter(proof -> !saysOff(proof)).toList();
    }

    /**
     * What is left of them when this node has joined its peer: the incident is over, and with it
     * all that was said in it.
     */
    public static List<PeerProof> afterJoining(List<PeerProof> proofs) {
        return proofs.stream()
                .filter(proof -> !(proof instanceof Stated) && !saysOff(proof))
                .toList();
    }

    private static boolean saysOff(PeerProof proof) {
        return switch (proof) {
            case Fenced _, PeerProof.HeldOff _ -> true;
            case Stated stated -> stated.statement() != Statement.KEEP_PEERS_HISTORY;
            case PeerProof.Yielded _ -> false;
        };
    }
}
