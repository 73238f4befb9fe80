package dev.tandem.host.credential;

import dev.tandem.core.Failure;

/** What asking for a password gave. That it could not be read is a value: a node goes on. */
public sealed interface SourceAnswer {

    /** The password; it appears in no text made by this class. */
    record Read(String password) implements SourceAnswer {
        @Override
        public String toString() {
            return "Read[]";
        }
    }

    /**
     * No password.
     *
     * @param why half a sentence
     * @param remedy what to do
     */
    record Unread(Kind kind, String why, String remedy) implements SourceAnswer {}

    /** Who has to do something about it. */
    enum Kind {
        /** The store or the way to it; it may come back without anybody. */
        UNREACHABLE,
        /** The store knows this node and does not give it the password, or does not know it. */
        REFUSED,
        /** What was found is no password, or the way to it is not set up. */
        FAULTY
    }

    static Unread faulty(Failure failure) {
        return new Unread(Kind.FAULTY, failure.what() + ": " + failure.why(), failure.remedy());
    }
}
