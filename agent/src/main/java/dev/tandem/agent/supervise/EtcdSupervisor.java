package dev.tandem.agent.supervise;

import dev.tandem.agent.kube.FenceKnowledge;
import dev.tandem.agent.state.DurableState;
import dev.tandem.agent.state.Journal;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Decision.Alone;
import dev.tandem.core.decision.Decision.StartAsSoleVoter;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.StartDecision;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.host.etcd.EtcdProcess;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import dev.tandem.host.etcd.ReadProbe;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps etcd of this node as it should be: takes in what happened, asks the core, carries the
 * answer out and writes it down. It has no thread and no lock; one thread calls it, so that between
 * a decision and its durable record nothing else is answered.
 *
 * <p>What takes long, or may hang, is not done here: {@link Errands} does it and comes back with
 * what it found.
 */
public final class EtcdSupervisor {
    /** The servers elect within two seconds; after that, silence between them is no hiccup. */
    private static final Duration LEADERLESS = Duration.ofSeconds(3);

    /** Longer than a peer's restart in place takes; then the ports between them are cut. */
    private static final Duration PORTS_CUT = Duration.ofSeconds(15);

    /** A repair that takes longer is not in progress any more, whatever it hopes for. */
    public static final Duration REPAIR_LIMIT = Duration.ofSeconds(60);

    /**
     * How long the largest database may take over a slow link; starting over would not be faster.
     */
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(15);

    /** How long a server needs at most to load a gigabyte of its database. */
    private static final Duration PER_GIGABYTE = Duration.ofSeconds(10);

    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /** A process that still exists this long after SIGKILL is held by the kernel. */
    private static final Duration KILL_LIMIT = Duration.ofSeconds(5);

    /** How long two live servers of a pair could disagree on whether there is a leader: ADR 9. */
    private static final Duration CONTRADICTION = ReadProbe.STALLED;

    /** What is done elsewhere, in its own time. */
    public interface Errands {
        /** Exchange facts with the peer now rather than at the next heartbeat. */
        void tellPeer();

        /** Look at etcd now rather than at the next round. */
        void look();

        /** A step of the leader; ends with {@link EtcdSupervisor#stepped}. */
        void lead(Step step);

        /** Something may have changed that somebody waits for. */
        void changed();
    }

    /**
     * Membership as Corosync tells it.
     *
     * @param asked when the question was put, by the monotonic clock: the answer is not younger
     */
    public record Presence(
            boolean known, boolean peerPresent, boolean quorate, boolean waitsForAll, long asked) {
        public static Presence unknown(long asked) {
            return new Presence(false, false, false, false, asked);
        }
    }

    /**
     * What the node is about to do, or waits for.
     *
     * @param sinceNanos since when, by the monotonic clock
     */
    public record Pending(Decision decision, Intent intent, String sentence, long sinceNanos) {}

    private final NodeName self;
    private final NodeName peer;
    private final EtcdProcess etcd;
    private final Knowledge knows;
    private final Journal journal;
    private final Installation installation;
    private final Errands errands;
    private final LongSupplier nanos;

    private final PeerReadmission leading;
    private final RestartBackoff attempts;
    private final int deathsBeforeGivingUp;
    private long startedAt;
    private Offer joinedWith = Offer.none();
    private boolean unfit;
    private @Nullable Pending pending;
    private @Nullable String trouble;

    /**
     * @param missedWithin how long Corosync takes at most to miss a node that lost its power
     */
    public EtcdSupervisor(
            NodeName self,
            NodeName peer,
            BootId boot,
            URI peerUrl,
            Policy policy,
            EtcdProcess etcd,
            DurableState.Store store,
            Journal journal,
            Installation installation,
            Errands errands,
            InstantSource clock,
            LongSupplier nanos,
            Duration missedWithin) {
        this.self = self;
        this.peer = peer;
        this.etcd = etcd;
        this.journal = journal;
        this.installation = installation;
        this.errands = errands;
        this.nanos = nanos;
        this.attempts = new RestartBackoff(nanos);
        this.deathsBeforeGivingUp = policy.deathsBeforeStandDown();
        this.knows =
                new Knowledge(
                        self,
                        peer,
                        boot,
                        peerUrl,
                        policy,
                        store,
                        etcd.look(),
                        journal,
                        clock,
                        nanos,
                        missedWithin);
        this.leading = new PeerReadmission(knows, journal, errands, this::complete, nanos);
        // A start that was ordered before this agent has its whole time once more, not for ever.
        this.startedAt = nanos.getAsLong();
    }

