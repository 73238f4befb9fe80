package dev.tandem.agent.peer;

import dev.tandem.core.peer.PeerMessage;
import java.util.Optional;

/** A way to the peer's agent. */
interface PeerTransport {

    /**
     * Asks with this node's word and returns the peer's. Takes a few seconds at most.
     *
     * @param number higher than that of any question before, on whatever way that went
     */
    Reply ask(long number, PeerMessage mine);

    /** What came of asking. */
    sealed interface Reply {
        record Answered(PeerMessages.Received theirs) implements Reply {}

        /** The peer's agent is there and has no time. */
        record Busy(String why) implements Reply {}

        /** No answer. */
        record Silent(String why) implements Reply {}
    }

    /** Who takes the peer's questions. */
    interface Inbox {
        /**
         * The own word; empty if the question came too late to count, or nobody has time for it.
         */
        Optional<PeerMessage> asked(long number, PeerMessages.Received theirs);
    }
}
