package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.testing.Sketch;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayTest {
    private static final OwnLog UNTOLD = new OwnLog.Untold();

    static Stream<Situation> situations() {
        return DecisionTable.rows().stream()
                .map(row ->
                        Sketch.situation(
                                row.shape(),
                                row.mine(),
                                row.peer(),
                                row.cluster(),
                                row.proofs(),
                                row.intent()));
    }

    static List<OwnLog.Read> logs() {
        return Stream.of(WholeLog.values())
                .flatMap(whole ->
                        Stream.of(new OwnLog.Read(whole, false), new OwnLog.Read(whole, true)))
                .toList();
    }

    private static Situation situation(String name) {
        return switch (name) {
            case "fenced" ->
                    Sketch.situation(
                            "pair",
                            "two 1:7/5 leaderless",
                            "two 1:7",
                            "gone known",
                            "fenced",
                            "recover");
            case "silent" ->
                    Sketch.situation(
                            "pair",
                            "two 1:7/5 leaderless",
                            "two 1:7",
                            "gone known",
                            "-",
                            "recover");
            case "partial" ->
                    Sketch.situation(
                            "pair",
                            "unconfirmed 1:7",
                            "unheard",
                            "never met",
                            "person: off and loss accepted",
                            "start");
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** What a log has to say is heard only where the decision depends on it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    situation | whole                  | lacks | decision
                    fenced    | CAN_BE_COMMITTED       | false | take over, epoch 2
                    fenced    | CAN_BE_COMMITTED       | true  | take over, epoch 2
                    fenced    | REMOVES_THIS_NODE      | false | refuse: log removes self
                    fenced    | CHANGES_VOTERS_JOINTLY | false | refuse: log changes voters
                    silent    | REMOVES_THIS_NODE      | true  | wait: fencing
                    partial   | CAN_BE_COMMITTED       | false | refuse: incomplete
                    partial   | CAN_BE_COMMITTED       | true  | refuse: log lacks entries
                    """)
    void theLogTurnsADecisionIntoARefusal(
            String situation, WholeLog whole, boolean lacks, String decision) {
        assertThat(Sketch.name(new OwnLog.Read(whole, lacks).decide(situation(situation))))
                .isEqualTo(decision);
    }

    @ParameterizedTest
    @MethodSource("situations")
    void whatThisVersionDecidesItDecidesAgain(Situation situation) {
        for (OwnLog.Read log : logs()) {
            Decision decision = log.decide(situation);

            assertThat(Replay.of(decision, situation, log)).isEqualTo(new Replay.Same());
            assertThat(Replay.of(decision, situation, UNTOLD))
                    .as("what is not told is never held against a decision")
                    .isNotInstanceOf(Replay.Differs.class);
        }
    }

    /** No two decisions are taken for the same, whatever was recorded with them. */
    @ParameterizedTest
    @MethodSource("situations")
    void everyOtherDecisionDiffers(Situation situation) {
        OwnLog.Read log = new OwnLog.Read(WholeLog.CAN_BE_COMMITTED, false);
        Decision right = log.decide(situation);
        List<Decision> possible = UNTOLD.decisions(situation);

        situations()
                .map(log::decide)
                .filter(other -> !other.equals(right))
                .forEach(other -> {
                    assertThat(Replay.of(other, situation, log))
                            .isEqualTo(new Replay.Differs(List.of(right)));
                    assertThat(Replay.of(other, situation, UNTOLD))
                            .isEqualTo(
                                    possible.contains(other)
                                            ? new Replay.Open()
                                            : new Replay.Differs(possible));
                });
    }

    @Test
    void aLogThatIsNotToldLeavesOpenOnlyWhatDependsOnIt() {
        Decision takeOver = UNTOLD.decisions(situation("fenced")).getFirst();

        assertThat(Replay.of(takeOver, situation("fenced"), UNTOLD)).isEqualTo(new Replay.Open());
        assertThat(Replay.of(WaitFor.FENCING.decision(), situation("silent"), UNTOLD))
                .isEqualTo(new Replay.Same());
        assertThat(Replay.of(WaitFor.FENCING.decision(), situation("fenced"), UNTOLD))
                .isEqualTo(
                        new Replay.Differs(
                                List.of(
                                        takeOver,
                                        Refusal.LOG_REMOVES_SELF.decision(),
                                        Refusal.LOG_CHANGES_VOTERS.decision())));
    }
}