    /** The mark of a running installation. */
    public interface Installation {
        boolean open();

        /** For good: from now on this node never begins an empty cluster. */
        void close();
    }

    // ---- what happens -------------------------------------------------------------------------

    /** etcd was looked at. */
    public void saw(EtcdObservation now) {
        if (now.generation() < knows.observation().generation()) {
            // Looked at before the server was started or stopped by us; that is history.
            return;
        }
        boolean wasRunning = knows.observation().running();
        observe(now);
        if (wasRunning && !now.running() && knows.memory().wanted()) {
            attempts.died();
            journal.record(
                    new JournalEvent.EtcdExited(attempts.deathsInARow(), attempts.deathsLately()));
        }
        step();
    }

    private void observe(EtcdObservation now) {
        knows.observe(now);
        unfit &= now.running() && !now.serves();
        if (now.serves()) {
            attempts.serves();
            trouble = null;
        }
    }

    /** Corosync was asked. Silence of Corosync says nothing about the peer. */
    public void membership(Presence now) {
        if (!now.known()) {
            return;
        }
        knows.present(now);
        step();
    }

    /** The peer asked, and its question carried a word; this node's word is the answer. */
    public PeerMessage asked(PeerMessage theirs) {
        take(knows.conversation().take(facts(), theirs));
        step();
        // Not only after an answer: two that ask at the same moments overtake each other's answers
        // every time.
        leading.next(facts());
        return knows.conversation().say(facts());
    }

    /** The question for the peer, to be kept until the answer is there. */
    public Question question() {
        NodeFacts mine = facts();
        return new Question(
                mine,
                knows.conversation().say(mine),
                knows.conversation().count(),
                nanos.getAsLong());
    }

    /** What was sent, from which facts, how often the peer had been heard by then, and when. */
    public record Question(NodeFacts mine, PeerMessage word, long count, long nanos) {}

    /** The peer answered. */
    public void answered(Question question, PeerMessage theirs) {
        knows.answeredSince(question.nanos());
        if (knows.conversation().count() != question.count()) {
            return;
        }
        take(knows.conversation().answered(facts(), theirs, question.count()));
        step();
        leading.next(question.mine());
    }

    /**
     * The peer answered, and nothing of it was understood but that it lives. What it said before is
     * no news by that.
     */
    public void gaveASignOfLife(Question question) {
        knows.answeredSince(question.nanos());
        step();
    }

    private void take(PeerConversation.Received taken) {
        if (!taken.mine().replica().equals(knows.observation().replica())) {
            complete(taken.mine().replica());
        }
        knows.hear(taken);
        if (taken.mine().replica() instanceof Replica.Intact log
                && !log.complete()
                && knows.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.offer() instanceof Offer.Confirmation) {
            // The leader has confirmed what this node has not seen of itself yet.
            errands.look();
        }
        if (knows.peerView() instanceof PeerView.BootKnown || !knows.memory().proofs().isEmpty()) {
            // Now that each knows the other's boot, facts can be told. And a peer that is proven
            // off and speaks may have spoken just before it went off: what it answers now counts.
            errands.tellPeer();
        }
        errands.changed();
    }

    private void complete(Replica replica) {
        etcd.markComplete();
        knows.complete(replica);
    }

    /**
     * A fence was answered. What follows from it may take longer than Pacemaker is kept waiting:
     * {@link #reconsider}.
     *
     * @param presence who was in the membership then
     * @param observed the peer's power, read after it had been switched off
     */
    public void fenced(
            Presence presence,
            Proofs.Order order,
            Proofs.Machine machine,
            String method,
            PowerReading observed) {
        if (presence.known()) {
            knows.present(presence);
        }
        knows.fenced(order, machine, method, observed);
    }

    /** Whether the boot of this order is proven off already; from any thread. */
    public boolean provenOff(Proofs.Order order) {
        return order.peerBoot().isPresent() && order.peerBoot().equals(knows.provenBoot());
    }

    /** The boot the peer was last heard in; from any thread. */
    public Optional<BootId> peerBoot() {
        return knows.peerBoot();
    }

    /**
     * A person vouches for the peer's state, in this very situation. What follows from it may take
     * longer than a person is kept waiting: {@link #reconsider}.
     */
    public void stated(PeerProof.Statement statement, PowerReading bmc, String person) {
        knows.stated(statement, bmc, person);
    }

