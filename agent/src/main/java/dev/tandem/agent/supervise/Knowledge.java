package dev.tandem.agent.supervise;

import dev.tandem.agent.kube.FenceKnowledge;
import dev.tandem.agent.kube.PeerFate;
import dev.tandem.agent.state.DurableState;
import dev.tandem.agent.state.Journal;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What this node knows: of its server, of its peer, of the cluster, and what it must not forget.
 * What matters after a crash is on the disk when a method returns. Nothing is done here about what
 * is known: that is the {@link EtcdSupervisor}'s part, and it is the only one that changes this.
 */
final class Knowledge {
    /** Facts that are older say nothing about what the peer's server does now. */
    private static final Duration FRESH = Duration.ofSeconds(10);

    private final NodeName self;
    private final NodeName peer;
    private final BootId boot;
    private final URI peerUrl;
    private final Policy policy;
    private final DurableState.Store store;
    private final Journal journal;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Duration missedWithin;

    private DurableState memory;
    private PeerConversation conversation;
    private EtcdObservation observation;
    private EtcdSupervisor.Presence presence;
    private Offer offer = Offer.none();
    private PowerReading peerPower = PowerReading.UNKNOWN;
    private boolean peerHeldOff;

    private boolean served;
    private long downSince;
    private long leaderlessSince;
    private long peerLeaderlessSince;
    private long contradictedSince;
    private long contradictedLast;
    private long heardAt;

    /** Written by the supervisor's thread alone, read at the moment a fence is ordered. */
    private volatile Optional<BootId> peerBoot;

    private volatile Optional<BootId> provenBoot;

    /** When the newest proof was made, and whether Corosync has missed the peer since. */
    private long provenAt;

    private boolean missedSinceProof;
    private boolean missedSinceHeard = true;

    Knowledge(
            NodeName self,
            NodeName peer,
            BootId boot,
            URI peerUrl,
            Policy policy,
            DurableState.Store store,
            EtcdObservation first,
            Journal journal,
            InstantSource clock,
            LongSupplier nanos,
            Duration missedWithin) {
        this.self = self;
        this.peer = peer;
        this.boot = boot;
        this.peerUrl = peerUrl;
        this.policy = policy;
        this.store = store;
        this.journal = journal;
        this.clock = clock;
        this.nanos = nanos;
        this.missedWithin = missedWithin;
        this.presence = EtcdSupervisor.Presence.unknown(nanos.getAsLong());
        this.memory = store.read(boot);
        this.conversation = new PeerConversation(memory.peer(), 0, memory.peerKnownNotAhead());
        this.peerBoot = bootOf(conversation.view());
        this.provenBoot = bootProvenOff(memory);
        this.provenAt = nanos.getAsLong();
        // Proofs from before a restart of the agent: if the peer is there now, it has come back.
        this.missedSinceProof = true;
        this.observation = first;
        this.downSince = nanos.getAsLong();
        store.write(memory);
    }

    // ---- taking in ----------------------------------------------------------------------------

    /** Takes a observation in, and since when things are as they are. */
    void observe(EtcdObservation now) {
        if (now.generation() != observation.generation()) {
            // Another server: what the peer held against the last one does not concern it.
            contradictedSince = 0;
        }
        observation = now;
        if (now.serves()) {
            if (!served) {
                journal.record(new JournalEvent.Serving(now.server(), now.replica()));
            }
            served = true;
            leaderlessSince = 0;
            return;
        }
        if (served) {
            served = false;
            downSince = nanos.getAsLong();
        }
        if (now.server() != EtcdState.LEADERLESS) {
            leaderlessSince = 0;
        } else if (leaderlessSince == 0) {
            leaderlessSince = nanos.getAsLong();
        }
    }

    /** The replica holds all that was acknowledged, as the mark beside it says by now. */
    void complete(Replica replica) {
        observation =
                new EtcdObservation(
                        observation.generation(),
                        observation.server(),
                        replica,
                        observation.starting(),
                        observation.silent(),
                        observation.members(),
                        observation.figures(),
                        observation.words());
        journal.record(new JournalEvent.ReplicaComplete(replica));
    }

