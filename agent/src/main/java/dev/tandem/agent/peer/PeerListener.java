package dev.tandem.agent.peer;

import dev.tandem.agent.net.BoundedRequest;
import dev.tandem.agent.net.ConnectionSlots;
import dev.tandem.agent.net.ConnectionTimeout;
import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.UnexpectedErrors;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;

/**
 * Takes requests of whoever has a certificate of the site, over TLS. Anybody on the network can
 * connect, so all that comes before a certificate has been shown is bounded: how many connections
 * there are, how long a handshake takes, how much is read. What is bounded here is what the JDK's
 * own server leaves open: it has no limit for one address and none for a handshake.
 */
final class PeerListener implements AutoCloseable {
    /**
     * A connection in its handshake takes some 100 KB of a heap of 64 MB. The peer needs one, and
     * another while an old one times out.
     */
    static final ConnectionSlots.Limits CONNECTIONS = new ConnectionSlots.Limits(8, 4, 24);

    /** A handshake takes milliseconds; seconds on a machine that is busy with a take-over. */
    static final Duration HANDSHAKE = Duration.ofSeconds(4);

    /** Longer than a caller waits for its answer. */
    static final Duration REQUEST = Duration.ofSeconds(8);

    /** Longer than the JDK's client keeps a connection: so it never sends into a closed one. */
    static final Duration IDLE = Duration.ofSeconds(60);

    /** A message with a lineage of 10,000 epochs, which is the longest, has 1.2 MB. */
    static final int MOST_BODY = 2 << 20;

    /** A body of the largest size takes ten times as much while it is read. */
    private static final int BODIES_AT_A_TIME = 1;

    /** For those that come while the last one is taken in; no limit on connections. */
    private static final int BACKLOG = 128;

    /** What is answered; a status other than 200 ends the connection. */
    record Answer(int status, String body) {
        static Answer refused(int status, String why) {
            return new Answer(status, why + "\n");
        }
    }

    /** Answers one request of somebody whom the site has certified. */
    interface Handler {
        /**
         * Before the body is read.
         *
         * @return why the caller is not heard, if so
         */
        Optional<Answer> refusal(X509Certificate caller, BoundedRequest request);

        Answer answer(BoundedRequest request, byte[] body);
    }

    private final ServerSocket server;
    private final SSLContext tls;
    private final ConnectionSlots<InetAddress> slots;
    private final Handler handler;
    private final ConnectionTimeout timeout = new ConnectionTimeout("peer-limits");
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Semaphore bodies = new Semaphore(BODIES_AT_A_TIME);

    private PeerListener(
            ServerSocket server,
            SSLContext tls,
            ConnectionSlots<InetAddress> slots,
            Handler handler) {
        this.server = server;
        this.tls = tls;
        this.slots = slots;
        this.handler = handler;
    }

    /**
     * @param expected from where the peer calls
     */
    static PeerListener open(
            InetSocketAddress listen,
            Predicate<InetAddress> expected,
            SSLContext tls,
            Handler handler) {
        try {
            ServerSocket server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(listen, BACKLOG);
            PeerListener listener =
                    new PeerListener(
                            server, tls, new ConnectionSlots<>(expected, CONNECTIONS), handler);
            Thread.ofPlatform().daemon().name("listen peer").start(listener::serve);
            return listener;
        } catch (IOException e) {
            throw new Failure(
                    "cannot listen for the peer on " + listen,
                    IoErrors.words(e),
                    "see which process listens there: ss -Hltnp; see the addresses: ip -br address",
                    e);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket connection = server.accept();
                Optional<ConnectionSlots.Slot> slot = slots.take(connection.getInetAddress());
                if (slot.isPresent()) {
                    Thread.ofVirtual().name("peer").start(() -> converse(connection, slot.get()));
                } else {
                    turnAway(connection);
                }
            } catch (IOException e) {
                if (!server.isClosed()) {
                    // Too many open files, for example: the next accept tells whether it is over.
                    System.err.println("accept: " + e);
                }
            }
        }
    }

    /** With a reset: an orderly end would leave a socket to wait for a minute, for each of them. */
    private static void turnAway(Socket connection) {
        try (connection) {
            connection.setSoLinger(true, 0);
        } catch (IOException e) {
            // It has gone by itself.
            return;
        }
    }

    private void converse(Socket connection, ConnectionSlots.Slot slot) {
        open.add(connection);
        try (slot;
                connection) {
            try (SSLSocket secured = secured(connection)) {
                X509Certificate caller = caller(secured);
                InputStream in = new BufferedInputStream(secured.getInputStream());
                boolean goesOn = true;
                while (goesOn) {
                    goesOn = one(connection, caller, in, secured.getOutputStream());
                }
            }
        } catch (IOException e) {
            // The caller has gone, took too long, or is nobody of this site: it has been told.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            UnexpectedErrors.log("an answer to the peer", e);
        } finally {
            open.remove(connection);
        }
    }

    private SSLSocket secured(Socket connection) throws IOException {
        try (ConnectionTimeout.Limit _ = timeout.after(HANDSHAKE, connection)) {
            SSLSocket secured =
                    (SSLSocket) tls.getSocketFactory().createSocket(connection, null, true);
            secured.setNeedClientAuth(true);
            secured.startHandshake();
            return secured;
        }
    }

    private static X509Certificate caller(SSLSocket secured) throws IOException {
        if (secured.getSession().getPeerCertificates()[0] instanceof X509Certificate certificate) {
            return certificate;
        }
        throw new SSLPeerUnverifiedException("not an X.509 certificate");
    }

    /** One request; false where it was the last of this connection. */
    private boolean one(Socket connection, X509Certificate caller, InputStream in, OutputStream out)
            throws IOException, InterruptedException {
        in.mark(1);
        try (ConnectionTimeout.Limit _ = timeout.after(IDLE, connection)) {
            if (in.read() < 0) {
                return false;
            }
        }
        in.reset();
        try (ConnectionTimeout.Limit _ = timeout.after(REQUEST, connection)) {
            Answer answer = answer(caller, in);
            boolean goesOn = answer.status() == 200;
            BoundedRequest.answer(
                    out,
                    answer.status(),
                    goesOn ? "application/json" : "text/plain; charset=utf-8",
                    answer.body().getBytes(StandardCharsets.UTF_8),
                    goesOn);
            return goesOn;
        } catch (SocketException e) {
            return false;
        }
    }

    private Answer answer(X509Certificate caller, InputStream in)
            throws IOException, InterruptedException {
        BoundedRequest request;
        try {
            request =
                    BoundedRequest.read(in, MOST_BODY)
                            .orElseThrow(() -> new SocketException("the caller has gone"));
        } catch (BoundedRequest.Refused e) {
            return Answer.refused(e.status(), String.valueOf(e.getMessage()));
        }
        Optional<Answer> refusal = handler.refusal(caller, request);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if (!bodies.tryAcquire(REQUEST.toMillis(), TimeUnit.MILLISECONDS)) {
            return Answer.refused(503, "busy with another request");
        }
        try {
            return handler.answer(request, request.body(in));
        } finally {
            bodies.release();
        }
    }

    @Override
    public void close() {
        ConnectionTimeout.close(server);
        open.forEach(ConnectionTimeout::close);
        timeout.close();
    }
}