    /** Does what follows from what is known. */
    public void reconsider() {
        step();
    }

    /**
     * The peer's BMC was read in passing.
     *
     * @param heldOff it has read Off for long enough to know that the peer is off and stays off
     */
    public void peerPower(PowerReading reading, boolean heldOff) {
        knows.peerPower(reading, heldOff);
        if (heldOff) {
            step();
        }
    }

    /** Whether this node, alone since it booted, would start if Pacemaker asked it to. */
    public boolean mayStartAlone() {
        boolean may =
                !knows.memory().wanted()
                        && !knows.presence().peerPresent()
                        && !knows.observation().running()
                        && StartDecision.decide(knows.situation(new Intent.Start()))
                                instanceof StartAsSoleVoter;
        if (may) {
            journal.record(new JournalEvent.LoneStart(true));
        }
        return may;
    }

    /** Pacemaker starts etcd here. */
    public void startRequested() {
        if (!knows.memory().wanted()) {
            journal.record(new JournalEvent.StartRequested());
            knows.missedFromNow();
            attempts.atOnce();
        }
        knows.remember(draft -> draft.wanted = true);
        step();
    }

    /** Pacemaker stops etcd here. From now on nothing starts it again. */
    public void stopRequested() {
        journal.record(new JournalEvent.StopRequested());
        knows.remember(draft -> draft.wanted = false);
        pending = null;
    }

    /** How to stop, asked again after each step of it. */
    public Decision leave(boolean timeIsUp) {
        return decide(new Intent.Leave(timeIsUp));
    }

    /** This node gives up its right before it leaves. */
    public void depart() {
        knows.remember(
                draft -> draft.abdication = new Abdication.Departure(draft.lastAbdication + 1));
        journal.record(new JournalEvent.DepartureAsked(knows.memory().abdication()));
        errands.tellPeer();
    }

    /** Ends etcd; call it after {@link #stopRequested}. */
    public void end(boolean atOnce, Duration limit) {
        // A server that hangs does not hear the polite request.
        boolean hangs = hangs();
        etcd.end(atOnce || hangs, hangs && limit.compareTo(KILL_LIMIT) > 0 ? KILL_LIMIT : limit);
        observe(etcd.look());
        journal.record(new JournalEvent.EtcdStopped());
        errands.tellPeer();
        errands.changed();
    }

    /** The learner of this start has its snapshot, and its own announcement does not come. */
    public void unheard(long generation) {
        // It may have been heard at last, and even have a vote by now.
        observe(etcd.look());
        if (generation != knows.observation().generation()
                || !knows.observation().starting()
                || !knows.memory().wanted()) {
            return;
        }
        journal.record(new JournalEvent.LearnerRestarted());
        carefully(() -> {
            etcd.end(true, END_LIMIT);
            startInPlace();
        });
    }

    /** A step of the leader has been tried. */
    public void stepped(Step step, MembershipChanges.Led led) {
        leading.tried(step, led);
    }

    // ---- what is done about it ----------------------------------------------------------------

    private void step() {
        carefully(() -> {
            if (knows.memory().wanted()) {
                wanted();
            }
        });
    }

    /** A failure is noted, and what is to be done tried again after a pause. */
    private void carefully(Runnable action) {
        try {
            action.run();
        } catch (Failure e) {
            trouble = e.what() + ": " + e.why();
            journal.record(new JournalEvent.ActionFailed(e.what(), e.why(), e.remedy()));
            attempts.failed();
            if (!unfit) {
                observe(etcd.look());
            }
        }
        errands.changed();
    }

    private void wanted() {
        if (!knows.observation().running()) {
            if (attempts.due()) {
                act(startIntent());
            }
            return;
        }
        if (knows.observation().server() == EtcdState.UNSEEN) {
            unseen();
            return;
        }
        if (hangs()) {
            // Nothing more can be done about one that was killed and did not end.
            if (!unfit) {
                act(new Intent.ServerHung());
            }
            return;
        }
        boolean alone = knows.presence().known() && !knows.presence().peerPresent();
        boolean sole = knows.hasSeat(MemberRole.SOLE);
        boolean half = knows.hasSeat(MemberRole.ONE_OF_TWO);
        if (knows.memory().claimOn(knows.observation().replica()) instanceof Claim.TakeOver) {
            if (takingOver()
                    || (sole && !knows.observation().starting() && !knows.observation().serves())) {
                return;
            }
            if (!sole || knows.observation().starting()) {
                act(new Intent.Recover());
                return;
            }
            knows.remember(draft -> draft.claim = Claim.none());
        }
        if (alone && (half || !knows.observation().serves())) {
            act(new Intent.Recover());
            return;
        }
        if (knows.observation().serves()) {
            pending = null;
            if (knows.observation().replica() instanceof Replica.Intact) {
                // One of an epoch that these data never entered means nothing.
                knows.remember(draft -> draft.claim = Claim.none());
            }
            if (installation.open() && knows.observation().replica() instanceof Replica.Intact) {
                installation.close();
                journal.record(new JournalEvent.Installed());
            }
            return;
        }
        leaderless();
    }

