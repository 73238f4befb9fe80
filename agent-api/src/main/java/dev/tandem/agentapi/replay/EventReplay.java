package dev.tandem.agentapi.replay;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.core.replay.Recorded;
import dev.tandem.core.replay.RecordingReplay;
import dev.tandem.core.replay.Response;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Recorded events, put into the supervisor of this version again.
 *
 * @param recorded whether there was any recording at all
 * @param same events from which the same follows
 * @param skipped events after one that differs; they would not have come to this version
 */
public record EventReplay(
        boolean recorded,
        int same,
        int skipped,
        List<Difference> differences,
        List<NotReplayed> notReplayed) {
    /** What followed, as the recording has it and in words. */
    public record Outcome(JsonNode response, String sentence) {}

    /**
     * An event from which something else follows in this version.
     *
     * @param when the event, in words
     */
    public record Difference(Instant time, String when, JsonNode event, Outcome then, Outcome now) {}

    /**
     * A part of the recording that cannot be replayed.
     *
     * @param time of the first of them; empty where it cannot be read
     */
    public record NotReplayed(Optional<Instant> time, int events, String why) {}

    public EventReplay {
        differences = List.copyOf(differences);
        notReplayed = List.copyOf(notReplayed);
    }

    /** Whether all that was recorded was replayed and nothing differs. */
    public boolean agrees() {
        return differences.isEmpty() && notReplayed.isEmpty();
    }

    /**
     * Replays what was recorded.
     *
     * @param since only events from this time on are counted
     */
    public static EventReplay of(
            Iterable<Recorded> recording, Instant since, RecordingReplay.Judge thisVersion) {
        RecordingReplay replay = RecordingReplay.of(recording, since, thisVersion);
        return new EventReplay(
                recording.iterator().hasNext(),
                replay.same(),
                replay.skipped(),
                replay.differences().stream().map(EventReplay::difference).toList(),
                replay.notReplayed().stream().map(EventReplay::notReplayed).toList());
    }

    private static Difference difference(RecordingReplay.Difference difference) {
        Recorded.Took then = difference.then();
        return new Difference(
                then.time(),
                EventPhrases.event(then.event()),
                AgentJson.MAPPER.valueToTree(then.event()),
                outcome(then.response()),
                outcome(difference.now()));
    }

    private static Outcome outcome(Response response) {
        return new Outcome(
                AgentJson.MAPPER.valueToTree(response), EventPhrases.response(response));
    }

    private static NotReplayed notReplayed(RecordingReplay.NotReplayed missed) {
        return new NotReplayed(
                Optional.of(missed.time()).filter(time -> time.isAfter(Instant.EPOCH)),
                missed.events(),
                missed.why());
    }
}
