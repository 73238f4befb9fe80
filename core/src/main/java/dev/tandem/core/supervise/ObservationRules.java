package dev.tandem.core.supervise;

import static dev.tandem.core.decision.WholeLog.CAN_BE_COMMITTED;

import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerCommit;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.Intact;
import dev.tandem.core.replica.Replica.MemberRole;
import java.util.ArrayList;
import java.util.Optional;

/** Takes in what was seen of etcd, and what became of the orders to it. */
final class ObservationRules {
    private ObservationRules() {}

    static void saw(NextState next, ServerObservation seen) {
        if (seen.generation() < next.observation.generation()) {
            // Looked at before the server was started or stopped by us; that is history.
            return;
        }
        boolean died =
                next.observation.running()
                        && !seen.running()
                        && seen.generation() == next.observation.generation()
                        && next.order.isEmpty()
                        && next.wanted.wanted();
        observe(next, seen);
        if (died) {
            next.restarts = next.restarts.died(next.now, next.policy);
            next.journal(
                    new Notice.EtcdExited(
                            next.restarts.deathsInARow(),
                            next.restarts.deathsLately(next.now, next.policy)));
        }
    }

    private static void observe(NextState next, ServerObservation seen) {
        if (seen.generation() != next.observation.generation()) {
            // Another server: what the peer held against the last one does not concern it.
            next.contradicts = Optional.empty();
        }
        // What a log held when it was last read is so until somebody leads again.
        boolean asRead =
                seen.running() && !seen.serves() && next.observation.log() != CAN_BE_COMMITTED;
        next.observation = asRead ? seen.with(next.observation.log()) : seen;
        next.lookedAt = next.now;
        next.unfit &= seen.running() && !seen.serves();
        judgeLog(next);
        if (seen.serves()) {
            if (!next.served) {
                next.journal(new Notice.Serving(seen.server(), seen.replica()));
            }
            next.served = true;
            next.leaderlessSince = Optional.empty();
            next.restarts = next.restarts.serves(next.now);
            next.restarting = false;
            next.trouble = Optional.empty();
            if (seen.replica() instanceof Intact log && log.votes()) {
                // A learner may serve for a moment each time before it ends.
                next.seatRequest = Optional.empty();
            }
            return;
        }
        if (next.served) {
            next.served = false;
            next.downSince = next.now;
        }
        next.leaderlessSince =
                seen.server() == EtcdState.LEADERLESS
                        ? next.leaderlessSince.or(() -> Optional.of(next.now))
                        : Optional.empty();
    }

    /**
     * Whether the log of this node lacks what the peer told as committed. Only a log that was read
     * from the disk shows that; a server that runs is merely a little behind its leader. One that
     * lacked entries has caught up when it is past them.
     */
    static void judgeLog(NextState next) {
        long before = next.missing;
        next.missing = missing(next.observation, next.wanted.peerCommit(), before);
        if (next.missing > 0 && before == 0 && next.observation.replica() instanceof Intact log) {
            next.journal(new Notice.LogLacksEntries(log.lastIndex(), next.missing));
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

    static void ended(NextState next, long id, Event.OrderResult result) {
        if (next.order.filter(ordered -> ordered.id() == id).isEmpty()) {
            return;
        }
        EtcdOrder order = next.order.get().order();
        next.order = Optional.empty();
        if (result.seen().generation() >= next.observation.generation()) {
            observe(next, result.seen());
        }
        switch (result) {
            case Event.OrderResult.Done _ -> done(next, order);
            case Event.OrderResult.Failed failure -> failed(next, order, failure);
        }
    }

    private static void done(NextState next, EtcdOrder order) {
        next.trouble = Optional.empty();
        next.restarts = next.restarts.done(next.now);
        switch (order) {
            case EtcdOrder.End _ -> {
                if (next.stopping.isPresent()) {
                    next.journal(new Notice.EtcdStopped());
                }
                next.act(new Action.TellPeer());
            }
            case EtcdOrder.TakeOver over -> {
                next.takingOver = false;
                // What came before the start does not count for the time until it is ready.
                next.startedAt = next.now;
                next.journal(
                        new Notice.TakeOver(
                                Notice.TakeOver.Phase.STARTED, over.lineage().current()));
            }
            case EtcdOrder.Join _ ->
                    // What was given up belonged to the data that were set aside.
                    next.want(draft -> {
                        draft.abdication = Abdication.none();
                        draft.claim = Claim.none();
                        // This node learns from its peer: whatever was said of the peer is over.
                        draft.proofs = new ArrayList<>(Proofs.afterJoining(draft.proofs));
                    });
            case EtcdOrder.StartInPlace _, EtcdOrder.RestartInPlace _, EtcdOrder.Bootstrap() -> {}
        }
    }

    /** It is noted, and what is to be done tried again after a pause. */
    private static void failed(NextState next, EtcdOrder order, Event.OrderResult.Failed failure) {
        String text = failure.what() + ": " + failure.why();
        boolean news =
                next.restarts.failures() == 0
                        || next.trouble.filter(last -> !last.equals(text)).isPresent();
        if (news) {
            next.journal(new Notice.ActionFailed(failure.what(), failure.why(), failure.remedy()));
        }
        next.trouble = Optional.of(text);
        next.restarts = next.restarts.failed(next.now, next.policy);
        next.takingOver = false;
        if (order instanceof EtcdOrder.Join && !failure.begun()) {
            // Nothing of this member has reached the leader, so its seat is as good as it was.
            next.joining = next.joinedWith;
        }
        next.unfit |= order instanceof EtcdOrder.End && failure.outlivesKill();
        next.stopping =
                next.stopping.map(stop ->
                        new VolatileState.Stopping(
                                stop.leaveUntil(), stop.endUntil(), Optional.of(text)));
    }

    /** Declares this node's replica complete; it counts as that once its mark is gone. */
    static void complete(NextState next) {
        if (next.mark.isEmpty()
                && next.observation.replica() instanceof Replica.Intact log
                && !log.complete()) {
            long id = next.nextId();
            next.mark = Optional.of(id);
            next.act(new Action.MarkComplete(id));
        }
    }

    static void marked(NextState next, Event.MarkEnded ended) {
        if (next.mark.filter(id -> id == ended.id()).isEmpty()) {
            return;
        }
        next.mark = Optional.empty();
        if (!ended.done()) {
            next.trouble = Optional.of("the replica cannot be marked as complete: " + ended.why());
        } else if (next.observation.replica() instanceof Replica.Intact log
                && (log.role() == MemberRole.ONE_OF_TWO || log.role() == MemberRole.SOLE)) {
            next.observation = next.observation.with(log.asComplete());
            next.journal(new Notice.ReplicaComplete(next.observation.replica()));
            next.act(new Action.TellPeer());
        }
    }

    /** Whether the claim on this node's replica is one of a take-over; then it is of this epoch. */
    static Optional<Epoch> claimed(NextState next) {
        return next.wanted.claimOn(next.observation.replica())
                        instanceof Claim.TakeOver(Epoch epoch)
                ? Optional.of(epoch)
                : Optional.empty();
    }
}
