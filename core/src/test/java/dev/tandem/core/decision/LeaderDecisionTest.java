package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import org.junit.jupiter.api.Test;

class LeaderDecisionTest {
    private static final NodeName LEADER = new NodeName("north");
    private static final NodeName JOINER = new NodeName("south");
    private static final BootId BOOT = new BootId("boot-north");
    private static final BootId JOINER_BOOT = new BootId("boot-south");
    private static final Lineage LINEAGE = Lineage.installed("cafe", LEADER, BOOT);
    private static final long SEAT = 5;

    private static LeaderDecision.Step next(Offer ofTheJoiner) {
        return next(new Replica.Damaged("half a snapshot"), EtcdState.STOPPED, ofTheJoiner);
    }

    private static LeaderDecision.Step next(Replica replica, EtcdState server, Offer ofTheJoiner) {
        NodeFacts mine =
                facts(
                        LEADER,
                        BOOT,
                        new Replica.Intact(LINEAGE, 2, 9, 9, Replica.MemberRole.SOLE, true, 1),
                        EtcdState.LEADING,
                        new Offer.JoinToken(JOINER, JOINER_BOOT, SEAT));
        NodeFacts joiner = facts(JOINER, JOINER_BOOT, replica, server, ofTheJoiner);
        return LeaderDecision.next(
                mine,
                new PeerView.FactsKnown(joiner),
                new PeerMembership(JOINER, true, true, true),
                new LeaderDecision.Listed.Learner(SEAT),
                true);
    }

    /** The joiner's data are those of its seat, and of no use to it. */
    @Test
    void aSeatThatIsGivenBackWithItsDataIsTakenOffTheListOnceItsServerHasStopped() {
        assertThat(withData(EtcdState.STOPPED))
                .isEqualTo(new LeaderDecision.Step.DropLearner(SEAT));
        assertThat(withData(EtcdState.FOLLOWING)).isEqualTo(new LeaderDecision.Step.Nothing());
    }

    private static LeaderDecision.Step withData(EtcdState server) {
        return next(
                new Replica.Intact(LINEAGE, 2, 5, 5, Replica.MemberRole.LEARNER, false, SEAT),
                server,
                new Offer.GivenBack(SEAT));
    }

    private static NodeFacts facts(
            NodeName node, BootId boot, Replica replica, EtcdState server, Offer offer) {
        return new NodeFacts(
                node, boot, replica, server, Abdication.none(), Claim.none(), 0, offer);
    }

    @Test
    void aSeatThatWasOfferedWaitsForTheJoiner() {
        assertThat(next(Offer.none())).isEqualTo(new LeaderDecision.Step.Nothing());
        assertThat(next(new Offer.GivenBack(SEAT + 1)))
                .isEqualTo(new LeaderDecision.Step.Nothing());
    }

    @Test
    void aSeatThatIsGivenBackIsTakenOffTheList() {
        assertThat(next(new Offer.GivenBack(SEAT)))
                .isEqualTo(new LeaderDecision.Step.DropLearner(SEAT));
    }
}
