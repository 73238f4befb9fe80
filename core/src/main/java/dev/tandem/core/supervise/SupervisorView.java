package dev.tandem.core.supervise;

import dev.tandem.core.BootId;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import java.time.Duration;
import java.util.Optional;

/**
 * What can be told of a state at a moment: to the peer, to Pacemaker, to Kubernetes, to people. It
 * changes nothing, so whoever holds a state can ask, on any thread.
 */
public record SupervisorView(State state, Moment now, SupervisorPolicy policy) {

    /** What becomes of a stop that was requested. */
    public sealed interface StopProgress {
        /** etcd has ended, and it is on the disk that nothing starts it again. */
        record Stopped() implements StopProgress {}

        record UnderWay() implements StopProgress {}

        record Failed(String why) implements StopProgress {}
    }

    /** Two histories of which a person has to choose one. */
    public record Fork(Replica.Intact mine, NodeFacts peer, Replica.Intact theirs) {}

    private VolatileState live() {
        return state.live();
    }

    public ServerObservation observation() {
        return live().server().observation();
    }

    public Membership membership() {
        return live().membership();
    }

    /** For how long Corosync has not answered; empty if it never has, to this agent. */
    public Optional<Duration> membershipAge() {
        return membership().known()
                ? Optional.of(now.since(live().membershipAt()))
                : Optional.empty();
    }

    public PeerView peerView() {
        return live().heard().conversation().view();
    }

    // ---- the peer -----------------------------------------------------------------------------

    /** This node's facts, as they may be told: what is stored, and not what is meant to be. */
    public NodeFacts facts() {
        return facts(state, state.stored());
    }

    private NodeFacts facts(State state, DurableState durable) {
        return facts(
                state.node(),
                live().server().observation(),
                live().server().missing(),
                offer(
                        state.node(),
                        observation().replica(),
                        live().offer(),
                        peerView(),
                        live().installing()),
                durable);
    }

    /**
     * What this node offers its peer: what it has offered, or, where nothing is known of any
     * history, to leave the founding to the peer.
     *
     * @param made what it offers for another reason, or offered before
     */
    static Offer offer(
            State.Node node, Replica replica, Offer made, PeerView peer, boolean installing) {
        if (!(made instanceof Offer.None || made instanceof Offer.Founding)) {
            return made;
        }
        boolean nothingKnown =
                replica instanceof Replica.Missing
                        && !(peer instanceof PeerView.FactsKnown(NodeFacts theirs)
                                && !(theirs.replica() instanceof Replica.Missing));
        return nothingKnown && node.peer().compareTo(node.self()) < 0
                ? new Offer.Founding(installing)
                : Offer.none();
    }

    /**
     * This node's facts if this were on the disk. A log that lacks what the peer has told as
     * committed is not complete, whatever it says of itself.
     */
    static NodeFacts facts(
            State.Node node,
            ServerObservation observation,
            long missing,
            Offer offer,
            DurableState durable) {
        Replica replica =
                missing > 0 && observation.replica() instanceof Replica.Intact log
                        ? log.asIncomplete()
                        : observation.replica();
        return new NodeFacts(
                node.self(),
                node.boot(),
                replica,
                observation.server(),
                durable.abdicationOn(replica),
                durable.claimOn(replica),
                durable.released(),
                offer);
    }

    /**
     * What to say to the peer now. Only that this node lives, while its facts would be those of a
     * replica that is being given up, of a server that nobody has seen for a while, or of one that
     * stands down and has not ended yet.
     */
    public PeerMessage message() {
        boolean standsDown =
                state.stored().abdicationOn(observation().replica()) instanceof Abdication.StandDown
                        && observation().running();
        return live().work().takingOver()
                        || standsDown
                        || now.isLaterThan(policy.ownLookFresh(), live().server().lookedAt())
                ? new PeerMessage.Hello(state.node().boot())
                : live().heard().conversation().say(facts());
    }