    /** From now on the server counts as missing. */
    void missedFromNow() {
        downSince = nanos.getAsLong();
    }

    void present(EtcdSupervisor.Presence now) {
        if (now.asked() - presence.asked() < 0) {
            // Overtaken by a younger answer on the way here.
            return;
        }
        if (now.peerPresent() != presence.peerPresent() || !presence.known()) {
            journal.record(new JournalEvent.MembershipChanged(now.peerPresent(), now.quorate()));
        }
        presence = now;
        if (now.peerPresent() && !memory.met()) {
            remember(draft -> draft.met = true);
        }
        if (!now.peerPresent()) {
            missedSinceProof = true;
            missedSinceHeard = true;
        } else if (now.asked() - provenAt > 0 && missedSinceProof) {
            // Not while Corosync has merely not noticed yet that the peer is gone.
            peerLives("back in Corosync's membership");
        } else if (now.asked() - provenAt > missedWithin.toNanos()) {
            peerLives("still in Corosync's membership");
        }
    }

    /** The peer answered a question; an answer to one that was asked after a proof refutes it. */
    void answeredSince(long asked) {
        if (asked - provenAt > 0) {
            peerLives("it answered");
        }
    }

    /** A sign of life that is younger than every proof. */
    private void peerLives(String how) {
        List<PeerProof> left = Proofs.afterSignOfLife(memory.proofs());
        if (left.size() < memory.proofs().size()) {
            journal.record(new JournalEvent.ProofsVoid(how, memory.proofs()));
            remember(draft -> draft.proofs = new ArrayList<>(left));
        }
    }

    /** This node learns from its peer: whatever was said of the peer before is over. */
    void joins() {
        remember(draft -> draft.proofs = new ArrayList<>(Proofs.afterJoining(draft.proofs)));
    }

    private static Optional<BootId> bootOf(PeerView view) {
        return switch (view) {
            case PeerView.Unknown() -> Optional.empty();
            case PeerView.BootKnown(BootId boot) -> Optional.of(boot);
            case PeerView.FactsKnown(NodeFacts facts) -> Optional.of(facts.boot());
        };
    }

    private static Optional<BootId> bootProvenOff(DurableState memory) {
        return memory.proofs().stream()
                .filter(proof ->
                        proof instanceof PeerProof.Fenced fence
                                && fence.observed() == PowerReading.OFF)
                .map(proof -> ((PeerProof.Fenced) proof).peerBoot())
                .reduce((_, later) -> later);
    }

    /** The boot that the newest fence proved off; from any thread. */
    Optional<BootId> provenBoot() {
        return provenBoot;
    }

    /** The boot the peer was last heard in; from any thread. */
    Optional<BootId> peerBoot() {
        return peerBoot;
    }

    /** The word of the peer that its server has no leader, while this node's says that it has. */
    private void compare(PeerView view) {
        boolean contradicted =
                hasSeat(MemberRole.ONE_OF_TWO)
                        && observation.serves()
                        && view instanceof PeerView.FactsKnown(NodeFacts theirs)
                        && theirs.server() == EtcdState.LEADERLESS
                        && theirs.replica() instanceof Replica.Intact log
                        && log.role() == MemberRole.ONE_OF_TWO;
        if (!contradicted) {
            contradictedSince = 0;
            return;
        }
        contradictedLast = nanos.getAsLong();
        if (contradictedSince == 0) {
            contradictedSince = contradictedLast;
        }
    }

    void hear(PeerConversation.Received taken) {
        NodeFacts after = taken.mine();
        PeerView before = conversation.view();
        // First to the disk: what could not be written was not heard.
        remember(draft -> {
            draft.abdication = after.abdication();
            draft.released = after.released();
            draft.peer = taken.conversation().view();
            draft.peerKnownNotAhead = taken.conversation().peerKnownNotAhead();
        });
        offer = after.offer();
        conversation = taken.conversation();
        peerBoot = bootOf(conversation.view());
        compare(conversation.view());
        boolean afresh = nanos.getAsLong() - heardAt > FRESH.toNanos();
        heardAt = nanos.getAsLong();
        missedSinceHeard = !presence.peerPresent();
        if (!saysLeaderless(conversation.view())) {
            peerLeaderlessSince = 0;
        } else if (peerLeaderlessSince == 0 || afresh) {
            peerLeaderlessSince = heardAt;
        }
        if (conversation.view() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && !(before instanceof PeerView.FactsKnown && before.isIn(theirs.boot()))) {
            journal.record(new JournalEvent.PeerHeard(theirs));
        }
    }

