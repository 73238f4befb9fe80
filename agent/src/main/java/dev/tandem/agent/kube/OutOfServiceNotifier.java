package dev.tandem.agent.kube;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.KubernetesState;
import dev.tandem.core.Failure;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import dev.tandem.host.Deadline;
import dev.tandem.host.UnexpectedErrors;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells the API what a fence means for it, as soon as it takes writes again: the node that is off
 * is out of service, and what ran there holds nothing any more. When that node is back, the mark
 * goes.
 *
 * <p>It watches what is known and acts when that changes. An API that does not answer, or refuses,
 * is asked again after a pause that grows, for as long as the same is known: a fence stays true,
 * and ends with the peer's return. Nobody waits for any of it.
 */
public final class OutOfServiceNotifier implements Runnable {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

    /** As long as clients may still be waiting for this. */
    private static final Duration SHORT_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONG_PAUSE = Duration.ofSeconds(10);
    private static final int SHORT_PAUSES = 60;

    /** Why the API could not be told: nobody listens, or nobody answers in time. */
    static final String DOES_NOT_ANSWER = "it does not answer";

    /** What is known, and when it may have changed. */
    public interface Source {
        /** A number that grows with every change; taken before {@link #known}. */
        long changes();

        /** Empty when it cannot be told just now. */
        Optional<KubernetesReport> known();

        /** Returns when something changed since {@code seen}, or at the limit. */
        void awaitChange(long seen, Duration limit) throws InterruptedException;
    }

    /** Where it is written down what was done. */
    public interface Log {
        void record(JournalEvent event);
    }

    private final String self;
    private final String peer;
    private final KubeConnection connection;
    private final Source source;
    private final Log log;
    private final InstantSource clock;

    private @Nullable KubernetesReport told;
    private @Nullable KubernetesReport tried;
    private int tries;
    private volatile @Nullable OutOfServiceStatus status;

    public OutOfServiceNotifier(
            String self, String peer, Path access, Source source, Log log, InstantSource clock) {
        this.self = self;
        this.peer = peer;
        this.connection = new KubeConnection(access);
        this.source = source;
        this.log = log;
        this.clock = clock;
    }

    /** Runs until its thread is interrupted. */
    @Override
    public void run() {
        try {
            while (!Thread.interrupted()) {
                long seen = source.changes();
                Optional<KubernetesReport> known = source.known();
                if (known.isEmpty()) {
                    // The supervisor is busy, perhaps with a recovery.
                    source.awaitChange(seen, SHORT_PAUSE);
                } else if (known.get().equals(told) || !known.get().etcdServes()) {
                    source.awaitChange(seen, LONG_PAUSE);
                } else if (tell(known.get())) {
                    told = known.get();
                } else {
                    pause(known.get());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
        }
    }

    /** The pause grows with every try; it ends early when something else is known. */
    private void pause(KubernetesReport tried) throws InterruptedException {
        Deadline end = Deadline.in(pauseAfter(tries));
        for (Duration left = end.left(); left.isPositive(); left = end.left()) {
            long seen = source.changes();
            if (!source.known().equals(Optional.of(tried))) {
                return;
            }
            source.awaitChange(seen, left);
        }
    }

    static Duration pauseAfter(int tries) {
        if (tries > SHORT_PAUSES) {
            return LONG_PAUSE;
        }
        Duration doubled = FIRST_PAUSE.multipliedBy(1L << Math.min(tries - 1, 10));
        return doubled.compareTo(SHORT_PAUSE) < 0 ? doubled : SHORT_PAUSE;
    }

    private boolean tell(KubernetesReport known) throws InterruptedException {
        boolean first = !known.equals(tried);
        tried = known;
        tries = first ? 1 : tries + 1;
        try {
            Optional<KubeApi> reached = connection.open();
            if (reached.isEmpty()) {
                // Without access the agent can tell nothing; a new kubeconfig is tried again.
                status = null;
                return false;
            }
            boolean all = new OutOfServiceUpdate(reached.get(), self, peer, log, clock).tell(known);
            update(all ? settled(known) : KubernetesState.WAITS_FOR_KUBELET, known, "");
            return all;
        } catch (IOException | RuntimeException e) {
            // One unexpected answer must not end this loop.
            update(KubernetesState.WAITS_FOR_API, known, reason(e));
            if (first) {
                log.record(new JournalEvent.KubernetesNotTold(reason(e)));
                if (isUnexpected(e)) {
                    UnexpectedErrors.log("telling Kubernetes", e);
                }
            }
            return false;
        }
    }

    /** For people, who are never shown the class of an error: that stands in the log. */
    static String reason(Throwable e) {
        if (e instanceof ConnectException || e instanceof HttpTimeoutException) {
            return DOES_NOT_ANSWER;
        }
        Throwable cause = e.getCause();
        if (cause != null && cause.toString().equals(e.getMessage())) {
            // An exception that only wraps another one has that one's class and message as its
            // message.
            return reason(cause);
        }
        return e.getMessage() == null ? "its answer could not be read" : e.getMessage();
    }

    /** A fault of ours, in contrast to an API that does not answer, or says no. */
    static boolean isUnexpected(Throwable e) {
        return e instanceof RuntimeException
                ? !(e instanceof Failure)
                : e.getCause() instanceof RuntimeException;
    }

    private static KubernetesState settled(KubernetesReport known) {
        return known.peer() instanceof PeerState.Off
                ? KubernetesState.PEER_OUT_OF_SERVICE
                : KubernetesState.IN_SERVICE;
    }

    private void update(KubernetesState state, KubernetesReport known, String why) {
        OutOfServiceStatus before = status;
        long since =
                before != null && before.state() == state && before.peer().equals(known.peer())
                        ? before.sinceNanos()
                        : System.nanoTime();
        status = new OutOfServiceStatus(state, known.peer(), since, why);
    }

    /**
     * How far the API has been told, for a caller that knows this by now; empty where the agent has
     * no access to it, or nothing to tell that others may rely on.
     */
    public Optional<OutOfServiceStatus> status(KubernetesReport now) {
        OutOfServiceStatus last = status;
        if (last == null || now.peer() instanceof PeerState.Unsure) {
            return Optional.empty();
        }
        if (last.peer().equals(now.peer())) {
            return Optional.of(last);
        }
        return Optional.of(
                new OutOfServiceStatus(
                        KubernetesState.WAITS_FOR_API,
                        now.peer(),
                        System.nanoTime(),
                        now.etcdServes() ? "" : "etcd does not serve yet"));
    }
}
