package dev.tandem.host.health;

import java.nio.file.Path;
import java.time.Instant;

/**
 * A certificate of this node, as it was last read.
 *
 * @param need what fails without it
 */
public record NodeCertificate(Path file, Need need, Renewal renewal, Reading reading) {
    /** Who cannot do without a certificate. */
    public enum Need {
        /** etcd, or the agent to see what its etcd does: this node could not finish a take-over. */
        ETCD,
        /** The agents, to hear each other. */
        AGENTS,
        /** The API server, or the agent to see that it writes; etcd is recovered without it. */
        API,
        /** Another part of Kubernetes; etcd and the API are recovered without it. */
        KUBERNETES
    }

    /** How another one takes its place. */
    public enum Renewal {
        /** The authority issues it again. */
        ISSUED_AGAIN,
        /** It is in place, and the agent holds the one before, which it read when it started. */
        AGENT_RESTART,
        /** It is an authority itself, and there is no command for another. */
        NONE
    }

    /** What a look at it gave. */
    public sealed interface Reading {
        /** When it may be used, as it says itself. */
        record Term(Instant from, Instant until) implements Reading {}

        /**
         * It is not there, damaged, or has another key.
         *
         * @param why half a sentence that names the file
         */
        record Unreadable(String why) implements Reading {}
    }
}
