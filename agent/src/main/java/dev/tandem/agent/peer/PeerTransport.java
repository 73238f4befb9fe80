package dev.tandem.agent.peer;

import java.util.Optional;

/** A channel to the peer's agent. */
interface PeerTransport {

    /**
     * Sends this node's message and returns the peer's. Takes a few seconds at most.
     *
     * @param number higher than that of any question before, on either channel
     */
    Reply ask(long number, PeerMessages.Envelope mine);

    /** What came of asking. */
    sealed interface Reply {
        record Answered(PeerMessages.Received theirs) implements Reply {}

        /** The peer's agent answers that it is busy. */
        record Busy(String why) implements Reply {}

        /** No answer. */
        record Silent(String why) implements Reply {}
    }

    /** Takes the peer's questions. */
    interface Inbox {
        /**
         * This node's answer; empty if the question came too late to count, or the agent is busy.
         */
        Optional<PeerMessages.Envelope> asked(long number, PeerMessages.Received theirs);
    }
}
