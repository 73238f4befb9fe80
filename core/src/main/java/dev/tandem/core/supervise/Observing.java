package dev.tandem.core.supervise;

import static dev.tandem.core.decision.WholeLog.CAN_BE_COMMITTED;

import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Intact;
import dev.tandem.core.replica.Replica.MemberRole;
import java.util.ArrayList;
import java.util.Optional;

/** Takes in what was seen of etcd, and what became of the orders to it. */
final class Observing {
    private Observing() {}

    static void saw(Turn turn, ServerObservation seen) {
        if (seen.generation() < turn.observation.generation()) {
            // Looked at before the server was started or stopped by us; that is history.
            return;
        }
        boolean died =
                turn.observation.running()
                        && !seen.running()
                        && seen.generation() == turn.observation.generation()
                        && turn.order.isEmpty()
                        && turn.wanted.wanted();
        observe(turn, seen);
        if (died) {
            turn.restarts = turn.restarts.died(turn.now, turn.policy);
            turn.journal(
                    new Notice.EtcdExited(
                            turn.restarts.deathsInARow(),
                            turn.restarts.deathsLately(turn.now, turn.policy)));
        }
    }

    private static void observe(Turn turn, ServerObservation seen) {
        if (seen.generation() != turn.observation.generation()) {
            // Another server: what the peer held against the last one does not concern it.
            turn.contradicts = Optional.empty();
        }
        // What a log held when it was last read is so until somebody leads again.
        boolean asRead =
                seen.running() && !seen.serves() && turn.observation.log() != CAN_BE_COMMITTED;
        turn.observation = asRead ? seen.with(turn.observation.log()) : seen;
        turn.lookedAt = turn.now;
        turn.unfit &= seen.running() && !seen.serves();
        judgeLog(turn);
        if (seen.serves()) {
            if (!turn.served) {
                turn.journal(new Notice.Serving(seen.server(), seen.replica()));
            }
            turn.served = true;
            turn.leaderlessSince = Optional.empty();
            turn.restarts = turn.restarts.serves(turn.now);
            turn.restarting = false;
            turn.trouble = Optional.empty();
            return;
        }
        if (turn.served) {
            turn.served = false;
            turn.downSince = turn.now;
        }
        turn.leaderlessSince =
                seen.server() == EtcdState.LEADERLESS
                        ? turn.leaderlessSince.or(() -> Optional.of(turn.now))
                        : Optional.empty();
    }

    /**
     * Whether the log of this node lacks what the peer told as committed. Only a log that was read
     * from the disk shows that; a server that runs is merely a little behind its leader. One that
     * lacked entries has caught up when it is past them.
     */
    static void judgeLog(Turn turn) {
        long before = turn.missing;
        turn.missing = missing(turn.observation, turn.wanted.peerCommit(), before);
        if (turn.missing > 0 && before == 0 && turn.observation.replica() instanceof Intact log) {
            turn.journal(new Notice.LogLacksEntries(log.lastIndex(), turn.missing));
        }
    }

    /** Up to which entry the log lacks some; 0 if it lacks none. */
    static long missing(ServerObservation seen, PeerCommit peer, long before) {
        if (!(seen.replica() instanceof Intact log)) {
            return 0;
        }
        long told = peer.in(log.lineage().current());
        if (log.lastIndex() >= told) {
            return 0;
        }
        boolean read = !seen.running() && log.complete() && log.role() == MemberRole.ONE_OF_TWO;
        return read ? told : log.lastIndex() >= before ? 0 : before;
    }

    static void ended(Turn turn, long id, Event.OrderResult result) {
        if (turn.order.filter(ordered -> ordered.id() == id).isEmpty()) {
            return;
        }
        EtcdOrder order = turn.order.get().order();
        turn.order = Optional.empty();
        if (result.seen().generation() >= turn.observation.generation()) {
            observe(turn, result.seen());
        }
        switch (result) {
            case Event.OrderResult.Done _ -> done(turn, order);
            case Event.OrderResult.Failed failure -> failed(turn, order, failure);
        }
    }

    private static void done(Turn turn, EtcdOrder order) {
        turn.trouble = Optional.empty();
        turn.restarts = turn.restarts.done(turn.now);
        switch (order) {
            case EtcdOrder.End _ -> {
                if (turn.stopping.isPresent()) {
                    turn.journal(new Notice.EtcdStopped());
                }
                turn.act(new Action.TellPeer());
            }
            case EtcdOrder.TakeOver over -> {
                turn.takingOver = false;
                turn.journal(
                        new Notice.TakeOver(
                                Notice.TakeOver.Phase.STARTED, over.lineage().current()));
            }
            case EtcdOrder.Join _ ->
                    // What was given up belonged to the data that were set aside.
                    turn.want(draft -> {
                        draft.abdication = Abdication.none();
                        draft.claim = Claim.none();
                        // This node learns from its peer: whatever was said of the peer is over.
                        draft.proofs = new ArrayList<>(Proofs.afterJoining(draft.proofs));
                    });
            case EtcdOrder.StartInPlace(), EtcdOrder.RestartInPlace _, EtcdOrder.Bootstrap() -> {}
        }
    }

    /** It is noted, and what is to be done tried again after a pause. */
    private static void failed(Turn turn, EtcdOrder order, Event.OrderResult.Failed failure) {
        String text = failure.what() + ": " + failure.why();
        boolean news =
                turn.restarts.failures() == 0
                        || turn.trouble.filter(last -> !last.equals(text)).isPresent();
        if (news) {
            turn.journal(new Notice.ActionFailed(failure.what(), failure.why(), failure.remedy()));
        }
        turn.trouble = Optional.of(text);
        turn.restarts = turn.restarts.failed(turn.now, turn.policy);
        turn.takingOver = false;
        turn.unfit |= order instanceof EtcdOrder.End && failure.outlivesKill();
        turn.stopping =
                turn.stopping.map(stop ->
                        new VolatileState.Stopping(
                                stop.leaveUntil(), stop.endUntil(), Optional.of(text)));
    }

    /** Declares this node's replica complete; it counts as that once its mark is gone. */
    static void complete(Turn turn) {
        if (turn.mark.isEmpty()
                && turn.observation.replica() instanceof Replica.Intact log
                && !log.complete()) {
            long id = turn.nextId();
            turn.mark = Optional.of(id);
            turn.act(new Action.MarkComplete(id));
        }
    }

    static void marked(Turn turn, Event.MarkEnded ended) {
        if (turn.mark.filter(id -> id == ended.id()).isEmpty()) {
            return;
        }
        turn.mark = Optional.empty();
        if (!ended.done()) {
            turn.trouble = Optional.of("the replica cannot be marked as complete: " + ended.why());
        } else if (turn.observation.replica() instanceof Replica.Intact log
                && (log.role() == MemberRole.ONE_OF_TWO || log.role() == MemberRole.SOLE)) {
            turn.observation = turn.observation.with(log.asComplete());
            turn.journal(new Notice.ReplicaComplete(turn.observation.replica()));
            turn.act(new Action.TellPeer());
        }
    }

    /** Whether the claim on this node's replica is one of a take-over; then it is of this epoch. */
    static Optional<Epoch> claimed(Turn turn) {
        return turn.wanted.claimOn(turn.observation.replica())
                        instanceof Claim.TakeOver(Epoch epoch)
                ? Optional.of(epoch)
                : Optional.empty();
    }
}
