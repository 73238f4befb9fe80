package dev.tandem.drill.audit;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.decision.Decision;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What a node's own journal tells of its right to take over: whether it had given that up, by a
 * departure or by standing down, and when it used it.
 */
record AbdicationRecord(List<JournalLine> journal) {
    AbdicationRecord {
        journal = List.copyOf(journal);
    }

    /** What a decision means for the right. */
    private enum Meaning {
        GIVES_UP,
        TAKES_BACK,
        NEITHER
    }

    /**
     * Whether the node had given up its right before a moment of {@link System#nanoTime}, and had
     * not begun to serve again, nor decided to. What was given up before a line that cannot be read
     * does not count, and a line without a time is at no moment.
     */
    boolean stands(long at) {
        boolean stands = false;
        for (JournalLine line : journal) {
            if (line.event() instanceof JournalEvent.Unreadable) {
                stands = false;
            } else if (line.nanos() != 0 && line.nanos() - at < 0) {
                stands =
                        switch (meaning(line.event())) {
                            case GIVES_UP -> true;
                            case TAKES_BACK -> false;
                            case NEITHER -> stands;
                        };
            }
        }
        return stands;
    }

    /**
     * Whether the node had given up its right at the first moment, or did so before the second: for
     * an event of which no more is known than that it lies between them.
     */
    boolean gaveUpBetween(long from, long to) {
        return stands(from)
                || journal.stream()
                        .anyMatch(line ->
                                line.nanos() != 0
                                        && line.nanos() - from >= 0
                                        && line.nanos() - to < 0
                                        && meaning(line.event()) == Meaning.GIVES_UP);
    }

    private static Meaning meaning(JournalEvent event) {
        return switch (event) {
            case JournalEvent.DepartureAsked _ -> Meaning.GIVES_UP;
            case JournalEvent.Decided made -> meaning(made.decision());
            case JournalEvent.Serving _, JournalEvent.TakeOver _ -> Meaning.TAKES_BACK;
            default -> Meaning.NEITHER;
        };
    }

    private static Meaning meaning(Decision decision) {
        return switch (decision) {
            case Decision.StandDown _ -> Meaning.GIVES_UP;
            // The mark itself is the line that follows.
            case Decision.Depart _, Decision.HandLeadershipOver _ -> Meaning.NEITHER;
            case Decision.Stop(Decision.StopReason why) ->
                    why == Decision.StopReason.DENIED ? Meaning.TAKES_BACK : Meaning.NEITHER;
            case Decision.Wait _, Decision.Refuse _ -> Meaning.NEITHER;
            case Decision.StartAsVoter _,
                    Decision.StartAsSoleVoter _,
                    Decision.Bootstrap _,
                    Decision.JoinAsLearner _,
                    Decision.RestartInPlace _ ->
                    Meaning.TAKES_BACK;
        };
    }

    /** When the node itself began a history by force, that near to a moment. */
    LongStream forcedWithin(Duration near, long at) {
        return journal.stream()
                .filter(line -> line.event() instanceof JournalEvent.TakeOver step && step.forces())
                .mapToLong(JournalLine::nanos)
                .filter(nanos -> Math.abs(nanos - at) < near.toNanos());
    }
}
