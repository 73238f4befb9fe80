package dev.tandem.agent.supervise;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.peer.Offer;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.api.EtcdMembers;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Carries out what the leader does about its peer's seat. Each step asks etcd and may take long.
 */
public final class MembershipChanges {
    private static final Duration ETCD_CHANGE = Duration.ofSeconds(2);
    private static final EtcdApi.Bytes CONFIRMATION = EtcdApi.Bytes.of("/tandem/confirmation");

    private final NodeName peer;
    private final MemberIdentity member;
    private final EtcdApi ownEtcd;
    private final EtcdApi peerEtcd;
    private final Consumer<JournalEvent> journal;

    public MembershipChanges(
            NodeName peer,
            MemberIdentity member,
            EtcdApi ownEtcd,
            EtcdApi peerEtcd,
            Consumer<JournalEvent> journal) {
        this.peer = peer;
        this.member = member;
        this.ownEtcd = ownEtcd;
        this.peerEtcd = peerEtcd;
        this.journal = journal;
    }

    /**
     * What became of a leader's step.
     *
     * @param done false when the same step would be the next one again
     */
    public record Led(Optional<Offer> offer, boolean done, String outcome) {
        public static Led failed(String why) {
            return new Led(Optional.empty(), false, why);
        }

        private static Led of(Optional<Offer> offer, EtcdMembers.Outcome outcome) {
            return new Led(offer, outcome instanceof EtcdMembers.Achieved, outcome.words());
        }
    }

    public Led carryOut(Step step) {
        EtcdMembers members = new EtcdMembers(ownEtcd, ETCD_CHANGE);
        return switch (step) {
            case Step.Nothing(), Step.OfferSeat(_), Step.MarkComplete() ->
                    new Led(Optional.empty(), true, "no action needed");
            case Step.AddLearner(BootId joinerBoot) -> {
                EtcdMembers.Outcome outcome = members.addLearner(member);
                Optional<Offer> token =
                        outcome instanceof EtcdMembers.Achieved(List<EtcdApi.Member> list, String _)
                                ? member.in(list)
                                        .map(seat ->
                                                new Offer.JoinToken(
                                                        peer, joinerBoot, seat.id().bits()))
                                : Optional.empty();
                yield Led.of(token, outcome);
            }
            case Step.Promote(long memberId) ->
                    Led.of(
                            Optional.of(Offer.none()),
                            members.promote(new EtcdId(memberId), peerEtcd));
            case Step.Confirm(long memberId) -> confirmVoter(memberId);
            case Step.DropLearner(long memberId) -> removed(members, memberId);
            case Step.RemovePeer(long memberId) -> removed(members, memberId);
        };
    }

    private static Led removed(EtcdMembers members, long memberId) {
        return Led.of(Optional.of(Offer.none()), members.remove(new EtcdId(memberId)));
    }

    /** The peer votes by now, so this write was acknowledged with its vote. */
    private Led confirmVoter(long memberId) {
        EtcdAnswer<EtcdApi.Written> written =
                ownEtcd.put(
                        CONFIRMATION, EtcdApi.Bytes.of(Long.toHexString(memberId)), ETCD_CHANGE);
        if (!written.isOk()) {
            return Led.failed(written.words());
        }
        return ownEtcd.status(ETCD_CHANGE)
                .toOptional()
                .map(status ->
                        new Led(
                                Optional.of(new Offer.Confirmation(memberId, status.committed())),
                                true,
                                "confirmed at index " + status.committed()))
                .orElseGet(() -> Led.failed("the index could not be read"));
    }

    /** Gives leadership to the peer's server; returns what came of it. */
    public String handLeadershipOver() {
        EtcdMembers members = new EtcdMembers(ownEtcd, ETCD_CHANGE);
        Optional<EtcdApi.Member> target =
                ownEtcd.members(EtcdApi.Consistency.SERIALIZABLE, ETCD_CHANGE)
                        .toOptional()
                        .flatMap(member::in)
                        .filter(listed -> !listed.learner());
        String outcome =
                target.map(listed -> members.handOver(listed.id()).words())
                        .orElse("the peer is not a voter");
        journal.accept(new JournalEvent.LeadershipHandedOver(outcome));
        return outcome;
    }
}
