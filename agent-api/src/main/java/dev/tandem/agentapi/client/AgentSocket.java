package dev.tandem.agentapi.client;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The socket of an agent: one question, one answer, within a limit. An agent that is stopped or
 * hangs still has connections accepted by the kernel, so that without one nobody would ever learn
 * that it does not answer.
 */
public final class AgentSocket {
    /** The journal is the longest answer, and the agent sends at most 2 MB of it. */
    private static final int LONGEST_ANSWER = 16 << 20;

    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.1 (\\d{3})[^\\r]*\\r\\n");
    private static final String END_OF_HEAD = "\r\n\r\n";

    private final Path socket;

    public AgentSocket(Path socket) {
        this.socket = socket;
    }

    /** What came back. */
    public record Answer(int code, String content) {
        private static final int OK = 200;

        public boolean isOk() {
            return code == OK;
        }
    }

    public Answer get(String path, Duration limit) throws IOException {
        return ask("GET", path, "", limit);
    }

    /**
     * Asks, and returns whatever was answered.
     *
     * @throws ConnectException if nobody listens
     * @throws SocketTimeoutException if the answer is not complete in time; whatever was asked for
     *     may be done all the same
     * @throws EOFException if the answer breaks off
     */
    public Answer ask(String method, String path, String body, Duration limit) throws IOException {
        byte[] sent = body.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(
                "%s %s HTTP/1.1\r\nHost: tandem\r\nContent-Length: %d\r\n\r\n"
                        .formatted(method, path, sent.length)
                        .getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(sent);
        return answer(exchange(request.toByteArray(), System.nanoTime() + limit.toNanos()));
    }

    /** The agent ends the connection after its answer. */
    private String exchange(byte[] request, long deadline) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, 0);
            if (!connect(channel)) {
                do {
                    await(key, SelectionKey.OP_CONNECT, deadline);
                } while (!channel.finishConnect());
            }
            ByteBuffer out = ByteBuffer.wrap(request);
            while (out.hasRemaining()) {
                if (channel.write(out) == 0) {
                    await(key, SelectionKey.OP_WRITE, deadline);
                }
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer in = ByteBuffer.allocate(16 << 10);
            while (true) {
                int count = channel.read(in);
                if (count < 0) {
                    return answer.toString(StandardCharsets.UTF_8);
                }
                if (count == 0) {
                    await(key, SelectionKey.OP_READ, deadline);
                }
                answer.write(in.array(), 0, in.position());
                in.clear();
                if (answer.size() > LONGEST_ANSWER) {
                    throw new IOException(
                            "the answer is longer than %d MB".formatted(LONGEST_ANSWER >> 20));
                }
            }
        }
    }

    private boolean connect(SocketChannel channel) throws IOException {
        try {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (SocketException e) {
            if (Files.exists(socket)) {
                throw e;
            }
            ConnectException none = new ConnectException("there is no such socket");
            none.initCause(e);
            throw none;
        }
    }

    private static void await(SelectionKey key, int what, long deadline) throws IOException {
        key.interestOps(what);
        long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
        if (left <= 0) {
            throw new SocketTimeoutException("no complete answer in time");
        }
        key.selector().select(_ -> {}, left);
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    private static Answer answer(String text) throws IOException {
        int head = text.indexOf(END_OF_HEAD);
        Matcher status = STATUS_LINE.matcher(text);
        if (head < 0 || !status.lookingAt()) {
            throw new EOFException("the answer broke off");
        }
        return new Answer(
                Integer.parseInt(status.group(1)), text.substring(head + END_OF_HEAD.length()));
    }
}
