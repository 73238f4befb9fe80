package dev.tandem.core.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.State;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.testing.Sketch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlightRecorderTest {
    private static final PlanLimits LIMITS =
            new PlanLimits(Policy.PAIR, Duration.ofSeconds(10), Duration.ofSeconds(6));
    private static final Membership THERE = new Membership(true, true, true, false);
    private static final Membership GONE = new Membership(true, false, true, false);

    private final FlightRecorder recorder = new FlightRecorder(LIMITS);
    private final List<Recorded> recorded = new ArrayList<>();
    private Moment now = new Moment(0);
    private State state =
            Supervisor.on(
                            Supervisor.begin(
                                            new State.Node(
                                                    Sketch.NORTH, Sketch.SOUTH, Sketch.NORTH_BOOT),
                                            DurableState.blank(Sketch.NORTH_BOOT),
                                            seen(),
                                            Supervisor.Marks.NONE,
                                            now)
                                    .state(),
                            new Event.Stored(1),
                            now,
                            LIMITS.policy())
                    .state();

    private static ServerObservation seen() {
        return new ServerObservation(
                0,
                EtcdState.STOPPED,
                Sketch.north("two 1:7").replica(),
                false,
                false,
                new Listed.Nowhere(),
                WholeLog.CAN_BE_COMMITTED,
                0,
                0,
                "");
    }

    private void take(Event event) {
        now = now.plus(Duration.ofSeconds(1));
        State before = state;
        Supervisor.Outcome outcome = Supervisor.on(before, event, now, LIMITS.policy());
        state = outcome.state();
        recorded.addAll(recorder.took(before, event, now, outcome, Instant.EPOCH));
    }

    private void quiet(int events) {
        for (int i = 0; i < events; i++) {
            take(new Event.EtcdObserved(seen()));
        }
    }

    @Test
    void nothingIsRecordedWhileNothingHappens() {
        quiet(10_000);

        assertThat(recorded).isEmpty();
    }

    @Test
    void whatHappenedIsRecordedWithWhatLedToItAndManyEventsAfterIt() {
        quiet(FlightRecorder.SPAN + 10);
        take(new Event.MembershipRead(THERE));
        assertThat(recorded)
                .as("a state, and the events of this span")
                .hasSize(1 + 10 + 1)
                .first()
                .isInstanceOf(Recorded.Began.class);

        quiet(10_000);
        long events = recorded.stream().filter(Recorded.Took.class::isInstance).count();
        assertThat(events).isEqualTo(10 + FlightRecorder.AFTERWARDS);
    }

    @Test
    void eachStretchIsReplayedFromItsState() {
        quiet(100);
        take(new Event.MembershipRead(THERE));
        quiet(1000);
        take(new Event.MembershipRead(GONE));
        quiet(1000);

        RecordingReplay replay = RecordingReplay.of(recorded, Instant.MIN, Supervisor::on);

        assertThat(replay.differences()).isEmpty();
        assertThat(replay.notReplayed()).isEmpty();
        assertThat(replay.same()).isGreaterThanOrEqualTo(2 * FlightRecorder.AFTERWARDS);
    }

    @Test
    void afterALossTheNextBeginsWithAState() {
        take(new Event.MembershipRead(THERE));
        recorded.clear();
        recorder.lost();

        take(new Event.MembershipRead(GONE));

        assertThat(recorded).hasSize(2).first().isInstanceOf(Recorded.Began.class);
    }

    /** What follows a difference would not have come. */
    @Test
    void afterADifferenceTheReplayGoesOnAtTheNextState() {
        take(new Event.MembershipRead(THERE));
        quiet(FlightRecorder.SPAN + 5);

        RecordingReplay replay =
                RecordingReplay.of(
                        recorded,
                        Instant.MIN,
                        (state, event, at, policy) -> {
                            Supervisor.Outcome outcome = Supervisor.on(state, event, at, policy);
                            return event instanceof Event.MembershipRead
                                    ? new Supervisor.Outcome(outcome.state(), List.of())
                                    : outcome;
                        });

        assertThat(replay.differences()).hasSize(1);
        assertThat(replay.skipped()).isEqualTo(FlightRecorder.SPAN - 1);
        assertThat(replay.same()).isEqualTo(6);
    }

    @Test
    void aVersionThatFailsIsNotTakenForOneThatAgrees() {
        take(new Event.MembershipRead(THERE));

        RecordingReplay replay =
                RecordingReplay.of(
                        recorded,
                        Instant.MIN,
                        (_, _, _, _) -> {
                            throw new IllegalStateException("a fault");
                        });

        assertThat(replay.notReplayed())
                .singleElement()
                .satisfies(missed -> assertThat(missed.why()).contains("a fault"));
    }
}
