package dev.tandem.core.decision;

import dev.tandem.core.decision.Decision.Alone;
import dev.tandem.core.decision.Decision.StartAsSoleVoter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What this node's log says about a decision, beside the {@link Situation}. It only ever turns a
 * decision into a refusal.
 */
public sealed interface OwnLog {
    /**
     * As it was last read.
     *
     * @param lacksEntries it ends before entries that the peer has reported as committed
     */
    record Read(WholeLog whole, boolean lacksEntries) implements OwnLog {
        /** The decision in a situation. */
        public Decision decide(Situation now) {
            Decision decision = StartDecision.decide(now);
            if (decision instanceof StartAsSoleVoter alone && alone.how() != Alone.CONTINUE) {
                return switch (whole) {
                    case CAN_BE_COMMITTED -> decision;
                    case REMOVES_THIS_NODE -> Refusal.LOG_REMOVES_SELF.decision();
                    case CHANGES_VOTERS_JOINTLY -> Refusal.LOG_CHANGES_VOTERS.decision();
                };
            }
            return lacksEntries && decision.equals(Refusal.INCOMPLETE.decision())
                    ? Refusal.LOG_LACKS_ENTRIES.decision()
                    : decision;
        }
    }

    /** Not recorded: the journal of an earlier release does not tell it. */
    record Untold() implements OwnLog {}

    /** What is decided in a situation, with every log that this may have been; each once. */
    default List<Decision> decisions(Situation now) {
        return possible().map(log -> log.decide(now)).distinct().toList();
    }

    private Stream<Read> possible() {
        return switch (this) {
            case Read read -> Stream.of(read);
            case Untold() ->
                    Arrays.stream(WholeLog.values())
                            .flatMap(whole ->
                                    Stream.of(new Read(whole, false), new Read(whole, true)));
        };
    }
}
