package dev.tandem.agentapi.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.KeepHistoryRequest;
import dev.tandem.agentapi.PeerOffRequest;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.agentapi.RequestRefused;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.core.Failure;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Asks the agent of this node. */
public final class AgentClient {
    public static final Path SOCKET = Path.of("/run/tandem/agent.sock");

    /** A status is made in milliseconds, but for one that waits for a disk. */
    private static final Duration READING = Duration.ofSeconds(20);

    /** What is stored on both nodes before it is acknowledged. */
    private static final Duration STORING = Duration.ofSeconds(60);

    private static final Duration ASKING_BMCS = Duration.ofMinutes(5);

    private final Path file;
    private final AgentSocket socket;

    public AgentClient(Path file) {
        this.file = file;
        this.socket = new AgentSocket(file);
    }

    public AgentStatus status() {
        return AgentMessages.read(ask("GET", AgentRoutes.STATUS, "", READING), AgentStatus.class);
    }

    /** The last lines of the journal, oldest first. */
    public List<JsonNode> journal() {
        JsonNode lines = parse(ask("GET", AgentRoutes.JOURNAL, "", READING)).path("lines");
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
                ask("POST", AgentRoutes.CONFIRM_PEER_OFF, AgentJson.line(request), STORING),
                PeerOffStatement.class);
    }

    public HistoryChoice keepHistory(KeepHistoryRequest request) {
        return AgentMessages.read(
                ask("POST", AgentRoutes.KEEP_HISTORY, AgentJson.line(request), STORING),
                HistoryChoice.class);
    }

    /** Both nodes ask the BMC first, which may take them a minute each. */
    public FencingChange changeFencing(FencingChangeRequest request) {
        return AgentMessages.read(
                ask("POST", AgentRoutes.CHANGE_FENCING, AgentJson.line(request), ASKING_BMCS),
                FencingChange.class);
    }

    /** BMCs whose settings have changed are asked first, from both nodes. */
    public PlanUse takePlan(PlanUse.Request request) {
        return AgentMessages.read(
                ask("POST", AgentRoutes.TAKE_PLAN, AgentJson.line(request), ASKING_BMCS),
                PlanUse.class);
    }

    /** Whether somebody listens: before a pair is made there is no agent that could be asked. */
    public boolean isThere() {
        return Files.exists(file);
    }

    private String ask(String method, String path, String body, Duration limit) {
        AgentSocket.Answer answer;
        try {
            answer = socket.ask(method, path, body, limit);
        } catch (SocketTimeoutException e) {
            throw new Failure(
                    "cannot ask tandem-agent",
                    "it has not answered within %d s".formatted(limit.toSeconds()),
                    body.isEmpty()
                            ? "if it still does not answer, restart it; etcd keeps running:"
                                    + " systemctl restart tandem-agent"
                            : "the request may have been carried out all the same; before you"
                                    + " repeat it, look: tandem explain",
                    e);
        } catch (EOFException e) {
            throw new Failure(
                    "cannot ask tandem-agent",
                    "it stopped in the middle of the answer",
                    "try again; it is restarted within seconds",
                    e);
        } catch (IOException e) {
            throw new Failure(
                    "cannot ask tandem-agent",
                    file + ": " + e.getMessage(),
                    "run this as root on a node of the cluster; check the agent: systemctl status"
                            + " tandem-agent",
                    e);
        }
        if (!answer.isOk()) {
            throw refused(answer.content());
        }
        return answer.content();
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
