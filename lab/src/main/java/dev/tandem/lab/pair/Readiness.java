package dev.tandem.lab.pair;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How far a pair is from what it was set up for, by the statuses of both nodes.
 *
 * @param statuses by node; empty where the agent does not answer
 */
public record Readiness(Map<String, Optional<AgentStatus>> statuses) {
    /**
     * How long it may take, once both servers serve, until both nodes say that either can fail. An
     * agent that was restarted knows nothing at first, BMCs are looked at every 15 s, one that does
     * not answer takes as long again, and the peer has to be told: 45 s, and twice that on a busy
     * machine.
     */
    public static final Duration LIMIT = Duration.ofSeconds(90);

    public static final String EITHER_CAN_FAIL = "either node can fail without an outage";
    public static final String REDUNDANT = "both nodes say that they are redundant";

    public Readiness {
        statuses = Map.copyOf(statuses);
    }

    public static Readiness of(Function<String, Optional<AgentStatus>> status) {
        Map<String, Optional<AgentStatus>> statuses = new LinkedHashMap<>();
        Pair.NODES.forEach(node -> statuses.put(node, status.apply(node)));
        return new Readiness(statuses);
    }

    /** Both servers vote and serve. What would become of a failure is another question. */
    public boolean isRedundant() {
        return statuses.values().stream()
                .allMatch(status ->
                        status.filter(each -> each.health() == NodeHealth.REDUNDANT).isPresent());
    }

    /** Both nodes say that either of them can fail without an outage. */
    public boolean eitherCanFail() {
        return statuses.values().stream()
                .allMatch(status -> status.filter(AgentStatus::eitherNodeCanFail).isPresent());
    }

    /** What the nodes name that is in the way of that; empty where nothing is. */
    public String inTheWay() {
        List<String> words = new ArrayList<>();
        for (String node : Pair.NODES) {
            Optional<AgentStatus> status = statuses.getOrDefault(node, Optional.empty());
            if (status.isEmpty()) {
                words.add(node + " does not answer");
            } else if (!status.get().eitherNodeCanFail()) {
                words.add(
                        "%s says \"%s\"%s"
                                .formatted(node, status.get().sentence(), causes(status.get())));
            }
        }
        return String.join("; ", words);
    }

    private static String causes(AgentStatus status) {
        return Stream.of(status.recovery().impediments(), status.recovery().warnings())
                .flatMap(List::stream)
                .map(line -> "%s: %s".formatted(line.cause(), line.sentence()))
                .collect(Collectors.joining(", ", " (", ")"))
                .replace(" ()", "");
    }
}
