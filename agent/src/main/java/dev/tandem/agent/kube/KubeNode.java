package dev.tandem.agent.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.BootId;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A Node as the API server has it: what of it is ours, what is to be done about it, and the changes
 * that do it.
 *
 * <p>That a node is marked, and which boot of it was fenced, stands in the taint itself. So it is
 * known to an agent that was restarted, and to the agent of the node that came back, and the one
 * list that has to change changes as a whole.
 *
 * <p>The list of taints is atomic: a strategic patch replaces it, and server-side apply would make
 * us the owner of everybody's taints. A patch of operations that first tests the list as it was
 * read fails where anybody has changed it since; then it is read again.
 */
final class KubeNode {
    static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
    static final String REASON = "NodeFencedOff";

    /** Followed by the boot that ended; together below the 63 characters of a taint's value. */
    private static final String OURS = "fenced-by-tandem.";

    /** What there is to do. */
    sealed interface Step {
        /** It stays as it is. */
        record Nothing() implements Step {}

        /** Somebody else has taken the node out of service, and will bring it back. */
        record LeaveAlone() implements Step {}

        /** Say that this boot has ended. */
        record Mark(BootId boot) implements Step {}

        /** It lives in another boot by now, and its kubelet has yet to say so. */
        record AwaitReady() implements Step {}

        /** It is in service again. */
        record Clear() implements Step {}
    }

    private final JsonNode node;

    KubeNode(JsonNode node) {
        this.node = node;
    }

    Step step(PeerState fate) {
        return switch (fate) {
            case PeerState.Unsure() -> new Step.Nothing();
            case PeerState.Off(BootId boot) -> whenOff(boot);
            case PeerState.Alive(BootId boot) -> whenAlive(boot);
        };
    }

    private Step whenOff(BootId boot) {
        if (outOfService(false).isPresent()) {
            return new Step.LeaveAlone();
        }
        boolean told =
                outOfService(true).filter(ours -> value(ours).equals(OURS + boot)).isPresent();
        return told && saysFenced() ? new Step.Nothing() : new Step.Mark(boot);
    }

    private Step whenAlive(BootId boot) {
        Optional<JsonNode> ours = outOfService(true);
        // A fenced boot that speaks is a contradiction, and nothing to give pods back on.
        if (ours.isEmpty() || value(ours.get()).equals(OURS + boot)) {
            return new Step.Nothing();
        }
        return isReady() ? new Step.Clear() : new Step.AwaitReady();
    }

    /**
     * The Ready condition as it is from now on. What the kubelet reported otherwise stays, above
     * all the time of its last heartbeat: a newer one would count as a sign of life.
     */
    ObjectNode readyUnknown(String by, Instant now) {
        ObjectNode change = KubeApi.JSON.createObjectNode();
        // Bound to what was read: a kubelet that came back in between is not overruled.
        change.putObject("metadata")
                .put("resourceVersion", node.at("/metadata/resourceVersion").asText());
        ObjectNode ready =
                change.putObject("status")
                        .putArray("conditions")
                        .addObject()
                        .put("type", "Ready")
                        .put("status", "Unknown")
                        .put("reason", REASON)
                        .put("message", "Tandem on " + by + " has proof that this node is off.");
        if (!ready().path("status").asText().equals("Unknown")) {
            ready.put("lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        return change;
    }

    /** Our taint beside all others; an older one of ours gives way to it. */
    ArrayNode taintsWithOurs(BootId boot) {
        ArrayNode taints = othersTaints();
        taints.addObject()
                .put("key", OUT_OF_SERVICE)
                .put("value", OURS + boot)
                .put("effect", "NoExecute");
        return replaceTaints(taints);
    }

    ArrayNode taintsWithoutOurs() {
        return replaceTaints(othersTaints());
    }

    private ArrayNode replaceTaints(ArrayNode taints) {
        String path = "/spec/taints";
        ArrayNode operations = KubeApi.JSON.createArrayNode();
        JsonNode asRead = node.at(path);
        operations
                .addObject()
                .put("op", "test")
                .put("path", path)
                // A list that is not there equals null.
                .set("value", asRead.isMissingNode() ? KubeApi.JSON.nullNode() : asRead);
        operations.addObject().put("op", "add").put("path", path).set("value", taints);
        return operations;
    }

    private ArrayNode othersTaints() {
        ArrayNode others = KubeApi.JSON.createArrayNode();
        for (JsonNode taint : node.at("/spec/taints")) {
            if (!(isOutOfService(taint) && isOurs(taint))) {
                others.add(taint);
            }
        }
        return others;
    }

    private Optional<JsonNode> outOfService(boolean ours) {
        for (JsonNode taint : node.at("/spec/taints")) {
            if (isOutOfService(taint) && isOurs(taint) == ours) {
                return Optional.of(taint);
            }
        }
        return Optional.empty();
    }

    private static boolean isOutOfService(JsonNode taint) {
        return taint.path("key").asText().equals(OUT_OF_SERVICE);
    }

    private static boolean isOurs(JsonNode taint) {
        return value(taint).startsWith(OURS);
    }

    private static String value(JsonNode taint) {
        return taint.path("value").asText();
    }

    boolean saysFenced() {
        return ready().path("status").asText().equals("Unknown")
                && ready().path("reason").asText().equals(REASON);
    }

    private boolean isReady() {
        return ready().path("status").asText().equals("True");
    }

    private JsonNode ready() {
        return condition(node, "Ready");
    }

    /** That condition of a node or a pod; missing where it has none. */
    static JsonNode condition(JsonNode object, String type) {
        for (JsonNode condition : object.at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return KubeApi.JSON.missingNode();
    }
}
