package dev.tandem.drill.scenario;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.drill.audit.Moment;
import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.drill.report.Outcome;
import dev.tandem.host.Commands;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.Unmet;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Where a scenario plays: a pair that was well when it began, and a client that has been writing
 * since. Everything a scenario asks of journals and timeline is about its own time only.
 */
public final class ScenarioContext {
    /** Generous: the machine of a build may be busy. Figures hold the bounds, limits do not. */
    static final Duration RECOVERY = Duration.ofSeconds(90);

    static final Duration REDUNDANCY = Duration.ofMinutes(4);
    static final Duration SHORT = Duration.ofSeconds(20);

    /** Longer than the delay of the node that lets its peer fence first, and the fence itself. */
    private static final Duration CALM = Duration.ofSeconds(15);

    private static final Duration LOOK = Duration.ofMillis(500);
    private static final Duration FRESH = Duration.ofMillis(300);
    private static final int WARM = 30;

    private static final String FIRST = Pair.NODES.getFirst();
    private static final String PLAN = "/root/site/plan.yaml";
    private static final String CHANGED_PLAN = "/root/site/changed.yaml";

    private final Pair pair;
    private final Writer writer;
    private final Moment began;
    private final Consumer<String> listener;
    private final List<Outcome.Mark> steps = new ArrayList<>();
    private final List<Outcome.Figure> figures = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final List<ScenarioActs.Act> causes = new ArrayList<>();
    private final List<ScenarioActs.Act> persons = new ArrayList<>();
    private final List<ScenarioActs.Act> lies = new ArrayList<>();

    public ScenarioContext(Pair pair, Writer writer, Moment began, Consumer<String> listener) {
        this.pair = pair;
        this.writer = writer;
        this.began = began;
        this.listener = listener;
    }

    public Pair pair() {
        return pair;
    }

    public Lab lab() {
        return pair.lab();
    }

    public NodeHandle node(String name) {
        return lab().node(name);
    }

    public Writer writer() {
        return writer;
    }

    /** Says what comes now; the report has it with its time. Returns that moment in nanoseconds. */
    public long step(String what) {
        long now = System.nanoTime();
        steps.add(new Outcome.Mark(began.millisTo(now), Outcome.Mark.DRILL, "step", what));
        listener.accept(what);
        return now;
    }

    public List<Outcome.Mark> steps() {
        return steps;
    }

    public List<Outcome.Figure> figures() {
        return figures;
    }

    /** What did not hold and did not end the scenario. */
    public List<String> findings() {
        return findings;
    }

    /** What the scenario did that audits have to know. */
    public ScenarioActs excuses() {
        return new ScenarioActs(causes, persons, lies);
    }

    /**
     * A step that makes a recovery impossible, by other means than the lab's faults, which the
     * audits see without it: a status is given time to notice.
     */
    public long cause(String what) {
        long now = step(what);
        causes.add(new ScenarioActs.Act(now, what));
        return now;
    }

    /**
     * A step that a person has to do: what comes back after it did not come back without a person.
     */
    public long person(String what) {
        long now = step(what);
        persons.add(new ScenarioActs.Act(now, what));
        return now;
    }

    /**
     * A step after which the BMC of a node reads Off falsely. The first take-over by its peer that
     * follows such a reading has no better proof and is excused; no other one is.
     */
    public long falseOff(String node, String what) {
        long now = step(what);
        lies.add(new ScenarioActs.Act(now, node));
        node(node).bmcBehaves(BmcBehaviour.FAULTLESS.withFalseOffs(1));
        return now;
    }

    // ---- who and how ---------------------------------------------------------------------------

    /** The node whose server leads. */
    public String leader() {
        List<String> found = new ArrayList<>();
        await(
                "one server leads",
                SHORT,
                () ->
                        Pair.NODES.stream()
                                .filter(pair::leads)
                                .findFirst()
                                .map(found::add)
                                .isPresent());
        return found.getLast();
    }

    public String follower() {
        return Pair.peerOf(leader());
    }

