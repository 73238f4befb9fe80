package dev.tandem.agent.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LoopTest {
    private static final long ENOUGH_SECONDS = 20;
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final Semaphore rounds = new Semaphore(0);
    private final WakeUp wakeUp = new WakeUp();

    @Test
    void anErrorInARoundIsNotTheEnd() throws InterruptedException {
        runsOn(
                () -> AT_ONCE,
                () -> {
                    rounds.release();
                    throw new StackOverflowError("planted");
                });
    }

    @Test
    void aFaultOfTheIntervalIsNotTheEnd() throws InterruptedException {
        runsOn(
                () -> {
                    throw new IllegalStateException("planted");
                },
                rounds::release);
    }

    @Test
    void afterAFaultOfTheIntervalItPausesAndAWakeUpIsHeard() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        try (Loop loop =
                new Loop(
                        "test",
                        wakeUp,
                        () -> {
                            asked.incrementAndGet();
                            throw new AssertionError("planted");
                        },
                        rounds::release)) {
            long began = System.nanoTime();
            loop.start();
            await(1);
            wakeUp.give();
            await(1);
            await(1);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isGreaterThanOrEqualTo(Loop.AFTER_A_FAULT);
            assertThat(asked.get()).isBetween(2, 3);
        }
    }

    @Test
    void withoutMemoryTheProcessEnds() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        try (Loop loop =
                new Loop(
                        "test",
                        wakeUp,
                        () -> AT_ONCE,
                        () -> {
                            rounds.release();
                            throw new OutOfMemoryError("planted");
                        },
                        ended::countDown)) {
            loop.start();
            assertThat(ended.await(ENOUGH_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(rounds.availablePermits()).isEqualTo(1);
        }
    }

    private void runsOn(Supplier<Duration> interval, Runnable work) throws InterruptedException {
        try (Loop loop = new Loop("test", wakeUp, interval, work)) {
            loop.start();
            await(2);
        }
    }

    private void await(int more) throws InterruptedException {
        assertThat(rounds.tryAcquire(more, ENOUGH_SECONDS, TimeUnit.SECONDS))
                .as("%d more rounds", more)
                .isTrue();
    }
}
