package dev.tandem.core.supervise;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Claim;
import java.time.Duration;
import java.util.Optional;

/**
 * A stop that Pacemaker ordered. It is over when etcd has ended and the disk says that nothing
 * starts it again; both, or Pacemaker is not told.
 */
final class Leaving {
    private Leaving() {}

    static void stopRequested(Turn turn, Event.StopRequested stop) {
        turn.journal(new Notice.StopRequested());
        turn.want(draft -> draft.wanted = false);
        turn.pending = Optional.empty();
        turn.stopping =
                Optional.of(
                        new VolatileState.Stopping(
                                stop.leaveUntil(), stop.endUntil(), Optional.empty()));
    }

    static void step(Turn turn) {
        if (turn.order.isEmpty()) {
            // Not before: what is told meanwhile would be of the replica that is being given up.
            turn.takingOver = false;
        }
        turn.restarting = false;
        if (turn.stopping.isEmpty()
                || turn.order.isPresent()
                || turn.mark.isPresent()
                || turn.stored.wanted()) {
            return;
        }
        VolatileState.Stopping stop = turn.stopping.get();
        if (!turn.observation.running()) {
            turn.stopping = Optional.empty();
            return;
        }
        if (stop.failed().isPresent()) {
            // Pacemaker was told, and has this node fenced or asks again.
            return;
        }
        boolean hangs =
                turn.observation.server() == EtcdState.HUNG || Messages.isContradicted(turn);
        boolean timeIsUp = !turn.now.isBefore(stop.leaveUntil());
        if (hangs) {
            // A hung server does not react to SIGTERM.
            end(turn, true, shorter(left(turn, stop), turn.policy.kill()));
            return;
        }
        if (turn.handOver.isPresent() && !timeIsUp) {
            return;
        }
        switch (Recovering.decide(turn, new Intent.Leave(timeIsUp))) {
            case Decision.Stop _ -> end(turn, false, left(turn, stop));
            case Decision.HandLeadershipOver() -> {
                if (turn.now.isBefore(turn.stepNotBefore)) {
                    return;
                }
                long id = turn.nextId();
                turn.handOver = Optional.of(id);
                turn.act(new Action.HandLeadershipOver(id));
            }
            case Decision.Depart() -> {
                if (turn.writeTrouble.isPresent()) {
                    // What cannot be stored is not told, so there is nothing to wait for.
                    return;
                }
                turn.want(draft -> {
                    draft.abdication = new Abdication.Departure(draft.lastAbdication + 1);
                    draft.claim = Claim.none();
                });
                turn.journal(new Notice.DepartureAsked(turn.wanted.abdication()));
            }
            case Decision.StartAsVoter _,
                    Decision.StartAsSoleVoter _,
                    Decision.Bootstrap _,
                    Decision.JoinAsLearner _,
                    Decision.RestartInPlace _,
                    Decision.StandDown _,
                    Decision.Wait _,
                    Decision.Refuse _ -> {
                // A wait: the peer's answer is the next event.
            }
        }
    }

    private static void end(Turn turn, boolean atOnce, Duration limit) {
        Recovering.order(turn, new EtcdOrder.End(atOnce, limit));
    }

    private static Duration left(Turn turn, VolatileState.Stopping stop) {
        Duration left = stop.endUntil().since(turn.now);
        return left.isPositive() ? left : Duration.ZERO;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    static void handedOver(Turn turn, long id) {
        if (turn.handOver.filter(under -> under == id).isPresent()) {
            turn.handOver = Optional.empty();
            // One that failed at once would fail at once again.
            turn.stepNotBefore = turn.now.plus(turn.policy.stepPause());
            turn.act(new Action.LookAtEtcd());
        }
    }
}
