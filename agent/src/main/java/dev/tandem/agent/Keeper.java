package dev.tandem.agent;

import dev.tandem.agent.LocalEtcd.Sight;
import dev.tandem.core.Failure;
import dev.tandem.core.decision.BootId;
import dev.tandem.core.decision.Claim;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Decision.Alone;
import dev.tandem.core.decision.Decision.StartAsSoleVoter;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Hearing;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.Membership;
import dev.tandem.core.decision.NodeFacts;
import dev.tandem.core.decision.NodeName;
import dev.tandem.core.decision.Offer;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PeerView;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.Replica;
import dev.tandem.core.decision.Replica.Seat;
import dev.tandem.core.decision.Server;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.StartDecision;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.decision.Word;
import dev.tandem.core.decision.Yield;
import dev.tandem.host.etcd.EtcdApi.Member;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
final class Keeper {
    /** The servers elect within two seconds; after that, silence between them is no hiccup. */
    private static final Duration LEADERLESS = Duration.ofSeconds(3);

    /** Longer than a peer's restart in place takes; then the ports between them are cut. */
    private static final Duration PORTS_CUT = Duration.ofSeconds(15);

    /** A repair that takes longer is not in progress any more, whatever it hopes for. */
    static final Duration REPAIR_LIMIT = Duration.ofSeconds(60);

    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /** What is done elsewhere, in its own time. */
    interface Errands {
        /** Exchange facts with the peer now rather than at the next heartbeat. */
        void tellPeer();

        /** A step of the leader; ends with {@link Keeper#stepped}. */
        void lead(Step step);

        /** Give leadership to the peer's server. */
        void handOver();

        /** Something may have changed that somebody waits for. */
        void changed();
    }

    /** Membership as Corosync tells it. */
    record Presence(boolean known, boolean peerPresent, boolean quorate, boolean waitsForAll) {
        static final Presence UNKNOWN = new Presence(false, false, false, false);
    }

    /**
     * What the node is about to do, or waits for.
     *
     * @param sinceNanos since when, by the monotonic clock
     */
    record Pending(Decision decision, Intent intent, String sentence, long sinceNanos) {}

    private final NodeName self;
    private final NodeName peer;
    private final BootId boot;
    private final URI peerUrl;
    private final Policy policy;
    private final LocalEtcd etcd;
    private final Memory.Store store;
    private final Journal journal;
    private final Installation installation;
    private final Errands errands;
    private final InstantSource clock;
    private final LongSupplier nanos;

    private Memory memory;
    private Hearing hearing;
    private Sight sight;
    private Presence presence = Presence.UNKNOWN;
    private Offer offer = Offer.none();
    private PowerReading peerPower = PowerReading.UNKNOWN;

    private int deaths;
    private int failures;
    private boolean served;
    private long downSince;
    private long notBefore;
    private long leaderlessSince;
    private long startedAt;
    private Offer joinedWith = Offer.none();
    private boolean stepUnderWay;
    private @Nullable Pending pending;
    private @Nullable String trouble;

    Keeper(
            NodeName self,
            NodeName peer,
            BootId boot,
            URI peerUrl,
            Policy policy,
            LocalEtcd etcd,
            Memory.Store store,
            Journal journal,
            Installation installation,
            Errands errands,
            InstantSource clock,
            LongSupplier nanos) {
        this.self = self;
        this.peer = peer;
        this.boot = boot;
        this.peerUrl = peerUrl;
        this.policy = policy;
        this.etcd = etcd;
        this.store = store;
        this.journal = journal;
        this.installation = installation;
        this.errands = errands;
        this.clock = clock;
        this.nanos = nanos;
        this.memory = store.read(boot);
        this.hearing = new Hearing(memory.peer(), 0, memory.peerKnownNotAhead());
        this.sight = etcd.look();
        this.downSince = nanos.getAsLong();
        store.write(memory);
    }

    /** The mark of a running installation. */
    interface Installation {
        boolean open();

        /** For good: from now on this node never begins an empty cluster. */
        void close();
    }

    // ---- what happens -------------------------------------------------------------------------

    /** etcd was looked at. */
    void saw(Sight now) {
        if (now.generation() < sight.generation()) {
            // Looked at before the server was started or stopped by us; that is history.
            return;
        }
        boolean wasRunning = sight.running();
        observe(now);
        if (wasRunning && !now.running() && memory.wanted()) {
            deaths++;
            journal.record("etcd-ended", Map.of("deathsInARow", deaths));
            if (deaths > 1) {
                pauseFor(deaths - 1);
            }
        }
        step();
    }

