package dev.tandem.agent;

import dev.tandem.core.decision.Word;

/** The way to the peer's agent. */
interface PeerLink {

    /** Asks with this node's word and returns the peer's. Takes a few seconds at most. */
    Reply ask(Word mine);

    /** What came of asking. */
    sealed interface Reply {
        record Answered(Word theirs) implements Reply {}

        /** No answer. */
        record Silent(String why) implements Reply {}
    }
}
