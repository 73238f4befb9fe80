package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The agent's journal as a person reads it. */
final class JournalText {
    private JournalText() {}

    static String of(List<JsonNode> entries) {
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
            case "agent-started" -> "tandem-agent has started";
            case "talk" ->
                    text(entry, "over").equals("nothing")
                            ? "the peer's agent does not answer"
                            : "talks with the peer's agent over " + text(entry, "over");
            case "heard" ->
                    "heard from %s for the first time in its boot: %s"
                            .formatted(
                                    entry.path("peer").path("node").asText(),
                                    replica(entry.path("peer")));
            case "start-requested" -> "Pacemaker starts etcd here";
            case "stop-requested" -> "Pacemaker stops etcd here";
            case "stopped" -> "etcd has been stopped";
            case "etcd-ended" ->
                    "etcd ended by itself; deaths in the last two minutes: %d"
                            .formatted(entry.path("lately").asLong());
            case "etcd-hangs" -> "etcd hangs: " + text(entry, "words");
            case "complete" -> "this replica holds everything that was acknowledged";
            case "installed" -> "the installation is complete: etcd has its data";
            case "departure" -> "asks the peer to let it leave";
            case "leadership" -> "hands the leadership over: " + shortened(text(entry, "outcome"));
            case "seat-given-back" ->
                    "asks for another seat to learn on: this one's data are no good";
            case "learner-unheard" ->
                    "starts etcd again: it has learnt, and waits in vain for its own announcement";
            case "lone-start" -> "starts alone: the peer is held off, and this node served last";
            case "calm-awaited" ->
                    "waits until the network has been calm for %d s, before it joins"
                            .formatted(entry.path("seconds").asLong());
            case "calm" -> "stops waiting for calm: " + words(entry, "verdict");
            case "split-delay" ->
                    "waits %d s before it fences: in a split the other node goes first"
                            .formatted(entry.path("seconds").asLong());
            case "fence-ordered" -> "Pacemaker orders to fence " + text(entry, "target");
            case "fence-answered" ->
                    entry.path("exitCode").asInt() == 0
                            ? "the order to fence has been carried out"
                            : "the order to fence has failed: " + shortened(text(entry, "said"));
            case "switched-off" ->
                    "%s reads Off, after %d ms"
                            .formatted(text(entry, "node"), entry.path("tookMillis").asLong());
            case "fenced" -> "receipt: the peer was read Off (" + method(entry) + ")";
            case "fence-proves-nothing" ->
                    "the peer was read Off (%s), but has booted since the order or was never heard: no receipt"
                            .formatted(text(entry, "method"));
            case "off-not-believed" ->
                    text(entry, "machine").isEmpty()
                            ? "the peer's BMC reads Off while the peer is alive: not believed"
                            : "the peer's BMC controls another machine: its Off is not believed";
            case "second-level-refused" -> "fencing level 2 refused: " + text(entry, "why");
            case "proofs-ended" ->
                    "the peer is alive (%s): proofs that it was off are void"
                            .formatted(text(entry, "how"));
            case "api-can-write" ->
                    "the API server of this node %s write: %s"
                            .formatted(
                                    entry.path("writes").asBoolean() ? "can" : "cannot",
                                    shortened(text(entry, "why")));
            case "api-write-untested" ->
                    "the API server cannot be tested; etcd's state counts instead: "
                            + shortened(text(entry, "why"));
            case "take-over" ->
                    switch (text(entry, "phase")) {
                        case "stopping" -> "take-over: stops etcd, to read the end of its log";
                        case "forcing" ->
                                "take-over: keeps the whole log, and starts as the only voter";
                        case "started" -> "take-over: etcd has been started";
                        default -> "take-over: " + text(entry, "phase");
                    };
            case "serving" ->
                    "etcd serves, %s, %s".formatted(words(entry, "server"), words(entry, "seat"));
            case "led" ->
                    "as the leader: %s: %s"
                            .formatted(
                                    step(entry.path("step").path("is").asText()),
                                    shortened(text(entry, "outcome")));
            case "failed" -> "failed: %s: %s".formatted(text(entry, "what"), text(entry, "why"));
            case "stated" ->
                    "%s stated: %s"
                            .formatted(
                                    text(entry.path("statement"), "person"),
                                    stated(text(entry.path("statement"), "statement")));
            case "node-marked" ->
                    "Kubernetes was told: %s is out of service".formatted(text(entry, "node"));
            case "leases-freed" ->
                    "Kubernetes was told: %s holds %s no more"
                            .formatted(
                                    text(entry, "node"),
                                    entry.path("leases")
                                            .valueStream()
                                            .map(JsonNode::asText)
                                            .collect(Collectors.joining(", ")));
            case "pods-not-ready" ->
                    "Kubernetes was told: pods of %s are not ready: %d"
                            .formatted(text(entry, "node"), entry.path("pods").asLong());
            case "node-cleared" ->
                    "Kubernetes was told: %s is in service again".formatted(text(entry, "node"));
            case "kubernetes-waits" ->
                    "Kubernetes cannot be told yet: " + shortened(text(entry, "why"));
            default -> entry.path("event").asText().replace('-', ' ');
        };
    }

    private static String step(String kind) {
        return switch (kind) {
            case "AddLearner" -> "lists the peer as a learner";
            case "OfferSeat" -> "invites the peer to the seat it has";
            case "Promote" -> "makes the peer a voter";
            case "Confirm" -> "has the peer confirm that it holds everything";
            case "DropLearner" -> "takes the peer's learner off the list";
            case "RemovePeer" -> "lets the peer leave";
            default -> kind;
        };
    }

    private static String intent(JsonNode intent) {
        return switch (intent.path("is").asText()) {
            case "Start" -> "Pacemaker wants etcd here";
            case "Recover" -> "etcd cannot serve as it is";
            case "LeaderLost" -> "both servers run and find no leader";
            case "ServerDied" -> "etcd ended by itself";
            case "ServerHung" -> "etcd hangs";
            case "RestartInPlace" -> "a restart was asked for";
            case "Install" -> "the site is being installed";
            case "Leave" -> "Pacemaker stops etcd here";
            default -> intent.path("is").asText();
        };
    }

    private static String proof(JsonNode proof) {
        return switch (proof.path("is").asText()) {
            case "Fenced" -> "its BMC read Off after a fence";
            case "HeldOff" -> "its BMC has read Off for long";
            case "Stated" -> "a person's word";
            case "Yielded" -> "it has given up its right";
            default -> proof.path("is").asText();
        };
    }

    private static String text(JsonNode entry, String field) {
        return entry.path(field).asText();
    }

    /** A name of the kind {@code ONE_OF_TWO}. */
    private static String words(JsonNode entry, String field) {
        return text(entry, field).toLowerCase(Locale.ROOT).replace('_', ' ');
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
        text.append("    asked because: ").append(intent(situation.path("intent"))).append('\n');
        text.append("    own replica:   ").append(replica(situation.path("mine"))).append('\n');
        JsonNode peer = situation.path("peer");
        text.append("    peer:          ")
                .append(
                        peer.path("is").asText().equals("FactsKnown")
                                ? replica(peer.path("facts"))
                                : "not heard in this boot")
                .append(
                        situation.path("membership").path("peerPresent").asBoolean()
                                ? ", present"
                                : ", absent")
                .append('\n');
        List<String> proofs = new ArrayList<>();
        situation.path("proofs").forEach(proof -> proofs.add(proof(proof)));
        text.append("    proof:         ")
                .append(proofs.isEmpty() ? "none" : String.join(", ", proofs))
                .append('\n');
    }

    private static String replica(JsonNode facts) {
        JsonNode replica = facts.path("replica");
        String server = words(facts, "server");
        if (!text(replica, "is").equals("Intact")) {
            return "replica %s, server %s".formatted(words(replica, "is"), server);
        }
        JsonNode epochs = replica.path("lineage").path("epochs");
        return "epoch %d, index %d (committed %d), %s, %s, %s"
                .formatted(
                        epochs.path(epochs.size() - 1).path("number").asLong(),
                        replica.path("lastIndex").asLong(),
                        replica.path("commitIndex").asLong(),
                        words(replica, "role"),
                        replica.path("complete").asBoolean() ? "complete" : "incomplete",
                        server);
    }

    private static String shortened(String text) {
        return text.length() <= 100 ? text : text.substring(0, 99) + "…";
    }
}
