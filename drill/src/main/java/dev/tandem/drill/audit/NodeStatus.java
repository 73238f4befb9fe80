package dev.tandem.drill.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code tandem status -o json} says, as far as drills judge it: the only place in this
 * package that knows how the promise of a recovery is spelled. What it does not understand it
 * refuses.
 *
 * @param health the health's name, such as REDUNDANT; UNSEEN where the agent cannot see its etcd
 * @param automatic whether a failure of the peer would be recovered from without a person; a status
 *     that does not speak of it promises it
 * @param predictedMillis how long that would take, by its own words
 */
public record NodeStatus(
        String health,
        String sentence,
        boolean automatic,
        List<Impediment> impediments,
        long predictedMillis) {

    /** Why a recovery would need a person. */
    record Impediment(String cause, String node, String sentence, String remedy) {}

    public NodeStatus {
        impediments = List.copyOf(impediments);
    }

    /** Whether either node may fail and the other goes on by itself. */
    public boolean promises() {
        return health.equals("REDUNDANT") && automatic;
    }

    /** Whether the agent says that it cannot see its own etcd. */
    public boolean blind() {
        return health.equals("UNSEEN");
    }

    /** Whether there is a reader for at least one reason why there is no promise. */
    public boolean namesACause() {
        return impediments.stream()
                .anyMatch(each -> !each.cause().isEmpty() && !each.sentence().isEmpty());
    }

    /** Reads it; fails where it is not as agreed. */
    public static NodeStatus of(JsonNode status) {
        String health = word(status, "health");
        String sentence = word(status, "sentence");
        JsonNode predicted = status.path("prediction").path("millis");
        long millis = predicted.isIntegralNumber() ? predicted.asLong() : 0;
        JsonNode recovery = status.path("recovery");
        if (recovery.isMissingNode()) {
            return new NodeStatus(health, sentence, true, List.of(), millis);
        }
        if (!recovery.path("automatic").isBoolean() || !recovery.path("impediments").isArray()) {
            throw new IllegalArgumentException("not a word about recovery: " + recovery);
        }
        List<Impediment> impediments = new ArrayList<>();
        for (JsonNode each : recovery.path("impediments")) {
            impediments.add(
                    new Impediment(
                            word(each, "cause"),
                            each.path("node").asText(),
                            word(each, "sentence"),
                            each.path("remedy").asText()));
        }
        return new NodeStatus(
                health, sentence, recovery.path("automatic").asBoolean(), impediments, millis);
    }

    private static String word(JsonNode node, String name) {
        JsonNode value = node.path(name);
        if (!value.isTextual()) {
            throw new IllegalArgumentException("no " + name + " in " + node);
        }
        return value.asText();
    }
}
