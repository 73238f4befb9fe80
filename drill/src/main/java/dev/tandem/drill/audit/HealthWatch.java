package dev.tandem.drill.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.host.Commands;
import dev.tandem.lab.Lab;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.LabStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Asks both nodes once a second how they are, and compares what they say with what runs there and
 * with what is acknowledged: a status must never call a server healthy that is down.
 */
public final class HealthWatch implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration FIRST_LOOKS = Duration.ofSeconds(30);

    /** The agent hears of its server's end at once; a busy machine needs a moment to say so. */
    private static final Duration OWN_SERVER = Duration.ofSeconds(3);

    /** The peer is called well until its silence has been noticed. */
    private static final Duration PEERS_SERVER = Duration.ofSeconds(8);

    /**
     * A node that says it serves is believed for so long without any acknowledged write; a server
     * that hangs while it looks busy is found after 15 s (ADR 9).
     */
    private static final Duration NO_WRITES = Duration.ofSeconds(20);

    /** Longer than one look, so that both said it at the same time. */
    private static final Duration BOTH_ALONE = Duration.ofSeconds(3);

    /** The process before and after the question: only what was down all the time was down. */
    private static final List<String> LOOK =
            List.of(
                    "sh",
                    "-c",
                    "pidof -s etcd || echo 0; curl --silent --max-time 2 --unix-socket"
                            + " /run/tandem/agent.sock http://tandem/status | tr -d '\\n'; echo;"
                            + " pidof -s etcd || echo 0");

    /**
     * One look at a node.
     *
     * @param state what the agent says of its server; OFF, FROZEN or SILENT where nobody says it
     * @param runs whether there is a server's process
     * @param process its number in the node; 0 where none was seen, or not the same all the time
     * @param said the whole status; empty where nobody told it, or not so that it is understood
     */
    public record Sample(
            long nanos,
            String node,
            String state,
            String sentence,
            boolean runs,
            long process,
            Optional<NodeStatus> said) {
        /** Whether the node said of itself that it serves. */
        boolean isWell() {
            return state.equals("REDUNDANT") || state.equals("ALONE");
        }
    }

    private final Lab lab;
    private final Writer writer;
    private final ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
    private final Map<String, Sample> last = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> lies = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ends;

    public HealthWatch(Pair pair, Writer writer) {
        this.lab = pair.lab();
        this.writer = writer;
        for (String node : Pair.NODES) {
            threads.add(Thread.ofVirtual().name("watch " + node).start(() -> watch(node)));
        }
    }

    private void watch(String node) {
        Lie aboutItself = new Lie(OWN_SERVER, "its server was down");
        Lie aboutPeer = new Lie(PEERS_SERVER, "the peer's server was down");
        Lie aboutWrites = new Lie(NO_WRITES, "no write was acknowledged");
        Lie aboutBeingAlone = new Lie(BOTH_ALONE, "its peer said the same");
        while (!ends) {
            try {
                Sample sample = look(node);
                samples.add(sample);
                last.put(node, sample);
                Optional<Sample> peer = Optional.ofNullable(last.get(Pair.peerOf(node)));
                aboutItself.take(!sample.runs() && sample.isWell(), sample).ifPresent(lies::add);
                aboutPeer
                        .take(
                                sample.sentence().contains("either node can fail")
                                        && peer.filter(other -> !other.runs()).isPresent(),
                                sample)
                        .ifPresent(lies::add);
                aboutWrites
                        .take(
                                (sample.state().equals("ALONE")
                                                || sample.sentence()
                                                        .contains("either node can fail"))
                                        && writer.nothingSince(sample.nanos() - EVERY.toNanos()),
                                sample)
                        .ifPresent(lies::add);
                aboutBeingAlone
                        .take(
                                sample.state().equals("ALONE")
                                        && peer.filter(other -> other.state().equals("ALONE"))
                                                .isPresent(),
                                sample)
                        .ifPresent(lies::add);
            } catch (RuntimeException e) {
                // The node went off under the question; the next look finds it so.
                last.remove(node);
            }
            try {
                Thread.sleep(EVERY);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Something untrue that a node says, and since when. */
    static final class Lie {
        private final Duration patience;
        private final String otherwise;
        private long since;
        private boolean told;

        Lie(Duration patience, String otherwise) {
            this.patience = patience;
            this.otherwise = otherwise;
        }

        /** Takes a look in; the lie in words when it has lasted too long, and once only. */
        Optional<String> take(boolean untrue, Sample sample) {
            if (!untrue) {
                since = 0;
                told = false;
            } else if (since == 0) {
                since = sample.nanos();
            } else if (!told && sample.nanos() - since > patience.toNanos()) {
                told = true;
                return Optional.of(
                        "for more than %d s %s has said \"%s\" while %s"
                                .formatted(
                                        patience.toSeconds(),
                                        sample.node(),
                                        sample.sentence(),
                                        otherwise));
            }
            return Optional.empty();
        }
    }

    private Sample look(String name) {
        Lab.Node node = lab.node(name);
        LabStatus.State power = node.status().state();
        long now = System.nanoTime();
        if (power == LabStatus.State.OFF || power == LabStatus.State.FROZEN) {
            return new Sample(
                    now,
                    name,
                    power.name(),
                    "",
                    power == LabStatus.State.FROZEN,
                    0,
                    Optional.empty());
        }
        Commands.Output output = node.commands().run(LIMIT, LOOK);
        List<String> lines = output.out().lines().toList();
        if (lines.size() < 3) {
            return new Sample(now, name, "SILENT", "", true, 0, Optional.empty());
        }
        boolean runs = !lines.getFirst().equals("0") || !lines.getLast().equals("0");
        long process =
                lines.getFirst().equals(lines.getLast()) ? Long.parseLong(lines.getFirst()) : 0;
        try {
            JsonNode status = AgentJson.MAPPER.readTree(lines.get(1));
            String health = status.path("health").asText();
            return new Sample(
                    now,
                    name,
                    health.isEmpty() ? "SILENT" : health,
                    status.path("sentence").asText(),
                    runs,
                    process,
                    health.isEmpty() ? Optional.empty() : understood(name, status));
        } catch (JsonProcessingException e) {
            return new Sample(now, name, "SILENT", "", runs, process, Optional.empty());
        }
    }

    /** A status that is told but not as agreed is a finding: nothing can be held against it. */
    private Optional<NodeStatus> understood(String node, JsonNode status) {
        try {
            return Optional.of(NodeStatus.of(status));
        } catch (IllegalArgumentException e) {
            String finding =
                    "the status of %s is not understood: %s".formatted(node, e.getMessage());
            if (!lies.contains(finding)) {
                lies.add(finding);
            }
            return Optional.empty();
        }
    }

    /** Waits until each node was looked at early enough to be taken at its word. */
    public void awaitFirstLooks() {
        lab.await(
                "both nodes have been looked at",
                FIRST_LOOKS,
                () ->
                        Pair.NODES.stream()
                                .allMatch(node ->
                                        samples.stream()
                                                .anyMatch(sample ->
                                                        sample.node().equals(node)
                                                                && System.nanoTime()
                                                                                - sample.nanos()
                                                                        > EVERY.toNanos())));
    }

    public List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** Times at which a status called a server healthy that was down. */
    public List<String> lies() {
        return List.copyOf(lies);
    }

    @Override
    public void close() {
        ends = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
