package dev.tandem.agentapi;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Asks the agent of this node. */
public final class AgentClient {
    public static final Path SOCKET = Path.of("/run/tandem/agent.sock");

    private final Path socket;

    public AgentClient(Path socket) {
        this.socket = socket;
    }

    public AgentStatus status() {
        return AgentMessages.read(ask("GET", AgentRoutes.STATUS, ""), AgentStatus.class);
    }

    /** The last lines of the journal, oldest first. */
    public List<JsonNode> journal() {
        JsonNode lines = parse(ask("GET", AgentRoutes.JOURNAL, "")).path("lines");
        if (!lines.isArray()) {
            // An answer that broke off must not pass for a journal in which nothing happened.
            throw new Failure(
                    "cannot read the journal",
                    "the answer of tandem-agent is not complete",
                    "try again; then see its log: journalctl -u tandem-agent");
        }
        return lines.valueStream().toList();
    }

    public PeerOffStatement confirmPeerOff(PeerOffRequest request) {
        return AgentMessages.read(
                ask("POST", AgentRoutes.CONFIRM_PEER_OFF, AgentJson.line(request)),
                PeerOffStatement.class);
    }

    public HistoryChoice keepHistory(KeepHistoryRequest request) {
        return AgentMessages.read(
                ask("POST", AgentRoutes.KEEP_HISTORY, AgentJson.line(request)),
                HistoryChoice.class);
    }

    private String ask(String method, String path, String body) {
        byte[] sent = body.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(
                "%s %s HTTP/1.1\r\nHost: tandem\r\nContent-Length: %d\r\n\r\n"
                        .formatted(method, path, sent.length)
                        .getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(sent);
        String answer;
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            ByteBuffer bytes = ByteBuffer.wrap(request.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            answer =
                    new String(
                            Channels.newInputStream(channel).readAllBytes(),
                            StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new Failure(
                    "cannot ask tandem-agent",
                    socket + ": " + e.getMessage(),
                    "run this as root on a node of the cluster; check the agent: systemctl status"
                            + " tandem-agent",
                    e);
        }
        int head = answer.indexOf("\r\n\r\n");
        if (head < 0) {
            throw new Failure(
                    "cannot ask tandem-agent",
                    "it stopped in the middle of the answer",
                    "try again; it is restarted within seconds");
        }
        String content = answer.substring(head + 4);
        if (!answer.startsWith("HTTP/1.1 200")) {
            throw refused(content);
        }
        return content;
    }

    /** Not every refusal is JSON: the agent may be ending, or not know the path. */
    private static Failure refused(String content) {
        JsonNode json = parse(content);
        return json.hasNonNull("what")
                ? AgentMessages.read(content, RequestRefused.class).asFailure()
                : new Failure(
                        "tandem-agent refused",
                        content.strip(),
                        "see its log: journalctl -u tandem-agent");
    }

    private static JsonNode parse(String text) {
        try {
            return AgentJson.MAPPER.readTree(text);
        } catch (IOException e) {
            return AgentJson.MAPPER.createObjectNode();
        }
    }
}
