package dev.tandem.drill.agents;

import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.host.Commands;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Kills the agents of both nodes at random moments of an incident, as a crash or an upgrade at the
 * worst time does. Bounded: a pair that is never left alone never recovers.
 */
public final class AgentKiller implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Function<String, Commands.Output> kill;
    private final int most;
    private final int longestPauseMillis;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ConcurrentLinkedQueue<ScenarioActs.Act> kills = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private Optional<Thread> thread = Optional.empty();

    /**
     * @param most kills altogether
     * @param span the time over which they come, roughly
     */
    public AgentKiller(Pair pair, int most, Duration span) {
        this(
                node ->
                        pair.lab()
                                .node(node)
                                .run(LIMIT, "systemctl", "kill", "-s", "KILL", "tandem-agent"),
                most,
                span);
    }

    /**
     * @param kill kills the agent of a node
     */
    AgentKiller(Function<String, Commands.Output> kill, int most, Duration span) {
        this.kill = kill;
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
                strike(node);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What goes wrong is told and does not end the killing. */
    private void strike(String node) {
        try {
            Commands.Output output = kill.apply(node);
            if (output.ok()) {
                kills.add(new ScenarioActs.Act(System.nanoTime(), node));
            } else if (output.exitCode() != Commands.Output.NOT_STARTED) {
                // A node without power, where nothing is started, has no agent to kill.
                failures.add(
                        "%s: exit code %d %s"
                                .formatted(node, output.exitCode(), output.err().strip()));
            }
        } catch (RuntimeException e) {
            failures.add("%s: %s".formatted(node, e));
        }
    }

    /**
     * What is wrong with a whole series in which agents were to be killed: it shows nothing if none
     * was.
     */
    public static List<String> findings(boolean asked, int killed) {
        return asked && killed == 0
                ? List.of("agents were to be killed, and none was killed in the whole series")
                : List.of();
    }

    /** Attempts that failed, though the node had power, in words. */
    public List<String> failures() {
        return List.copyOf(failures);
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
