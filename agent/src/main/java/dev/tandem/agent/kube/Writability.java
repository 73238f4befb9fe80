package dev.tandem.agent.kube;

import java.time.Duration;

/**
 * Whether the API server of this node writes, as the cluster is told for the sake of the API's
 * address.
 *
 * <p>Neither node may report at once everything it sees. In a pair whose nodes both vote, the death
 * of one etcd keeps both API servers from writing, and both resume when it is back, a moment apart:
 * an address that followed each report would move back and forth for nothing. So the node that has
 * the address is slow to say no and quick to say yes, and the other is quick to say no and slow to
 * say yes. The address then moves only where the other wrote for a while and its holder did not.
 *
 * @param told what the cluster should know by now
 * @param writes what the last tries came to
 * @param since of the monotonic clock: the first of them in a row
 * @param row how many in a row, as far as that matters
 */
record Writability(Told told, boolean writes, long since, int row) {
    /** What is said of this node. */
    enum Told {
        NOTHING,
        CAN,
        CANNOT
    }

    /**
     * For which the holder fails before it says so. An etcd that is killed and starts in place, and
     * an API server that finds it again, take three seconds at most; and five are what a client may
     * have to wait, the move included.
     */
    static final Duration PATIENCE = Duration.ofMillis(3500);

    /**
     * For which it fails where it gave the address up a moment ago and has it again, and the other
     * has not said that it writes: an API server that is slow because its clients are there would
     * otherwise send them away to one that may be no better. Whoever writes gets them at once.
     */
    static final Duration LONGER_PATIENCE = Duration.ofSeconds(30);

    /** For which the other node writes before it says so: the holder needs less to say the same. */
    static final Duration SETTLED = Duration.ofSeconds(1);

    /** One write that takes too long is a slow disk. */
    private static final int ENOUGH = 2;

    static final Writability UNKNOWN = new Writability(Told.NOTHING, false, 0, 0);

    /**
     * @param began of this try, of the monotonic clock
     * @param holds whether the address is on this node
     * @param patience for which a holder fails before it says so
     */
    Writability after(boolean written, long began, long ended, boolean holds, Duration patience) {
        boolean again = row > 0 && written == writes;
        // A try that failed was failing all the time; one that went well did so in the end.
        long from = again ? since : written ? ended : began;
        int count = again ? Math.min(row + 1, ENOUGH) : 1;
        long lasted = ended - from;
        boolean convinced =
                written
                        ? holds || lasted >= SETTLED.toNanos()
                        : !holds || (count == ENOUGH && lasted >= patience.toNanos());
        return new Writability(
                convinced ? (written ? Told.CAN : Told.CANNOT) : told, written, from, count);
    }

    /** Whether what is told is what was seen last. */
    boolean settled() {
        return told == (writes ? Told.CAN : Told.CANNOT);
    }
}