    /** Whether a node's journal has such an event since the scenario began. */
    public boolean happened(String node, Class<? extends JournalEvent> event) {
        return happened(node, event, began.nanoTime());
    }

    /** Whether a node's journal has such an event since a moment of {@link System#nanoTime}. */
    public boolean happened(String node, Class<? extends JournalEvent> event, long sinceNanos) {
        return !journal(node, event, sinceNanos).isEmpty();
    }

    /** The events of one kind in a node's journal since a moment. */
    public <E extends JournalEvent> List<E> journal(String node, Class<E> event, long sinceNanos) {
        return pair.journalSince(node, sinceNanos).stream()
                .map(JournalLine::event)
                .filter(event::isInstance)
                .map(event::cast)
                .toList();
    }

    /** What the status of a node says in one sentence; empty while its agent is silent. */
    public String sentence(String node) {
        return pair.status(node).map(AgentStatus::sentence).orElse("");
    }

    /** Whether a node refuses to start etcd, for that reason. */
    public boolean refuses(String node, Refusal refusal) {
        return pair.status(node)
                .map(AgentStatus::pending)
                .filter(pending -> pending.refuses() == refusal)
                .isPresent();
    }

    /** Whether the sentence that people read on a node says that it waits for this. */
    public boolean saysThatItWaits(String node, WaitFor what) {
        return sentence(node)
                .contains(
                        what.decision()
                                .sentence(new NodeName(node), new NodeName(Pair.peerOf(node))));
    }

    /** Machines that ran and were switched off by a node, not by the drill. */
    public int shots() {
        return (int)
                atBmcs(BmcEvent.Kind.POWERED_OFF).stream().filter(event -> !event.byLab()).count();
    }

    /** What happened at the BMCs since the scenario began, of one kind. */
    List<TimelineEvent.Bmc> atBmcs(BmcEvent.Kind kind) {
        return timeline().stream()
                .map(Timeline.Entry::event)
                .filter(TimelineEvent.Bmc.class::isInstance)
                .map(TimelineEvent.Bmc.class::cast)
                .filter(event -> event.kind() == kind)
                .toList();
    }

    // ---- waiting -------------------------------------------------------------------------------

    public void await(String what, Duration limit, Callable<Boolean> condition) {
        lab().await(what, limit, condition);
    }

    /** Waits until some writes have been acknowledged from now on. */
    public void awaitWrites() {
        int before = writer.acknowledgedSoFar();
        await(
                "writes are acknowledged",
                RECOVERY,
                () -> writer.acknowledgedSoFar() > before + WARM);
    }

    public void awaitHealth(String node, NodeHealth health, Duration limit) {
        await(node + " says that it is " + health, limit, () -> pair.is(node, health));
    }

    /** Waits until a node serves without its peer, and writes are acknowledged. */
    public void awaitAlone(String node) {
        awaitHealth(node, NodeHealth.ALONE, RECOVERY);
        await(
                "writes go on",
                RECOVERY,
                () -> writer.firstAfter(System.nanoTime() - FRESH.toNanos()).isPresent());
    }

    public void awaitEvent(
            String node, Class<? extends JournalEvent> event, long sinceNanos, Duration limit) {
        await(
                "the journal of %s has %s".formatted(node, event.getSimpleName()),
                limit,
                () -> happened(node, event, sinceNanos));
    }

    public void awaitSettled() {
        pair.awaitRedundant(REDUNDANCY);
    }

    /**
     * Waits until the pair is settled and stays so: a fence that was ordered before the fault ended
     * may come after it.
     */
    public void awaitCalm() {
        long[] since = {0};
        await(
                "the pair is settled, and still is 15 s later",
                REDUNDANCY,
                () -> {
                    if (!pair.isRedundant()) {
                        since[0] = 0;
                        return false;
                    }
                    long now = System.nanoTime();
                    if (since[0] == 0) {
                        since[0] = now;
                    }
                    return now - since[0] > CALM.toNanos();
                });
    }

    public void awaitOff(String node, Duration limit) {
        await(node + " is off", limit, () -> node(node).status().state() == LabStatus.State.OFF);
    }

