package dev.tandem.drill.agents;

import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Kills the agents of both nodes at random moments of an incident, as a crash or an upgrade at the
 * worst time does. Bounded: a pair that is never left alone never recovers.
 */
public final class AgentKiller implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Pair pair;
    private final int most;
    private final int longestPauseMillis;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ConcurrentLinkedQueue<ScenarioActs.Act> kills = new ConcurrentLinkedQueue<>();
    private Optional<Thread> thread = Optional.empty();

    /**
     * @param most kills altogether
     * @param span the time over which they come, roughly
     */
    public AgentKiller(Pair pair, int most, Duration span) {
        this.pair = pair;
        this.most = most;
        // A pause is half as long on average.
        this.longestPauseMillis = (int) Math.max(1, 2 * span.toMillis() / most);
    }

    /** Begins to kill, at moments of this generator; it is this killer's alone from now on. */
    public void begin(RandomGenerator moments) {
        thread = Optional.of(Thread.ofVirtual().name("agent-killer").start(() -> kill(moments)));
    }

    private void kill(RandomGenerator random) {
        try {
            for (int i = 0; i < most; i++) {
                if (ended.await(random.nextInt(longestPauseMillis), TimeUnit.MILLISECONDS)) {
                    return;
                }
                String node = Pair.NODES.get(random.nextInt(Pair.NODES.size()));
                // A node without power has no agent to kill.
                if (pair.lab()
                                .node(node)
                                .run(LIMIT, "systemctl", "kill", "-s", "KILL", "tandem-agent")
                                .exitCode()
                        == 0) {
                    kills.add(new ScenarioActs.Act(System.nanoTime(), node));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whose agents were killed, and when. */
    public List<ScenarioActs.Act> kills() {
        return List.copyOf(kills);
    }

    /** No agent is killed after this. */
    public void end() {
        ended.countDown();
        try {
            if (thread.isPresent()) {
                thread.get().join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end();
    }
}
