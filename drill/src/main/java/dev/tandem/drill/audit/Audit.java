package dev.tandem.drill.audit;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.TakeOverRecords;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.drill.secret.SecretWatch;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Readiness;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What must hold after every incident, whatever it was, in a drill and in a bench: nothing
 * acknowledged is missing, one lineage and one content, no take-over without proof, beside a live
 * server or while the peer had power and its right, nothing acknowledged by a node that was off,
 * two voters, no mark left over, no proof about a boot that lives, no secret in the open (in a
 * drill), revisions that only rise, a status that never called a server healthy that was down, and
 * none that promised what did not come. It is judged by what the lab, the client and the watch know
 * wherever they do, and what cannot be read is a finding.
 */
public final class Audit {
    /** An answer on its way when the power went, and a busy client that notes it late. */
    private static final Duration UNDER_WAY = Duration.ofSeconds(1);

    private static final Duration ANSWERS = Duration.ofSeconds(60);

    private static final int SHOWN = 5;

    private final AuditedPair pair;
    private final Moment began;
    private final List<String> findings = new ArrayList<>();
    private OptionalLong lost = OptionalLong.empty();
    private Optional<Lineage> before = Optional.empty();
    private Optional<Lineage> after = Optional.empty();

    /** Reads the lineage as it is before anything happens. */
    Audit(AuditedPair pair, Moment began) {
        this.pair = pair;
        this.began = began;
        ask(() -> before = Optional.of(pair.lineage(Pair.NODES.getFirst())));
    }

    /** Begins with a pair that is settled; nobody looks for secrets. */
    public static Audit begin(Pair pair, Writer writer, HealthWatch watch, Moment began) {
        return new Audit(new WatchedPair(pair, writer, watch, Optional.empty()), began);
    }

    /** Begins with a pair that is settled. */
    public static Audit begin(
            Pair pair, Writer writer, HealthWatch watch, SecretWatch secrets, Moment began) {
        return new Audit(new WatchedPair(pair, writer, watch, Optional.of(secrets)), began);
    }

    /**
     * What the audit found.
     *
     * @param settled whether the pair is as it was before
     * @param lost acknowledged writes that are missing, if that could be asked
     * @param unpromised how long recoveries took that no status had promised
     * @param predicted how long those took that the survivor had predicted
     */
    public record Result(
            boolean settled,
            OptionalLong lost,
            List<String> findings,
            List<Duration> unpromised,
            List<Predicted> predicted) {
        public Result {
            findings = List.copyOf(findings);
            unpromised = List.copyOf(unpromised);
            predicted = List.copyOf(predicted);
        }
    }

    /**
     * A recovery, as the survivor had predicted it and as it was.
     *
     * @param lost the node that lost its power, or hung
     * @param said what the survivor's last status before that said
     * @param took from the loss to the next acknowledged write
     */
    public record Predicted(String lost, Duration said, Duration took) {}

    /**
     * Ends the writing, waits until the pair is as before, and judges.
     *
     * @param limit for the pair to be as before
     */
    public Result end(ScenarioActs acts, Duration limit) {
        pair.stopWriting();
        long stopped = System.nanoTime();
        boolean settled = settles(limit);
        if (settled) {
            ask(this::nothingIsMissing);
            ask(this::oneLineage);
            ask(this::oneContent);
            ask(this::twoVoters);
            ask(this::noMarkIsLeft);
            ask(() -> findings.addAll(durableProofs(pair::memory, pair::boot)));
            ask(() -> findings.addAll(sorted(pair.leaksAtRest())));
        }
        findings.addAll(sorted(pair.leaksOfProcesses()));
        RunRecord record = RunRecord.of(pair, acts, began, stopped);
        findings.addAll(record.lab().unknown());
        findings.addAll(record.takeOversWithoutProof());
        findings.addAll(record.takeOversBesideALiveServer());
        findings.addAll(record.takeOversWithoutPowerLoss());
        if (before.isPresent() && after.isPresent()) {
            findings.addAll(new EpochAudit(before.get(), after.get(), record).findings());
        }
        findings.addAll(record.promises().broken());
        nothingCameFromTheDead(record);
        pair.backwards().stream()
                .limit(SHOWN)
                .forEach(line -> findings.add("a revision went backwards: " + line));
        findings.addAll(pair.lies());
        RecoveryPromiseAudit promises = record.promises();
        return new Result(settled, lost, findings, promises.unpromised(), promises.predicted());
    }

    /** Proofs that should not be on the disks now, in words. Fails where a node cannot be asked. */
    public static List<String> durableProofs(Pair pair) {
        return durableProofs(pair::memory, pair::boot);
    }

