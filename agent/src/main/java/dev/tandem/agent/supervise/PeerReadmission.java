package dev.tandem.agent.supervise;

import dev.tandem.agent.state.Journal;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the node that leads does for its peer, a step at a time: a seat, the invitation to it, the
 * vote. Called by the supervisor's thread only.
 */
final class PeerReadmission {
    /** Before a step that failed is tried again. */
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Knowledge knows;
    private final Journal journal;
    private final EtcdSupervisor.Errands errands;
    private final Consumer<Replica> complete;
    private final LongSupplier nanos;

    private boolean underWay;
    private long notBefore;

    /**
     * @param complete declares this node's own replica complete
     */
    PeerReadmission(
            Knowledge knows,
            Journal journal,
            EtcdSupervisor.Errands errands,
            Consumer<Replica> complete,
            LongSupplier nanos) {
        this.knows = knows;
        this.journal = journal;
        this.errands = errands;
        this.complete = complete;
        this.nanos = nanos;
        this.notBefore = nanos.getAsLong();
    }

    /**
     * Begins the next step, if there is one.
     *
     * @param before this node's facts as they were sent to the peer, before it answered
     */
    void next(NodeFacts before) {
        if (underWay
                || nanos.getAsLong() - notBefore < 0
                || !knows.memory().wanted()
                || knows.observation().server() != EtcdState.LEADING) {
            return;
        }
        Step step =
                LeaderDecision.next(
                        asOfNow(before),
                        knows.peerView(),
                        knows.membership(),
                        knows.listed(),
                        true);
        if (step instanceof Step.Nothing) {
            return;
        }
        if (step instanceof Step.OfferSeat(Offer.JoinToken token)) {
            knows.offer(token);
            journal.record(new JournalEvent.MembershipStep(step, "offered"));
            errands.tellPeer();
            return;
        }
        if (step instanceof Step.MarkComplete
                && knows.observation().replica() instanceof Replica.Intact log
                && !log.complete()) {
            complete.accept(log.asComplete());
            return;
        }
        underWay = true;
        errands.lead(step);
    }

    /**
     * Only the log is to be that of the question. A step may have been done while the peer
     * answered: an invitation that this node does not know of yet would be taken back, and the peer
     * use it all the same.
     */
    private NodeFacts asOfNow(NodeFacts before) {
        NodeFacts now = knows.facts();
        return new NodeFacts(
                before.node(),
                before.boot(),
                before.replica(),
                now.server(),
                now.abdication(),
                before.claim(),
                now.released(),
                now.offer());
    }

    /** A step has been tried. */
    void tried(Step step, MembershipChanges.Led led) {
        underWay = false;
        journal.record(new JournalEvent.MembershipStep(step, led.outcome()));
        led.offer().ifPresent(knows::offer);
        if (led.done()) {
            errands.tellPeer();
        } else {
            // Whatever hindered it is not gone in a millisecond; the heartbeat brings the next try.
            notBefore = nanos.getAsLong() + PAUSE.toNanos();
        }
    }

    /** Whether the peer is not yet what it should be. */
    boolean reconciles() {
        return knows.observation().server() == EtcdState.LEADING
                && (!(knows.listed() instanceof Listed.Voter)
                        || !(knows.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                                && theirs.replica() instanceof Replica.Intact log
                                && log.complete()));
    }
}
