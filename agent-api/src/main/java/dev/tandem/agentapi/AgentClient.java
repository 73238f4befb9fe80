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

/** Asks the agent of this node. */
public final class AgentClient {
    public static final Path SOCKET = Path.of("/run/tandem/agent.sock");

    private final Path socket;

    public AgentClient(Path socket) {
        this.socket = socket;
    }

    public JsonNode get(String path) {
        return ask("GET", path, "");
    }

    public JsonNode post(String path, Object body) {
        return ask("POST", path, AgentJson.line(body));
    }

    private JsonNode ask(String method, String path, String body) {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(
                "%s %s HTTP/1.1\r\nHost: tandem\r\nContent-Length: %d\r\n\r\n"
                        .formatted(method, path, content.length)
                        .getBytes(StandardCharsets.ISO_8859_1));
        request.writeBytes(content);
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
                    "look at it: systemctl status tandem-agent; as root on a node of the cluster",
                    e);
        }
        int head = answer.indexOf("\r\n\r\n");
        if (head < 0) {
            throw new Failure(
                    "cannot ask tandem-agent",
                    "it ended in the middle of the answer",
                    "try again; it is started anew within seconds");
        }
        JsonNode json = parse(answer.substring(head + 4));
        if (!answer.startsWith("HTTP/1.1 200")) {
            throw new Failure(
                    json.path("what").asText("tandem-agent refused"),
                    json.path("why").asText(answer.substring(head + 4).strip()),
                    json.path("do").asText("see its log: journalctl -u tandem-agent"));
        }
        return json;
    }

    private static JsonNode parse(String text) {
        try {
            return AgentJson.MAPPER.readTree(text);
        } catch (IOException e) {
            return AgentJson.MAPPER.createObjectNode();
        }
    }
}
