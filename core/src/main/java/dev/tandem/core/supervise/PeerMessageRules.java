package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import java.util.Optional;

/** Takes in what the peer says, and answers it. */
final class PeerMessageRules {
    private PeerMessageRules() {}

    static void asked(NextState next, Event.PeerAsked asked) {
        BootId boot = asked.message().boot();
        if (next.asker
                .filter(last -> last.boot().equals(boot) && asked.number() <= last.number())
                .isPresent()) {
            // Overtaken by a later question: what it tells is not news, and nobody waits for it.
            return;
        }
        next.asker = Optional.of(new VolatileState.Asker(boot, asked.number()));
        next.answers = true;
        next.heardAt = Optional.of(next.now);
        next.fenceProvedNothing = false;
        // A peer that asks is running, whatever its BMC reads.
        next.heldOff = Optional.empty();
        // Nor was it fenced. Right after a fence its last words may be on their way.
        if (next.peerView().isIn(boot)
                && next.now.isLaterThan(next.policy.missedForSure(), next.provenAt)) {
            ProofRules.peerLives(next, "it asked");
        }
        // What was not understood is no news: the peer is told, and nothing is taken in. The same
        // while this node has forgotten what it told; such a question overtakes no answer, or
        // two that ask at the same moments would never get over it.
        if ((asked.understood() && !next.forgot) || !next.peerView().isIn(boot)) {
            PeerView before = next.peerView();
            PeerMessage message = next.forgot ? new PeerMessage.Hello(boot) : asked.message();
            take(next, next.conversation.take(next.wantedFacts(), message), message);
            if (!next.peerView().equals(before) || !next.wanted.proofs().isEmpty()) {
                askBack(next);
            }
        }
    }

    /** At the end of an event, so that the answer tells what is so by then. */
    static void answer(NextState next) {
        if (next.answers) {
            next.act(new Action.AnswerPeer(next.view().message()));
        }
    }

    static void answered(NextState next, Event.PeerAnswered answer) {
        next.heardAt = Optional.of(next.now);
        next.fenceProvedNothing = false;
        // An answer to a question that was asked after a proof refutes it.
        Moment asked = answer.question().asked();
        next.aliveAt = next.aliveAt.later(asked);
        if (next.provenAt.isBefore(asked)) {
            ProofRules.peerLives(next, "it answered");
        }
        next.heldOff = next.heldOff.filter(span -> !span.first().isBefore(asked));
        // The peer is asked again at once when it has only greeted. One whose words are not
        // understood would answer the same again, so its answer causes no question.
        if (answer.understood() && next.conversation.count() == answer.question().count()) {
            PeerView before = next.peerView();
            PeerMessage message = heeded(next, answer);
            take(next, next.conversation.take(next.wantedFacts(), message), message);
            if (!next.peerView().equals(before)) {
                // Only then: a peer that greets and no more would be asked without a pause.
                askBack(next);
            }
        }
    }

    /**
     * A node that has lost its state may have given up its right to take over, and its peer may be
     * about to use that. What the peer says of itself counts once it has taken in, with the
     * question, that nothing is given up any more: one that had decided before says only that it
     * lives.
     */
    private static PeerMessage heeded(NextState next, Event.PeerAnswered answer) {
        next.forgot &=
                !(answer.question().message() instanceof PeerMessage.Facts
                        && answer.message() instanceof PeerMessage.Facts);
        return next.forgot ? new PeerMessage.Hello(answer.message().boot()) : answer.message();
    }

    private static void take(NextState next, PeerConversation.Received taken, PeerMessage message) {
        NodeFacts after = taken.mine();
        PeerView before = next.peerView();
        next.want(draft -> {
            draft.abdication = after.abdication();
            draft.released = after.released();
            draft.peer = withoutLeave(taken.conversation().view());
            draft.peerKnownNotAhead = taken.conversation().peerKnownNotAhead();
        });
        if (!after.replica().equals(next.wantedFacts().replica())) {
            ObservationRules.complete(next);
        }
        if (!before.isIn(message.boot()) && !next.membership.peerPresent()) {
            // It has booted and is about to join, if nobody switches it off.
            FenceOrderRules.postpone(next, next.policy.fenceAgainAtMost());
        }
        next.offer = after.offer();
        next.conversation = taken.conversation();
        next.missedSinceHeard = !next.membership.peerPresent();
        if (message instanceof PeerMessage.Facts(NodeFacts theirs, BootId to)
                && to.equals(next.node.boot())) {
            toldFacts(next, before, theirs);
            if (theirs.server().serves()) {
                RunRules.closeInstallation(next);
            }
        }
        boolean confirmedUnseen =
                after.replica() instanceof Replica.Intact log
                        && !log.complete()
                        && next.peerView() instanceof PeerView.FactsKnown(NodeFacts known)
                        && known.offer() instanceof Offer.Confirmation;
        if (confirmedUnseen) {
            // The leader has confirmed what this node has not seen of itself yet.
            next.act(new Action.LookAtEtcd());
        }
    }

