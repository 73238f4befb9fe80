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
final class Messages {
    private Messages() {}

    static void asked(Turn turn, Event.PeerAsked asked) {
        BootId boot = asked.message().boot();
        if (turn.asker
                .filter(last -> last.boot().equals(boot) && asked.number() <= last.number())
                .isPresent()) {
            // Overtaken by a later question: what it tells is not news, and nobody waits for it.
            return;
        }
        turn.asker = Optional.of(new VolatileState.Asker(boot, asked.number()));
        turn.answers = true;
        turn.heardAt = Optional.of(turn.now);
        // A peer that asks is running, whatever its BMC reads.
        turn.heldOff = Optional.empty();
        // What was not understood is no news: the peer is told, and nothing is taken in. The same
        // while this node has forgotten what it told; such a question overtakes no answer, or
        // two that ask at the same moments would never get over it.
        if ((asked.understood() && !turn.forgot) || !turn.peerView().isIn(boot)) {
            PeerView before = turn.peerView();
            PeerMessage message = turn.forgot ? new PeerMessage.Hello(boot) : asked.message();
            take(turn, turn.conversation.take(turn.wantedFacts(), message), message);
            if (!turn.peerView().equals(before) || !turn.wanted.proofs().isEmpty()) {
                askBack(turn);
            }
        }
    }

    /** At the end of an event, so that the answer tells what is so by then. */
    static void answer(Turn turn) {
        if (turn.answers) {
            turn.act(new Action.AnswerPeer(turn.view().message()));
        }
    }

    static void answered(Turn turn, Event.PeerAnswered answer) {
        turn.heardAt = Optional.of(turn.now);
        // An answer to a question that was asked after a proof refutes it.
        Moment asked = answer.question().asked();
        turn.aliveAt = turn.aliveAt.later(asked);
        if (turn.provenAt.isBefore(asked)) {
            Proving.peerLives(turn, "it answered");
        }
        turn.heldOff = turn.heldOff.filter(span -> !span.first().isBefore(asked));
        // The peer is asked again at once when it has only greeted. One whose words are not
        // understood would answer the same again, so its answer causes no question.
        if (answer.understood() && turn.conversation.count() == answer.question().count()) {
            PeerView before = turn.peerView();
            PeerMessage message = heeded(turn, answer);
            take(
                    turn,
                    turn.conversation.answered(
                            turn.wantedFacts(), message, answer.question().count()),
                    message);
            if (!turn.peerView().equals(before)) {
                // Only then: a peer that greets and no more would be asked without a pause.
                askBack(turn);
            }
        }
    }

    /**
     * A node that has lost its state may have given up its right to take over, and its peer may be
     * about to use that. What the peer says of itself counts once it has taken in, with the
     * question, that nothing is given up any more: one that had decided before says only that it
     * lives.
     */
    private static PeerMessage heeded(Turn turn, Event.PeerAnswered answer) {
        turn.forgot &=
                !(answer.question().message() instanceof PeerMessage.Facts
                        && answer.message() instanceof PeerMessage.Facts);
        return turn.forgot ? new PeerMessage.Hello(answer.message().boot()) : answer.message();
    }

    private static void take(Turn turn, PeerConversation.Received taken, PeerMessage message) {
        NodeFacts after = taken.mine();
        PeerView before = turn.peerView();
        turn.want(draft -> {
            draft.abdication = after.abdication();
            draft.released = after.released();
            draft.peer = taken.conversation().view();
            draft.peerKnownNotAhead = taken.conversation().peerKnownNotAhead();
        });
        if (!after.replica().equals(turn.wantedFacts().replica())) {
            Observing.complete(turn);
        }
        turn.offer = after.offer();
        turn.conversation = taken.conversation();
        turn.missedSinceHeard = !turn.membership.peerPresent();
        if (message instanceof PeerMessage.Facts(NodeFacts theirs, BootId to)
                && to.equals(turn.node.boot())) {
            toldFacts(turn, before, theirs);
        }
        boolean confirmedUnseen =
                after.replica() instanceof Replica.Intact log
                        && !log.complete()
                        && turn.peerView() instanceof PeerView.FactsKnown(NodeFacts known)
                        && known.offer() instanceof Offer.Confirmation;
        if (confirmedUnseen) {
            // The leader has confirmed what this node has not seen of itself yet.
            turn.act(new Action.LookAtEtcd());
        }
    }

