package dev.tandem.agent.supervise;

import dev.tandem.agent.state.DurableState;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.testing.Sketch;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A supervisor on its thread with an etcd of paper, for the tests of what stands around it. The
 * node is north and its peer south, in the words of {@link Sketch}.
 */
public final class SupervisedNode implements AutoCloseable {
    private static final Duration ENOUGH = Duration.ofSeconds(20);

    public final PaperEtcd etcd;
    public final Actor actor = new Actor();
    public final Journal journal;
    public final EtcdSupervisor supervisor;

    /** How often the supervisor wanted the peer asked before the next heartbeat. */
    public final AtomicInteger peerNudges = new AtomicInteger();

    /** By the supervisor's clock; 0 is now. */
    private final AtomicLong later = new AtomicLong();

    /**
     * @param replica of the node, as in {@code two 1:7}
     */
    public SupervisedNode(Path state, String replica) {
        this.etcd = new PaperEtcd(Sketch.north(replica).replica());
        this.journal = new Journal(state.resolve(JournalLine.FILE), InstantSource.system());
        this.supervisor =
                new EtcdSupervisor(
                        Sketch.NORTH,
                        Sketch.SOUTH,
                        Sketch.NORTH_BOOT,
                        URI.create("https://192.0.2.2:2380"),
                        Policy.PAIR,
                        etcd,
                        new DurableState.Store(state.resolve("memory.json")),
                        journal,
                        new NoInstallation(),
                        new RingsTheBell(),
                        InstantSource.system(),
                        this::nanos,
                        Duration.ofSeconds(10));
    }

    private long nanos() {
        return System.nanoTime() + later.get();
    }

    /** On the supervisor's thread. */
    public <T> T ask(Callable<T> question) {
        return actor.call(question, ENOUGH).orElseThrow();
    }

    private void tell(Runnable event) {
        ask(() -> {
            event.run();
            return true;
        });
    }

    /** The peer says this of itself. */
    public void hears(String facts) {
        tell(() -> {
            PeerMessage _ =
                    supervisor.asked(new PeerMessage.Facts(Sketch.south(facts), Sketch.NORTH_BOOT));
        });
    }

    public void peerIs(boolean present) {
        tell(() ->
                supervisor.membership(
                        new EtcdSupervisor.Presence(true, present, true, false, nanos())));
    }

    public void etcdIs(EtcdState server) {
        tell(() -> {
            etcd.server = server;
            etcd.starting = false;
            supervisor.saw(etcd.look());
        });
    }

    /** Started by Pacemaker beside a peer that is well. */
    public void serves(EtcdState server) {
        peerIs(true);
        hears("two 1:7 " + (server == EtcdState.LEADING ? "following" : "leading"));
        tell(supervisor::startRequested);
        etcdIs(server);
    }

    /** The supervisor's clock goes on. */
    public void wait(Duration time) {
        later.addAndGet(time.toNanos());
    }

    public List<JournalEvent> events() {
        return journal.last(1000).stream().map(line -> JournalLine.parse(line).event()).toList();
    }

    public <T extends JournalEvent> List<T> events(Class<T> kind) {
        return events().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @Override
    public void close() {
        actor.close();
    }

    private static final class NoInstallation implements EtcdSupervisor.Installation {
        @Override
        public boolean open() {
            return false;
        }

        @Override
        public void close() {
            throw new IllegalStateException("there was none to close");
        }
    }

    private final class RingsTheBell implements EtcdSupervisor.Errands {
        @Override
        public void tellPeer() {
            peerNudges.incrementAndGet();
        }

        @Override
        public void look() {}

        @Override
        public void lead(Step step) {}

        @Override
        public void changed() {
            actor.ring();
        }
    }
}
