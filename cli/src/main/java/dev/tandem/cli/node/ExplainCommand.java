package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agent.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells from the journal why things are as they are. */
@Command(
        name = "explain",
        header = "Tell from this node's journal what happened and why each decision was taken.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem explain", "  tandem explain --last 100", "  tandem explain -o json"})
final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "40",
            description = "How many entries (default: ${DEFAULT-VALUE}).")
    private int last;

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    ExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<JsonNode> entries = new ArrayList<>();
        new AgentClient(socket).get("/journal").path("lines").forEach(entries::add);
        List<JsonNode> shown = entries.subList(Math.max(0, entries.size() - last), entries.size());
        output.print(terminal, "NodeJournal", shown, ExplainCommand::text);
        return ExitCode.FINE;
    }

    static String text(List<JsonNode> entries) {
        StringBuilder text = new StringBuilder();
        for (JsonNode entry : entries) {
            text.append(
                            entry.path("time")
                                    .asText()
                                    .replace('T', ' ')
                                    .replaceAll("(\\.\\d{3})\\d*Z", "$1"))
                    .append("  ")
                    .append(sentence(entry))
                    .append('\n');
            if (entry.path("event").asText().equals("decision")) {
                reasons(text, entry.path("situation"));
            }
        }
        return text.toString();
    }

    private static String sentence(JsonNode entry) {
        return switch (entry.path("event").asText()) {
            case "decision" -> "decided: " + entry.path("sentence").asText();
            case "membership" ->
                    "the peer is "
                            + (entry.path("peerPresent").asBoolean() ? "in" : "not in")
                            + " the membership, "
                            + (entry.path("quorate").asBoolean() ? "quorate" : "not quorate");
            case "fence-ordered" -> "Pacemaker orders to fence " + entry.path("target").asText();
            case "switched-off" ->
                    "%s reads Off, after %d ms"
                            .formatted(
                                    entry.path("node").asText(), entry.path("tookMillis").asLong());
            case "fenced" -> "receipt: the peer was read Off (" + method(entry) + ")";
            case "take-over" -> "take-over: " + entry.path("phase").asText();
            case "serving" ->
                    "etcd serves, %s, %s"
                            .formatted(
                                    entry.path("server")
                                            .asText()
                                            .toLowerCase(java.util.Locale.ROOT),
                                    entry.path("seat").asText().toLowerCase(java.util.Locale.ROOT));
            case "led" ->
                    "as the leader: %s: %s"
                            .formatted(
                                    entry.path("step").path("is").asText(),
                                    shortened(entry.path("outcome").asText()));
            case "failed" ->
                    "failed: %s: %s"
                            .formatted(entry.path("what").asText(), entry.path("why").asText());
            case "stated" ->
                    "%s stated: %s"
                            .formatted(
                                    entry.path("statement").path("person").asText(),
                                    stated(entry.path("statement").path("statement").asText()));
            case "node-marked" ->
                    "Kubernetes was told: %s is out of service"
                            .formatted(entry.path("node").asText());
            case "leases-freed" ->
                    "Kubernetes was told: %s holds %s no more"
                            .formatted(
                                    entry.path("node").asText(),
                                    entry.path("leases")
                                            .valueStream()
                                            .map(JsonNode::asText)
                                            .collect(Collectors.joining(", ")));
            case "pods-not-ready" ->
                    "Kubernetes was told: pods of %s are not ready: %d"
                            .formatted(entry.path("node").asText(), entry.path("pods").asLong());
            case "node-cleared" ->
                    "Kubernetes was told: %s is in service again"
                            .formatted(entry.path("node").asText());
            case "kubernetes-waits" ->
                    "Kubernetes cannot be told yet: " + shortened(entry.path("why").asText());
            default -> entry.path("event").asText().replace('-', ' ');
        };
    }

    private static String stated(String statement) {
        return switch (statement) {
            case "PEER_IS_OFF" -> "the peer is off";
            case "PEER_IS_OFF_LOSS_ACCEPTED" ->
                    "the peer is off, and what it may have written alone is given up";
            case "KEEP_PEERS_HISTORY" -> "the peer's history is kept, and this node's is set aside";
            default -> statement;
        };
    }

    private static String method(JsonNode entry) {
        return entry.path("receipt").path("method").asText();
    }

    private static void reasons(StringBuilder text, JsonNode situation) {
        text.append("    asked because: ")
                .append(situation.path("intent").path("is").asText())
                .append('\n');
        text.append("    own replica:   ").append(replica(situation.path("mine"))).append('\n');
        JsonNode peer = situation.path("peer");
        text.append("    peer:          ")
                .append(
                        peer.path("is").asText().equals("Heard")
                                ? replica(peer.path("facts"))
                                : "not heard in this boot")
                .append(
                        situation.path("membership").path("peerPresent").asBoolean()
                                ? ", present"
                                : ", absent")
                .append('\n');
        List<String> proofs = new ArrayList<>();
        situation.path("proofs").forEach(proof -> proofs.add(proof.path("is").asText()));
        text.append("    proof:         ")
                .append(proofs.isEmpty() ? "none" : String.join(", ", proofs))
                .append('\n');
    }

    private static String replica(JsonNode facts) {
        JsonNode replica = facts.path("replica");
        String server = facts.path("server").asText().toLowerCase(java.util.Locale.ROOT);
        if (!replica.path("is").asText().equals("Log")) {
            return replica.path("is").asText().toLowerCase(java.util.Locale.ROOT) + ", " + server;
        }
        JsonNode epochs = replica.path("lineage").path("epochs");
        return "epoch %d, index %d (committed %d), %s, %s, %s"
                .formatted(
                        epochs.path(epochs.size() - 1).path("number").asLong(),
                        replica.path("lastIndex").asLong(),
                        replica.path("commitIndex").asLong(),
                        replica.path("seat")
                                .asText()
                                .toLowerCase(java.util.Locale.ROOT)
                                .replace('_', ' '),
                        replica.path("complete").asBoolean() ? "complete" : "incomplete",
                        server);
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 99) + "…";
    }
}
