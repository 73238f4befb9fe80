package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the status of a node promised for the case that its peer dies, against what came when it
 * did. All moments are of {@link System#nanoTime}.
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

    private static final Duration AT_LEAST = Duration.ofSeconds(60);
    private static final int TIMES_PREDICTED = 5;

    /** The product looks every 7 to 15 s at what it depends on, and a busy machine is slow. */
    private static final Duration TO_NOTICE = Duration.ofSeconds(45);

    RecoveryPromiseAudit {
        samples = List.copyOf(samples);
        writes = List.copyOf(writes);
    }

    /** Promises that were not kept, in words; and what was said and may have been one. */
    List<String> broken() {
        List<String> findings = new ArrayList<>(notUnderstood());
        for (PowerRecord.Event loss : losses()) {
            Optional<HealthWatch.Sample> said = saidBefore(loss);
            if (said.isEmpty()) {
                findings.add(
                        "what %s said before %s lost its power is not known"
                                .formatted(survivor(loss), loss.subject()));
            } else if (said.get().said().filter(AgentStatus::promisesRecovery).isPresent()
                    && !isExcused(loss)) {
                notKept(loss, said.get()).ifPresent(findings::add);
            }
        }
        return findings;
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

    /** Recoveries that nobody had promised: how long each took. */
    List<Duration> unpromised() {
        return losses().stream()
                .filter(loss ->
                        saidBefore(loss)
                                .flatMap(HealthWatch.Sample::said)
                                .filter(status -> !status.promisesRecovery())
                                .isPresent())
                .flatMap(loss ->
                        backAfter(loss).map(back -> Duration.ofNanos(back - loss.nanos())).stream())
                .toList();
    }

    private List<PowerRecord.Event> losses() {
        return lab.losses().stream().filter(loss -> loss.nanos() - began > 0).toList();
    }

    private static String survivor(PowerRecord.Event loss) {
        return Pair.peerOf(loss.subject());
    }

    private Optional<HealthWatch.Sample> saidBefore(PowerRecord.Event loss) {
        return samples.stream()
                .filter(sample -> sample.node().equals(survivor(loss)))
                .filter(sample -> loss.nanos() - sample.nanos() >= BEFORE.toNanos())
                .reduce((_, later) -> later);
    }

    /** When the first write was acknowledged after a loss. */
    private Optional<Long> backAfter(PowerRecord.Event loss) {
        return writes.stream().filter(at -> at - loss.nanos() > UNDER_WAY.toNanos()).findFirst();
    }

    /**
     * Something that the survivor needs was broken too recently to be known, or before the recovery
     * was over. What was broken on the lost node itself is no excuse: to do without that node is
     * what was promised.
     */
    private boolean isExcused(PowerRecord.Event loss) {
        long from = loss.nanos() - TO_NOTICE.toNanos();
        long to = backAfter(loss).orElse(watched);
        Stream<Long> made =
                Stream.concat(
                        excuses.causes().stream().map(ScenarioActs.Act::nanos),
                        lab.faults().stream()
                                .filter(fault -> fault.node().equals(survivor(loss)))
                                .map(PowerRecord.Fault::nanos));
        return made.anyMatch(at -> at - from >= 0 && to - at >= 0)
                || lab.wasDark(survivor(loss), loss.nanos(), to);
    }

    private Optional<String> notKept(PowerRecord.Event loss, HealthWatch.Sample said) {
        long predicted =
                said.said()
                        .map(AgentStatus::prediction)
                        .map(AgentStatus.Prediction::millis)
                        .orElse(0L);
        Duration limit =
                Duration.ofMillis(Math.max(AT_LEAST.toMillis(), TIMES_PREDICTED * predicted));
        Optional<Long> back = backAfter(loss);
        long end = back.orElse(watched);
        Optional<ScenarioActs.Act> person =
                excuses.persons().stream()
                        .filter(act -> act.nanos() - loss.nanos() > 0 && end - act.nanos() > 0)
                        .findFirst();
        boolean inTime = back.isPresent() && end - loss.nanos() <= limit.toNanos();
        if (inTime && person.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                "%s said \"%s\"; then %s lost its power, and %s"
                        .formatted(
                                said.node(),
                                said.sentence(),
                                loss.subject(),
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

    private static long seconds(PowerRecord.Event loss, long end) {
        return Duration.ofNanos(end - loss.nanos()).toSeconds();
    }
}
