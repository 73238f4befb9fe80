package dev.tandem.agentapi;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Replay;
import dev.tandem.core.decision.Situation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The decisions of a journal, each taken once more by this version in the situation that was
 * recorded with it. A line that cannot be read may have been a decision, so it is listed, whatever
 * it was.
 *
 * @param lines of the journal, decisions or not
 * @param replayed decisions that could be compared: the same and the different ones
 */
public record JournalReplay(
        int lines,
        int replayed,
        int same,
        List<Difference> differences,
        List<NotReplayed> notReplayed) {
    /** A decision as the journal has it, and as a sentence. */
    public record Outcome(JsonNode decision, String sentence) {}

    /**
     * A decision that this version takes differently.
     *
     * @param time empty where it cannot be read
     * @param then with the sentence of the release of that day
     * @param now more than one where the line leaves open which of them
     */
    public record Difference(Optional<Instant> time, Outcome then, List<Outcome> now) {
        public Difference {
            now = List.copyOf(now);
        }
    }

    /**
     * A line of which nothing can be said.
     *
     * @param time empty where not even that can be read
     * @param event its name in the file; empty where not even that can be read
     */
    public record NotReplayed(Optional<Instant> time, String event, String why) {}

    public JournalReplay {
        differences = List.copyOf(differences);
        notReplayed = List.copyOf(notReplayed);
    }

    /** Whether every decision was replayed and none differs. */
    public boolean agrees() {
        return differences.isEmpty() && notReplayed.isEmpty();
    }

    public static JournalReplay of(List<JournalLine> journal) {
        int same = 0;
        List<Difference> differences = new ArrayList<>();
        List<NotReplayed> notReplayed = new ArrayList<>();
        for (JournalLine line : journal) {
            if (line.event() instanceof JournalEvent.Unreadable(String event, String why)) {
                notReplayed.add(notReplayed(line, event, why));
            } else if (line.event() instanceof JournalEvent.Decided decided) {
                switch (replay(decided)) {
                    case Compared(Replay.Same()) -> same++;
                    case Compared(Replay.Differs(List<Decision> now)) ->
                            differences.add(difference(line, decided, now));
                    case Compared(Replay.Open()) ->
                            notReplayed.add(
                                    notReplayed(
                                            line,
                                            JournalEvent.DECISION,
                                            "the line does not say what this node's log held, and"
                                                    + " the decision depends on it"));
                    case Failed(String why) ->
                            notReplayed.add(notReplayed(line, JournalEvent.DECISION, why));
                }
            }
        }
        return new JournalReplay(
                journal.size(), same + differences.size(), same, differences, notReplayed);
    }

    private sealed interface Attempt {}

    private record Compared(Replay replay) implements Attempt {}

    private record Failed(String why) implements Attempt {}

    private static Attempt replay(JournalEvent.Decided decided) {
        try {
            return new Compared(Replay.of(decided.decision(), decided.situation(), decided.log()));
        } catch (RuntimeException e) {
            // Found in one line; it must not hide what the others have to say.
            return new Failed(
                    "this version fails to decide: " + JournalPhrases.shortened(e.toString()));
        }
    }

    private static Difference difference(
            JournalLine line, JournalEvent.Decided decided, List<Decision> now) {
        Situation situation = decided.situation();
        NodeName self = situation.mine().node();
        NodeName peer = situation.membership().peer();
        return new Difference(
                time(line),
                outcome(decided.decision(), decided.said()),
                now.stream()
                        .map(decision -> outcome(decision, decision.sentence(self, peer)))
                        .toList());
    }

    private static Outcome outcome(Decision decision, String sentence) {
        return new Outcome(AgentJson.MAPPER.valueToTree(decision), sentence);
    }

    private static NotReplayed notReplayed(JournalLine line, String event, String why) {
        return new NotReplayed(time(line), event, why);
    }

    private static Optional<Instant> time(JournalLine line) {
        return Optional.of(line).filter(JournalLine::isDated).map(JournalLine::time);
    }
}
