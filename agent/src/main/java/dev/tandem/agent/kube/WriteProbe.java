package dev.tandem.agent.kube;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.kube.AgentRbac;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the API server of this node writes, by having it write, and tells the cluster,
 * which puts the API's address where that is so.
 *
 * <p>That etcd serves is not enough to know: after an outage the API server's etcd client waits
 * longer and longer between its tries to connect, up to two minutes, and nothing can shorten that
 * from outside (gRPC; kube-apiserver has no option for it). Nor is it necessary: an agent that
 * cannot see its own etcd still sees whether the API writes.
 *
 * <p>Without a peer in the cluster there is no other place for the address, and the cluster is told
 * nothing: an attribute that changes in the middle of a take-over would make Pacemaker plan again.
 * It is tried all the same, for the status: nobody else notices that the only API server hangs.
 */
public final class WriteProbe implements AutoCloseable {
    private static final String LEASES =
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

    /** A write takes milliseconds, and a slow disk's a few hundred. */
    private static final Duration LIMIT = Duration.ofMillis(1500);

    /**
     * Between writes that go well. With the limit it is 2.5 s after which a node without the
     * address has said that it cannot write: before the holder, which waits longer, says the same.
     */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** While it is not clear what to say, or there is something to wait for. */
    private static final Duration SHORT_PAUSE = Duration.ofMillis(500);

    /** A restart of Pacemaker alone deletes the attributes, and causes no event. */
    private static final Duration TOLD_AGAIN = Duration.ofSeconds(15);

    /** For this long after it gave the address up, a node that has it again may be more patient. */
    private static final Duration LATELY = Duration.ofMinutes(5);

    /** Failures in a row that are no rush any more: a busy server may also be slow once. */
    private static final int FAILS = 2;

    private static final String OUT_OF_REACH =
            "clients cannot reach it (the interface of the API's network has no carrier here, and"
                    + " the peer's has)";

    /** As the type MicroTime of the API is written. */
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    /** The node whose API server is probed. */
    public interface LocalNode {
        /** Whether the peer is a member of the cluster. */
        boolean peerPresent();

        /** Whether the API's address is on this node. */
        boolean holdsAddress();

        /** Whether etcd of this node serves; asked where the API cannot be. */
        boolean etcdServes();

        /** Whether the peer has told the cluster that its API server writes. */
        boolean peerCanWrite();

        /** Whether clients reach the peer, and not this node: its network is gone. */
        boolean isOutOfReach();

        /** Tells the cluster; fails where Pacemaker is not up. */
        void tell(boolean canWrite);
    }

    /** What a try came to. */
    private enum Outcome {
        WRITTEN,
        FAILED,
        /** Refused for the load: the server lives, and nobody knows whether it would write. */
        BUSY,
        /** The API could not be asked, and etcd, which stands for it, serves. */
        ETCD_SERVES,
        /** The same, and etcd does not serve. */
        ETCD_DOWN
    }

    private record Seen(Outcome outcome, String why) {
        boolean written() {
            return outcome == Outcome.WRITTEN || outcome == Outcome.ETCD_SERVES;
        }

        boolean failed() {
            return outcome == Outcome.FAILED || outcome == Outcome.ETCD_DOWN;
        }

        boolean tested() {
            return outcome != Outcome.ETCD_SERVES && outcome != Outcome.ETCD_DOWN;
        }

        String words() {
            return switch (outcome) {
                case ETCD_SERVES -> "not tested; etcd serves";
                case ETCD_DOWN -> "not tested; etcd does not serve";
                case WRITTEN, FAILED, BUSY -> why;
            };
        }
    }

    private final String lease;
    private final KubeConnection connection;
    private final LocalNode node;
    private final OutOfServiceNotifier.Log log;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Duration limit;

    private volatile Writability writability = Writability.UNKNOWN;

    /** The same with or without a peer: what the cluster is told starts over with each return. */
    private volatile Writability observed = Writability.UNKNOWN;

    private volatile Optional<Seen> last = Optional.empty();

    /** The server may well write; it is the wrong place all the same. */
    private volatile boolean outOfReach;

    private int failures;
    private Writability.Told told = Writability.Told.NOTHING;
    private long toldAt;
    private OptionalLong gaveUpAt = OptionalLong.empty();
    private @Nullable String refused;

    public WriteProbe(
            String self,
            Path access,
            LocalNode node,
            OutOfServiceNotifier.Log log,
            InstantSource clock,
            LongSupplier nanos) {
        this(self, new KubeConnection(access), node, log, clock, nanos, LIMIT);
    }

    /**
     * @param limit of a write
     */
    WriteProbe(
            String self,
            KubeConnection connection,
            LocalNode node,
            OutOfServiceNotifier.Log log,
            InstantSource clock,
            LongSupplier nanos,
            Duration limit) {
        this.lease = AgentRbac.lease(self);
        this.connection = connection;
        this.node = node;
        this.log = log;
        this.clock = clock;
        this.nanos = nanos;
        this.limit = limit;
    }

    /** Until the next look. */
    public Duration interval() {
        Writability now = known();
        // A server that has too much to do is asked no more often for that.
        boolean busy = last.filter(seen -> seen.outcome == Outcome.BUSY).isPresent();
        return busy || (now.writes() && now.settled()) ? PAUSE : SHORT_PAUSE;
    }