    private static List<String> durableProofs(
            UnaryOperator<String> memory, UnaryOperator<String> boot) {
        List<String> findings = new ArrayList<>();
        for (String node : Pair.NODES) {
            findings.addAll(
                    new DurableProofAudit(node, memory.apply(node), boot.apply(Pair.peerOf(node)))
                            .aboutALivingBoot());
        }
        return findings;
    }

    private static List<String> sorted(Set<String> leaks) {
        return leaks.stream().sorted().map(leak -> "a secret is told: " + leak).toList();
    }

    /**
     * Servers that serve are not all: what would become of the next failure has to be as before.
     */
    private boolean settles(Duration limit) {
        try {
            pair.await(Readiness.REDUNDANT, limit, () -> readiness().isRedundant());
        } catch (ExpectationFailed e) {
            findings.add("afterwards: " + e.getMessage());
            return false;
        }
        try {
            pair.await(
                    Readiness.EITHER_CAN_FAIL, Readiness.LIMIT, () -> readiness().eitherCanFail());
        } catch (ExpectationFailed e) {
            findings.add("afterwards: %s: %s".formatted(e.getMessage(), inTheWay()));
        }
        return true;
    }

    private Readiness readiness() {
        return Readiness.of(pair::status);
    }

    private String inTheWay() {
        try {
            return readiness().inTheWay();
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** A question that a node does not answer is asked again; the limit decides. */
    private void ask(Runnable question) {
        List<String> before = List.copyOf(findings);
        try {
            pair.await(
                    "the nodes answer the audit",
                    ANSWERS,
                    () -> {
                        findings.clear();
                        findings.addAll(before);
                        try {
                            question.run();
                        } catch (ExpectationFailed e) {
                            // A node that went off under the question is asked again.
                            throw new IllegalStateException("a node cannot be asked", e);
                        }
                        return true;
                    });
        } catch (ExpectationFailed e) {
            findings.add("the audit could not be finished: " + words(e));
        }
    }

    private static String words(ExpectationFailed error) {
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
        for (String node : Pair.NODES) {
            List<String> missing = pair.missingOn(node);
            most = Math.max(most, missing.size());
            check(
                    missing.isEmpty(),
                    "%s lacks %d acknowledged writes, such as %s"
                            .formatted(
                                    node, missing.size(), missing.stream().limit(SHOWN).toList()));
        }
        lost = OptionalLong.of(most);
    }

    /** Epochs with the same number may be two: the founder and its boot are part of each. */
    private void oneLineage() {
        Lineage first = pair.lineage(Pair.NODES.get(0));
        Lineage second = pair.lineage(Pair.NODES.get(1));
        after = Optional.of(first);
        check(first.equals(second), "two lineages: %s and %s".formatted(first, second));
    }

    /**
     * Both databases hold the same, key for key: what a client reads does not depend on where. As
     * of one revision, since somebody else, such as Kubernetes, may go on writing.
     */
    private void oneContent() {
        EtcdApi.KeyHash now = pair.hash(Pair.NODES.get(0), 0);
        EtcdApi.KeyHash first = pair.hash(Pair.NODES.get(0), now.revision());
        EtcdApi.KeyHash second = pair.hash(Pair.NODES.get(1), now.revision());
        if (first.compactRevision() != second.compactRevision()) {
            // Old history is dropped on each node in its own time; the hash covers what is left.
            throw new IllegalStateException(
                    "the databases are not at the same point: %s and %s".formatted(first, second));
        }
        check(
                first.hash() == second.hash(),
                "the databases differ at revision %d: %s and %s"
                        .formatted(now.revision(), first, second));
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
            TakeOverRecords marks = TakeOverRecords.read(pair.memory(node));
            check(
                    marks.abdication() instanceof Abdication.None
                            && marks.claim() instanceof Claim.None,
                    "a mark is left on " + node + ": " + marks);
        }
    }

    /**
     * From the moment its power went until it decided to start again, a node acknowledged nothing.
     * The line of that decision may be lost with an agent that is killed; then its power counts.
     */
    private void nothingCameFromTheDead(RunRecord record) {
        for (Timeline.Entry entry : pair.timeline()) {
            if (!(entry.event() instanceof TimelineEvent.PowerOff)
                    || entry.at().isBefore(began.instant())) {
                continue;
            }
            String subject = entry.subject();
            long gone = began.nanos(entry.at());
            long off = gone + UNDER_WAY.toNanos();
            long back =
                    record.acts().killedSince(subject, gone)
                            ? record.lab().darkUntil(subject, gone)
                            : startsAfter(subject, off).orElse(Long.MAX_VALUE);
            int node = Pair.NODES.indexOf(subject);
            long count =
                    record.acknowledgements().stream()
                            .filter(a -> a.node() == node && a.nanos() > off && a.nanos() < back)
                            .count();
            check(
                    count == 0,
                    "%s acknowledged %d writes after its power was off".formatted(subject, count));
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