    /**
     * Of a server that refuses its own agent nothing is known, so nothing is done to it. But with
     * the peer proven off it has lost its other half for certain, and is made the only voter, once;
     * whether it then serves is not seen either.
     */
    private void unseen() {
        boolean alone = knows.presence().known() && !knows.presence().peerPresent();
        boolean takesOver =
                knows.memory().claimOn(knows.observation().replica()) instanceof Claim.TakeOver;
        if (alone && !takesOver && knows.hasSeat(MemberRole.ONE_OF_TWO)) {
            act(new Intent.Recover());
        }
    }

    /**
     * Either it does not answer, or it believes in a leader that the peer's does not know of: a
     * server whose work goes on notices within a second or two that the other half is missing.
     */
    private boolean hangs() {
        return knows.observation().server() == EtcdState.HUNG
                || knows.contradicted().compareTo(CONTRADICTION) > 0;
    }

    /** Ends a server that hangs. One that even SIGKILL does not end makes this node unfit. */
    private void kill() {
        journal.record(new JournalEvent.EtcdHung(knows.observation().words()));
        try {
            etcd.end(true, KILL_LIMIT);
        } catch (Failure e) {
            unfit = true;
            throw e;
        }
        observe(etcd.look());
    }

    /** The forced start was ordered and has not come to its end. */
    private boolean takingOver() {
        return knows.observation().starting()
                && knows.memory().forced()
                && !longerThan(REPAIR_LIMIT.plus(loading()), startedAt);
    }

    private Intent startIntent() {
        // An empty cluster is begun only when the peer has said that it has nothing either: the
        // mark on a reinstalled node must not found a second history beside the peer's.
        if (installation.open()
                && knows.observation().replica() instanceof Replica.Missing
                && knows.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                && theirs.replica() instanceof Replica.Missing) {
            return new Intent.Install(true);
        }
        return knows.memory().ran() && attempts.deathsInARow() > 0
                ? new Intent.ServerDied(attempts.deathsLately())
                : new Intent.Start();
    }

    /** Both nodes are there, this server runs, and it knows no leader. */
    private void leaderless() {
        if (!knows.presence().peerPresent()
                || knows.observation().silent()
                || !longerThan(LEADERLESS, knows.leaderlessSince())) {
            // Of a server that is silent nothing is known that the peer's word could be held to.
            return;
        }
        boolean cut = longerThan(PORTS_CUT.plus(loading()), knows.bothLeaderlessSince());
        act(cut ? new Intent.LeaderLost() : new Intent.Recover());
    }

    /** The peer's server has the same database, and may be reading it just now. */
    private Duration loading() {
        long megabytes = knows.observation().figures().databaseBytes() / 1_000_000;
        return PER_GIGABYTE.multipliedBy(megabytes).dividedBy(1000);
    }

    private boolean longerThan(Duration limit, long since) {
        return since != 0 && nanos.getAsLong() - since > limit.toNanos();
    }

    private void act(Intent intent) {
        carryOut(decide(intent), intent);
    }

    private Decision decide(Intent intent) {
        Situation now = knows.situation(intent);
        Decision decision = StartDecision.decide(now);
        Pending last = pending;
        if (last == null
                || !last.decision().equals(decision)
                || last.intent().getClass() != intent.getClass()) {
            String sentence = decision.sentence(self, peer);
            pending = new Pending(decision, intent, sentence, nanos.getAsLong());
            journal.record(new JournalEvent.Decided(sentence, decision, now));
        }
        return decision;
    }