    /** A fence was answered; what that proves, if anything, is kept. */
    void fenced(Proofs.Order order, Proofs.Machine machine, String method, PowerReading observed) {
        Optional<PeerProof.Fenced> made =
                Proofs.ofFence(
                        order, conversation.view(), machine, method, observed, clock.instant());
        if (machine != Proofs.Machine.ANOTHER) {
            peerPower = observed;
        }
        if (made.isEmpty()) {
            journal.record(
                    new JournalEvent.FenceProvesNothing(
                            method,
                            observed,
                            machine,
                            order.peerBoot().map(BootId::value).orElse("unknown")));
            return;
        }
        PeerProof.Fenced proof = made.get();
        boolean known =
                memory.proofs().stream()
                        .anyMatch(old ->
                                old instanceof PeerProof.Fenced fenced
                                        && fenced.peerBoot().equals(proof.peerBoot())
                                        && fenced.observed() == observed);
        if (!known) {
            keep(proof);
            journal.record(new JournalEvent.Fenced(proof));
        }
    }

    private void keep(PeerProof proof) {
        remember(draft -> draft.proofs.add(proof));
        provenAt = nanos.getAsLong();
        missedSinceProof = !presence.peerPresent();
    }

    void stated(PeerProof.Statement statement, PowerReading bmc, String person) {
        peerPower = bmc;
        PeerProof.Stated word =
                new PeerProof.Stated(statement, peer, incident(), bmc, person, clock.instant());
        journal.record(new JournalEvent.Stated(word));
        keep(word);
    }

    void peerPower(PowerReading reading, boolean heldOff) {
        peerPower = reading;
        peerHeldOff = heldOff;
    }

    void offer(Offer next) {
        offer = next;
    }

    /** Changes what is kept on the disk; returns when it is there. */
    void remember(Consumer<DurableState.Draft> change) {
        DurableState next = memory.with(change);
        if (!next.sameButForFigures(memory)) {
            store.write(next);
        }
        memory = next;
        provenBoot = bootProvenOff(next);
    }

    // ---- telling ------------------------------------------------------------------------------

    /** All that a decision depends on. */
    Situation situation(Intent intent) {
        return new Situation(facts(), conversation.view(), proofs(), membership(), policy, intent);
    }

    NodeFacts facts() {
        Replica replica = observation.replica();
        return new NodeFacts(
                self,
                boot,
                replica,
                observation.server(),
                memory.abdication(),
                memory.claimOn(replica),
                memory.released(),
                offer);
    }

    PeerMembership membership() {
        return new PeerMembership(
                peer,
                memory.met() || presence.peerPresent(),
                presence.peerPresent(),
                memory.peerKnownNotAhead());
    }

    private List<PeerProof> proofs() {
        List<PeerProof> all = new ArrayList<>();
        for (PeerProof proof : memory.proofs()) {
            // A person's word is weighed against what the BMC reads now, not then.
            all.add(
                    proof instanceof PeerProof.Stated word
                            ? new PeerProof.Stated(
                                    word.statement(),
                                    word.about(),
                                    word.incident(),
                                    peerPower,
                                    word.person(),
                                    word.time())
                            : proof);
        }
        if (conversation.view() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && !(theirs.abdication() instanceof Abdication.None)) {
            all.add(new PeerProof.Yielded(theirs.abdication()));
        }
        if (policy.startAloneWhenPeerIsHeldOff() && peerHeldOff) {
            all.add(new PeerProof.HeldOff(peer, peerPower, clock.instant()));
        }
        return all;
    }

