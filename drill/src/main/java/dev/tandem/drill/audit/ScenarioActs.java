package dev.tandem.drill.audit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a scenario did itself, and for which the pair is not to be blamed.
 *
 * @param causes what made a recovery impossible, other than a fault of the lab
 * @param persons what a person did
 * @param lies from when on the BMC of a node (its text) read Off falsely, once each
 * @param kills when the agent of a node (its text) was killed, by the scenario or beside it
 */
public record ScenarioActs(List<Act> causes, List<Act> persons, List<Act> lies, List<Act> kills) {
    /**
     * Within this after a cause a status may still promise a recovery. The product looks every 15 s
     * at what it depends on, and what does not answer takes as long again. No more than this: the
     * incidents that were believed for 40 s are to be found.
     */
    public static final Duration TO_NOTICE = Duration.ofSeconds(30);

    public static final ScenarioActs NONE =
            new ScenarioActs(List.of(), List.of(), List.of(), List.of());

    /** Something done at a moment of {@link System#nanoTime}. */
    public record Act(long nanos, String what) {}

    public ScenarioActs {
        causes = List.copyOf(causes);
        persons = List.copyOf(persons);
        lies = List.copyOf(lies);
        kills = List.copyOf(kills);
    }

    /** The same, with these agents killed too. */
    public ScenarioActs withKills(List<Act> more) {
        List<Act> all = new ArrayList<>(kills);
        all.addAll(more);
        return new ScenarioActs(causes, persons, lies, all);
    }

    /** Whether the agent of a node was killed after a moment. */
    boolean killedSince(String node, long nanos) {
        return kills.stream().anyMatch(act -> act.what().equals(node) && act.nanos() - nanos > 0);
    }
}