    /** Takes a sight in, and since when things are as they are. */
    private void observe(Sight now) {
        sight = now;
        if (now.serves()) {
            if (!served) {
                journal.record(
                        "serving",
                        Map.of(
                                "server", now.server(),
                                "seat", seat().map(Enum::name).orElse("none")));
            }
            served = true;
            deaths = 0;
            failures = 0;
            notBefore = 0;
            leaderlessSince = 0;
            trouble = null;
            return;
        }
        if (served) {
            served = false;
            downSince = nanos.getAsLong();
        }
        if (now.server() != Server.LEADERLESS) {
            leaderlessSince = 0;
        } else if (leaderlessSince == 0) {
            leaderlessSince = nanos.getAsLong();
        }
    }

    /** Corosync was asked. Silence of Corosync says nothing about the peer. */
    void membership(Presence now) {
        if (!now.known()) {
            return;
        }
        if (now.peerPresent() != presence.peerPresent() || !presence.known()) {
            journal.record(
                    "membership",
                    Map.of("peerPresent", now.peerPresent(), "quorate", now.quorate()));
        }
        presence = now;
        if (now.peerPresent() && !memory.met()) {
            remember(memory.with(draft -> draft.met = true));
        }
        step();
    }

    /** The peer asked, and its question carried a word; this node's word is the answer. */
    Word asked(Word theirs) {
        take(hearing.take(facts(), theirs));
        step();
        return hearing.say(facts());
    }

    /** The question for the peer, to be kept until the answer is there. */
    Question question() {
        NodeFacts mine = facts();
        return new Question(mine, hearing.say(mine), hearing.count());
    }

    /** What was sent, from which facts, and how often the peer had been heard by then. */
    record Question(NodeFacts mine, Word word, long count) {}

    /** The peer answered. */
    void answered(Question question, Word theirs) {
        if (hearing.count() != question.count()) {
            return;
        }
        take(hearing.answered(facts(), theirs, question.count()));
        step();
        lead(question.mine());
    }

    private void take(Hearing.Taken taken) {
        NodeFacts after = taken.mine();
        PeerView before = hearing.view();
        if (!after.replica().equals(sight.replica())) {
            complete(after.replica());
        }
        offer = after.offer();
        hearing = taken.hearing();
        remember(
                memory.with(draft -> {
                    draft.yield = after.yield();
                    draft.released = after.released();
                    draft.peer = hearing.view();
                    draft.peerKnownNotAhead = hearing.peerKnownNotAhead();
                }));
        if (hearing.view() instanceof PeerView.Greeted) {
            // Now that each knows the other's boot, facts can be told.
            errands.tellPeer();
        } else if (hearing.view() instanceof PeerView.Heard(NodeFacts theirs)
                && !(before instanceof PeerView.Heard && before.isIn(theirs.boot()))) {
            journal.record("heard", Map.of("peer", theirs));
        }
        errands.changed();
    }

    private void complete(Replica replica) {
        etcd.markComplete();
        sight =
                new Sight(
                        sight.generation(),
                        sight.server(),
                        replica,
                        sight.starting(),
                        sight.members(),
                        sight.figures(),
                        sight.words());
        journal.record("complete", Map.of("replica", replica));
    }

    /** The peer's power was read as Off after it had been switched off. */
    void fenced(String method, PowerReading observed) {
        peerPower = observed;
        if (!(hearing.view() instanceof PeerView.Heard(NodeFacts theirs))) {
            journal.record("fenced-unheard", Map.of("method", method, "observed", observed));
            return;
        }
        PeerProof proof =
                new PeerProof.Fenced(peer, theirs.boot(), method, observed, clock.instant());
        boolean known =
                memory.proofs().stream()
                        .anyMatch(old ->
                                old instanceof PeerProof.Fenced fenced
                                        && fenced.peerBoot().equals(theirs.boot())
                                        && fenced.observed() == observed);
        if (!known) {
            remember(memory.with(draft -> draft.proofs.add(proof)));
            journal.record("fenced", Map.of("receipt", proof));
        }
        step();
    }

    /** A person vouches for the peer's state, in this very situation. */
    void stated(PeerProof.Statement statement, PowerReading bmc, String person) {
        peerPower = bmc;
        PeerProof word =
                new PeerProof.Stated(statement, peer, incident(), bmc, person, clock.instant());
        journal.record("stated", Map.of("statement", word));
        remember(memory.with(draft -> draft.proofs.add(word)));
        step();
    }

