package dev.tandem.agent.http;

import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.RequestRefused;
import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.UnexpectedErrors;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;

/**
 * HTTP/1.1 over a Unix socket, as far as curl and our own client need it: one request per
 * connection, a body with a length, an answer that ends with the connection.
 */
public final class LocalServer implements AutoCloseable {
    private static final int MOST_HEAD = 16 << 10;
    private static final int MOST_BODY = 1 << 20;

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
    private final Handler handler;

    private LocalServer(ServerSocketChannel socket, Handler handler) {
        this.socket = socket;
        this.handler = handler;
    }

    /**
     * Listens there.
     *
     * @param permissions such as {@code rw-------}
     * @param group the group of the socket, where it is not root's
     */
    public static LocalServer open(
            Path path, String permissions, Optional<String> group, Handler handler) {
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
            LocalServer server = new LocalServer(socket, handler);
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
                Thread.ofVirtual().start(() -> converse(connection));
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
            InputStream in = new BufferedInputStream(Channels.newInputStream(connection));
            String head = head(in);
            String[] first = head.lines().findFirst().orElse("").split(" ", -1);
            if (first.length != 3) {
                write(connection, new Answer(400, "text/plain", "not a request\n"));
                return;
            }
            int length = length(head);
            if (length < 0 || length > MOST_BODY) {
                write(connection, new Answer(413, "text/plain", "no length, or too long\n"));
                return;
            }
            String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
            write(connection, answer(first[0], first[1], body));
        } catch (IOException e) {
            // The caller has gone: its limit was shorter than the answer took.
            return;
        }
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

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int matched = 0;
        byte[] end = {'\r', '\n', '\r', '\n'};
        while (matched < end.length && head.size() < MOST_HEAD) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.write(next);
            matched = next == end[matched] ? matched + 1 : next == '\r' ? 1 : 0;
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    private static int length(String head) {
        for (String line : head.lines().toList()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                String number = line.substring("content-length:".length()).strip();
                return number.matches("[0-9]{1,9}") ? Integer.parseInt(number) : -1;
            }
        }
        return 0;
    }

    private static void write(SocketChannel connection, Answer answer) throws IOException {
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        String head =
                "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                        .formatted(
                                answer.status(),
                                answer.status() == 200 ? "OK" : "Refused",
                                answer.type(),
                                body.length);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(body);
        ByteBuffer bytes = ByteBuffer.wrap(all.toByteArray());
        while (bytes.hasRemaining()) {
            connection.write(bytes);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed for us in any case.
            return;
        }
    }
}
