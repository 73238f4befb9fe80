package dev.tandem.agent.peer;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Word;
import java.util.Optional;

/** A way to the peer's agent. */
interface PeerLink {

    /**
     * Asks with this node's word and returns the peer's. Takes a few seconds at most.
     *
     * @param number higher than that of any question before, on whatever way that went
     */
    Reply ask(long number, Word mine);

    /** What came of asking. */
    sealed interface Reply {
        record Answered(Word theirs) implements Reply {}

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
        Optional<Word> asked(long number, Word theirs);
    }

    /** Whether a word that came from the peer is about the peer. */
    static boolean speaksOfItself(Word word, NodeName peer) {
        return !(word instanceof Word.Telling(NodeFacts facts, BootId _))
                || facts.node().equals(peer);
    }
}