    /** The peer's BMC was read in passing. */
    void peerPower(PowerReading reading) {
        peerPower = reading;
    }

    /** Pacemaker starts etcd here. */
    void startRequested() {
        if (!memory.wanted()) {
            journal.record("start-requested", Map.of());
            downSince = nanos.getAsLong();
            notBefore = 0;
        }
        remember(memory.with(draft -> draft.wanted = true));
        step();
    }

    /** Pacemaker stops etcd here. From now on nothing starts it again. */
    void stopRequested() {
        journal.record("stop-requested", Map.of());
        remember(memory.with(draft -> draft.wanted = false));
        pending = null;
    }

    /** How to stop, asked again after each step of it. */
    Decision leave(boolean timeIsUp) {
        return decide(new Intent.Leave(timeIsUp));
    }

    /** This node gives up its right before it leaves. */
    void depart() {
        remember(memory.with(draft -> draft.yield = new Yield.Departure(draft.lastYield + 1)));
        journal.record("departure", Map.of("yield", memory.yield()));
        errands.tellPeer();
    }

    /** Ends etcd; call it after {@link #stopRequested}. */
    void end(boolean atOnce, Duration limit) {
        etcd.end(atOnce, limit);
        observe(etcd.look());
        journal.record("stopped", Map.of());
        errands.tellPeer();
        errands.changed();
    }

    /** A step of the leader has been tried; what it offers the peer now, if that changed. */
    void stepped(Step step, Optional<Offer> next, String outcome) {
        stepUnderWay = false;
        journal.record("led", Map.of("step", step, "outcome", outcome));
        next.ifPresent(value -> offer = value);
        errands.tellPeer();
    }

    // ---- what is done about it ----------------------------------------------------------------

    private void step() {
        try {
            if (memory.wanted()) {
                wanted();
            }
        } catch (Failure e) {
            trouble = e.what() + ": " + e.why();
            journal.record("failed", Map.of("what", e.what(), "why", e.why(), "do", e.remedy()));
            failures++;
            pauseFor(failures);
            observe(etcd.look());
        }
        errands.changed();
    }

    private void wanted() {
        if (!sight.running()) {
            if (nanos.getAsLong() - notBefore < 0) {
                return;
            }
            act(startIntent());
            return;
        }
        if (sight.server() == Server.HUNG) {
            act(new Intent.ServerHung());
            return;
        }
        boolean alone = presence.known() && !presence.peerPresent();
        boolean sole = seat().filter(s -> s == Seat.SOLE).isPresent();
        boolean half = seat().filter(s -> s == Seat.ONE_OF_TWO).isPresent();
        if (memory.claimOn(sight.replica()) instanceof Claim.TakeOver) {
            if (takingOver() || (sole && !sight.starting() && !sight.serves())) {
                return;
            }
            if (!sole || sight.starting()) {
                act(new Intent.Recover());
                return;
            }
            remember(memory.with(draft -> draft.claim = Claim.none()));
        }
        if (alone && (half || !sight.serves())) {
            act(new Intent.Recover());
            return;
        }
        if (sight.serves()) {
            pending = null;
            if (installation.open() && sight.replica() instanceof Replica.Log) {
                installation.close();
                journal.record("installed", Map.of());
            }
            restoreTimers();
            return;
        }
        leaderless();
    }

    /** The forced start was ordered and has not come to its end. */
    private boolean takingOver() {
        return sight.starting() && memory.shortTimers() && !longerThan(REPAIR_LIMIT, startedAt);
    }

    private Intent startIntent() {
        // An empty cluster is begun only when the peer has said that it has nothing either: the
        // mark on a reinstalled node must not found a second history beside the peer's.
        if (installation.open()
                && sight.replica() instanceof Replica.Missing
                && hearing.view() instanceof PeerView.Heard(NodeFacts theirs)
                && theirs.replica() instanceof Replica.Missing) {
            return new Intent.Install(true);
        }
        return memory.ran() && deaths > 0 ? new Intent.ServerDied(deaths) : new Intent.Start();
    }

    /** Both nodes are there, this server runs, and it knows no leader. */
    private void leaderless() {
        if (!presence.peerPresent() || !longerThan(LEADERLESS, leaderlessSince)) {
            return;
        }
        boolean cut =
                hearing.view() instanceof PeerView.Heard(NodeFacts theirs)
                        && theirs.server() == Server.LEADERLESS
                        && longerThan(PORTS_CUT, leaderlessSince);
        act(cut ? new Intent.LeaderLost() : new Intent.Recover());
    }