    /** The question for the peer, to be kept until the answer is there. */
    public VolatileState.Question question() {
        return new VolatileState.Question(
                facts(), message(), live().heard().conversation().count(), now);
    }

    /** The boot the peer was last heard in. */
    public Optional<BootId> peerBoot() {
        return switch (peerView()) {
            case PeerView.Unknown() -> Optional.empty();
            case PeerView.BootKnown(BootId boot) -> Optional.of(boot);
            case PeerView.FactsKnown(NodeFacts facts) -> Optional.of(facts.boot());
        };
    }

    /** Whether it is on the disk that this boot of the peer was fenced. */
    public boolean isFenced(BootId boot) {
        return state.stored().proofs().stream()
                .anyMatch(proof ->
                        proof instanceof PeerProof.Fenced fence
                                && fence.observed() == PowerReading.OFF
                                && fence.peerBoot().equals(boot));
    }

    /** A peer that is in the membership this long after a fence was not fenced. */
    public Duration missedForSure() {
        return policy.missedForSure();
    }

    /** Whether the peer's BMC reads Off while the peer is there, so that its Off proves nothing. */
    public boolean bmcReadsFalseOff() {
        return live().power().first().tooLong();
    }

    /** The same of the second of its BMCs. */
    public boolean secondReadsFalseOff() {
        return live().power().second().tooLong();
    }

    /** Whether the peer's BMC has begun to read Off, so that it should be read more often. */
    public boolean peerMayBeHeldOff() {
        return live().power().heldOff().isPresent();
    }

    /** Whether the peer is not yet what it should be, so that messages are wanted more often. */
    public boolean reconciles() {
        return observation().server() == EtcdState.LEADING
                && (!(observation().peer() instanceof Listed.Voter)
                        || !(peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                                && theirs.replica() instanceof Replica.Intact log
                                && log.complete()));
    }

    // ---- Kubernetes ---------------------------------------------------------------------------

    public KubernetesReport forKubernetes() {
        PeerState fate = peerFate();
        // With the peer's vote missing a server may look well for a moment, and accept nothing.
        boolean serves =
                observation().serves()
                        && (!(fate instanceof PeerState.Off)
                                || (observation().replica() instanceof Replica.Intact log
                                        && log.role() == MemberRole.SOLE));
        return new KubernetesReport(serves, state.node().boot(), fate);
    }

    private PeerState peerFate() {
        if (!membership().known()
                || !(peerView() instanceof PeerView.FactsKnown(NodeFacts theirs))) {
            return new PeerState.Unsure();
        }
        if (!membership().peerPresent()) {
            return provenOff(theirs.boot())
                    ? new PeerState.Off(theirs.boot())
                    : new PeerState.Unsure();
        }
        // It may be there again without having said in which boot.
        return live().heard().missedSince()
                ? new PeerState.Unsure()
                : new PeerState.Alive(theirs.boot());
    }

    /**
     * That this boot of the peer has ended, by a fence or by a person's word. A departure is not
     * among them: a node that leaves cleanly has moved its pods, or means to come back to them.
     */
    private boolean provenOff(BootId theirs) {
        return state.stored().proofs().stream()
                .filter(live().writes().wanted().proofs()::contains)
                .anyMatch(proof ->
                        switch (proof) {
                            case PeerProof.Fenced fence ->
                                    fence.peerBoot().equals(theirs)
                                            && fence.observed() == PowerReading.OFF;
                            case PeerProof.Stated word ->
                                    word.statement() != PeerProof.Statement.KEEP_PEERS_HISTORY
                                            && word.incident().boot().equals(state.node().boot())
                                            && word.incident().peerBoot().equals(theirs.value())
                                            && word.bmc() != PowerReading.ON;
                            case PeerProof.Yielded _, PeerProof.HeldOff _ -> false;
                        });
    }

    // ---- people -------------------------------------------------------------------------------

    public Incident incident() {
        return Incident.of(facts(), peerView());
    }

