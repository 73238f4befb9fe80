package dev.tandem.core.replay;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Notice;
import java.util.List;
import java.util.stream.Stream;

/**
 * What followed from an event.
 *
 * @param actions all but what is only told to people
 * @param decisions those that the journal is told of: one to wait has no action
 */
public record Response(List<Action> actions, List<Decided> decisions) {
    /**
     * What was decided.
     *
     * @param sentence as the version of that day put it
     */
    public record Decided(Decision decision, String sentence) {}

    public Response {
        actions = List.copyOf(actions);
        decisions = List.copyOf(decisions);
    }

    public static Response of(List<Action> actions) {
        return new Response(
                actions.stream().filter(action -> !(action instanceof Action.Journal)).toList(),
                actions.stream().flatMap(Response::decided).toList());
    }

    private static Stream<Decided> decided(Action action) {
        return action instanceof Action.Journal(Notice.Decided told)
                ? Stream.of(new Decided(told.decision(), told.sentence()))
                : Stream.of();
    }

    /** Whether the same is done and decided; the words do not count. */
    public boolean agreesWith(Response other) {
        return actions.equals(other.actions)
                && decisions.stream()
                        .map(Decided::decision)
                        .toList()
                        .equals(other.decisions.stream().map(Decided::decision).toList());
    }
}