    /** 1, 2, 4, 8 s and no longer. */
    private void pauseFor(int times) {
        Duration pause = Duration.ofSeconds(1L << Math.min(times - 1, 3));
        notBefore = nanos.getAsLong() + pause.toNanos();
    }

    private boolean longerThan(Duration limit, long since) {
        return since != 0 && nanos.getAsLong() - since > limit.toNanos();
    }

    private void act(Intent intent) {
        carryOut(decide(intent), intent);
    }

    private Decision decide(Intent intent) {
        Situation now =
                new Situation(
                        facts(), hearing.view(), proofs(), membershipForCore(), policy, intent);
        Decision decision = StartDecision.decide(now);
        Pending last = pending;
        if (last == null
                || !last.decision().equals(decision)
                || last.intent().getClass() != intent.getClass()) {
            String sentence = decision.sentence(self, peer);
            pending = new Pending(decision, intent, sentence, nanos.getAsLong());
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("sentence", sentence);
            entry.put("decision", decision);
            entry.put("situation", now);
            journal.record("decision", entry);
        }
        return decision;
    }

    private void carryOut(Decision decision, Intent intent) {
        switch (decision) {
            case Decision.StartAsVoter() -> {
                if (!sight.running()) {
                    startInPlace();
                }
            }
            case Decision.RestartInPlace(boolean killFirst) -> {
                if (killFirst && sight.running()) {
                    etcd.end(true, END_LIMIT);
                    observe(etcd.look());
                }
                if (!sight.running()) {
                    startInPlace();
                }
            }
            case StartAsSoleVoter alone -> goOnAlone(alone, intent);
            case Decision.Bootstrap() -> {
                started(false);
                etcd.found();
                observe(etcd.look());
            }
            case Decision.JoinAsLearner(Offer.JoinToken token, Decision.DataStep data) -> {
                if (sight.running()
                        && token.equals(joinedWith)
                        && !longerThan(REPAIR_LIMIT, startedAt)) {
                    // It was started for this very invitation and needs a moment to connect.
                    return;
                }
                if (hearing.view() instanceof PeerView.Heard(NodeFacts theirs)
                        && theirs.replica() instanceof Replica.Log leaders) {
                    if (sight.running()) {
                        etcd.end(true, END_LIMIT);
                    }
                    etcd.join(leaders.lineage(), data == Decision.DataStep.KEEP);
                    joinedWith = token;
                    startedAt = nanos.getAsLong();
                    // What was given up belonged to the data that were set aside.
                    remember(
                            memory.with(draft -> {
                                draft.yield = Yield.none();
                                draft.claim = Claim.none();
                                draft.ran = true;
                                draft.shortTimers = false;
                            }));
                    observe(etcd.look());
                }
            }
            case Decision.StandDown(Decision.StandDownReason _) -> {
                if (sight.running()) {
                    etcd.end(true, END_LIMIT);
                }
                remember(
                        memory.with(
                                draft -> draft.yield = new Yield.StandDown(draft.lastYield + 1)));
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
            if (!sight.running()) {
                startInPlace();
            }
            return;
        }
        if (sight.running()) {
            journal.record("take-over", Map.of("phase", "stopping"));
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
        remember(
                memory.with(
                        draft -> draft.claim = new Claim.TakeOver(decided.lineage().current())));
        started(true);
        journal.record(
                "take-over", Map.of("phase", "forcing", "epoch", decided.lineage().current()));
        etcd.takeOver(decided.lineage());
        observe(etcd.look());
        journal.record("take-over", Map.of("phase", "started"));
    }

    private void startInPlace() {
        started(false);
        etcd.startInPlace();
        observe(etcd.look());
    }

    private void started(boolean withShortTimers) {
        startedAt = nanos.getAsLong();
        remember(
                memory.with(draft -> {
                    draft.ran = true;
                    draft.shortTimers = withShortTimers;
                }));
    }

    /**
     * A take-over starts etcd with short timers. A leader of two with such timers would step down
     * at every hiccup, so they go as soon as either node can do without the other for a moment.
     */
    private void restoreTimers() {
        if (!memory.shortTimers()
                || Health.of(facts()) != Health.REDUNDANT
                || !(hearing.view() instanceof PeerView.Heard(NodeFacts theirs))
                || !presence.peerPresent()
                || Health.of(theirs) != Health.REDUNDANT) {
            return;
        }
        if (sight.server() == Server.LEADING) {
            errands.handOver();
            return;
        }
        journal.record("normal-timers", Map.of());
        etcd.end(false, END_LIMIT);
        observe(etcd.look());
        startInPlace();
    }

    /**
     * @param before this node's facts as they were sent to the peer, before it answered
     */
    private void lead(NodeFacts before) {
        if (stepUnderWay || !memory.wanted() || sight.server() != Server.LEADING) {
            return;
        }
        Step step =
                LeaderDecision.next(before, hearing.view(), membershipForCore(), listed(), true);
        if (step instanceof Step.Nothing) {
            return;
        }
        if (step instanceof Step.Invite(Offer.JoinToken token)) {
            offer = token;
            journal.record("led", Map.of("step", step, "outcome", "offered"));
            errands.tellPeer();
            return;
        }
        if (step instanceof Step.MarkComplete
                && sight.replica() instanceof Replica.Log log
                && !log.complete()) {
            complete(
                    new Replica.Log(
                            log.lineage(),
                            log.term(),
                            log.lastIndex(),
                            log.commitIndex(),
                            log.seat(),
                            true,
                            log.memberId()));
            return;
        }
        stepUnderWay = true;
        errands.lead(step);
    }

    private Listed listed() {
        for (Member member : sight.members()) {
            if (member.peerUrls().contains(peerUrl)) {
                return member.learner()
                        ? new Listed.Learner(member.id().bits())
                        : new Listed.Voter(member.id().bits());
            }
        }
        return new Listed.Nowhere();
    }

    private void remember(Memory next) {
        boolean same = next.sameButForFigures(memory);
        memory = next;
        if (!same) {
            store.write(next);
        }
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
        if (hearing.view() instanceof PeerView.Heard(NodeFacts theirs)
                && !(theirs.yield() instanceof Yield.None)) {
            all.add(new PeerProof.Yielded(theirs.yield()));
        }
        if (policy.startAloneWhenPeerIsHeldOff() && peerPower == PowerReading.OFF) {
            all.add(new PeerProof.HeldOff(peer, peerPower, clock.instant()));
        }
        return all;
    }

    private Membership membershipForCore() {
        return new Membership(
                peer,
                memory.met() || presence.peerPresent(),
                presence.peerPresent(),
                memory.peerKnownNotAhead());
    }

    // ---- what can be told ---------------------------------------------------------------------

    NodeFacts facts() {
        Replica replica = sight.replica();
        return new NodeFacts(
                self,
                boot,
                replica,
                sight.server(),
                memory.yield(),
                memory.claimOn(replica),
                memory.released(),
                offer);
    }

    Incident incident() {
        return Incident.of(facts(), hearing.view());
    }

    PeerView peerView() {
        return hearing.view();
    }

    Sight sight() {
        return sight;
    }

    Presence presence() {
        return presence;
    }

    Memory memory() {
        return memory;
    }

    Optional<Pending> pending() {
        return Optional.ofNullable(pending);
    }

    Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    boolean wantsEtcd() {
        return memory.wanted();
    }

    /** Nothing can be done here until the peer has done its part. */
    boolean waitsForPeer() {
        Pending now = pending;
        return now != null
                && now.decision() instanceof Decision.Wait(WaitFor what)
                && what.owner() == WaitFor.Owner.PEER;
    }

    /** How long a server that does not serve is being repaired rather than broken. */
    Duration patience() {
        Pending now = pending;
        return now != null
                        && now.decision() instanceof Decision.Wait(WaitFor what)
                        && what.limit().compareTo(REPAIR_LIMIT) > 0
                ? what.limit()
                : REPAIR_LIMIT;
    }

    /** Whether a learner is catching up, so that facts are wanted more often. */
    boolean reconciles() {
        return sight.server() == Server.LEADING
                && (!(listed() instanceof Listed.Voter)
                        || !(hearing.view() instanceof PeerView.Heard(NodeFacts theirs)
                                && theirs.replica() instanceof Replica.Log log
                                && log.complete()));
    }

    /** How long etcd has not served here; empty while it does. */
    Optional<Duration> down() {
        return sight.serves()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(nanos.getAsLong() - downSince));
    }

    /** What this node waits for or does, in a sentence. */
    String sentence() {
        Pending now = pending;
        String text = trouble;
        if (sight.serves()) {
            return "etcd serves";
        }
        if (text != null) {
            return text;
        }
        if (now != null) {
            return now.sentence();
        }
        return memory.wanted()
                ? "etcd has no leader yet (" + sight.words() + ")"
                : "Pacemaker has not started etcd here";
    }

    private Optional<Seat> seat() {
        return sight.replica() instanceof Replica.Log log
                ? Optional.of(log.seat())
                : Optional.empty();
    }
}
