package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the status of each node promised for the case that one of them dies, against what came when
 * it did: the survivor had told what it would do, the other that either could fail. All moments are
 * of {@link System#nanoTime}.
 *
 * @param samples what both nodes said, in the order of time
 * @param writes when writes were acknowledged, in the order of time
 * @param watched until when there was a client that wrote
 */
record RecoveryPromiseAudit(
        PowerRecord lab,
        ScenarioActs excuses,
        List<HealthWatch.Sample> samples,
        List<Long> writes,
        long began,
        long watched) {

    /** What was said in the last second before may have been on its way when the power went. */
    private static final Duration BEFORE = Duration.ofSeconds(1);

    /** An answer on its way when the power went, noted late by a busy client. */
    private static final Duration UNDER_WAY = Duration.ofSeconds(1);

    /**
     * What was said longer ago says nothing of that moment. A look may take 5 s, the next begins 1
     * s after it, and what comes in the last second does not count: 7 s without any fault, and some
     * for a busy machine.
     */
    private static final Duration FRESH = Duration.ofSeconds(10);

    /** A node that boots has no agent yet, and may not even be looked at. */
    private static final Duration BOOT = Duration.ofSeconds(30);

    /** A start of an agent takes seconds, on a machine that has no time for it half a minute. */
    private static final Duration KILLED = Duration.ofSeconds(60);

    /**
     * What each kill of the survivor's agent may add: nobody had promised to recover without one.
     * It is started again after a second, and has to look at everything first.
     */
    private static final Duration FOR_EACH_KILL = Duration.ofSeconds(15);

    /**
     * So many times the predicted time a recovery may take: the prediction is for machines that
     * have nothing else to do, and the lab's share their processors with all that tests them. A
     * pair that was busy with writes took up to twice as long.
     */
    private static final int TIMES_PREDICTED = 5;

    /** Where so little is predicted, the time for which a client waits for its answer counts. */
    private static final Duration AT_LEAST = Duration.ofSeconds(15);

    /** Of a status that promises a recovery and does not say how long it takes. */
    private static final Duration UNPREDICTED = Duration.ofSeconds(60);

    RecoveryPromiseAudit {
        samples = List.copyOf(samples);
        writes = List.copyOf(writes);
    }

    /** Promises that were not kept, in words; and what was said and may have been one. */
    List<String> broken() {
        List<String> findings = new ArrayList<>(notUnderstood());
        for (PowerRecord.Loss loss : losses()) {
            for (String node : Pair.NODES) {
                Optional<HealthWatch.Sample> said = saidBefore(loss, node);
                if (said.isEmpty() || (isOld(said.get(), loss) && !mayBeUnheard(node, loss))) {
                    findings.add(
                            "what %s said before %s %s is not known%s"
                                    .formatted(
                                            node,
                                            loss.subject(),
                                            loss.how().words(),
                                            said.map(last ->
                                                            ": the last look was %d s before"
                                                                    .formatted(seconds(last, loss)))
                                                    .orElse("")));
                } else if (promises(said.get(), loss) && !isExcused(loss)) {
                    notKept(loss, said.get()).ifPresent(findings::add);
                }
            }
        }
        return findings;
    }

    /** Of the two ways to say it each node has one that is about this loss. */
    private static boolean promises(HealthWatch.Sample said, PowerRecord.Loss loss) {
        return said.node().equals(loss.subject())
                ? said.saysEitherCanFail()
                : said.said().filter(AgentStatus::promisesRecovery).isPresent();
    }

    /** Nothing can be held against a status that nobody understands. */
    private List<String> notUnderstood() {
        return Pair.NODES.stream()
                .flatMap(node ->
                        samples.stream()
                                .filter(sample -> sample.node().equals(node))
                                .flatMap(sample -> sample.unread().stream())
                                .findFirst()
                                .map(why ->
                                        "the status of %s is not understood: %s"
                                                .formatted(node, why))
                                .stream())
                .toList();
    }

    /**
     * Recoveries that nobody had promised, though the survivor told its state: how long each took.
     */
    List<Duration> unpromised() {
        return losses().stream()
                .filter(loss ->
                        saidBefore(loss, survivor(loss))
                                        .filter(sample -> sample.said().isPresent())
                                        .isPresent()
                                && Pair.NODES.stream()
                                        .flatMap(node -> saidBefore(loss, node).stream())
                                        .noneMatch(sample -> promises(sample, loss)))
                .flatMap(loss ->
                        backAfter(loss).map(back -> Duration.ofNanos(back - loss.nanos())).stream())
                .toList();
    }

    /**
     * What the survivor had predicted of each loss, and what came of it. Not of a recovery that
     * nobody promised, that something or somebody had a hand in, or that did not come.
     */
    List<Audit.Predicted> predicted() {
        List<Audit.Predicted> all = new ArrayList<>();
        for (PowerRecord.Loss loss : losses()) {
            Optional<HealthWatch.Sample> said =
                    saidBefore(loss, survivor(loss)).filter(sample -> promises(sample, loss));
            Optional<Long> back = backAfter(loss);
            if (said.isPresent()
                    && back.isPresent()
                    && !isOld(said.get(), loss)
                    && !isExcused(loss)
                    && killsOfSurvivor(loss, back.get()) == 0
                    && helper(loss, back.get()).isEmpty()) {
                said.flatMap(HealthWatch.Sample::said)
                        .map(AgentStatus::prediction)
                        .map(prediction ->
                                new Audit.Predicted(
                                        loss.subject(),
                                        predicted(prediction, loss.how()),
                                        Duration.ofNanos(back.get() - loss.nanos())))
                        .ifPresent(all::add);
            }
        }
        return all;
    }

    private List<PowerRecord.Loss> losses() {
        return lab.losses().stream().filter(loss -> loss.nanos() - began > 0).toList();
    }

    private static String survivor(PowerRecord.Loss loss) {
        return Pair.peerOf(loss.subject());
    }

    private Optional<HealthWatch.Sample> saidBefore(PowerRecord.Loss loss, String node) {
        return samples.stream()
                .filter(sample -> sample.node().equals(node))
                .filter(HealthWatch.Sample::told)
                .filter(sample -> loss.nanos() - sample.nanos() >= BEFORE.toNanos())
                .reduce((_, later) -> later);
    }

    private static boolean isOld(HealthWatch.Sample said, PowerRecord.Loss loss) {
        return loss.nanos() - said.nanos() > FRESH.toNanos();
    }

    private static long seconds(HealthWatch.Sample said, PowerRecord.Loss loss) {
        return Duration.ofNanos(loss.nanos() - said.nanos()).toSeconds();
    }

    /**
     * Nobody can be heard who has no power, boots, or was held, stopped or cut off by the lab or by
     * the scenario.
     */
    private boolean mayBeUnheard(String node, PowerRecord.Loss loss) {
        return lab.wasDark(node, loss.nanos() - BOOT.toNanos(), loss.nanos() - 1)
                || excuses.causes().stream().anyMatch(act -> loss.nanos() - act.nanos() > 0)
                // An agent that was killed is started again.
                || excuses.kills().stream()
                        .filter(act -> act.what().equals(node))
                        .map(act -> loss.nanos() - act.nanos())
                        .anyMatch(before -> before > 0 && before < KILLED.toNanos())
                || lab.faults().stream()
                        .anyMatch(fault ->
                                fault.node().equals(node)
                                        && fault.what() != PowerRecord.Need.BMC
                                        && fault.nanos() - began > 0
                                        && loss.nanos() - fault.nanos() > 0);
    }

    /** When the first write was acknowledged after a loss. */
    private Optional<Long> backAfter(PowerRecord.Loss loss) {
        return writes.stream().filter(at -> at - loss.nanos() > UNDER_WAY.toNanos()).findFirst();
    }

    /**
     * Something that the survivor needs was broken too recently to be known, or, by the lab's own
     * record, before the recovery was over. What a scenario names once the power is gone explains
     * nothing: it names what it does before it does it. What was broken on the lost node itself is
     * no excuse: to do without that node is what was promised. A BMC is needed when the fence is
     * ordered, right after the loss: what becomes of it later explains nothing.
     */
    private boolean isExcused(PowerRecord.Loss loss) {
        long from = loss.nanos() - ScenarioActs.TO_NOTICE.toNanos();
        long to = backAfter(loss).orElse(watched);
        long fenceBy = Math.min(to, loss.nanos() + ScenarioActs.TO_NOTICE.toNanos());
        boolean caused =
                excuses.causes().stream()
                        .mapToLong(ScenarioActs.Act::nanos)
                        .anyMatch(at -> at - from >= 0 && loss.nanos() - at >= 0);
        boolean broken =
                lab.faults().stream()
                        .filter(fault -> fault.node().equals(survivor(loss)))
                        .filter(fault -> fault.what() != PowerRecord.Need.NETWORK_OF_THE_PAIR)
                        .anyMatch(fault ->
                                fault.nanos() - from >= 0
                                        && (fault.what() == PowerRecord.Need.BMC ? fenceBy : to)
                                                        - fault.nanos()
                                                >= 0);
        return caused || broken || lab.wasDark(survivor(loss), loss.nanos(), to);
    }

    private Optional<String> notKept(PowerRecord.Loss loss, HealthWatch.Sample said) {
        Optional<Long> back = backAfter(loss);
        long end = back.orElse(watched);
        Duration limit =
                limit(loss, said).plus(FOR_EACH_KILL.multipliedBy(killsOfSurvivor(loss, end)));
        Optional<ScenarioActs.Act> person = helper(loss, end);
        boolean inTime = back.isPresent() && end - loss.nanos() <= limit.toNanos();
        if (inTime && person.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                "%s said \"%s\"; then %s %s, and %s"
                        .formatted(
                                said.node(),
                                said.sentence(),
                                loss.subject(),
                                loss.how().words(),
                                back.isEmpty()
                                        ? "no write was acknowledged for the %d s that were left"
                                                .formatted(seconds(loss, end))
                                        : "the next write was acknowledged after %d s%s"
                                                .formatted(
                                                        seconds(loss, end),
                                                        person.map(act ->
                                                                        ", once a person had done"
                                                                                + " this: "
                                                                                + act.what())
                                                                .orElse(""))));
    }

    private Optional<ScenarioActs.Act> helper(PowerRecord.Loss loss, long end) {
        return excuses.persons().stream()
                .filter(act -> act.nanos() - loss.nanos() > 0 && end - act.nanos() > 0)
                .findFirst();
    }

    /** An agent that was killed right before the loss has not looked at everything again. */
    private long killsOfSurvivor(PowerRecord.Loss loss, long end) {
        long from = loss.nanos() - FOR_EACH_KILL.toNanos();
        return excuses.kills().stream()
                .filter(act -> act.what().equals(survivor(loss)))
                .filter(act -> act.nanos() - from >= 0 && end - act.nanos() > 0)
                .count();
    }

    /**
     * What the survivor predicted counts, also for a promise of the lost node: what that predicted
     * was about a failure of the survivor.
     */
    private Duration limit(PowerRecord.Loss loss, HealthWatch.Sample said) {
        Duration predicted =
                saidBefore(loss, survivor(loss))
                        .flatMap(HealthWatch.Sample::said)
                        .or(said::said)
                        .map(AgentStatus::prediction)
                        .map(prediction -> predicted(prediction, loss.how()))
                        .orElse(Duration.ZERO);
        if (predicted.isZero()) {
            return UNPREDICTED;
        }
        Duration most = predicted.multipliedBy(TIMES_PREDICTED);
        return most.compareTo(AT_LEAST) < 0 ? AT_LEAST : most;
    }

    private static Duration predicted(AgentStatus.Prediction prediction, PowerRecord.How how) {
        Long hung = prediction.hungMillis();
        return Duration.ofMillis(how.hasPower() && hung != null ? hung : prediction.millis());
    }

    private static long seconds(PowerRecord.Loss loss, long end) {
        return Duration.ofNanos(end - loss.nanos()).toSeconds();
    }
}
