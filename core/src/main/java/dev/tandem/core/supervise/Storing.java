package dev.tandem.core.supervise;

import dev.tandem.core.peer.Abdication;
import dev.tandem.core.supervise.Action.Acknowledgement;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Brings what is wanted to the disk, one write at a time. What was told before a write failed stays
 * as it is; what is wanted stays wanted.
 */
final class Storing {
    private Storing() {}

    /** Orders the next write, if there is something to write and none is under way. */
    static void write(Turn turn) {
        boolean due =
                !turn.wanted.equalsIgnoringIndexes(turn.stored)
                        // Whether the disk stores again is found out by trying.
                        || turn.writeTrouble.isPresent()
                        || peerCommitIsDue(turn);
        if (!due || turn.inFlight.isPresent() || turn.now.isBefore(turn.writeNotBefore)) {
            return;
        }
        VolatileState.Write next = new VolatileState.Write(turn.nextId(), turn.wanted, turn.now);
        turn.inFlight = Optional.of(next);
        turn.writtenAt = turn.now;
        turn.act(new Action.Store(next.id(), next.content()));
    }

    /**
     * It rises with every write of a client, so it is taken along, and else stored now and then.
     */
    private static boolean peerCommitIsDue(Turn turn) {
        return !turn.wanted.peerCommit().equals(turn.stored.peerCommit())
                && turn.now.isLaterThan(turn.policy.peerCommitInterval(), turn.writtenAt);
    }

    static void stored(Turn turn, long write) {
        if (turn.inFlight.filter(flying -> flying.id() == write).isEmpty()) {
            return;
        }
        DurableState before = turn.stored;
        turn.stored = turn.inFlight.get().content();
        turn.inFlight = Optional.empty();
        turn.writeFailures = 0;
        turn.writeNotBefore = turn.now;
        if (turn.writeTrouble.isPresent()) {
            turn.journal(new Notice.StoredAgain());
            turn.writeTrouble = Optional.empty();
        }
        acknowledge(turn, write, new Acknowledgement.Done());
        if (turn.stored.abdication() instanceof Abdication.StandDown
                && !turn.stored.abdication().equals(before.abdication())) {
            // It comes back as a learner, and that server has not died yet.
            turn.restarts = turn.restarts.forgetDeaths();
        }
        if (!before.abdication().equals(turn.stored.abdication())
                || before.released() != turn.stored.released()) {
            turn.act(new Action.TellPeer());
        }
    }

    static void notStored(Turn turn, long write, String why) {
        if (turn.inFlight.filter(flying -> flying.id() == write).isEmpty()) {
            return;
        }
        turn.inFlight = Optional.empty();
        turn.writeFailures++;
        turn.writeNotBefore = turn.now.plus(RestartBackoff.pause(turn.writeFailures, turn.policy));
        if (!turn.writeTrouble.equals(Optional.of(why))) {
            turn.journal(new Notice.NotStored(why));
            turn.writeTrouble = Optional.of(why);
        }
        acknowledge(turn, write, new Acknowledgement.NotStored(why));
        if (turn.wanted.abdication().number() > turn.stored.abdication().number()) {
            // Nothing is given up before it is stored; whether to give it up is decided again. What
            // happened stays wanted.
            turn.want(draft -> draft.abdication = turn.stored.abdication());
        }
    }

    private static void acknowledge(Turn turn, long write, Acknowledgement what) {
        for (VolatileState.Waiting caller : new ArrayList<>(turn.waiting)) {
            if (caller.from() <= write) {
                turn.waiting.remove(caller);
                turn.act(new Action.Acknowledge(caller.caller(), what));
            }
        }
    }
}