    private void carryOut(Decision decision, Intent intent) {
        switch (decision) {
            case Decision.StartAsVoter() -> {
                if (!knows.observation().running()) {
                    startInPlace();
                }
            }
            case Decision.RestartInPlace(boolean killFirst) -> {
                if (killFirst && knows.observation().running()) {
                    kill();
                }
                if (!knows.observation().running()) {
                    restart();
                }
            }
            case StartAsSoleVoter alone -> goOnAlone(alone, intent);
            case Decision.Bootstrap() -> {
                started(false);
                etcd.found();
                observe(etcd.look());
            }
            case Decision.JoinAsLearner(Offer.JoinToken token, Decision.DataStep data) -> {
                if (knows.observation().running()
                        && token.equals(joinedWith)
                        && !longerThan(JOIN_LIMIT, startedAt)) {
                    // It was started for this very invitation and is still learning.
                    return;
                }
                if (data != Decision.DataStep.KEEP
                        && token.memberId() == knows.memory().joinedAs()) {
                    giveBack(token.memberId());
                    return;
                }
                if (knows.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                        && theirs.replica() instanceof Replica.Intact leaders) {
                    if (knows.observation().running()) {
                        etcd.end(true, END_LIMIT);
                    }
                    // Before anything of it can reach the leader.
                    knows.remember(draft -> draft.joinedAs = token.memberId());
                    knows.joins();
                    etcd.join(leaders.lineage(), data == Decision.DataStep.KEEP);
                    joinedWith = token;
                    attempts.forgetDeaths();
                    knows.offer(Offer.none());
                    startedAt = nanos.getAsLong();
                    // What was given up belonged to the data that were set aside.
                    knows.remember(draft -> {
                        draft.abdication = Abdication.none();
                        draft.claim = Claim.none();
                        draft.ran = true;
                        draft.forced = false;
                    });
                    observe(etcd.look());
                }
            }
            case Decision.StandDown(Decision.StandDownReason _) -> {
                if (knows.observation().running()) {
                    etcd.end(true, END_LIMIT);
                }
                knows.remember(draft ->
                        draft.abdication = new Abdication.StandDown(draft.lastAbdication + 1));
                // It comes back as a learner, and that server has not died yet.
                attempts.forgetDeaths();
                observe(etcd.look());
                errands.tellPeer();
            }
            case Decision.Wait(WaitFor _), Decision.Refuse(Refusal _) -> {
                // Said in the status; asked again with every event.
            }
            case Decision.HandLeadershipOver(), Decision.Depart(), Decision.Stop(_) ->
                    throw new IllegalStateException("only a stop is answered with " + decision);
        }
    }

    /**
     * A running server is stopped first, and the decision taken again on what its disk then says:
     * the end of the log is known only when nobody writes to it.
     */
    private void goOnAlone(StartAsSoleVoter first, Intent intent) {
        StartAsSoleVoter alone = first;
        if (alone.how() == Alone.CONTINUE) {
            if (!knows.observation().running()) {
                startInPlace();
            }
            return;
        }
        if (knows.observation().running()) {
            journal.record(
                    new JournalEvent.TakeOver(
                            JournalEvent.TakeOver.Phase.STOPPING, alone.lineage().current()));
            etcd.end(true, END_LIMIT);
            observe(etcd.look());
            if (!(decide(intent) instanceof StartAsSoleVoter again)
                    || again.how() == Alone.CONTINUE) {
                carryOut(decide(intent), intent);
                return;
            }
            alone = again;
        }
        StartAsSoleVoter decided = alone;
        knows.remember(draft -> draft.claim = new Claim.TakeOver(decided.lineage().current()));
        started(true);
        journal.record(
                new JournalEvent.TakeOver(
                        JournalEvent.TakeOver.Phase.FORCING, decided.lineage().current()));
        etcd.takeOver(decided.lineage());
        observe(etcd.look());
        journal.record(
                new JournalEvent.TakeOver(
                        JournalEvent.TakeOver.Phase.STARTED, decided.lineage().current()));
    }

    /**
     * A learner that dies at every start has got data that are no good. The leader has all of them,
     * so they are not worth another try: it asks for another seat to start over on.
     */
    private void restart() {
        if (knows.observation().replica() instanceof Replica.Intact log
                && log.role() == MemberRole.LEARNER
                && attempts.deathsLately() >= deathsBeforeGivingUp) {
            giveBack(log.memberId());
        } else {
            startInPlace();
        }
    }

    private void startInPlace() {
        started(false);
        etcd.startInPlace();
        observe(etcd.look());
    }

