package dev.tandem.agent.supervise;

import dev.tandem.core.Failure;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event.OrderResult;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import dev.tandem.host.etcd.RevisionJump;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.time.Duration;

/** Carries out the supervisor's orders to etcd, and says what is seen of it in the core's words. */
public final class EtcdOrders {
    private final EtcdProcess etcd;
    private final MemberIdentity peer;

    public EtcdOrders(EtcdProcess etcd, MemberIdentity peer) {
        this.etcd = etcd;
        this.peer = peer;
    }

    public ServerObservation look() {
        return seen(etcd.look());
    }

    public ServerObservation seen(EtcdObservation now) {
        return new ServerObservation(
                now.generation(),
                now.server(),
                now.replica(),
                now.starting(),
                now.silent(),
                listed(now),
                now.log(),
                now.figures().databaseBytes(),
                now.figures().logBytes(),
                now.words());
    }

    private Listed listed(EtcdObservation now) {
        return peer.in(now.members())
                .<Listed>map(member ->
                        member.learner()
                                ? new Listed.Learner(member.id().bits())
                                : new Listed.Voter(member.id().bits()))
                .orElseGet(Listed.Nowhere::new);
    }

    /** Returns when it is done, or cannot be done. */
    public OrderResult carryOut(EtcdOrder order) {
        long before = etcd.generation();
        try {
            switch (order) {
                case EtcdOrder.End(boolean atOnce, var limit) -> etcd.end(atOnce, limit);
                case EtcdOrder.StartInPlace(boolean lossAccepted) ->
                        etcd.startInPlace(lossAccepted);
                case EtcdOrder.TakeOver(var lineage, long generation, boolean lossAccepted) ->
                        etcd.takeOver(lineage, generation, lossAccepted);
                case EtcdOrder.Bootstrap() -> etcd.bootstrap();
                case EtcdOrder.Join(var leaders, boolean keepData) -> etcd.join(leaders, keepData);
                case EtcdOrder.RestartInPlace(var limit) -> {
                    etcd.end(true, limit);
                    etcd.startInPlace(false);
                }
            }
            return new OrderResult.Done(look());
        } catch (Failure e) {
            return failed(e.what(), e.why(), e.remedy(), outlivesKill(order), before);
        } catch (RuntimeException e) {
            UnexpectedErrors.log("an order to etcd", e);
            return failed(
                    "an order to etcd failed",
                    "unexpected error",
                    "see the journal: journalctl -u tandem-agent",
                    false,
                    before);
        }
    }

    /** Every failed kill counts, also one where systemd did not tell which process to kill. */
    private static boolean outlivesKill(EtcdOrder order) {
        return order instanceof EtcdOrder.End(boolean atOnce, var _) && atOnce;
    }

    private OrderResult failed(
            String what, String why, String remedy, boolean outlivesKill, long before) {
        boolean begun = etcd.generation() != before;
        return new OrderResult.Failed(look(), what, why, remedy, outlivesKill, begun);
    }

    /** What an order may take beyond the time that every order may take. */
    public Duration extraTime(EtcdOrder order) {
        return switch (order) {
            case EtcdOrder.End(boolean _, Duration limit) -> limit;
            case EtcdOrder.RestartInPlace(Duration limit) -> limit;
            case EtcdOrder.StartInPlace(boolean lossAccepted) -> jump(lossAccepted);
            case EtcdOrder.TakeOver(var _, long _, boolean lossAccepted) -> jump(lossAccepted);
            case EtcdOrder.Bootstrap(), EtcdOrder.Join _ -> Duration.ZERO;
        };
    }

    private Duration jump(boolean lossAccepted) {
        return lossAccepted || etcd.owesRevisionJump() ? RevisionJump.LIMIT : Duration.ZERO;
    }

    /** Takes the mark of an incomplete replica away. */
    public void markComplete() {
        etcd.markComplete();
    }
}