    /** Writes once, and tells what is worth telling. */
    public void look() {
        boolean peerPresent = node.peerPresent();
        long began = nanos.getAsLong();
        Seen seen = tryToWrite();
        last = Optional.of(seen);
        failures = seen.failed() ? Math.min(failures + 1, FAILS) : 0;
        Duration rush = failures < FAILS ? Writability.LONGER_PATIENCE : Writability.PATIENCE;
        observed = observed.after(seen.written(), began, nanos.getAsLong(), true, rush);
        if (!peerPresent) {
            writability = Writability.UNKNOWN;
            told = Writability.Told.NOTHING;
            outOfReach = false;
            return;
        }
        outOfReach = node.isOutOfReach();
        boolean serves = seen.written() && !outOfReach;
        boolean holds = node.holdsAddress();
        // The peer is asked for only where it matters: each question starts a program.
        Duration patience = holds && !serves && !outOfReach ? patience(rush) : Writability.PATIENCE;
        writability = writability.after(serves, began, nanos.getAsLong(), holds, patience);
        if (holds && writability.told() == Writability.Told.CANNOT) {
            gaveUpAt = OptionalLong.of(nanos.getAsLong());
        }
        tell(outOfReach ? OUT_OF_REACH : seen.words());
    }

    /**
     * Why this node's API server does not write, where the cluster is told that it does not, or
     * would be if the peer were in it. Any thread may ask.
     */
    public Optional<String> cannotWrite() {
        Writability now = known();
        return now.told() == Writability.Told.CANNOT && !now.writes()
                ? last.map(seen -> firstLine(seen.words()))
                : Optional.empty();
    }

    /**
     * Why nobody can tell whether this node's API server writes: it did not let the agent try. The
     * cluster is told what etcd does, which a person must know. Any thread may ask.
     */
    public Optional<String> notTested() {
        return last.filter(seen -> !seen.tested()).map(seen -> firstLine(seen.why));
    }

    private static String firstLine(String why) {
        return why.lines().findFirst().orElse("it gives no reason").strip();
    }

    private Writability known() {
        Writability now = writability;
        return outOfReach || now.told() == Writability.Told.NOTHING ? observed : now;
    }

    /**
     * A server that refuses for the load is left only when that lasts: its clients would take the
     * load along.
     */
    private Duration patience(Duration rush) {
        boolean lately =
                gaveUpAt.isPresent() && nanos.getAsLong() - gaveUpAt.getAsLong() < LATELY.toNanos();
        return lately && node.etcdServes() && !node.peerCanWrite()
                ? Writability.LONGER_PATIENCE
                : rush;
    }

    private void tell(String why) {
        Writability.Told now = writability.told();
        boolean known = now == told && nanos.getAsLong() - toldAt < TOLD_AGAIN.toNanos();
        if (now == Writability.Told.NOTHING || known) {
            return;
        }
        try {
            node.tell(now == Writability.Told.CAN);
        } catch (Failure e) {
            // Pacemaker is not up yet, or being restarted; the next look tries again.
            told = Writability.Told.NOTHING;
            return;
        }
        if (now != told) {
            log.record(new JournalEvent.ApiWritability(now == Writability.Told.CAN, why));
        }
        told = now;
        toldAt = nanos.getAsLong();
    }

    private Seen tryToWrite() {
        try {
            Optional<KubeApi> api = connection.open();
            if (api.isEmpty()) {
                return byEtcd("no access to the API");
            }
            KubeApi.Answer answer =
                    api.get().patch(LEASES + "/" + lease, KubeApi.Patch.MERGE, renewed(), limit);
            if (answer.missing()) {
                answer = api.get().post(LEASES, made(), limit);
            }
            if (answer.accepted()) {
                refused = null;
                return new Seen(Outcome.WRITTEN, "the API server accepted a write");
            }
            String said = answer.code() + " " + answer.body().path("message").asText();
            return switch (answer.code()) {
                // It does not know the agent, or lets it do nothing: others may be able to write.
                case 401, 403 -> byEtcd(said);
                case 429 -> new Seen(Outcome.BUSY, said);
                default -> new Seen(Outcome.FAILED, said);
            };
        } catch (Failure e) {
            return byEtcd(e.what() + ": " + e.why());
        } catch (IOException e) {
            return new Seen(Outcome.FAILED, IoErrors.words(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Seen(Outcome.FAILED, "interrupted");
        }
    }

    /** Where the API cannot be asked, what its etcd does is the best that is known. */
    private Seen byEtcd(String why) {
        if (!why.equals(refused)) {
            refused = why;
            log.record(new JournalEvent.ApiNotTested(why));
        }
        return new Seen(node.etcdServes() ? Outcome.ETCD_SERVES : Outcome.ETCD_DOWN, why);
    }

    private ObjectNode renewed() {
        ObjectNode change = KubeApi.JSON.createObjectNode();
        // Something that differs each time: a change that changes nothing is not written.
        change.putObject("spec").put("renewTime", MICROS.format(clock.instant()));
        return change;
    }

    /** Without a holder: nobody waits for this lease, and nobody has to free it. */
    private ObjectNode made() {
        ObjectNode made = renewed();
        made.put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        made.putObject("metadata").put("name", lease);
        return made;
    }

    @Override
    public void close() {
        connection.close();
    }
}
