package dev.tandem.core.supervise;

import dev.tandem.core.peer.Abdication;
import dev.tandem.core.supervise.Action.Acknowledgement;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Brings what is wanted to the disk, one write at a time. What was told before a write failed stays
 * as it is; what is wanted stays wanted.
 */
final class StoreRules {
    private StoreRules() {}

    /** Orders the next write, if there is something to write and none is under way. */
    static void write(NextState next) {
        boolean due =
                !next.wanted.equalsIgnoringIndexes(next.stored)
                        // Whether the disk stores again is found out by trying.
                        || next.writeTrouble.isPresent()
                        || peerCommitIsDue(next);
        if (!due || next.inFlight.isPresent() || next.now.isBefore(next.writeNotBefore)) {
            return;
        }
        VolatileState.Write write = new VolatileState.Write(next.nextId(), next.wanted, next.now);
        next.inFlight = Optional.of(write);
        next.writtenAt = next.now;
        next.act(new Action.Store(write.id(), write.content()));
    }

    /**
     * It rises with every write of a client, so it is taken along, and else stored now and then.
     */
    private static boolean peerCommitIsDue(NextState next) {
        return !next.wanted.peerCommit().equals(next.stored.peerCommit())
                && next.now.isLaterThan(next.policy.peerCommitInterval(), next.writtenAt);
    }

    static void stored(NextState next, long write) {
        if (next.inFlight.filter(flying -> flying.id() == write).isEmpty()) {
            return;
        }
        DurableState before = next.stored;
        next.stored = next.inFlight.get().content();
        next.inFlight = Optional.empty();
        next.writeFailures = 0;
        next.writeNotBefore = next.now;
        if (next.writeTrouble.isPresent()) {
            next.journal(new Notice.StoredAgain());
            next.writeTrouble = Optional.empty();
        }
        acknowledge(next, write, new Acknowledgement.Done());
        if (next.stored.abdication() instanceof Abdication.StandDown
                && !next.stored.abdication().equals(before.abdication())) {
            // It comes back as a learner, and that server has not died yet.
            next.restarts = next.restarts.forgetDeaths();
        }
        if (!before.abdication().equals(next.stored.abdication())
                || before.released() != next.stored.released()) {
            next.act(new Action.TellPeer());
        }
    }

    static void notStored(NextState next, long write, String why) {
        if (next.inFlight.filter(flying -> flying.id() == write).isEmpty()) {
            return;
        }
        next.inFlight = Optional.empty();
        next.writeFailures++;
        next.writeNotBefore = next.now.plus(RestartBackoff.pause(next.writeFailures, next.policy));
        if (!next.writeTrouble.equals(Optional.of(why))) {
            next.journal(new Notice.NotStored(why));
            next.writeTrouble = Optional.of(why);
        }
        acknowledge(next, write, new Acknowledgement.NotStored(why));
        if (next.wanted.abdication().number() > next.stored.abdication().number()) {
            // Nothing is given up before it is stored; whether to give it up is decided again. What
            // happened stays wanted.
            next.want(draft -> draft.abdication = next.stored.abdication());
        }
    }

    private static void acknowledge(NextState next, long write, Acknowledgement what) {
        for (VolatileState.Waiting caller : new ArrayList<>(next.waiting)) {
            if (caller.from() <= write) {
                next.waiting.remove(caller);
                next.act(new Action.Acknowledge(caller.caller(), what));
            }
        }
    }
}
