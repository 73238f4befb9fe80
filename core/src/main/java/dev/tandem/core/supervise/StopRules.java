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
final class StopRules {
    private StopRules() {}

    static void stopRequested(NextState next, Event.StopRequested stop) {
        next.journal(new Notice.StopRequested());
        next.want(draft -> draft.wanted = false);
        next.pending = Optional.empty();
        next.stopping =
                Optional.of(
                        new VolatileState.Stopping(
                                stop.leaveUntil(), stop.endUntil(), Optional.empty()));
    }

    static void step(NextState next) {
        if (next.order.isEmpty()) {
            // Not before: what is told meanwhile would be of the replica that is being given up.
            next.takingOver = false;
        }
        next.restarting = false;
        if (next.stopping.isEmpty()
                || next.order.isPresent()
                || next.mark.isPresent()
                || next.stored.wanted()) {
            return;
        }
        VolatileState.Stopping stop = next.stopping.get();
        if (!next.observation.running()) {
            next.stopping = Optional.empty();
            return;
        }
        if (stop.failed().isPresent()) {
            // Pacemaker was told, and has this node fenced or asks again.
            return;
        }
        boolean hangs =
                next.observation.server() == EtcdState.HUNG
                        || PeerMessageRules.isContradicted(next);
        boolean timeIsUp = !next.now.isBefore(stop.leaveUntil());
        if (hangs) {
            // A hung server does not react to SIGTERM.
            end(next, true, shorter(left(next, stop), next.policy.kill()));
            return;
        }
        if (next.handOver.isPresent() && !timeIsUp) {
            return;
        }
        switch (RunRules.decide(next, new Intent.Leave(timeIsUp))) {
            case Decision.Stop _ -> end(next, false, left(next, stop));
            case Decision.HandLeadershipOver() -> {
                if (next.now.isBefore(next.stepNotBefore)) {
                    return;
                }
                long id = next.nextId();
                next.handOver = Optional.of(id);
                next.act(new Action.HandLeadershipOver(id));
            }
            case Decision.Depart() -> {
                if (next.writeTrouble.isPresent()) {
                    // What cannot be stored is not told, so there is nothing to wait for.
                    return;
                }
                next.want(draft -> {
                    draft.abdication = new Abdication.Departure(draft.lastAbdication + 1);
                    draft.claim = Claim.none();
                });
                next.journal(new Notice.DepartureAsked(next.wanted.abdication()));
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

    private static void end(NextState next, boolean atOnce, Duration limit) {
        RunRules.order(next, new EtcdOrder.End(atOnce, limit));
    }

    private static Duration left(NextState next, VolatileState.Stopping stop) {
        Duration left = stop.endUntil().since(next.now);
        return left.isPositive() ? left : Duration.ZERO;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    static void handedOver(NextState next, long id) {
        if (next.handOver.filter(under -> under == id).isPresent()) {
            next.handOver = Optional.empty();
            // One that failed at once would fail at once again.
            next.stepNotBefore = next.now.plus(next.policy.stepPause());
            next.act(new Action.LookAtEtcd());
        }
    }
}
