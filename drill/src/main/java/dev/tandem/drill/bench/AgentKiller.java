package dev.tandem.drill.bench;

import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Kills the agents of both nodes at random moments of an incident, as a crash or an upgrade at the
 * worst time does. Bounded: a pair that is never left alone never recovers.
 */
final class AgentKiller implements AutoCloseable {
    private static final int KILLS = 6;
    private static final int LONGEST_PAUSE_MILLIS = 3_000;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Pair pair;
    private final Optional<RandomGenerator> moments;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger kills = new AtomicInteger();

    /**
     * @param moments when they come; without, none are killed
     */
    AgentKiller(Pair pair, Optional<RandomGenerator> moments) {
        this.pair = pair;
        this.moments = moments;
    }

    void begin() {
        moments.ifPresent(
                random -> Thread.ofVirtual().name("agent-killer").start(() -> kill(random)));
    }

    private void kill(RandomGenerator random) {
        try {
            for (int i = 0; i < KILLS; i++) {
                if (ended.await(random.nextInt(LONGEST_PAUSE_MILLIS), TimeUnit.MILLISECONDS)) {
                    return;
                }
                String node = Pair.NODES.get(random.nextInt(Pair.NODES.size()));
                // A node without power has no agent to kill.
                if (pair.lab()
                                .node(node)
                                .run(LIMIT, "systemctl", "kill", "-s", "KILL", "tandem-agent")
                                .exitCode()
                        == 0) {
                    kills.incrementAndGet();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int kills() {
        return kills.get();
    }

    @Override
    public void close() {
        ended.countDown();
    }
}
