package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.client.AgentSocket;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.LabStatus;
import java.io.IOException;
import java.net.ConnectException;
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
    private static final Duration QUESTION = Duration.ofSeconds(2);
    private static final Duration FIRST_LOOKS = Duration.ofSeconds(30);

    /** The agent hears of its server's end at once; a busy machine needs a moment to say so. */
    private static final Duration OWN_SERVER = Duration.ofSeconds(3);

    /** The peer is called well until its silence has been noticed. */
    private static final Duration PEERS_SERVER = Duration.ofSeconds(8);

    /**
     * A node that says it serves is believed for this long without any acknowledged write; a server
     * that hangs while it looks busy is found after 15 s (ADR 9).
     */
    private static final Duration NO_WRITES = Duration.ofSeconds(20);

    /** Longer than one look, so that both said it at the same time. */
    private static final Duration BOTH_ALONE = Duration.ofSeconds(3);

    /**
     * A node is not seen for a moment when its power goes under the question; the next look finds
     * that. Whoever sees nothing for this long is blind, and says nothing of the node.
     */
    private static final Duration BLIND = Duration.ofSeconds(20);

    private static final String ETCD = "etcd";

    /**
     * One look at a node.
     *
     * @param power what the lab knows of its machine
     * @param runs whether there is a server's process, or may be
     * @param process its number on the host; 0 where none was seen, or not the same all the time
     * @param told whether it is known what the agent said, or that there was none to say anything;
     *     false where the look or the question did not end in time
     * @param said the status; empty where nobody told it, or not so that it is understood
     * @param unread why an answer was not understood; empty where there was none, or it was
     */
    public record Sample(
            long nanos,
            String node,
            LabStatus.State power,
            boolean runs,
            long process,
            boolean told,
            Optional<AgentStatus> said,
            Optional<String> unread) {
        /** What a node is shown as while its agent does not answer. */
        public static final String SILENT = "SILENT";

        /** For people: the power where that is enough, else the health. */
        public String state() {
            return power == LabStatus.State.OFF || power == LabStatus.State.FROZEN
                    ? power.name()
                    : said.map(status -> status.health().name()).orElse(SILENT);
        }

        public String sentence() {
            return said.map(AgentStatus::sentence).orElse("");
        }

        /** Whether the node said of itself that it serves. */
        boolean isWell() {
            return is(NodeHealth.REDUNDANT) || is(NodeHealth.ALONE);
        }

        boolean is(NodeHealth health) {
            return said.filter(status -> status.health() == health).isPresent();
        }

        boolean saysEitherCanFail() {
            return said.filter(AgentStatus::eitherNodeCanFail).isPresent();
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
        Blindness blindness = new Blindness(node, System.nanoTime());
        while (!ends) {
            try {
                Sample sample = look(node);
                blindness.seen(sample.nanos());
                samples.add(sample);
                last.put(node, sample);
                Optional<Sample> peer = Optional.ofNullable(last.get(Pair.peerOf(node)));
                aboutItself.take(!sample.runs() && sample.isWell(), sample).ifPresent(lies::add);
                aboutPeer
                        .take(
                                sample.saysEitherCanFail()
                                        && peer.filter(other -> !other.runs()).isPresent(),
                                sample)
                        .ifPresent(lies::add);
                aboutWrites
                        .take(
                                (sample.is(NodeHealth.ALONE) || sample.saysEitherCanFail())
                                        && writer.nothingSince(sample.nanos() - EVERY.toNanos()),
                                sample)
                        .ifPresent(lies::add);
                aboutBeingAlone
                        .take(
                                sample.is(NodeHealth.ALONE)
                                        && peer.filter(other -> other.is(NodeHealth.ALONE))
                                                .isPresent(),
                                sample)
                        .ifPresent(lies::add);
            } catch (RuntimeException e) {
                last.remove(node);
                blindness.failed(System.nanoTime(), e).ifPresent(lies::add);
            }
            try {
                Thread.sleep(EVERY);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** How long a node could not be looked at. */
    static final class Blindness {
        private final String node;
        private long seen;
        private boolean told;

        Blindness(String node, long now) {
            this.node = node;
            this.seen = now;
        }

        void seen(long nanos) {
            seen = nanos;
            told = false;
        }

        /** Describes it when it has lasted too long, once only. */
        Optional<String> failed(long nanos, RuntimeException why) {
            if (told || nanos - seen <= BLIND.toNanos()) {
                return Optional.empty();
            }
            told = true;
            return Optional.of(
                    "for more than %d s %s could not be looked at: %s"
                            .formatted(BLIND.toSeconds(), node, why));
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

        /** Takes a sample in; describes the lie when it has lasted too long, once only. */
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
        NodeHandle node = lab.node(name);
        LabStatus.Machine machine = node.machine();
        Long leader = machine.leader();
        long now = System.nanoTime();
        if (leader == null) {
            return new Sample(
                    now,
                    name,
                    LabStatus.State.OFF,
                    false,
                    0,
                    true,
                    Optional.empty(),
                    Optional.empty());
        }
        if (machine.frozen()) {
            return new Sample(
                    now,
                    name,
                    LabStatus.State.FROZEN,
                    true,
                    0,
                    true,
                    Optional.empty(),
                    Optional.empty());
        }
        // Before and after the question: only what was down all the time was down.
        List<Long> before = node.processes(ETCD);
        Asked asked = ask(NodeHandle.agent(leader));
        List<Long> after = node.processes(ETCD);
        if (!leader.equals(node.machine().leader())) {
            // Its power went under the question: what it would have said is not known.
            return unsure(now, name);
        }
        return sample(now, name, before, asked, after);
    }

    /** A server may run, and an agent may have said anything. */
    static Sample unsure(long nanos, String node) {
        return new Sample(
                nanos,
                node,
                LabStatus.State.UP,
                true,
                0,
                false,
                Optional.empty(),
                Optional.empty());
    }

    /** How a question to an agent ended. */
    sealed interface Asked {
        record Answered(AgentSocket.Answer answer) implements Asked {}

        record NobodyListens() implements Asked {}

        /** It did not end in time, or the answer broke off. */
        record NotTold() implements Asked {}
    }

    private static Asked ask(AgentSocket agent) {
        try {
            return new Asked.Answered(agent.get(AgentRoutes.STATUS, QUESTION));
        } catch (ConnectException e) {
            return new Asked.NobodyListens();
        } catch (IOException e) {
            return new Asked.NotTold();
        }
    }

    /**
     * @param before the server's processes when the agent was asked
     * @param after the same when that had ended
     */
    static Sample sample(
            long nanos, String node, List<Long> before, Asked asked, List<Long> after) {
        boolean runs = !before.isEmpty() || !after.isEmpty();
        long process = before.size() == 1 && before.equals(after) ? before.getFirst() : 0;
        Optional<AgentStatus> said = Optional.empty();
        Optional<String> unread = Optional.empty();
        if (asked instanceof Asked.Answered(AgentSocket.Answer answer)) {
            if (!answer.isOk()) {
                unread = Optional.of("HTTP %d: %s".formatted(answer.code(), answer.content()));
            } else {
                try {
                    said = Optional.of(AgentStatus.readExactly(answer.content()));
                } catch (IllegalArgumentException e) {
                    unread = Optional.of(String.valueOf(e.getMessage()));
                }
            }
        }
        return new Sample(
                nanos,
                node,
                LabStatus.State.UP,
                runs,
                process,
                !(asked instanceof Asked.NotTold),
                said,
                unread);
    }

    /** Waits until each node has told its status, long enough ago to be judged by it. */
    public void awaitFirstLooks() {
        lab.await(
                "both nodes have told their status",
                FIRST_LOOKS,
                () ->
                        Pair.NODES.stream()
                                .allMatch(node ->
                                        samples.stream()
                                                .anyMatch(sample ->
                                                        sample.node().equals(node)
                                                                && sample.said().isPresent()
                                                                && System.nanoTime()
                                                                                - sample.nanos()
                                                                        > EVERY.toNanos())));
    }

    public List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** Times at which a status called a server healthy that was down, or nobody could look. */
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
