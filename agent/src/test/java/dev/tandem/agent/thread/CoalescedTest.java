package dev.tandem.agent.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CoalescedTest {
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger atATime = new AtomicInteger();
    private final AtomicInteger mostAtATime = new AtomicInteger();
    private final Semaphore may = new Semaphore(0);

    private void work() {
        begun.incrementAndGet();
        mostAtATime.accumulateAndGet(atATime.incrementAndGet(), Math::max);
        may.acquireUninterruptibly();
        atATime.decrementAndGet();
    }

    /** 200 alerts at once, as of somebody who floods the socket. */
    @Test
    void allWhoAskWhileItIsDoneGetOneMore() {
        try (Coalesced looks = new Coalesced("test", Duration.ofMillis(50), this::work)) {
            looks.request();
            await().until(() -> begun.get() == 1);
            for (int i = 0; i < 200; i++) {
                Thread.startVirtualThread(looks::request);
            }
            may.release(200);
            await().until(() -> begun.get() == 2);
            await().during(Duration.ofMillis(300)).until(() -> begun.get() == 2);
            assertThat(mostAtATime).hasValue(1);
        }
    }

    @Test
    void itIsNotDoneMoreOftenThanTheSpacingAllows() {
        may.release(1_000_000);
        try (Coalesced looks = new Coalesced("test", Duration.ofMillis(100), this::work)) {
            long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            while (System.nanoTime() < end) {
                looks.request();
                Thread.onSpinWait();
            }
            assertThat(begun.get()).isBetween(2, 11);
        }
    }

    @Test
    void theFirstIsNotMadeToWait() {
        may.release(10);
        try (Coalesced looks = new Coalesced("test", Duration.ofHours(1), this::work)) {
            looks.request();
            await().atMost(Duration.ofSeconds(5)).until(() -> begun.get() == 1);
        }
    }

    @Test
    void aFaultDoesNotEndIt() {
        AtomicInteger tried = new AtomicInteger();
        try (Coalesced looks =
                new Coalesced(
                        "test",
                        Duration.ofMillis(1),
                        () -> {
                            tried.incrementAndGet();
                            throw new IllegalStateException("planted");
                        })) {
            looks.request();
            await().until(() -> tried.get() == 1);
            looks.request();
            await().until(() -> tried.get() == 2);
        }
    }
}