    /** What Kubernetes may be told. */
    FenceKnowledge forKubernetes() {
        PeerFate fate = peerFate();
        // With the peer's vote missing a server may look well for a moment, and accept nothing.
        boolean serves =
                observation.serves()
                        && (!(fate instanceof PeerFate.Off) || hasSeat(MemberRole.SOLE));
        return new FenceKnowledge(serves, boot, fate);
    }

    private PeerFate peerFate() {
        if (!presence.known()
                || !(conversation.view() instanceof PeerView.FactsKnown(NodeFacts theirs))) {
            return new PeerFate.Unsure();
        }
        if (!presence.peerPresent()) {
            return provenOff(theirs.boot())
                    ? new PeerFate.Off(theirs.boot())
                    : new PeerFate.Unsure();
        }
        // It may be there again without having said in which boot.
        return missedSinceHeard ? new PeerFate.Unsure() : new PeerFate.Alive(theirs.boot());
    }

    /**
     * That this boot of the peer has ended, by a fence or by a person's word. A departure is not
     * among them: a node that leaves cleanly has moved its pods, or means to come back to them.
     */
    private boolean provenOff(BootId theirs) {
        return memory.proofs().stream()
                .anyMatch(proof ->
                        switch (proof) {
                            case PeerProof.Fenced fence ->
                                    fence.peerBoot().equals(theirs)
                                            && fence.observed() == PowerReading.OFF;
                            case PeerProof.Stated word ->
                                    word.statement() != PeerProof.Statement.KEEP_PEERS_HISTORY
                                            && word.incident().boot().equals(boot)
                                            && word.incident().peerBoot().equals(theirs.value())
                                            && peerPower != PowerReading.ON;
                            case PeerProof.Yielded _, PeerProof.HeldOff _ -> false;
                        });
    }

    Listed listed() {
        for (Member member : observation.members()) {
            if (member.peerUrls().contains(peerUrl)) {
                return member.learner()
                        ? new Listed.Learner(member.id().bits())
                        : new Listed.Voter(member.id().bits());
            }
        }
        return new Listed.Nowhere();
    }

    Incident incident() {
        return Incident.of(facts(), conversation.view());
    }

    DurableState memory() {
        return memory;
    }

    PeerConversation conversation() {
        return conversation;
    }

    PeerView peerView() {
        return conversation.view();
    }

    EtcdObservation observation() {
        return observation;
    }

    EtcdSupervisor.Presence presence() {
        return presence;
    }

    Optional<MemberRole> seat() {
        return observation.replica() instanceof Replica.Intact log
                ? Optional.of(log.role())
                : Optional.empty();
    }

    boolean hasSeat(MemberRole which) {
        return seat().filter(seat -> seat == which).isPresent();
    }

    /** Since when the server runs without a leader, by the monotonic clock; 0 if it does not. */
    long leaderlessSince() {
        return leaderlessSince;
    }

    /**
     * Since when both servers run without a leader, by their own words and without a break; 0 if
     * they do not. A server that dies again and again runs without a leader in each of its lives.
     */
    long bothLeaderlessSince() {
        boolean fresh = nanos.getAsLong() - heardAt <= FRESH.toNanos();
        if (leaderlessSince == 0
                || peerLeaderlessSince == 0
                || !fresh
                || !saysLeaderless(conversation.view())) {
            return 0;
        }
        return leaderlessSince - peerLeaderlessSince > 0 ? leaderlessSince : peerLeaderlessSince;
    }

    private static boolean saysLeaderless(PeerView view) {
        return view instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.server() == EtcdState.LEADERLESS;
    }

    /**
     * For how long the peer has been saying that there is no leader while the server of this node
     * says that there is; between two words of the peer, since one word alone may be old.
     */
    Duration contradicted() {
        return contradictedSince == 0
                ? Duration.ZERO
                : Duration.ofNanos(contradictedLast - contradictedSince);
    }

    /** How long etcd has not served here; empty while it does. */
    Optional<Duration> down() {
        return observation.serves()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(nanos.getAsLong() - downSince));
    }
}