    /** What there is to choose on this node; empty where the histories agree or etcd runs here. */
    public Optional<Fork> fork() {
        return !observation().running()
                        && observation().replica() instanceof Replica.Intact mine
                        && peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                        && theirs.replica() instanceof Replica.Intact log
                        && History.relate(mine, log) == History.Relation.FORKED
                ? Optional.of(new Fork(mine, theirs, log))
                : Optional.empty();
    }

    /**
     * Why such a statement is not taken now; empty if it is.
     *
     * @param code of the incident that it was made for; empty for the one of now, where a person
     *     chooses between histories
     * @param bmc what the peer's BMC reads
     */
    public Optional<Action.StatementRefusal> refusalOf(
            PeerProof.Statement statement, String code, PowerReading bmc) {
        boolean sameSituation = code.equals(incident().code());
        if (statement == PeerProof.Statement.KEEP_PEERS_HISTORY) {
            Optional<Fork> fork = fork();
            return fork.isEmpty()
                    ? Optional.of(Action.StatementRefusal.NO_FORK)
                    : !code.isEmpty() && !sameSituation
                            ? Optional.of(Action.StatementRefusal.SITUATION_CHANGED)
                            // Without a server to copy from, this node would have nothing in place
                            // of what it gives up.
                            : fork.get().peer().server() != EtcdState.LEADING
                                    ? Optional.of(Action.StatementRefusal.PEER_DOES_NOT_SERVE)
                                    : Optional.empty();
        }
        if (bmc == PowerReading.ON) {
            return Optional.of(Action.StatementRefusal.BMC_READS_ON);
        }
        if (!sameSituation) {
            return Optional.of(Action.StatementRefusal.SITUATION_CHANGED);
        }
        if (membership().peerPresent()) {
            return Optional.of(Action.StatementRefusal.PEER_IS_PRESENT);
        }
        return peerHeardLately()
                ? Optional.of(Action.StatementRefusal.PEER_WAS_HEARD)
                : Optional.empty();
    }

    /** Whether the peer's agent has spoken a moment ago. */
    public boolean peerHeardLately() {
        return live().heard()
                .at()
                .filter(heard -> !now.isLaterThan(policy.heardLately(), heard))
                .isPresent();
    }

    public Optional<VolatileState.Pending> pending() {
        return live().pending();
    }

    /** What could not be done, or not be stored, and is tried again. */
    public Optional<String> trouble() {
        return cannotStore()
                .map("this node cannot store its state: "::concat)
                .or(() -> live().trouble());
    }

    /** Why nothing can be stored on this node now; empty if it can. */
    public Optional<String> cannotStore() {
        VolatileState.Writes writes = live().writes();
        return writes.trouble()
                .or(() ->
                        writes.inFlight()
                                .filter(write -> now.isLaterThan(policy.store(), write.since()))
                                .map(write ->
                                        "the disk has not answered for %d s"
                                                .formatted(now.since(write.since()).toSeconds())));
    }

    // ---- Pacemaker ----------------------------------------------------------------------------

    public boolean wantsEtcd() {
        return live().writes().wanted().wanted();
    }

    /**
     * etcd runs, Pacemaker is not known to have started it, and no stop is under way: nobody would
     * recover it, and nobody would end it.
     */
    public boolean runsUnasked() {
        boolean stops =
                live().stopping().filter(stop -> stop.failed().isEmpty()).isPresent()
                        || live().work().etcd().isPresent();
        return observation().running() && !wantsEtcd() && !stops;
    }

    /** Whether it is on the disk that etcd is to run here. */
    public boolean startIsStored() {
        return wantsEtcd() && state.stored().wanted();
    }

    public StopProgress stopProgress() {
        if (live().stopping().isPresent() && live().stopping().get().failed().isPresent()) {
            return new StopProgress.Failed(live().stopping().get().failed().get());
        }
        return !observation().running()
                        && live().work().etcd().isEmpty()
                        && !state.stored().wanted()
                        && !wantsEtcd()
                ? new StopProgress.Stopped()
                : new StopProgress.UnderWay();
    }

