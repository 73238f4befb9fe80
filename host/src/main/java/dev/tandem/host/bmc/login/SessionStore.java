package dev.tandem.host.bmc.login;

import java.util.Optional;

/**
 * Where an open session outlives the program. BMCs have few sessions, as few as 4, and end those
 * that nobody uses after half an hour: a program that is killed, and started again, goes on with
 * the session that it had.
 */
public interface SessionStore {
    SessionStore NONE =
            new SessionStore() {
                @Override
                public Optional<KeptSession> kept() {
                    return Optional.empty();
                }

                @Override
                public void keep(KeptSession session) {
                    // It ends with the program, or by disuse.
                }

                @Override
                public void forget(KeptSession session) {
                    // Nothing was kept.
                }
            };

    /**
     * A session. Its token appears in no text made by this class.
     *
     * @param path by which it is ended; empty where the BMC told none
     */
    record KeptSession(String token, Optional<String> path) {
        @Override
        public String toString() {
            return "KeptSession[" + path.orElse("") + "]";
        }
    }

    /** That of an earlier program, if it left one. */
    Optional<KeptSession> kept();

    void keep(KeptSession session);

    /** It was ended; another one that was kept since is left alone. */
    void forget(KeptSession session);
}