    private void started(boolean forced) {
        startedAt = nanos.getAsLong();
        knows.remember(draft -> {
            draft.ran = true;
            draft.forced = forced;
        });
    }

    /**
     * The leader counts what the member of this seat has stored, and that is gone or no good:
     * etcd's server would end at the leader's first word. The leader takes the seat off and makes
     * another.
     */
    private void giveBack(long memberId) {
        if (!(knows.facts().offer() instanceof Offer.GivenBack)) {
            journal.record(new JournalEvent.AnotherSeatRequested(memberId));
        }
        knows.offer(new Offer.GivenBack(memberId));
        errands.tellPeer();
    }

    // ---- what can be told ---------------------------------------------------------------------

    public NodeFacts facts() {
        return knows.facts();
    }

    public FenceKnowledge forKubernetes() {
        return knows.forKubernetes();
    }

    public Incident incident() {
        return knows.incident();
    }

    public PeerView peerView() {
        return knows.peerView();
    }

    public EtcdObservation observation() {
        return knows.observation();
    }

    public Presence presence() {
        return knows.presence();
    }

    DurableState memory() {
        return knows.memory();
    }

    /** Two histories of which a person has to choose one. */
    public record Fork(Replica.Intact mine, NodeFacts peer, Replica.Intact theirs) {}

    /** What there is to choose on this node; empty where the histories agree or etcd runs here. */
    public Optional<Fork> fork() {
        return !knows.observation().running()
                        && knows.observation().replica() instanceof Replica.Intact mine
                        && knows.peerView() instanceof PeerView.FactsKnown(NodeFacts theirs)
                        && theirs.replica() instanceof Replica.Intact log
                        && History.relate(mine, log) == History.Relation.FORKED
                ? Optional.of(new Fork(mine, theirs, log))
                : Optional.empty();
    }

    public Optional<Pending> pending() {
        return Optional.ofNullable(pending);
    }

    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    /** etcd here neither serves nor can be stopped; somebody else has to switch this node off. */
    public boolean unfit() {
        return unfit;
    }

    public boolean wantsEtcd() {
        return knows.memory().wanted();
    }

    /** Nothing can be done here until the peer, or a person, has done their part. */
    public boolean waitsForOthers() {
        Pending now = pending;
        if (now == null) {
            return false;
        }
        return switch (now.decision()) {
            case Decision.Wait(WaitFor what) -> what.owner() == WaitFor.Owner.PEER;
            case Decision.Refuse(Refusal _) -> true;
            // It runs, and one of two voters elects nobody: the vote of the peer's is missing.
            case Decision.StartAsVoter(), Decision.RestartInPlace(_) ->
                    knows.observation().server() == EtcdState.LEADERLESS
                            && knows.presence().peerPresent();
            default -> false;
        };
    }

    /** How long a server that does not serve is being repaired rather than broken. */
    public Duration patience() {
        Pending now = pending;
        Duration limit = REPAIR_LIMIT.plus(loading());
        if (now == null) {
            return limit;
        }
        return switch (now.decision()) {
            case Decision.JoinAsLearner _ -> JOIN_LIMIT;
            case Decision.Wait(WaitFor what) when what.limit().compareTo(limit) > 0 -> what.limit();
            default -> limit;
        };
    }

    /** Whether a learner is catching up, so that facts are wanted more often. */
    public boolean reconciles() {
        return leading.reconciles();
    }

    /** How long etcd has not served here; empty while it does. */
    public Optional<Duration> down() {
        return knows.down();
    }

    /** What this node waits for or does, in a sentence. */
    public String sentence() {
        Pending now = pending;
        String text = trouble;
        if (knows.observation().serves()) {
            return "etcd serves";
        }
        if (knows.observation().server() == EtcdState.UNSEEN) {
            return "tandem-agent cannot see its own etcd: " + knows.observation().words();
        }
        if (text != null) {
            return text;
        }
        if (now != null) {
            return now.sentence();
        }
        if (knows.memory().wanted()) {
            return "etcd has no leader yet (" + knows.observation().words() + ")";
        }
        boolean inert =
                knows.presence().known()
                        && !knows.presence().peerPresent()
                        && !knows.presence().quorate()
                        && !knows.memory().met();
        return inert
                ? new Decision.Wait(WaitFor.PEER_RETURN).sentence(self, peer)
                : "Pacemaker has not started etcd here";
    }
}
