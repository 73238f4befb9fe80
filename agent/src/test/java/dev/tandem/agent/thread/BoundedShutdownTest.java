package dev.tandem.agent.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With real processes: what a signal does is the JVM's business. */
@Timeout(120)
class BoundedShutdownTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    enum Ending {
        WELL,
        NEVER,
        WITH_A_FAULT;

        /** Only one of them reaches it; the others have all the time that a busy machine needs. */
        Duration limit() {
            return this == NEVER ? LIMIT : Duration.ofSeconds(50);
        }
    }

    /** Something that is closed when the process gets a signal. */
    static final class Program {
        public static void main(String[] arguments) throws InterruptedException {
            Ending ending = Ending.valueOf(arguments[0]);
            CountDownLatch never = new CountDownLatch(1);
            BoundedShutdown.atExit(
                    () -> {
                        System.out.println("closing");
                        switch (ending) {
                            case WELL -> System.out.println("closed");
                            case NEVER -> never.await();
                            case WITH_A_FAULT -> throw new IllegalStateException("planted");
                        }
                    },
                    ending.limit());
            System.out.println("ready");
            never.await();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSignalClosesAndEndsTheProcessInTime(Ending ending)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Program.class.getName(),
                                ending.name())
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(out.readLine()).isEqualTo("ready");

            long began = System.nanoTime();
            // By its handle: the process would close the pipe with what is still to be read.
            process.toHandle().destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            String said = out.lines().collect(Collectors.joining("\n"));
            assertThat(said).contains("closing");
            // 128 and the number of the signal: to systemd this is a good end.
            assertThat(process.exitValue()).isEqualTo(143);
            switch (ending) {
                case WELL -> assertThat(said).contains("closed");
                case NEVER -> {
                    assertThat(said).contains("not everything was closed within 2 s");
                    assertThat(took).isGreaterThanOrEqualTo(LIMIT);
                }
                case WITH_A_FAULT -> assertThat(said).contains("planted");
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void anActorThatIsClosedFinishesWhatItDoesAndTakesNothingMore() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        List<String> done = new CopyOnWriteArrayList<>();
        Actor actor = new Actor();
        actor.post(() -> {
            begun.countDown();
            try {
                goOn.await();
                done.add("finished");
            } catch (InterruptedException e) {
                done.add("interrupted");
            }
        });
        begun.await();
        actor.post(() -> done.add("queued"));

        actor.close();
        actor.post(() -> done.add("late"));
        assertThat(actor.call(() -> 1, Duration.ofMillis(50))).isEmpty();
        goOn.countDown();

        assertThat(actor.awaitEnd(Duration.ofSeconds(20))).isTrue();
        assertThat(done).containsExactly("finished");
    }
}
