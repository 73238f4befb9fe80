package dev.tandem.core.replay;

import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.SupervisorPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A recording, put into the supervisor of this version. After an event from which something else
 * follows, what came next in the recording would not have come: the replay goes on at the next
 * state that was recorded.
 *
 * @param same events from which the same follows
 * @param skipped events after one that differs, up to the next state
 */
public record RecordingReplay(
        int same, int skipped, List<Difference> differences, List<NotReplayed> notReplayed) {

    /** The function that is asked. */
    public interface Judge {
        Supervisor.Outcome on(State state, Event event, Moment now, SupervisorPolicy policy);
    }

    /** An event from which something else follows in this version. */
    public record Difference(Recorded.Took then, Response now) {}

    /**
     * Events that cannot be replayed.
     *
     * @param time of the first of them
     */
    public record NotReplayed(Instant time, int events, String why) {}

    public RecordingReplay {
        differences = List.copyOf(differences);
        notReplayed = List.copyOf(notReplayed);
    }

    /**
     * Replays what was recorded.
     *
     * @param since only events from this time on are counted
     */
    public static RecordingReplay of(
            Iterable<Recorded> recording, Instant since, Judge thisVersion) {
        Replay replay = new Replay(since, thisVersion);
        recording.forEach(replay::next);
        return replay.result();
    }

    /** In the middle of it. */
    private static final class Replay {
        private final Instant since;
        private final Judge judge;
        private final List<Difference> differences = new ArrayList<>();
        private final List<NotReplayed> notReplayed = new ArrayList<>();
        private int same;
        private int skipped;
        private Optional<Position> position = Optional.empty();
        private boolean differed;

        /** Where it stands: the next event has this number. */
        private record Position(long number, SupervisorPolicy policy, State state) {}

        Replay(Instant since, Judge judge) {
            this.since = since;
            this.judge = judge;
        }

        void next(Recorded recorded) {
            switch (recorded) {
                case Recorded.Began began -> {
                    position =
                            Optional.of(
                                    new Position(
                                            began.number() + 1,
                                            began.limits().policy(),
                                            began.state()));
                    differed = false;
                }
                case Recorded.Took took -> {
                    if (differed) {
                        skipped += counts(took) ? 1 : 0;
                    } else {
                        take(took);
                    }
                }
                case Recorded.Unreadable(Instant time, String why) -> {
                    position = Optional.empty();
                    missed(time, why);
                }
            }
        }

        private boolean counts(Recorded recorded) {
            return !recorded.time().isBefore(since);
        }

        private void take(Recorded.Took took) {
            Optional<Position> from = position.filter(here -> here.number() == took.number());
            position = Optional.empty();
            if (from.isEmpty()) {
                missed(took.time(), "what was recorded before is missing");
                return;
            }
            Supervisor.Outcome outcome;
            try {
                outcome =
                        judge.on(from.get().state(), took.event(), took.now(), from.get().policy());
            } catch (RuntimeException e) {
                // Found in one event; it must not hide what the others have to say.
                missed(took.time(), "this version fails: " + e);
                return;
            }
            Response now = Response.of(outcome.actions());
            if (!took.response().agreesWith(now)) {
                differed = true;
                if (counts(took)) {
                    differences.add(new Difference(took, now));
                }
                return;
            }
            same += counts(took) ? 1 : 0;
            position =
                    Optional.of(
                            new Position(
                                    took.number() + 1, from.get().policy(), outcome.state()));
        }

        /** Those in a row that have one reason are told together. */
        private void missed(Instant time, String why) {
            // A torn line has no time of its own.
            if (time.isAfter(Instant.EPOCH) && time.isBefore(since)) {
                return;
            }
            Optional<NotReplayed> last =
                    notReplayed.isEmpty()
                            ? Optional.empty()
                            : Optional.of(notReplayed.getLast())
                                    .filter(before -> before.why().equals(why));
            last.ifPresentOrElse(
                    before ->
                            notReplayed.set(
                                    notReplayed.size() - 1,
                                    new NotReplayed(before.time(), before.events() + 1, why)),
                    () -> notReplayed.add(new NotReplayed(time, 1, why)));
        }

        RecordingReplay result() {
            return new RecordingReplay(same, skipped, differences, notReplayed);
        }
    }
}
