package dev.tandem.core.model;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.StartDecision;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.model.Judgement.Kept;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Faults of judgement, each one rule of the product bent, many of them made by real systems. The
 * checker is worth something as long as it finds what each of them leads to.
 */
final class Mutants {
    /**
     * A fault of judgement.
     *
     * @param scene where the search for its consequence begins
     * @param bounds what has to go wrong for it to show
     */
    record Mutant(String name, Scene scene, Bounds bounds, Judgement judgement) {
        @Override
        public String toString() {
            return name;
        }
    }

    private final List<Mutant> all = new ArrayList<>();

    static List<Mutant> all() {
        Mutants mutants = new Mutants();
        mutants.proofs();
        mutants.words();
        mutants.seeds();
        mutants.joins();
        mutants.repairs();
        mutants.endsOfProofs();
        mutants.restarts();
        mutants.refusals();
        return List.copyOf(mutants.all);
    }

    private void proofs() {
        Bounds split = bounds(2, Fault.LINK_CUT, 1, Fault.FENCE, 2);
        add(
                "a fence that timed out counts as fenced",
                Scene.HEALTHY,
                split,
                now -> proofs(now, Mutants::readOff));
        add(
                "silence counts as fenced",
                Scene.HEALTHY,
                split,
                deciding((now, decision) ->
                        decision instanceof Decision.Wait(WaitFor what) && what == WaitFor.FENCING
                                ? takeOver(now, decision)
                                : decision));
        add(
                "a receipt counts although the peer booted since",
                Scene.HEALTHY,
                bounds(1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                now -> proofs(now, proof -> forThisBoot(now, proof)));
        add(
                "take over beside a peer that is there",
                Scene.HEALTHY,
                bounds(2, Fault.LINK_CUT, 1, Fault.FENCE, 1),
                now -> alone(now));
        add(
                "a statement holds for every incident",
                Scene.NORTH_ALONE_OFF,
                bounds(0, Fault.STATEMENT, 1, Fault.BMC_BREAKS, 1),
                now -> proofs(now, proof -> forThisIncident(now, proof)));
        add(
                "a statement outweighs a BMC that reads On",
                Scene.NORTH_ALONE,
                bounds(2, Fault.FALSE_STATEMENT, 1, Fault.LINK_CUT, 1),
                now -> proofs(now, Mutants::unreadable));
        add(
                "off is enough, whoever served last",
                Scene.NORTH_ALONE_OFF,
                bounds(2, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                deciding((now, decision) ->
                        decision instanceof Decision.Refuse(Refusal why)
                                        && why == Refusal.WHO_SERVED_LAST
                                ? takeOver(now, decision)
                                : decision));
        add(
                "a peer without a replica cannot have been ahead",
                Scene.NORTH_ALONE,
                bounds(2, Fault.POWER_CUT, 1, Fault.DISK, 1),
                now ->
                        with(
                                now,
                                new PeerMembership(
                                        now.membership().peer(),
                                        now.membership().met(),
                                        now.membership().peerPresent(),
                                        true)));
        add(
                "the loss of the peer's writes need not be stated",
                Scene.NORTH_ALONE_OFF,
                bounds(2, Fault.STATEMENT, 1, Fault.POWER_CUT, 1),
                now -> proofs(now, Mutants::lossAccepted));
    }

    private void words() {
        add(
                "facts told to an earlier boot count",
                Scene.HEALTHY,
                bounds(2, Fault.POWER_CUT, 1, Fault.LINK_CUT, 1, Fault.FENCE, 2),
                new Judgement() {
                    @Override
                    public PeerConversation.Received take(
                            PeerConversation conversation, NodeFacts mine, PeerMessage word) {
                        return conversation.take(
                                mine,
                                word instanceof PeerMessage.Facts(NodeFacts facts, BootId _)
                                        ? new PeerMessage.Facts(facts, mine.boot())
                                        : word);
                    }
                });
        add(
                "what was heard survives a reboot",
                Scene.HEALTHY,
                bounds(2, Fault.POWER_CUT, 2, Fault.FENCE, 2),
                new Judgement() {
                    @Override
                    public boolean forgetsAtReboot() {
                        return false;
                    }
                });
        add(
                "a node withdraws its own yield",
                Scene.HEALTHY,
                bounds(2, Fault.STOP, 1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                now -> with(now, withYield(now.mine(), Abdication.none())));
        add(
                "a yield is never released",
                Scene.HEALTHY,
                bounds(1, Fault.STOP, 2),
                new Judgement() {
                    @Override
                    public PeerConversation.Received take(
                            PeerConversation conversation, NodeFacts mine, PeerMessage word) {
                        PeerConversation.Received taken = conversation.take(mine, word);
                        return new PeerConversation.Received(
                                withReleased(taken.mine(), 0), taken.conversation());
                    }
                });
        add(
                "a departure nobody answered is forgotten",
                Scene.HEALTHY,
                bounds(2, Fault.STOP, 1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                new Judgement() {
                    @Override
                    public boolean keepsUnansweredDeparture() {
                        return false;
                    }
                });
    }

    private void seeds() {
        add(
                "a node without a replica releases what it may have used",
                Scene.BOTH_LEAVING,
                bounds(1, Fault.POWER_CUT, 1, Fault.DISK, 1),
                new Judgement() {
                    @Override
                    public PeerConversation.Received take(
                            PeerConversation conversation, NodeFacts mine, PeerMessage word) {
                        PeerConversation.Received taken = conversation.take(mine, word);
                        return mine.replica() instanceof Replica.Intact
                                        || !(word
                                                instanceof PeerMessage.Facts(NodeFacts peer, var _))
                                ? taken
                                : new PeerConversation.Received(
                                        withReleased(taken.mine(), peer.abdication().number()),
                                        taken.conversation());
                    }
                });
        add(
                "the stock forced restart drops what it does not know to be committed",
                Scene.HEALTHY,
                bounds(2, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                new Judgement() {
                    @Override
                    public boolean keepsWholeLog() {
                        return false;
                    }
                });
        add(
                "forget the epoch",
                Scene.HEALTHY,
                bounds(2, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                deciding((now, decision) ->
                        decision instanceof Decision.StartAsSoleVoter(Lineage _, Decision.Alone how)
                                        && now.mine().replica() instanceof Replica.Intact log
                                ? new Decision.StartAsSoleVoter(log.lineage(), how)
                                : decision));
        add(
                "an older epoch is not noticed",
                Scene.NORTH_ALONE,
                bounds(2, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                now -> peer(now, peer -> withLog(peer, log -> sameAs(now.mine(), log))));
        add(
                "the higher index wins",
                Scene.NORTH_ALONE,
                bounds(3, Fault.POWER_CUT, 2, Fault.FENCE, 2),
                deciding(Mutants::byIndex));
        add(
                "a learner may seed",
                Scene.SOUTH_LEARNS,
                bounds(1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                now -> with(now, withLog(now.mine(), Mutants::asVoter)));
        add(
                "a removed replica may seed",
                Scene.HEALTHY,
                bounds(1, Fault.STOP, 1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                now ->
                        with(
                                now,
                                withYield(
                                        withLog(now.mine(), Mutants::asVoter), Abdication.none())));
        add(
                "an empty directory is started as a new cluster",
                Scene.BOTH_OFF,
                bounds(1, Fault.DISK, 1),
                deciding((now, decision) ->
                        decision instanceof Decision.Refuse(Refusal why)
                                        && why == Refusal.NO_REPLICA
                                ? new Decision.Bootstrap()
                                : decision));
        add(
                "a damaged replica is started again",
                Scene.BOTH_OFF,
                bounds(1, Fault.DISK, 1),
                deciding((now, decision) ->
                        now.mine().replica() instanceof Replica.Damaged
                                ? new Decision.RestartInPlace(false)
                                : decision));
        add(
                "an unacknowledged tail counts as a fork",
                Scene.HEALTHY,
                bounds(1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                now ->
                        peer(
                                with(now, withLog(now.mine(), Mutants::allCommitted)),
                                facts -> withLog(facts, Mutants::allCommitted)));
    }

    private void joins() {
        Bounds forks = bounds(2, Fault.STATEMENT, 1, Fault.POWER_CUT, 1);
        add(
                "the active peer always wins",
                Scene.NORTH_ALONE_OFF,
                forks,
                deciding((now, decision) ->
                        decision instanceof Decision.Refuse(Refusal why)
                                        && why == Refusal.FORKED
                                        && now.peer() instanceof PeerView.FactsKnown(NodeFacts peer)
                                        && peer.offer() instanceof Offer.JoinToken token
                                ? new Decision.JoinAsLearner(token, Decision.DataStep.SET_ASIDE)
                                : decision));
        add(
                "erase instead of setting aside",
                Scene.NORTH_ALONE,
                bounds(1, Fault.FENCE, 0),
                deciding((now, decision) ->
                        decision instanceof Decision.JoinAsLearner(Offer.JoinToken token, var _)
                                ? new Decision.JoinAsLearner(token, Decision.DataStep.NOTHING_THERE)
                                : decision));
        add(
                "any old data may be kept for a join",
                Scene.NORTH_ALONE,
                bounds(1, Fault.FENCE, 0),
                deciding((now, decision) ->
                        decision instanceof Decision.JoinAsLearner(Offer.JoinToken token, var _)
                                ? new Decision.JoinAsLearner(token, Decision.DataStep.KEEP)
                                : decision));
        add(
                "promote at 90 percent",
                Scene.SOUTH_LEARNS,
                bounds(2, Fault.FENCE, 0),
                new Judgement() {
                    @Override
                    public LeaderDecision.Step lead(
                            NodeFacts mine,
                            PeerView peer,
                            PeerMembership membership,
                            LeaderDecision.Listed listed) {
                        return LeaderDecision.next(
                                withLog(mine, Mutants::aLittleShorter),
                                peer,
                                membership,
                                listed,
                                true);
                    }
                });
        add(
                "a promoted learner is complete",
                Scene.SOUTH_LEARNS,
                bounds(2, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                new Judgement() {
                    @Override
                    public PeerConversation.Received take(
                            PeerConversation conversation, NodeFacts mine, PeerMessage word) {
                        PeerConversation.Received taken = conversation.take(mine, word);
                        return new PeerConversation.Received(
                                withLog(
                                        taken.mine(),
                                        log ->
                                                log.role() == Replica.MemberRole.ONE_OF_TWO
                                                        ? asVoter(log)
                                                        : log),
                                taken.conversation());
                    }
                });
        add(
                "nobody confirms a vote",
                Scene.SOUTH_UNCONFIRMED,
                bounds(0, Fault.FENCE, 0),
                new Judgement() {
                    @Override
                    public LeaderDecision.Step lead(
                            NodeFacts mine,
                            PeerView peer,
                            PeerMembership membership,
                            LeaderDecision.Listed listed) {
                        LeaderDecision.Step step =
                                LeaderDecision.next(mine, peer, membership, listed, true);
                        return step instanceof LeaderDecision.Step.Confirm
                                ? new LeaderDecision.Step.Nothing()
                                : step;
                    }
                });
        add(
                "a learner registered once is never registered again",
                Scene.SOUTH_LEARNS,
                bounds(0, Fault.POWER_CUT, 1, Fault.DISK, 1),
                new Judgement() {
                    @Override
                    public LeaderDecision.Step lead(
                            NodeFacts mine,
                            PeerView peer,
                            PeerMembership membership,
                            LeaderDecision.Listed listed) {
                        LeaderDecision.Step step =
                                LeaderDecision.next(mine, peer, membership, listed, true);
                        return step instanceof LeaderDecision.Step.DropLearner
                                ? new LeaderDecision.Step.Nothing()
                                : step;
                    }
                });
    }

    private void repairs() {
        add(
                "a node whose etcd died waits for its peer",
                Scene.NORTH_ALONE,
                bounds(0, Fault.KILL, 1),
                deciding((now, decision) ->
                        decision instanceof Decision.RestartInPlace
                                ? new Decision.Wait(WaitFor.PEER_SERVES)
                                : decision));
        add(
                "the sole voter joins its own learner",
                Scene.SOUTH_LEARNS,
                bounds(0, Fault.RESTART, 1, Fault.POWER_CUT, 1),
                deciding((now, decision) ->
                        decision instanceof Decision.StartAsSoleVoter
                                        && now.peer() instanceof PeerView.FactsKnown(NodeFacts peer)
                                        && peer.server() != EtcdState.STOPPED
                                ? new Decision.Wait(WaitFor.PEER_SERVES)
                                : decision));
        add(
                "a crash loop ends in a stand-down, whoever is left",
                Scene.NORTH_ALONE,
                bounds(0, Fault.KILL, 1),
                deciding((now, decision) ->
                        now.intent() instanceof Intent.ServerDied(int deaths) && deaths > 1
                                ? new Decision.StandDown(Decision.StandDownReason.CRASH_LOOP)
                                : decision));
        add(
                "the leader of a recovery does not wait for the stand-down",
                Scene.HEALTHY,
                bounds(2, Fault.PORTS_CUT, 1, Fault.POWER_CUT, 1, Fault.FENCE, 1),
                deciding((now, decision) ->
                        decision instanceof Decision.Wait(WaitFor what)
                                        && what == WaitFor.PEER_STANDS_DOWN
                                ? takeOver(now, decision)
                                : decision));
        add(
                "a restart flag of an earlier boot counts",
                Scene.NORTH_ALONE,
                bounds(1, Fault.RESTART, 1, Fault.POWER_CUT, 1, Fault.STATEMENT, 1),
                now ->
                        now.intent() instanceof Intent.RestartInPlace
                                ? with(now, new Intent.RestartInPlace(now.mine().boot()))
                                : now);
        add(
                "waiting counts as health",
                Scene.HEALTHY,
                bounds(0, Fault.KILL, 1),
                new Judgement() {
                    @Override
                    public Health health(NodeFacts mine) {
                        return mine.replica() instanceof Replica.Intact
                                ? Health.REDUNDANT
                                : Health.DOWN;
                    }
                });
        add(
                "a tie is final",
                Scene.BOTH_OFF,
                bounds(0, Fault.FENCE, 0),
                deciding((now, decision) ->
                        decision instanceof Decision.StartAsVoter
                                        && now.mine().server() == EtcdState.STOPPED
                                ? new Decision.Refuse(Refusal.FORKED)
                                : decision));
    }

    private void endsOfProofs() {
        add(
                "an old record of the second level counts",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.STOCK_FENCE, 1),
                new Judgement() {
                    @Override
                    public boolean isOfLastHeardBoot(long ordered, long lastHeard) {
                        return true;
                    }
                });
        add(
                "a record of the second level is as old as its end",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.STOCK_FENCE, 1, Fault.LATE_ANSWER, 1),
                new Judgement() {
                    @Override
                    public boolean recordsTheOrder() {
                        return false;
                    }
                });
        add(
                "a receipt is bound to the boot known at the answer",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.FENCE, 1, Fault.LATE_ANSWER, 1),
                new Judgement() {
                    @Override
                    public Optional<PeerProof.Fenced> ofFence(
                            Proofs.Order order,
                            PeerView now,
                            Proofs.Machine machine,
                            PowerReading observed) {
                        return Judgement.PRODUCT.ofFence(
                                new Proofs.Order(order.target(), bootOf(now)),
                                now,
                                machine,
                                observed);
                    }
                });
        add(
                "a proof outlives a sign of life",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.FENCE, 1, Fault.BMC_LIES, 1),
                new Judgement() {
                    @Override
                    public List<PeerProof> afterSignOfLife(List<PeerProof> proofs) {
                        return proofs;
                    }
                });
        add(
                "the second level's record outlives a peer that is seen again",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.STOCK_FENCE, 1, Fault.BMC_LIES, 1),
                new Judgement() {
                    @Override
                    public boolean sightMakesRecordsOld() {
                        return false;
                    }
                });
        add(
                "a statement outlives a sign of life",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.FALSE_STATEMENT, 1, Fault.BMC_BREAKS, 1),
                new Judgement() {
                    @Override
                    public List<PeerProof> afterSignOfLife(List<PeerProof> proofs) {
                        return statementsOf(proofs);
                    }
                });
        add(
                "a statement outlives a join",
                Scene.SOUTH_MISLED,
                bounds(0, Fault.LINK_CUT, 1),
                new Judgement() {
                    @Override
                    public List<PeerProof> afterSignOfLife(List<PeerProof> proofs) {
                        return statementsOf(proofs);
                    }

                    @Override
                    public List<PeerProof> afterJoining(List<PeerProof> proofs) {
                        return statementsOf(proofs);
                    }
                });
        Judgement anyMachine =
                new Judgement() {
                    @Override
                    public Proofs.Machine machine(boolean anothers) {
                        return Proofs.Machine.THE_PEER;
                    }
                };
        add(
                "another machine's Off counts",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 1, Fault.FENCE, 1, Fault.WRONG_MACHINE, 1),
                anyMachine);
        add(
                "another machine's Off counts in a record",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 1, Fault.STOCK_FENCE, 1, Fault.WRONG_MACHINE, 1),
                anyMachine);
        add(
                "another machine that is off is the peer held off",
                Scene.NORTH_ALONE_OFF,
                bounds(0, Fault.LINK_CUT, 1, Fault.WRONG_MACHINE, 1).startingAlone(),
                anyMachine);
    }

    private void restarts() {
        add(
                "a restarted agent has heard nothing since the old fence",
                Scene.HEALTHY,
                bounds(0, Fault.LINK_CUT, 2, Fault.STOCK_FENCE, 1, Fault.AGENT_RESTART, 1),
                forgetting(Kept.LAST_HEARD));
        add(
                "a restarted agent sees no sign of life in a peer that is there",
                Scene.HEALTHY,
                bounds(
                        0,
                        Fault.LINK_CUT,
                        2,
                        Fault.FENCE,
                        1,
                        Fault.BMC_LIES,
                        1,
                        Fault.AGENT_RESTART,
                        1),
                new Judgement() {
                    @Override
                    public boolean firstSightCounts() {
                        return false;
                    }
                });
        add(
                "a restarted agent forgets its yield",
                Scene.HEALTHY,
                bounds(0, Fault.STOP, 1, Fault.AGENT_RESTART, 1),
                forgetting(Kept.YIELD));
        add(
                "a restarted agent forgets what it released",
                Scene.HEALTHY,
                bounds(1, Fault.STOP, 2, Fault.AGENT_RESTART, 1),
                forgetting(Kept.RELEASED));
    }

    private void refusals() {
        add(
                "an etcd that refuses its agent hangs",
                Scene.HEALTHY,
                bounds(0, Fault.REFUSED, 1),
                refused(new Intent.ServerHung()));
        add(
                "an etcd that refuses its agent has no leader",
                Scene.HEALTHY,
                bounds(0, Fault.REFUSED, 1),
                refused(new Intent.LeaderLost()));
        add(
                "an etcd that refuses its agent died again and again",
                Scene.HEALTHY,
                bounds(0, Fault.REFUSED, 1),
                refused(new Intent.ServerDied(5)));
    }

    // ---- how rules are bent

    private static Judgement forgetting(Kept what) {
        return new Judgement() {
            @Override
            public boolean keeps(Kept kept) {
                return kept != what;
            }
        };
    }

    private static Judgement refused(Intent intent) {
        return new Judgement() {
            @Override
            public Intent whileRefused(boolean peerGoneAndProvenOff) {
                return intent;
            }
        };
    }

    private static Optional<BootId> bootOf(PeerView view) {
        return switch (view) {
            case PeerView.Unknown() -> Optional.empty();
            case PeerView.BootKnown(BootId boot) -> Optional.of(boot);
            case PeerView.FactsKnown(NodeFacts facts) -> Optional.of(facts.boot());
        };
    }

    private static List<PeerProof> statementsOf(List<PeerProof> proofs) {
        return proofs.stream().filter(PeerProof.Stated.class::isInstance).toList();
    }

    private interface Answer {
        Decision bend(Situation now, Decision decision);
    }

    private void add(String name, Scene scene, Bounds bounds, UnaryOperator<Situation> bent) {
        add(
                name,
                scene,
                bounds,
                new Judgement() {
                    @Override
                    public Decision decide(Situation now) {
                        return StartDecision.decide(bent.apply(now));
                    }
                });
    }

    private void add(String name, Scene scene, Bounds bounds, Judgement judgement) {
        all.add(new Mutant(name, scene, bounds, judgement));
    }

    private static Judgement deciding(Answer answer) {
        return new Judgement() {
            @Override
            public Decision decide(Situation now) {
                return answer.bend(now, StartDecision.decide(now));
            }
        };
    }

    private static Bounds bounds(int writes, Object... faults) {
        return Bounds.of(writes, faults);
    }

    private static Decision takeOver(Situation now, Decision otherwise) {
        return now.mine().replica() instanceof Replica.Intact log
                        && log.complete()
                        && log.role() == Replica.MemberRole.ONE_OF_TWO
                ? new Decision.StartAsSoleVoter(
                        log.lineage()
                                .takenOver(now.mine().node(), now.mine().boot(), log.lastIndex()),
                        Decision.Alone.TAKE_OVER)
                : otherwise;
    }

    private static Decision byIndex(Situation now, Decision decision) {
        if (!(now.intent() instanceof Intent.Start)
                || !(now.mine().replica() instanceof Replica.Intact mine)
                || !(now.peer() instanceof PeerView.FactsKnown(NodeFacts peer))
                || !(peer.replica() instanceof Replica.Intact theirs)
                || !mine.complete()) {
            return decision;
        }
        if (mine.lastIndex() < theirs.lastIndex()) {
            return new Decision.Wait(WaitFor.PEER_SERVES);
        }
        return mine.role() == Replica.MemberRole.SOLE
                ? new Decision.StartAsSoleVoter(mine.lineage(), Decision.Alone.CONTINUE)
                : mine.lastIndex() > theirs.lastIndex() ? takeOver(now, decision) : decision;
    }

    private static Situation proofs(Situation now, UnaryOperator<PeerProof> bend) {
        return new Situation(
                now.mine(),
                now.peer(),
                now.proofs().stream().map(bend).toList(),
                now.membership(),
                now.policy(),
                now.intent());
    }

    private static Situation with(Situation now, NodeFacts mine) {
        return new Situation(
                mine, now.peer(), now.proofs(), now.membership(), now.policy(), now.intent());
    }

    private static Situation with(Situation now, PeerMembership membership) {
        return new Situation(
                now.mine(), now.peer(), now.proofs(), membership, now.policy(), now.intent());
    }

    private static Situation with(Situation now, Intent intent) {
        return new Situation(
                now.mine(), now.peer(), now.proofs(), now.membership(), now.policy(), intent);
    }

    private static Situation alone(Situation now) {
        return with(
                now,
                new PeerMembership(
                        now.membership().peer(),
                        now.membership().met(),
                        false,
                        now.membership().peerKnownNotAhead()));
    }

    private static Situation peer(Situation now, UnaryOperator<NodeFacts> bend) {
        return now.peer() instanceof PeerView.FactsKnown(NodeFacts peer)
                ? new Situation(
                        now.mine(),
                        new PeerView.FactsKnown(bend.apply(peer)),
                        now.proofs(),
                        now.membership(),
                        now.policy(),
                        now.intent())
                : now;
    }

    private static PeerProof readOff(PeerProof proof) {
        return proof instanceof PeerProof.Fenced f
                ? new PeerProof.Fenced(
                        f.target(), f.peerBoot(), f.method(), PowerReading.OFF, f.time())
                : proof;
    }

    private static PeerProof forThisBoot(Situation now, PeerProof proof) {
        return proof instanceof PeerProof.Fenced f
                        && now.peer() instanceof PeerView.FactsKnown(NodeFacts peer)
                ? new PeerProof.Fenced(f.target(), peer.boot(), f.method(), f.observed(), f.time())
                : proof;
    }

    private static PeerProof forThisIncident(Situation now, PeerProof proof) {
        return proof instanceof PeerProof.Stated s
                ? new PeerProof.Stated(
                        s.statement(),
                        s.about(),
                        Incident.of(now.mine(), now.peer()),
                        s.bmc(),
                        s.person(),
                        s.time())
                : proof;
    }

    private static PeerProof unreadable(PeerProof proof) {
        return proof instanceof PeerProof.Stated s
                ? new PeerProof.Stated(
                        s.statement(),
                        s.about(),
                        s.incident(),
                        PowerReading.UNKNOWN,
                        s.person(),
                        s.time())
                : proof;
    }

    private static PeerProof lossAccepted(PeerProof proof) {
        return proof instanceof PeerProof.Stated s
                        && s.statement() == PeerProof.Statement.PEER_IS_OFF
                ? new PeerProof.Stated(
                        PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED,
                        s.about(),
                        s.incident(),
                        s.bmc(),
                        s.person(),
                        s.time())
                : proof;
    }

    private static NodeFacts withYield(NodeFacts f, Abdication abdication) {
        return new NodeFacts(
                f.node(),
                f.boot(),
                f.replica(),
                f.server(),
                abdication,
                f.claim(),
                f.released(),
                f.offer());
    }

    private static NodeFacts withReleased(NodeFacts f, long released) {
        return new NodeFacts(
                f.node(),
                f.boot(),
                f.replica(),
                f.server(),
                f.abdication(),
                f.claim(),
                released,
                f.offer());
    }

    private static NodeFacts withLog(NodeFacts f, UnaryOperator<Replica.Intact> bend) {
        return f.replica() instanceof Replica.Intact log
                ? new NodeFacts(
                        f.node(),
                        f.boot(),
                        bend.apply(log),
                        f.server(),
                        f.abdication(),
                        f.claim(),
                        f.released(),
                        f.offer())
                : f;
    }

    private static Replica.Intact asVoter(Replica.Intact log) {
        Replica.MemberRole role =
                log.role() == Replica.MemberRole.SOLE
                        ? Replica.MemberRole.SOLE
                        : Replica.MemberRole.ONE_OF_TWO;
        return new Replica.Intact(
                log.lineage(),
                log.term(),
                log.lastIndex(),
                log.commitIndex(),
                role,
                true,
                log.memberId());
    }

    private static Replica.Intact sameAs(NodeFacts mine, Replica.Intact theirs) {
        return mine.replica() instanceof Replica.Intact log && log.votes()
                ? new Replica.Intact(
                        log.lineage(),
                        theirs.term(),
                        theirs.lastIndex(),
                        theirs.commitIndex(),
                        Replica.MemberRole.ONE_OF_TWO,
                        theirs.complete(),
                        theirs.memberId())
                : theirs;
    }

    private static Replica.Intact allCommitted(Replica.Intact log) {
        return new Replica.Intact(
                log.lineage(),
                log.term(),
                log.lastIndex(),
                log.lastIndex(),
                log.role(),
                log.complete(),
                log.memberId());
    }

    private static Replica.Intact aLittleShorter(Replica.Intact log) {
        long last = Math.max(0, log.lastIndex() - 1);
        return new Replica.Intact(
                log.lineage(),
                log.term(),
                last,
                Math.min(last, log.commitIndex()),
                log.role(),
                log.complete(),
                log.memberId());
    }
}
