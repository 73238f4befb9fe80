package dev.tandem.host.etcd;

import dev.tandem.core.peer.EtcdState;
import dev.tandem.host.Commands;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Frees etcd of connections over a link that died. It reads from them without a limit of its own,
 * and takes the peer's next URL only when one has failed: ADR 30. Closing a connection is safe at
 * any time, since raft expects messages to be lost; all that it costs is another connection.
 */
public final class PeerConnections {
    /** How often while one leader is missing: the first time is enough if it was the reason. */
    static final int MOST = 3;

    private static final Duration COMMAND = Duration.ofSeconds(2);

    private final Commands commands;
    private final List<InetAddress> peer;
    private final int port;
    private final Supplier<Duration> election;
    private final LongSupplier nanos;
    private final Consumer<Outcome> told;

    private boolean leaderless;
    private int closed;
    private long since;

    /**
     * What came of closing them.
     *
     * @param problem empty if the kernel did it
     */
    public record Outcome(int connections, String problem) {}

    /**
     * @param peer the peer's addresses, one a link
     * @param port where etcd's members talk to each other, on both nodes
     * @param election how long etcd waits for a leader before it calls an election
     * @param told called when connections were closed, or could not be
     */
    public PeerConnections(
            Commands commands,
            List<InetAddress> peer,
            int port,
            Supplier<Duration> election,
            LongSupplier nanos,
            Consumer<Outcome> told) {
        this.commands = commands;
        this.peer = List.copyOf(peer);
        this.port = port;
        this.election = election;
        this.nanos = nanos;
        this.told = told;
    }

    /**
     * Told of every look at this node's server.
     *
     * @param peerPresent whether Corosync has both nodes, so that some link works
     */
    public synchronized void seen(EtcdObservation own, boolean peerPresent) {
        boolean now =
                peer.size() > 1
                        && peerPresent
                        && own.server() == EtcdState.LEADERLESS
                        && !own.starting()
                        && own.members().size() > 1;
        if (!now) {
            leaderless = false;
            closed = 0;
            return;
        }
        if (!leaderless) {
            leaderless = true;
            since = nanos.getAsLong();
            return;
        }
        if (closed < MOST && nanos.getAsLong() - since >= patience().toNanos()) {
            closed++;
            close();
            since = nanos.getAsLong();
        }
    }

    /** Whether a leader is missing that there may be over another link: look again soon. */
    public synchronized boolean waiting() {
        return leaderless && closed < MOST;
    }

    /**
     * An election that succeeds takes one timeout, or two if both began one at the same time. After
     * the first closing etcd also has to find that the dead address accepts no other connection,
     * for which it takes a second and another timeout.
     */
    private Duration patience() {
        Duration elections = election.get().multipliedBy(2);
        return closed == 0 ? elections : elections.multipliedBy(2).plusSeconds(1);
    }

    private void close() {
        Commands.Output output = commands.run(COMMAND, command());
        int connections = (int) output.out().lines().filter(line -> !line.isBlank()).count();
        String problem =
                output.err().isBlank() && !output.ok()
                        ? "ss ended with " + output.exitCode()
                        : output.err().strip();
        if (connections > 0 || !problem.isEmpty()) {
            told.accept(new Outcome(connections, problem));
        }
    }

    private List<String> command() {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "ss",
                                "--kill",
                                "--tcp",
                                "--numeric",
                                "--no-header",
                                "state",
                                "connected",
                                "(",
                                "sport",
                                "=",
                                ":" + port,
                                "or",
                                "dport",
                                "=",
                                ":" + port,
                                ")",
                                "and",
                                "("));
        for (int i = 0; i < peer.size(); i++) {
            if (i > 0) {
                words.add("or");
            }
            words.add("dst");
            words.add(literal(peer.get(i)));
        }
        words.add(")");
        return words;
    }

    private static String literal(InetAddress address) {
        return address instanceof Inet6Address
                ? "[" + address.getHostAddress() + "]"
                : address.getHostAddress();
    }
}