    /**
     * The leave to found a cluster is of the moment. And a release that does not know it could not
     * read the file.
     */
    private static PeerView withoutLeave(PeerView view) {
        return view instanceof PeerView.FactsKnown(NodeFacts facts)
                        && facts.offer() instanceof Offer.Founding
                ? new PeerView.FactsKnown(facts.offering(Offer.none()))
                : view;
    }

    /**
     * Now that each knows the other's boot, facts can be told. And a peer that is proven off and
     * speaks may have spoken just before it went off: what it answers now counts.
     */
    private static void askBack(NextState next) {
        if (next.peerView() instanceof PeerView.BootKnown || !next.wanted.proofs().isEmpty()) {
            next.act(new Action.TellPeer());
        }
    }

    private static void toldFacts(NextState next, PeerView before, NodeFacts theirs) {
        // What was said before a silence does not join up with what is said after it.
        boolean afresh = !factsAreFresh(next);
        next.factsAt = Optional.of(next.now);
        if (theirs.server() != EtcdState.LEADERLESS) {
            next.peerLeaderlessSince = Optional.empty();
        } else if (next.peerLeaderlessSince.isEmpty() || afresh) {
            next.peerLeaderlessSince = Optional.of(next.now);
        }
        compare(next, theirs, afresh);
        if (!(before instanceof PeerView.FactsKnown && before.isIn(theirs.boot()))) {
            next.journal(new Notice.PeerHeard(theirs));
        }
        // No more than a node that has lost its state needs: a number that was released is used up.
        next.want(
                draft -> draft.lastAbdication = Math.max(draft.lastAbdication, theirs.released()));
        rememberCommit(next, theirs);
    }

    static boolean factsAreFresh(NextState next) {
        return next.factsAt.isPresent()
                && !next.now.isLaterThan(next.policy.peerFactsFresh(), next.factsAt.get());
    }

    /** The word of the peer that its server has no leader, while this node's says that it has. */
    private static void compare(NextState next, NodeFacts theirs, boolean afresh) {
        boolean contradicted =
                next.hasRole(MemberRole.ONE_OF_TWO)
                        && next.observation.serves()
                        && next.looksAreFresh()
                        && theirs.server() == EtcdState.LEADERLESS
                        && theirs.replica() instanceof Replica.Intact log
                        && log.role() == MemberRole.ONE_OF_TWO;
        if (!contradicted) {
            next.contradicts = Optional.empty();
            return;
        }
        Moment first =
                afresh
                        ? next.now
                        : next.contradicts.map(VolatileState.Span::first).orElse(next.now);
        next.contradicts = Optional.of(new VolatileState.Span(first, next.now));
    }

    /**
     * For longer than two live servers could disagree; between two words of the peer, since one
     * word alone may be old, and as long as its words go on.
     */
    static boolean isContradicted(NextState next) {
        return next.contradicts
                .filter(span ->
                        factsAreFresh(next)
                                && span.last()
                                                .since(span.first())
                                                .compareTo(next.policy.contradiction())
                                        > 0)
                .isPresent();
    }

    /**
     * Since when both servers run without a leader, by their own words and without a break. A
     * server in a crash loop has no leader each time it runs.
     */
    static Optional<Moment> bothLeaderlessSince(NextState next) {
        return next.leaderlessSince.isPresent()
                        && next.peerLeaderlessSince.isPresent()
                        && factsAreFresh(next)
                ? Optional.of(next.leaderlessSince.get().later(next.peerLeaderlessSince.get()))
                : Optional.empty();
    }

    /**
     * What the peer has committed while both voted and this node held everything: then this node's
     * log reaches as far.
     */
    private static void rememberCommit(NextState next, NodeFacts theirs) {
        if (theirs.replica() instanceof Replica.Intact log
                && log.role() == MemberRole.ONE_OF_TWO
                && next.observation.replica() instanceof Replica.Intact mine
                && mine.role() == MemberRole.ONE_OF_TWO
                && mine.complete()
                && mine.lineage().equals(log.lineage())) {
            next.want(draft ->
                    draft.peerCommit =
                            draft.peerCommit.atLeast(log.lineage().current(), log.commitIndex()));
            ObservationRules.judgeLog(next);
        }
    }
}
