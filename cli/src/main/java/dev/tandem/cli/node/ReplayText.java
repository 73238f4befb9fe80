package dev.tandem.cli.node;

import dev.tandem.agentapi.JournalReplay;
import dev.tandem.agentapi.JournalReplay.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Decisions that were taken again, as a person reads it: the result first, then each finding. */
final class ReplayText {
    private ReplayText() {}

    static String of(JournalReplay replay) {
        StringBuilder text =
                new StringBuilder(
                        "%s replayed from the last %s of the journal: %d the same, %d different; %s could not be replayed%n"
                                .formatted(
                                        count(replay.replayed(), "decision"),
                                        count(replay.lines(), "line"),
                                        replay.same(),
                                        replay.differences().size(),
                                        count(replay.notReplayed().size(), "line")));
        replay.differences().forEach(difference -> text.append(text(difference)));
        replay.notReplayed()
                .forEach(line ->
                        text.append(
                                "%n%s  not replayed%s: %s%n"
                                        .formatted(
                                                time(line.time()),
                                                line.event().isEmpty()
                                                        ? ""
                                                        : " (" + line.event() + ")",
                                                line.why())));
        return text.toString();
    }

    private static String text(JournalReplay.Difference difference) {
        List<Outcome> now = difference.now();
        // The sentence of a decision does not tell all of it, such as the epochs of a take-over.
        boolean inFull =
                now.stream().anyMatch(it -> it.sentence().equals(difference.then().sentence()));
        return "%n%s  decided differently%n    then:          %s%n    this version:  %s%n"
                .formatted(
                        time(difference.time()),
                        words(difference.then(), inFull),
                        now.stream()
                                .map(outcome -> words(outcome, inFull))
                                .collect(Collectors.joining("%n               or  ".formatted())));
    }

    private static String words(Outcome outcome, boolean inFull) {
        return inFull ? outcome.sentence() + " " + outcome.decision() : outcome.sentence();
    }

    private static String time(Optional<Instant> time) {
        return time.map(JournalText::time).orElse("time unknown");
    }

    private static String count(int count, String what) {
        return "%d %s%s".formatted(count, what, count == 1 ? "" : "s");
    }
}