    /**
     * Now that each knows the other's boot, facts can be told. And a peer that is proven off and
     * speaks may have spoken just before it went off: what it answers now counts.
     */
    private static void askBack(Turn turn) {
        if (turn.peerView() instanceof PeerView.BootKnown || !turn.wanted.proofs().isEmpty()) {
            turn.act(new Action.TellPeer());
        }
    }

    private static void toldFacts(Turn turn, PeerView before, NodeFacts theirs) {
        // What was said before a silence does not join up with what is said after it.
        boolean afresh = !factsAreFresh(turn);
        turn.factsAt = Optional.of(turn.now);
        if (theirs.server() != EtcdState.LEADERLESS) {
            turn.peerLeaderlessSince = Optional.empty();
        } else if (turn.peerLeaderlessSince.isEmpty() || afresh) {
            turn.peerLeaderlessSince = Optional.of(turn.now);
        }
        compare(turn, theirs, afresh);
        if (!(before instanceof PeerView.FactsKnown && before.isIn(theirs.boot()))) {
            turn.journal(new Notice.PeerHeard(theirs));
        }
        // No more than a node that has lost its state needs: a number that was released is used up.
        turn.want(
                draft -> draft.lastAbdication = Math.max(draft.lastAbdication, theirs.released()));
        rememberCommit(turn, theirs);
    }

    static boolean factsAreFresh(Turn turn) {
        return turn.factsAt.isPresent()
                && !turn.now.isLaterThan(turn.policy.peerFactsFresh(), turn.factsAt.get());
    }

    /** The word of the peer that its server has no leader, while this node's says that it has. */
    private static void compare(Turn turn, NodeFacts theirs, boolean afresh) {
        boolean contradicted =
                turn.hasRole(MemberRole.ONE_OF_TWO)
                        && turn.observation.serves()
                        && turn.looksAreFresh()
                        && theirs.server() == EtcdState.LEADERLESS
                        && theirs.replica() instanceof Replica.Intact log
                        && log.role() == MemberRole.ONE_OF_TWO;
        if (!contradicted) {
            turn.contradicts = Optional.empty();
            return;
        }
        Moment first =
                afresh
                        ? turn.now
                        : turn.contradicts.map(VolatileState.Span::first).orElse(turn.now);
        turn.contradicts = Optional.of(new VolatileState.Span(first, turn.now));
    }

    /**
     * For longer than two live servers could disagree; between two words of the peer, since one
     * word alone may be old, and as long as its words go on.
     */
    static boolean isContradicted(Turn turn) {
        return turn.contradicts
                .filter(span ->
                        factsAreFresh(turn)
                                && span.last()
                                                .since(span.first())
                                                .compareTo(turn.policy.contradiction())
                                        > 0)
                .isPresent();
    }

    /**
     * Since when both servers run without a leader, by their own words and without a break. A
     * server in a crash loop has no leader each time it runs.
     */
    static Optional<Moment> bothLeaderlessSince(Turn turn) {
        return turn.leaderlessSince.isPresent()
                        && turn.peerLeaderlessSince.isPresent()
                        && factsAreFresh(turn)
                ? Optional.of(turn.leaderlessSince.get().later(turn.peerLeaderlessSince.get()))
                : Optional.empty();
    }

    /**
     * What the peer has committed while both voted and this node held everything: then this node's
     * log reaches as far.
     */
    private static void rememberCommit(Turn turn, NodeFacts theirs) {
        if (theirs.replica() instanceof Replica.Intact log
                && log.role() == MemberRole.ONE_OF_TWO
                && turn.observation.replica() instanceof Replica.Intact mine
                && mine.role() == MemberRole.ONE_OF_TWO
                && mine.complete()
                && mine.lineage().equals(log.lineage())) {
            turn.want(draft ->
                    draft.peerCommit =
                            draft.peerCommit.atLeast(log.lineage().current(), log.commitIndex()));
            Observing.judgeLog(turn);
        }
    }
}