    /** etcd here neither serves nor can be stopped; somebody else has to switch this node off. */
    public boolean unfit() {
        return live().server().unfit();
    }

    /** How long nobody has seen what etcd does. */
    public Duration lookAge() {
        return now.since(live().server().lookedAt());
    }

    /** How long etcd has not served here; empty while it does. */
    public Optional<Duration> down() {
        return observation().serves()
                ? Optional.empty()
                : Optional.of(now.since(live().server().downSince()));
    }

    /** Nothing can be done here until the peer, or a person, has done their part. */
    public boolean waitsForOthers() {
        return pending()
                .filter(waits ->
                        switch (waits.decision()) {
                            case Decision.Wait(WaitFor what) -> what.owner() == WaitFor.Owner.PEER;
                            case Decision.Refuse(Refusal _) -> true;
                            // It runs, and one of two voters elects nobody: the vote of the peer's
                            // is missing.
                            case Decision.StartAsVoter(), Decision.RestartInPlace(_) ->
                                    observation().server() == EtcdState.LEADERLESS
                                            && membership().peerPresent();
                            default -> false;
                        })
                .isPresent();
    }

    /**
     * How this node's server is. One that was ordered to end counts as down from then on: on a slow
     * disk it takes seconds until that is reported.
     */
    public Health health() {
        boolean ends =
                live().work()
                        .etcd()
                        .filter(order -> order.order() instanceof EtcdOrder.End)
                        .isPresent();
        return ends ? Health.DOWN : Health.of(facts());
    }

    /**
     * A take-over has begun, and its server does not serve yet. Whatever comes of it the supervisor
     * tries again by itself, and gives each try more time; to be stopped and started from outside
     * would only send it back to its beginning.
     */
    public boolean takesOver() {
        DurableState state = live().writes().wanted();
        boolean claims = state.forced() && state.claim() instanceof Claim.TakeOver;
        return claims || live().work().takingOver();
    }

    /** Whether this node is becoming a learner of its peer's, or is one that has not served yet. */
    public boolean joins() {
        return pending()
                .filter(waits -> waits.decision() instanceof Decision.JoinAsLearner)
                .isPresent();
    }

    /** How long a server that does not serve is being repaired rather than broken. */
    public Duration patience() {
        Duration limit = policy.repair().plus(loading());
        return pending()
                .map(waits ->
                        switch (waits.decision()) {
                            case Decision.JoinAsLearner _ -> policy.join();
                            case Decision.Wait(WaitFor what)
                                    when what.limit().compareTo(limit) > 0 ->
                                    what.limit();
                            default -> limit;
                        })
                .orElse(limit);
    }

    /** The peer's server has the same database, and may be reading it just now. */
    Duration loading() {
        return policy.loadGigabyte()
                .multipliedBy(observation().databaseBytes() / 1_000_000)
                .dividedBy(1000);
    }

    /** What this node waits for or does, in a sentence. */
    public String sentence() {
        if (observation().serves()) {
            return "etcd serves";
        }
        if (observation().server() == EtcdState.UNSEEN) {
            return "tandem-agent cannot query its own etcd: " + observation().words();
        }
        if (trouble().isPresent()) {
            return trouble().get();
        }
        if (pending().isPresent()) {
            return pending().get().sentence();
        }
        if (wantsEtcd()) {
            return "etcd does not serve yet (" + observation().words() + ")";
        }
        boolean inert =
                membership().known()
                        && !membership().peerPresent()
                        && !membership().quorate()
                        && !live().writes().wanted().met();
        return inert
                ? new Decision.Wait(WaitFor.PEER_RETURN)
                        .sentence(state.node().self(), state.node().peer())
                : "Pacemaker has not started etcd here";
    }
}
