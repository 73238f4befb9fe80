package dev.tandem.drill.audit;

import dev.tandem.agentapi.DurableMarks;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.lab.Unmet;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What must hold after every incident, whatever it was: nothing acknowledged is missing, one
 * lineage and one content, no take-over without proof or beside a live server, nothing acknowledged
 * by a node that was off, two voters, no mark left over, revisions that only rise, and a status
 * that never called a server healthy that was down. What {@link RunAudit} judges comes on top.
 */
public final class Audit {
    /** An answer on its way when the power went, and a busy client that notes it late. */
    private static final Duration UNDER_WAY = Duration.ofSeconds(1);

    private static final Duration ANSWERS = Duration.ofSeconds(60);

    private static final int SHOWN = 5;

    private final Pair pair;
    private final Writer writer;
    private final Moment began;
    private final List<String> findings = new ArrayList<>();
    private OptionalLong lost = OptionalLong.empty();

    private Audit(Pair pair, Writer writer, Moment began) {
        this.pair = pair;
        this.writer = writer;
        this.began = began;
    }

    /**
     * What the audit found.
     *
     * @param settled whether the pair is as it was before
     * @param lost acknowledged writes that are missing, if that could be asked
     * @param unpromised how long recoveries took that no status had promised
     */
    public record Result(
            boolean settled, OptionalLong lost, List<String> findings, List<Duration> unpromised) {
        public Result {
            findings = List.copyOf(findings);
            unpromised = List.copyOf(unpromised);
        }
    }

    public static Result of(
            Pair pair,
            Writer writer,
            HealthWatch watch,
            ScenarioActs excuses,
            Moment began,
            Duration limit) {
        writer.stop();
        long stopped = System.nanoTime();
        Audit audit = new Audit(pair, writer, began);
        boolean settled = audit.settles(limit);
        if (settled) {
            audit.ask(audit::nothingIsMissing);
            audit.ask(audit::oneLineage);
            audit.ask(audit::oneContent);
            audit.ask(audit::twoVoters);
            audit.ask(audit::noMarkIsLeft);
        }
        RunAudit.Seen record =
                RunAudit.Seen.of(pair, writer, watch.samples(), excuses, began, stopped);
        audit.findings.addAll(record.lab().unknown());
        audit.takeOvers(record);
        if (settled) {
            audit.ask(() -> audit.findings.addAll(RunAudit.durableProofs(pair)));
        }
        audit.findings.addAll(record.takeOversWithoutPowerLoss());
        audit.findings.addAll(record.promises().broken());
        audit.nothingCameFromTheDead();
        writer.backwards().stream()
                .limit(SHOWN)
                .forEach(line -> audit.findings.add("a revision went backwards: " + line));
        audit.findings.addAll(watch.lies());
        return new Result(settled, audit.lost, audit.findings, record.promises().unpromised());
    }

    private boolean settles(Duration limit) {
        try {
            pair.awaitRedundant(limit);
            return true;
        } catch (Unmet e) {
            findings.add("afterwards: " + e.getMessage());
            return false;
        }
    }

    /** A question that a node does not answer is asked again; the limit decides. */
    private void ask(Runnable question) {
        List<String> before = List.copyOf(findings);
        try {
            pair.lab()
                    .await(
                            "the nodes answer the audit",
                            ANSWERS,
                            () -> {
                                findings.clear();
                                findings.addAll(before);
                                question.run();
                                return true;
                            });
        } catch (Unmet e) {
            findings.add("the audit could not be finished: " + words(e));
        }
    }

