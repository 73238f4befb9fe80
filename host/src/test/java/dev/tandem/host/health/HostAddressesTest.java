package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HostAddressesTest {
    private static final IpAddress ADDRESS = IpAddress.parse("192.0.2.1").orElseThrow();

    /** Each has a thread; without one to be had the agent ends. */
    @Test
    void aNameThatIsNotAnsweredIsAskedOnce() throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger questions = new AtomicInteger();
        HostAddresses hosts =
                new HostAddresses(
                        _ -> {
                            questions.incrementAndGet();
                            begun.countDown();
                            try {
                                answered.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            return List.of(ADDRESS);
                        },
                        Duration.ofMillis(1));

        try {
            assertThat(hosts.of("bmc.example")).isEmpty();
            begun.await();
            assertThat(hosts.of("bmc.example")).isEmpty();
            assertThat(hosts.of("bmc.example")).isEmpty();
            assertThat(hosts.of("192.0.2.1")).containsExactly(ADDRESS);
            assertThat(questions).hasValue(1);
        } finally {
            answered.countDown();
        }
        while (hosts.of("bmc.example").isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatWasAnsweredIsAskedAgain() {
        AtomicInteger questions = new AtomicInteger();
        HostAddresses hosts =
                new HostAddresses(
                        _ -> questions.incrementAndGet() > 1 ? List.of(ADDRESS) : List.of(),
                        Duration.ofMinutes(1));

        while (hosts.of("bmc.example").isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(questions).hasValueGreaterThan(1);
    }
}
