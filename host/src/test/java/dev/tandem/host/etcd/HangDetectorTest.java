package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which silence is a hang, and after how long. */
class HangDetectorTest {
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    private static final long ETCD = 4711;

    private Duration used = Duration.ofSeconds(3);
    private long nanos = 1;
    private final HangDetector pulse = new HangDetector(_ -> Optional.of(used), () -> nanos);

    @Test
    void aStoppedProcessHangsAtTheSecondUnansweredQuestion() {
        assertThat(question()).isFalse();
        assertThat(question()).isTrue();
    }

    @Test
    void aServerThatMovesIsGivenTime() {
        boolean hangs = false;
        int questions = 0;
        while (!hangs) {
            used = used.plusMillis(10);
            hangs = question();
            questions++;
        }

        assertThat(Duration.ofNanos(nanos))
                .isBetween(Duration.ofSeconds(15), Duration.ofSeconds(18));
        assertThat(questions).isGreaterThan(5);
    }

    /** A loop that this machine runs, stopped by a signal. */
    @Test
    void aStoppedProcessStandsStillAndOneThatOnlyWaitsForAProcessorDoesNot() throws Exception {
        int processors = Runtime.getRuntime().availableProcessors();
        List<Process> loops = new ArrayList<>();
        try {
            for (int i = 0; i < 4 * processors; i++) {
                loops.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            long starved = loops.getFirst().pid();
            assertThat(moves(starved)).as("one of many that want to run").isTrue();

            new ProcessBuilder("kill", "-STOP", Long.toString(starved)).start().waitFor();
            // It stops only when it next gets a processor.
            Path state = Path.of("/proc", Long.toString(starved), "stat");
            long patience = System.nanoTime() + ENOUGH.toNanos();
            while (!Files.readString(state).contains(") T ") && System.nanoTime() < patience) {
                Thread.sleep(10);
            }
            assertThat(stands(starved)).isTrue();
        } finally {
            loops.forEach(Process::destroyForcibly);
        }
    }

    /** At last: how many others want to run on this machine is not known. */
    private static boolean moves(long process) throws InterruptedException {
        long patience = System.nanoTime() + ENOUGH.toNanos();
        boolean moves;
        do {
            moves = !stands(process);
        } while (!moves && System.nanoTime() < patience);
        return moves;
    }

    private static boolean stands(long process) throws InterruptedException {
        Optional<Duration> before = HangDetector.processorTimeOf(process);
        Thread.sleep(400);
        return before.isPresent() && before.equals(HangDetector.processorTimeOf(process));
    }

    @Test
    void whereNothingCanBeToldTimeDecides() {
        HangDetector blind = new HangDetector(_ -> Optional.empty(), () -> nanos);
        boolean hangs = false;
        while (!hangs) {
            nanos += HangDetector.ANSWER.plus(HangDetector.AGAIN).toNanos();
            hangs = blind.unanswered(ETCD);
        }

        assertThat(Duration.ofNanos(nanos)).isGreaterThan(Duration.ofSeconds(12));
    }

    @Test
    void anAnswerBetweenStartsOver() {
        assertThat(question()).isFalse();
        pulse.answered();
        assertThat(pulse.silent()).isFalse();
        assertThat(question()).isFalse();
    }

    /** From the last answer, with a second until the next look: two questions are within 6 s. */
    @Test
    void twoQuestionsAreOverWithinSixSeconds() {
        Duration transport = Duration.ofMillis(250);
        assertThat(
                        Duration.ofSeconds(1)
                                .plus(HangDetector.ANSWER.plus(transport).multipliedBy(2))
                                .plus(HangDetector.AGAIN))
                .isLessThan(Duration.ofSeconds(6));
    }

    private boolean question() {
        nanos += HangDetector.ANSWER.plus(HangDetector.AGAIN).toNanos();
        return pulse.unanswered(ETCD);
    }
}
