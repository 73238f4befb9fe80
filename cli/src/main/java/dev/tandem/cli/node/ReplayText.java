package dev.tandem.cli.node;

import dev.tandem.agentapi.JournalReplay;
import dev.tandem.agentapi.JournalReplay.Outcome;
import dev.tandem.agentapi.replay.EventReplay;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What was replayed, as a person reads it: of each part the result first, then each finding. */
final class ReplayText {
    private ReplayText() {}

    static String of(ExplainCommand.Replayed replayed) {
        return of(replayed.events()) + "%n".formatted() + of(replayed.decisions());
    }

    static String of(EventReplay replay) {
        if (!replay.recorded()) {
            return "no events are recorded on this node: earlier versions of tandem-agent recorded none, and this one"
                    + " does once something happens%n".formatted();
        }
        int events = replay.same() + replay.differences().size();
        StringBuilder text =
                new StringBuilder(
                        "%s replayed: %d the same, %d different; %s not replayed%n"
                                .formatted(
                                        count(events, "recorded event"),
                                        replay.same(),
                                        replay.differences().size(),
                                        count(
                                                replay.skipped()
                                                        + replay.notReplayed().stream()
                                                                .mapToInt(
                                                                        EventReplay.NotReplayed
                                                                                ::events)
                                                                .sum(),
                                                "event")));
        replay.differences().forEach(difference -> text.append(text(difference)));
        if (replay.skipped() > 0) {
            text.append(
                    "%n%s after a difference: not replayed, since this version would have gone on from another state%n"
                            .formatted(count(replay.skipped(), "event")));
        }
        replay.notReplayed()
                .forEach(missed ->
                        text.append(
                                "%n%s  %s not replayed: %s%n"
                                        .formatted(
                                                time(missed.time()),
                                                count(missed.events(), "event"),
                                                missed.why())));
        return text.toString();
    }

    private static String text(EventReplay.Difference difference) {
        EventReplay.Outcome then = difference.then();
        EventReplay.Outcome now = difference.now();
        // The words do not tell all of it, such as what exactly is stored.
        boolean inFull = then.sentence().equals(now.sentence());
        return "%n%s  when %s%n    then:          %s%n    this version:  %s%n"
                .formatted(
                        JournalText.time(difference.time()),
                        difference.when(),
                        inFull ? then.sentence() + " " + then.response() : then.sentence(),
                        inFull ? now.sentence() + " " + now.response() : now.sentence());
    }

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
