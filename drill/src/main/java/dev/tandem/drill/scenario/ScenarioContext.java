package dev.tandem.drill.scenario;

import dev.tandem.drill.audit.Moment;
import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.drill.report.Outcome;
import dev.tandem.drill.secret.Secret;
import dev.tandem.drill.secret.SecretWatch;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a scenario runs against: a pair that was healthy when it began, and a client that has been
 * writing since. Everything a scenario asks of journals and timeline is about its own time only.
 */
public final class ScenarioContext implements Expectations, Actions {
    private final Pair pair;
    private final Writer writer;
    private final SecretWatch secrets;
    private final Moment began;
    private final Consumer<String> listener;
    private final List<Outcome.Mark> steps = new ArrayList<>();
    private final List<Outcome.Figure> figures = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final List<ScenarioActs.Act> causes = new ArrayList<>();
    private final List<ScenarioActs.Act> persons = new ArrayList<>();
    private final List<ScenarioActs.Act> lies = new ArrayList<>();
    private final List<ScenarioActs.Act> kills = new ArrayList<>();

    public ScenarioContext(
            Pair pair,
            Writer writer,
            SecretWatch secrets,
            Moment began,
            Consumer<String> listener) {
        this.pair = pair;
        this.writer = writer;
        this.secrets = secrets;
        this.began = began;
        this.listener = listener;
    }

    @Override
    public Pair pair() {
        return pair;
    }

    @Override
    public Moment began() {
        return began;
    }

    @Override
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
        return new ScenarioActs(causes, persons, lies, kills);
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

    /** A step that a person has to do. */
    public long person(String what) {
        long now = step(what);
        persons.add(new ScenarioActs.Act(now, what));
        return now;
    }

    @Override
    public void keepsSecret(String what, String value) {
        secrets.add(Secret.password(what, value, LabBmc.USER));
    }

    @Override
    public void personActs(String what) {
        persons.add(new ScenarioActs.Act(System.nanoTime(), what));
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

    /**
     * Has a node take as long to boot as a machine does. A lab's node is back within 2 s, before
     * Corosync has noticed that it was away: nobody takes over then, for it is there.
     */
    public void bootsSlowly(String node) {
        node(node).bmcBehaves(BmcBehaviour.FAULTLESS.withOnLatency(Duration.ofSeconds(8)));
    }

    /** Kills the agent of a node: what it had not written yet is lost. */
    public void killAgent(String node) {
        killAgent(node, "KILL");
    }

    /** The same by this signal. */
    public void killAgent(String node, String signal) {
        kills.add(new ScenarioActs.Act(System.nanoTime(), node));
        must(node, "systemctl", "kill", "-s", signal, "tandem-agent");
    }

    @Override
    public boolean finds(boolean holds, String what) {
        if (!holds) {
            findings.add("expected, but not so: " + what);
        }
        return holds;
    }

    @Override
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
}