    private static String words(Unmet error) {
        Throwable cause = error.getCause();
        return error.getMessage() + (cause == null ? "" : ": " + cause.getMessage());
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            findings.add(otherwise);
        }
    }

    private void nothingIsMissing() {
        long most = 0;
        for (int i = 0; i < Pair.NODES.size(); i++) {
            List<String> missing = writer.missingOn(i);
            most = Math.max(most, missing.size());
            check(
                    missing.isEmpty(),
                    "%s lacks %d acknowledged writes, such as %s"
                            .formatted(
                                    Pair.NODES.get(i),
                                    missing.size(),
                                    missing.stream().limit(SHOWN).toList()));
        }
        lost = OptionalLong.of(most);
    }

    private void oneLineage() {
        List<Long> epochs =
                Pair.NODES.stream()
                        .map(node ->
                                pair.own(node)
                                        .orElseThrow(() ->
                                                new IllegalStateException(
                                                        node + " does not report its epoch"))
                                        .epoch())
                        .toList();
        check(epochs.get(0).equals(epochs.get(1)), "two lineages, of epochs " + epochs);
    }

    /** Both databases hold the same, key for key: what a client reads does not depend on where. */
    private void oneContent() {
        EtcdApi.KeyHash first = pair.hash(Pair.NODES.get(0));
        EtcdApi.KeyHash second = pair.hash(Pair.NODES.get(1));
        if (first.revision() != second.revision()
                || first.compactRevision() != second.compactRevision()) {
            // Old history is dropped on each node in its own time; the hash covers what is left.
            throw new IllegalStateException(
                    "the databases are not at the same point: %s and %s".formatted(first, second));
        }
        check(
                first.hash() == second.hash(),
                "the databases differ: %s and %s".formatted(first, second));
    }

    private void twoVoters() {
        for (String node : Pair.NODES) {
            List<EtcdApi.Member> members = pair.members(node);
            check(
                    members.size() == 2
                            && members.stream().allMatch(m -> m.started() && !m.learner()),
                    node + " does not list two started voters, but " + members);
        }
    }

    private void noMarkIsLeft() {
        for (String node : Pair.NODES) {
            DurableMarks marks = DurableMarks.read(pair.memory(node));
            check(
                    marks.abdication() instanceof Abdication.None
                            && marks.claim() instanceof Claim.None,
                    "a mark is left on " + node + ": " + marks);
        }
    }

    private void takeOvers(RunAudit.Seen record) {
        for (TakeOverAudit those : record.takeOvers()) {
            findings.addAll(those.withoutProof());
            findings.addAll(
                    those.besideALiveServer(record.samples(), record.lab(), record.excuses()));
        }
    }

    /**
     * From the moment its power went until it decided to start again, a node acknowledged nothing.
     */
    private void nothingCameFromTheDead() {
        List<Writer.Acknowledgement> all = writer.acknowledgements();
        for (Timeline.Entry entry : pair.lab().timeline()) {
            if (!(entry.event() instanceof TimelineEvent.PowerOff)
                    || entry.at().isBefore(began.instant())) {
                continue;
            }
            long off = began.nanos(entry.at()) + UNDER_WAY.toNanos();
            long back = startsAfter(entry.subject(), off).orElse(Long.MAX_VALUE);
            int node = Pair.NODES.indexOf(entry.subject());
            long count =
                    all.stream()
                            .filter(a -> a.node() == node && a.nanos() > off && a.nanos() < back)
                            .count();
            check(
                    count == 0,
                    "%s acknowledged %d writes after its power was off"
                            .formatted(entry.subject(), count));
        }
    }

    /** The journal has the decision before anything is started; that it serves, a moment late. */
    private Optional<Long> startsAfter(String node, long nanos) {
        return pair.journalSince(node, nanos).stream()
                .filter(line ->
                        line.event() instanceof JournalEvent.Decided made
                                && starts(made.decision()))
                .map(JournalLine::nanos)
                .min(Long::compare);
    }

    /** Whether etcd is started, or left running, by it. */
    private static boolean starts(Decision decision) {
        return switch (decision) {
            case Decision.StartAsVoter _,
                    Decision.StartAsSoleVoter _,
                    Decision.JoinAsLearner _,
                    Decision.RestartInPlace _ ->
                    true;
            // After the set-up nobody founds a cluster: whatever is acknowledged then is a finding.
            case Decision.Bootstrap _,
                    Decision.StandDown _,
                    Decision.HandLeadershipOver _,
                    Decision.Depart _,
                    Decision.Stop _,
                    Decision.Wait _,
                    Decision.Refuse _ ->
                    false;
        };
    }
}
