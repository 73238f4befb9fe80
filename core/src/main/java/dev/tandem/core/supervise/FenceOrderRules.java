package dev.tandem.core.supervise;

import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica.MemberRole;
import java.time.Duration;
import java.util.Optional;

/** When this node orders a fence of its peer itself (ADR 23). */
final class FenceOrderRules {
    private FenceOrderRules() {}

    /**
     * Pacemaker fences a peer that it has lost. It fences none that left in order, and none that it
     * has fenced since; where this node waits for a fence all the same, it is the only one who can
     * order it.
     */
    static void orderFence(NextState next) {
        if (!lacksFence(next)) {
            postpone(next, next.policy.fenceOrder());
            if (next.observation.serves()) {
                next.fenceProvedNothing = false;
            }
            if (next.membership.peerPresent()
                    || next.observation.serves()
                    || next.fencePause.isZero()) {
                next.fencePause = next.policy.fenceAgain();
            }
            return;
        }
        if (next.now.isBefore(next.fenceNotBefore)
                || next.fenceProvedNothing
                || next.fencingUnderWay
                || next.fenceOrder.isPresent()) {
            return;
        }
        long id = next.nextId();
        next.fenceOrder = Optional.of(id);
        next.journal(new Notice.FenceRequested(next.node.peer()));
        waits(next, "%s has ordered its fence".formatted(next.node.self()));
        next.act(
                new Action.OrderFence(
                        id,
                        next.reading == PowerReading.OFF
                                ? Action.FenceKind.OFF
                                : Action.FenceKind.REBOOT));
    }

    /** This node cannot go on without a fence, may have one, and could believe it. */
    private static boolean lacksFence(NextState next) {
        return next.wanted.wanted()
                // What is served here is served by both: Pacemaker was taken off a peer that lives.
                && !next.observation.serves()
                && (waitsForFence(next) || peerRunsWithoutAgent(next))
                && !next.now.isLaterThan(next.policy.fenceOrder(), next.membershipAt)
                && next.membership.quorate()
                && !next.membership.waitsForAll()
                && next.fencingAllowed
                && !next.firstBmc.tooLong()
                // A fence proves the end of a boot, and this node knows of none.
                && !(next.peerView() instanceof PeerView.Unknown);
    }

    private static boolean waitsForFence(NextState next) {
        return next.peerMissing()
                && next.pending
                        .filter(waits -> waits.decision().equals(WaitFor.FENCING.decision()))
                        .isPresent();
    }

    /**
     * The peer is in the cluster, and this server lacks its vote: nobody writes. If there were an
     * agent beside it, it would be heard, over Corosync at the least; where there is none, nobody
     * starts that server again, and Pacemaker keeps trying forever.
     */
    private static boolean peerRunsWithoutAgent(NextState next) {
        return next.membership.peerPresent()
                && next.hasRole(MemberRole.ONE_OF_TWO)
                && !next.observation.silent()
                && next.longerThan(next.policy.fenceAgain(), next.leaderlessSince)
                // A node that joins has no agent yet, and this agent has heard nobody when it
                // starts.
                && next.longerThan(next.policy.fenceAgain(), next.presentSince)
                && next.heardAt
                        .filter(heard -> !next.now.isLaterThan(next.policy.fenceAgain(), heard))
                        .isEmpty();
    }

    /** Said in the status, for as long as the same is waited for. */
    private static void waits(NextState next, String what) {
        next.pending =
                next.pending.map(waits ->
                        new VolatileState.Pending(
                                waits.decision(),
                                waits.intent(),
                                waits.decision().sentence(next.node.self(), next.node.peer())
                                        + "; "
                                        + what,
                                waits.since()));
    }

    /** A fence that somebody else ordered begins here, or ends: what comes of it is waited for. */
    static void fencing(NextState next, boolean underWay) {
        next.fencingUnderWay = underWay;
        postpone(next, next.policy.fenceOrder());
    }

    /** This node orders none before this time has gone by. */
    static void postpone(NextState next, Duration time) {
        next.fenceNotBefore = next.fenceNotBefore.later(next.now.plus(time));
    }

    static void orderEnded(NextState next, Event.FenceOrderEnded ended) {
        if (next.fenceOrder.filter(id -> id == ended.id()).isEmpty()) {
            return;
        }
        next.fenceOrder = Optional.empty();
        postpone(next, next.fencePause);
        Duration doubled = next.fencePause.multipliedBy(2);
        Duration longest = next.policy.fenceAgainAtMost();
        next.fencePause = doubled.compareTo(longest) < 0 ? doubled : longest;
        if (ended.done()) {
            // Where it proved nothing, because the BMC does not answer this agent, the next would
            // not either; and the peer, which boots now, would never be done with that.
            next.fenceProvedNothing = true;
            return;
        }
        next.journal(
                new Notice.ActionFailed(
                        "%s was not fenced".formatted(next.node.peer()),
                        ended.why(),
                        "see what is in the way: tandem status"));
        if (lacksFence(next)) {
            waits(next, "the fence that %s ordered failed".formatted(next.node.self()));
        }
    }
}