    public void awaitUp(String node) {
        await(node + " has booted", RECOVERY, () -> node(node).isUp());
    }

    /** Waits until the agent of a node answers. */
    public void awaitAgent(String node) {
        await("the agent of " + node + " answers", RECOVERY, () -> pair.status(node).isPresent());
    }

    /** Watches for a while that something holds all the time. */
    public void holds(String what, Duration time, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            expect(condition.call(), what);
            pause(LOOK);
        }
    }

    /** Lets time pass, where the incident is that nothing happens for a while. */
    public void pause(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }

    /**
     * For a while this node, which has booted and not met its peer, runs no etcd and orders no
     * fence.
     */
    public void holdsInert(String node, Duration time) throws Exception {
        long since = System.nanoTime();
        holds(
                node + " is inert: no etcd, no fence, nothing served",
                time,
                () ->
                        !runsEtcd(node)
                                && !happened(node, JournalEvent.FenceOrdered.class, since)
                                && !pair.is(node, NodeHealth.ALONE));
    }

    public boolean runsEtcd(String node) {
        return node(node).run(SHORT, "pidof", "etcd").ok();
    }

    // ---- doing ---------------------------------------------------------------------------------

    public void powerOn(String node) {
        node(node).power(LabRequest.PowerAction.ON);
    }

    /** The node is asked to shut down and does so in its own time. */
    public void shutDown(String node) {
        node(node).run(SHORT, "systemctl", "poweroff", "--no-block");
    }

    /**
     * A person gives up what was acknowledged since a moment: it is not missed afterwards, and
     * revisions may begin again below it.
     */
    public void lossIsAccepted(long sinceNanos) {
        writer.forgetSince(sinceNanos);
    }

    /** Applies the plan of the site with one more line; with none it is the old one again. */
    public void apply(String line) {
        node(FIRST).write(CHANGED_PLAN, "0600", node(FIRST).read(PLAN) + line + "\n");
        must(FIRST, "tandem", "cluster", "apply", "--yes", CHANGED_PLAN);
    }

    /** Runs a program in a node that has to succeed. */
    public String must(String node, String... command) {
        return node(node).must(Duration.ofMinutes(2), command);
    }

    /** A person states on {@code self}, in the present incident, that its peer is off. */
    public void confirmPeerOff(String self, String... more) {
        persons.add(new ScenarioActs.Act(System.nanoTime(), "confirm-peer-off"));
        String peer = Pair.peerOf(self);
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "tandem",
                                "confirm-peer-off",
                                peer,
                                "--incident",
                                pair.status(self).orElseThrow().incident(),
                                "--typed",
                                peer));
        command.addAll(List.of(more));
        node(self).must(Duration.ofMinutes(2), command, "");
    }

    /** A person on {@code self} would keep its peer's history; without more, nobody is asked. */
    public Commands.Output keepHistory(String self, String... more) {
        persons.add(new ScenarioActs.Act(System.nanoTime(), "keep-history"));
        List<String> command =
                new ArrayList<>(List.of("tandem", "keep-history", Pair.peerOf(self)));
        command.addAll(List.of(more));
        return node(self).commands().run(Duration.ofMinutes(2), command);
    }

    /** The power of a node fails and stays away until {@link #plugIn}. */
    public void plugOut(String node) {
        node(node).crash(LabRequest.CrashKind.PLUG);
    }

    /** Takes every fault back, and switches the node on. */
    public void plugIn(String node) {
        lab().heal();
        powerOn(node);
    }

    /** Both nodes lose power at the same moment, and nobody is writing. */
    public void bothOffQuietly() {
        writer.pause();
        Pair.NODES.forEach(node -> node(node).cutPower());
        writer.resume();
    }

    // ---- expecting -----------------------------------------------------------------------------

    /** Fails by this name unless it holds. */
    public void expect(boolean holds, String what) {
        if (!holds) {
            throw new Unmet("expected, but not so: " + what);
        }
    }

    /** Keeps by this name that it does not hold, and goes on: there is more to see. */
    public boolean finds(boolean holds, String what) {
        if (!holds) {
            findings.add("expected, but not so: " + what);
        }
        return holds;
    }

    /** Like {@link #await}, but what does not come is kept as a finding. */
    public boolean awaitOrFind(String what, Duration limit, Callable<Boolean> condition) {
        return finds(
                comesWithin(limit, condition), "within %d s %s".formatted(limit.toSeconds(), what));
    }

    /** The same, with a limit that counts from an earlier moment. */
    public boolean awaitOrFind(
            String what, long sinceNanos, Duration limit, Callable<Boolean> condition) {
        return finds(
                comesWithin(limit.minusNanos(System.nanoTime() - sinceNanos), condition),
                "within %d s %s".formatted(limit.toSeconds(), what));
    }

    /** Asks at least once, and until the limit. */
    private boolean comesWithin(Duration limit, Callable<Boolean> condition) {
        long end = System.nanoTime() + limit.toNanos();
        do {
            try {
                if (condition.call()) {
                    return true;
                }
                pause(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting", e);
            } catch (Unmet e) {
                throw e;
            } catch (Exception e) {
                // What cannot be asked yet may be asked later: the limit decides.
            }
        } while (System.nanoTime() - end < 0);
        return false;
    }

    /** What a person reads who types {@code tandem status}, and its exit code. */
    record Told(int exitCode, AgentStatus status) {
        /**
         * All that a person or a program can take it from says that either node can fail without an
         * outage.
         */
        boolean promises() {
            return exitCode == 0 && status.promisesRecovery();
        }

        String words() {
            return "\"%s\", recovery %s, exit code %d"
                    .formatted(
                            status.sentence(),
                            status.recovery().automatic() ? "automatic" : "by a person",
                            exitCode);
        }

        private boolean namesACause() {
            return status.recovery().impediments().stream()
                    .anyMatch(each -> each.cause() != null && !each.sentence().isEmpty());
        }

        /** None of it says so, and a reason is named. */
        boolean warns() {
            return exitCode != 0 && !status.promisesRecovery() && namesACause();
        }
    }

    /** Asks as a person would; fails where there is no answer. */
    Told told(String node) {
        Commands.Output output = node(node).run(SHORT, "tandem", "status", "-o", "json");
        return new Told(output.exitCode(), AgentStatus.readExactly(output.out()));
    }

    /**
     * Within the limit the status of a node no longer promises a recovery, exits as it should, and
     * names a cause; a finding otherwise.
     */
    public boolean awaitWarning(String node, long sinceNanos, Duration limit) {
        List<String> answers = new ArrayList<>(List.of("nothing"));
        boolean warned =
                comesWithin(
                        limit.minusNanos(System.nanoTime() - sinceNanos),
                        () -> {
                            Told told = told(node);
                            answers.add(told.words());
                            return told.warns();
                        });
        if (warned) {
            figure(
                    "fault to warning on " + node,
                    Duration.ofNanos(System.nanoTime() - sinceNanos),
                    limit);
        }
        return finds(
                warned,
                "within %d s of the fault the status of %s promises no recovery and names a cause, not: %s"
                        .formatted(limit.toSeconds(), node, answers.getLast()));
    }

    /** Within the limit the status of a node promises a recovery again; a finding otherwise. */
    public boolean awaitPromise(String node, Duration limit) {
        return awaitOrFind(
                "the status of %s promises a recovery again".formatted(node),
                limit,
                () -> told(node).promises());
    }

    /** Nobody's power was touched, not even that of a machine that was off. */
    public void expectNoFence() {
        expectFences(0);
        expectShots(0);
    }

    /** Expects this many receipts of a peer that was read Off, on both nodes together. */
    public void expectFences(int count) {
        int found = count(JournalEvent.Fenced.class);
        expect(found == count, "%d fences (there were %d)".formatted(count, found));
    }

    /** Expects that this many running machines were switched off by a node. */
    public void expectShots(int count) {
        int found = shots();
        expect(
                found == count,
                "%d running machines switched off (there were %d)".formatted(count, found));
    }

    /** No history was begun by force. */
    public void expectNoTakeOver() {
        expectNoTakeOver(began.nanoTime());
    }

    /** No history was begun by force since a moment. */
    public void expectNoTakeOver(long sinceNanos) {
        for (String node : Pair.NODES) {
            expect(
                    journal(node, JournalEvent.TakeOver.class, sinceNanos).isEmpty(),
                    "no take-over by %s".formatted(node));
        }
    }

    /** For a while nobody begins a history by force. */
    public void holdsNoTakeOver(long sinceNanos, Duration time) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            expectNoTakeOver(sinceNanos);
            pause(LOOK);
        }
    }

    /** The boot that a node is in, by its own kernel. */
    public String boot(String node) {
        return pair.boot(node);
    }

    /** At most this many times etcd ended or was stopped, on both nodes together. */
    public void expectRestartsAtMost(int most) {
        int found = count(JournalEvent.EtcdExited.class) + count(JournalEvent.EtcdStopped.class);
        expect(found <= most, "at most %d restarts (there were %d)".formatted(most, found));
    }

    /** At most this many receipts of a peer that was read Off, on both nodes together. */
    public void expectFencesAtMost(int most) {
        int found = count(JournalEvent.Fenced.class);
        expect(found <= most, "at most %d fences (there were %d)".formatted(most, found));
    }

    /** Nobody's data were moved out of the way. */
    public void expectNothingSetAside(long sinceNanos) {
        for (String node : Pair.NODES) {
            List<JournalEvent.Decided> joins =
                    journal(node, JournalEvent.Decided.class, sinceNanos).stream()
                            .filter(made -> made.decision() instanceof Decision.JoinAsLearner)
                            .toList();
            expect(
                    joins.isEmpty(),
                    "no data set aside on %s, but %s"
                            .formatted(
                                    node, joins.stream().map(JournalEvent.Decided::said).toList()));
        }
    }

    /**
     * A node that stood down joins the one that took over as soon as that serves, and sets its data
     * aside then; before that, its data may be the only data there is.
     */
    public void expectSetAsideOnlyWhileThePeerServes(long sinceNanos) {
        for (String node : Pair.NODES) {
            OptionalLong joined =
                    firstLine(
                            node,
                            sinceNanos,
                            event ->
                                    event instanceof JournalEvent.Decided made
                                            && made.decision() instanceof Decision.JoinAsLearner);
            OptionalLong peerServed =
                    firstLine(
                            Pair.peerOf(node), sinceNanos, JournalEvent.Serving.class::isInstance);
            expect(
                    joined.isEmpty() || peerServed.orElse(Long.MAX_VALUE) <= joined.getAsLong(),
                    "%s sets its data aside only after its peer serves".formatted(node));
        }
    }

    private OptionalLong firstLine(String node, long sinceNanos, Predicate<JournalEvent> which) {
        return pair.journalSince(node, sinceNanos).stream()
                .filter(line -> which.test(line.event()))
                .mapToLong(JournalLine::nanos)
                .min();
    }

    private int count(Class<? extends JournalEvent> event) {
        return Pair.NODES.stream()
                .mapToInt(node -> journal(node, event, began.nanoTime()).size())
                .sum();
    }

    /** Keeps a measured time for the report, beside what the acceptance timeline asks for. */
    public void figure(String what, Duration measured, Duration bound) {
        figures.add(new Outcome.Figure(what, measured.toMillis(), bound.toMillis()));
    }

    /** Keeps how long a recovery took that no status had promised. */
    public void figureOfUnpromised(Duration measured) {
        figures.add(
                new Outcome.Figure("recovery that no status promised", measured.toMillis(), null));
    }

    /** Keeps the longest time without an acknowledged write since a moment. */
    public void figureOfGap(String what, long sinceNanos, Duration bound) {
        figure(what, writer.longestGapSince(sinceNanos).length(), bound);
    }

    /** The timeline of the lab since the scenario began. */
    public List<Timeline.Entry> timeline() {
        return lab().timeline().stream()
                .filter(entry -> !entry.at().isBefore(began.instant()))
                .toList();
    }
}
