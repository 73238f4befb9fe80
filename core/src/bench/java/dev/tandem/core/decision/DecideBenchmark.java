package dev.tandem.core.decision;

import dev.tandem.core.testing.Sketch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What one decision costs. The figure to hold: under 5 µs, next to nothing allocated. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class DecideBenchmark {
    private final Situation takeOver =
            Sketch.situation("pair", "two 1:7/5 leaderless", "two 1:7", "gone known", "fenced", "recover");
    private final Situation waiting =
            Sketch.situation("pair", "two 1:7/5 leaderless", "two 1:7", "gone known", "fence timed out", "recover");
    private final Situation joining =
            Sketch.situation("pair", "two 1:7/6", "sole 2s6:9 leading invites", "there", "-", "start");

    @Benchmark
    public Decision takesOver() {
        return StartDecision.decide(takeOver);
    }

    @Benchmark
    public Decision waits() {
        return StartDecision.decide(waiting);
    }

    @Benchmark
    public Decision joins() {
        return StartDecision.decide(joining);
    }
}
