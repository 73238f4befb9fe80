package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import java.time.Duration;

/** Raises the revision of a stopped store far above whatever a client can have seen. */
public interface RevisionJump {
    /** The longest that {@link #carryOut} takes, unless the disk stands still. */
    Duration LIMIT = Duration.ofMinutes(5);

    /**
     * Carries it out and takes back the note that it is owed. The server must be stopped, and still
     * is when this returns; nothing is served meanwhile. Can be done again at any time, also after
     * a crash in the middle.
     *
     * @throws Failure if it could not be done, also where the thread is interrupted; it is still
     *     owed then
     */
    void carryOut();
}
