package dev.tandem.agent.http;

import dev.tandem.agent.net.BoundedRequest;
import dev.tandem.agent.net.ConnectionTimeout;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.RequestRefused;
import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.UnexpectedErrors;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * HTTP/1.1 over a Unix socket, as far as curl and our own client need it: one request per
 * connection, a body with a length, an answer that ends with the connection.
 */
public final class LocalServer implements AutoCloseable {
    /** A caller on this machine sends its request in one go. */
    static final Duration REQUEST = Duration.ofSeconds(5);

    /**
     * What callers may take of the agent's memory.
     *
     * @param body bytes of a request
     * @param connections at a time; who comes then is turned away
     */
    public record Limits(int body, int connections) {
        /** For root, whose requests have some kilobytes and may wait for minutes. */
        public static final Limits ROOT = new Limits(64 << 10, 64);

        /** For alerts, of which only that they came is looked at. */
        public static final Limits ALERTS = new Limits(16 << 10, 8);
    }

    /** Answers one request. */
    public interface Handler {
        Answer answer(String method, String path, String body) throws InterruptedException;
    }

    public record Answer(int status, String type, String body) {
        public static Answer text(String body) {
            return new Answer(200, "text/plain; charset=utf-8", body);
        }

        public static Answer json(Object value) {
            return new Answer(200, "application/json", AgentJson.line(value) + "\n");
        }

        static Answer refused(int status, Failure failure) {
            return new Answer(
                    status, "application/json", AgentJson.line(RequestRefused.of(failure)) + "\n");
        }
    }

    private final ServerSocketChannel socket;
    private final Limits limits;
    private final Handler handler;
    private final Semaphore connections;
    private final ConnectionTimeout timeout = new ConnectionTimeout("local-limits");

    private LocalServer(ServerSocketChannel socket, Limits limits, Handler handler) {
        this.socket = socket;
        this.limits = limits;
        this.handler = handler;
        this.connections = new Semaphore(limits.connections());
    }

    /**
     * Listens there.
     *
     * @param permissions such as {@code rw-------}
     * @param group the group of the socket, where it is not root's
     */
    public static LocalServer open(
            Path path, String permissions, Optional<String> group, Limits limits, Handler handler) {
        try {
            Files.createDirectories(path.toAbsolutePath().getParent());
            Files.deleteIfExists(path);
            ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            // The unit's umask makes it root's alone; it is opened up only after that.
            socket.bind(UnixDomainSocketAddress.of(path), 64);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            if (group.isPresent()) {
                Files.getFileAttributeView(
                                path, java.nio.file.attribute.PosixFileAttributeView.class)
                        .setGroup(
                                path.getFileSystem()
                                        .getUserPrincipalLookupService()
                                        .lookupPrincipalByGroupName(group.get()));
            }
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
            LocalServer server = new LocalServer(socket, limits, handler);
            Thread.ofPlatform().daemon().name("listen " + path.getFileName()).start(server::serve);
            return server;
        } catch (IOException e) {
            throw new Failure(
                    "cannot listen on " + path,
                    IoErrors.words(e),
                    "see whether another agent runs: systemctl status tandem-agent",
                    e);
        }
    }

    private void serve() {
        while (true) {
            try {
                SocketChannel connection = socket.accept();
                if (connections.tryAcquire()) {
                    Thread.ofVirtual().start(() -> converse(connection));
                } else {
                    ConnectionTimeout.close(connection);
                }
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                // Too many open files, for example: the next accept tells whether it is over.
                System.err.println("accept: " + e);
            }
        }
    }

    private void converse(SocketChannel connection) {
        try (connection) {
            Optional<Answer> answer = asked(connection);
            if (answer.isPresent()) {
                try (ConnectionTimeout.Limit _ = timeout.after(REQUEST, connection)) {
                    write(connection, answer.get());
                }
            }
        } catch (IOException e) {
            // The caller has gone: its limit was shorter than the answer took.
            return;
        } finally {
            connections.release();
        }
    }

    private Optional<Answer> asked(SocketChannel connection) throws IOException {
        Optional<BoundedRequest> request;
        String body = "";
        try (ConnectionTimeout.Limit _ = timeout.after(REQUEST, connection)) {
            InputStream in = new BufferedInputStream(Channels.newInputStream(connection));
            request = BoundedRequest.read(in, limits.body());
            if (request.isPresent()) {
                body = new String(request.get().body(in), StandardCharsets.UTF_8);
            }
        } catch (BoundedRequest.Refused e) {
            return Optional.of(new Answer(e.status(), "text/plain", e.getMessage() + "\n"));
        }
        String read = body;
        // Without a limit: some wait for what may take minutes, and have limits of their own.
        return request.map(asked -> answer(asked.method(), asked.path(), read));
    }

    private Answer answer(String method, String path, String body) {
        try {
            return handler.answer(method, path, body);
        } catch (Failure e) {
            return Answer.refused(409, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(503, "text/plain", "the agent is stopping\n");
        } catch (RuntimeException e) {
            UnexpectedErrors.log("an answer", e);
            return new Answer(500, "text/plain", e + "\n");
        }
    }

    private static void write(SocketChannel connection, Answer answer) throws IOException {
        BoundedRequest.answer(
                Channels.newOutputStream(connection),
                answer.status(),
                answer.type(),
                answer.body().getBytes(StandardCharsets.UTF_8),
                false);
    }

    @Override
    public void close() {
        try {
            timeout.close();
            socket.close();
        } catch (IOException e) {
            // It is closed for us in any case.
            return;
        }
    }
}
