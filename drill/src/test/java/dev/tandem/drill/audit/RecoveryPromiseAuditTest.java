package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.client.AgentSocket;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the audit says when node-1 loses power at second 100 and the nodes had said something
 * before.
 */
class RecoveryPromiseAuditTest {
    private static final Moment BEGAN = new Moment(Instant.parse("2026-01-01T00:00:00Z"), 0);
    private static final long LOSS = 100;

    private final List<Timeline.Entry> timeline = new ArrayList<>();
    private final List<HealthWatch.Sample> samples = new ArrayList<>();
    private final List<ScenarioActs.Act> causes = new ArrayList<>();
    private final List<ScenarioActs.Act> persons = new ArrayList<>();
    private final List<ScenarioActs.Act> kills = new ArrayList<>();

    RecoveryPromiseAuditTest() {
        happens(LOSS, new TimelineEvent.PowerOff(), "node-1");
        says("node-1", LOSS - 3, false, 3900);
    }

    private void happens(long second, TimelineEvent event, String subject) {
        timeline.add(new Timeline.Entry(BEGAN.instant().plusSeconds(second), subject, event));
    }

    private static TimelineEvent bmc(BmcEvent.Kind kind) {
        return new TimelineEvent.Bmc(kind, BmcEvent.OWNER, "");
    }

    private void says(long second, boolean automatic, long predictedMillis) {
        says("node-0", second, automatic, predictedMillis);
    }

    private void says(String node, long second, boolean automatic, long predictedMillis) {
        says(node, second, automatic, predictedMillis, null);
    }

    private void says(
            String node,
            long second,
            boolean automatic,
            long predictedMillis,
            @Nullable Long hungMillis) {
        samples.add(
                new HealthWatch.Sample(
                        nanos(second),
                        node,
                        LabStatus.State.UP,
                        true,
                        7,
                        true,
                        Optional.of(
                                Samples.status(
                                        node,
                                        NodeHealth.REDUNDANT,
                                        automatic,
                                        predictedMillis,
                                        hungMillis)),
                        Optional.empty()));
    }

    private static long nanos(long second) {
        return Duration.ofSeconds(second).toNanos();
    }

    /** With writes every second until the loss, and again from that second on. */
    private RecoveryPromiseAudit promises(long back) {
        return new RecoveryPromiseAudit(
                PowerRecord.of(timeline, BEGAN),
                new ScenarioActs(causes, persons, List.of(), kills),
                samples,
                LongStream.range(1, 400)
                        .filter(second -> second < LOSS || second >= back)
                        .mapToObj(RecoveryPromiseAuditTest::nanos)
                        .toList(),
                0,
                nanos(400));
    }

    @ParameterizedTest
    @CsvSource({
        // seconds to the next write, predicted milliseconds, kept
        "5, 3900, true",
        "19, 3900, true",
        "20, 3900, false",
        "59, 3900, false",
        "14, 1000, true",
        "16, 1000, false",
        "61, 20000, true",
        "101, 20000, false",
        "500, 3900, false",
        // Nothing is said of the time.
        "59, 0, true",
        "61, 0, false",
    })
    void aPromiseIsKeptInTime(long after, long predicted, boolean kept) {
        says(LOSS - 2, true, predicted);

        assertThat(promises(LOSS + after).broken()).hasSize(kept ? 0 : 1);
    }

    /** Whose agent was killed how long after the loss; how long until the next write. */
    @ParameterizedTest
    @CsvSource({
        "node-0, 1, 34, true",
        "node-0, 1, 35, false",
        "node-0, -14, 34, true",
        "node-0, -16, 34, false",
        // It was not needed any more.
        "node-0, 30, 25, false",
        "node-1, 1, 34, false",
    })
    void anAgentThatIsKilledMayTakeTheTimeOfItsStart(
            String node, long killed, long after, boolean kept) {
        says(LOSS - 2, true, 3900);
        kills.add(new ScenarioActs.Act(nanos(LOSS + killed), node));

        assertThat(promises(LOSS + after).broken()).hasSize(kept ? 0 : 1);
    }

    /** It is silent and has its power: it must be switched off first, which takes longer. */
    @ParameterizedTest
    @CsvSource({"49, true", "51, false", "500, false"})
    void aNodeThatIsFrozenIsALossToo(long after, boolean kept) {
        timeline.clear();
        happens(LOSS, new TimelineEvent.Frozen(), "node-1");
        says("node-0", LOSS - 2, true, 3900, 10_000L);

        List<String> broken = promises(LOSS + after).broken();
        assertThat(broken).hasSize(kept ? 0 : 1);
        assertThat(broken).allSatisfy(words -> assertThat(words).contains("node-1 was frozen"));
    }

    /** What the lost node predicted was about a failure of the other. */
    @ParameterizedTest
    @CsvSource({"19, true", "21, false"})
    void whatTheSurvivorPredictedCountsForBoth(long after, boolean kept) {
        says(LOSS - 2, false, 3900);
        says("node-1", LOSS - 2, true, 100_000);

        assertThat(promises(LOSS + after).broken()).hasSize(kept ? 0 : 1);
    }

    /** How a drill has a node boot as slowly as a machine does. */
    @Test
    void aSlowBootIsNoExcuse() {
        says(LOSS - 2, true, 3900);
        happens(LOSS - 20, bmc(BmcEvent.Kind.BOOT_DELAYED), "node-1");

        assertThat(promises(LOSS + 200).broken()).hasSize(1);
    }

    @Test
    void whoPromisedNothingIsNotHeldToIt() {
        says(LOSS - 2, false, 3900);

        assertThat(promises(LOSS + 200).broken()).isEmpty();
        assertThat(promises(LOSS + 200).unpromised()).containsExactly(Duration.ofSeconds(200));
    }

    @Test
    void whatTheSurvivorPredictedStandsBesideWhatItTook() {
        says("node-0", LOSS - 2, true, 3900, 9000L);

        assertThat(promises(LOSS + 5).predicted())
                .containsExactly(
                        new Audit.Predicted(
                                "node-1", Duration.ofMillis(3900), Duration.ofSeconds(5)));

        timeline.clear();
        happens(LOSS, new TimelineEvent.Crashed(LabRequest.CrashKind.PANIC), "node-1");
        assertThat(promises(LOSS + 5).predicted())
                .as("it had power, and had to be switched off")
                .extracting(Audit.Predicted::said)
                .containsExactly(Duration.ofSeconds(9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"no promise", "no recovery", "a person", "a killed agent", "a cause"})
    void whatNobodyCouldPredictIsNotHeldAgainstAPrediction(String why) {
        says(LOSS - 2, !why.equals("no promise"), 3900);
        switch (why) {
            case "a person" -> persons.add(new ScenarioActs.Act(nanos(LOSS + 3), "mend the key"));
            case "a killed agent" -> kills.add(new ScenarioActs.Act(nanos(LOSS + 1), "node-0"));
            case "a cause" -> causes.add(new ScenarioActs.Act(nanos(LOSS - 1), "maintenance"));
            default -> {}
        }

        assertThat(promises(LOSS + (why.equals("no recovery") ? 500 : 5)).predicted()).isEmpty();
    }

    @Test
    void theLastWordBeforeTheLossCounts() {
        says(LOSS - 10, true, 3900);
        says(LOSS - 2, false, 3900);
        // Not heard in time by anybody.
        says(LOSS, true, 3900);

        assertThat(promises(LOSS + 200).broken()).isEmpty();
    }

    @Test
    void whatWasNotSeenIsAFinding() {
        says(LOSS, true, 3900);

        assertThat(promises(LOSS + 5).broken())
                .containsExactly("what node-0 said before node-1 lost its power is not known");
    }

    @Test
    void whatAPersonBroughtBackDidNotComeByItself() {
        says(LOSS - 2, true, 3900);
        persons.add(new ScenarioActs.Act(nanos(LOSS + 10), "mend the key"));

        assertThat(promises(LOSS + 20).broken())
                .singleElement()
                .asString()
                .contains("node-0", "all is well", "after 20 s", "mend the key");
        assertThat(promises(LOSS + 5).broken()).isEmpty();
    }

    /** The one that is lost had told as well that either may fail. */
    @ParameterizedTest
    @CsvSource({
        // the survivor promises, the lost node did, recovered in time, findings
        "false, true, false, 1",
        "true, true, false, 2",
        "false, true, true, 0",
        "false, false, false, 0",
    })
    void whatTheLostNodePromisedCountsToo(
            boolean survivor, boolean lost, boolean inTime, int findings) {
        says(LOSS - 2, survivor, 3900);
        says("node-1", LOSS - 2, lost, 3900);

        assertThat(promises(LOSS + (inTime ? 5 : 200)).broken()).hasSize(findings);
        assertThat(promises(LOSS + 200).unpromised()).hasSize(survivor || lost ? 0 : 1);
    }

    @Test
    void whatTheLostNodeSaidMustBeKnown() {
        samples.clear();
        says(LOSS - 2, true, 3900);

        assertThat(promises(LOSS + 5).broken())
                .containsExactly("what node-1 said before node-1 lost its power is not known");
    }

    @ParameterizedTest
    @CsvSource({"29, true", "31, false", "40, false", "0, true", "-1, false", "-3, false"})
    void aCauseIsExcusedUntilItCouldBeKnown(long before, boolean excused) {
        says(LOSS - 2, true, 3900);
        causes.add(new ScenarioActs.Act(nanos(LOSS - before), "maintenance"));

        assertThat(promises(LOSS + 200).broken()).hasSize(excused ? 0 : 1);
    }

    /** Dead for 40 s and still promised to work: that was played, and nobody noticed. */
    @ParameterizedTest
    @CsvSource({"29, true", "31, false", "40, false", "-3, true", "-29, true", "-31, false"})
    void aBmcIsExcusedUntilItCouldBeKnown(long before, boolean excused) {
        says(LOSS - 2, true, 3900);
        happens(LOSS - before, bmc(BmcEvent.Kind.BEHAVIOUR_CHANGED), "node-1");

        assertThat(promises(LOSS + 200).broken()).hasSize(excused ? 0 : 1);
    }

    @Test
    void theLabsOwnFaultsAreCausesAndTheirMendingIsNot() {
        says(LOSS - 2, true, 3900);
        happens(LOSS - 20, bmc(BmcEvent.Kind.BEHAVIOUR_RESTORED), "node-1");
        assertThat(promises(LOSS + 200).broken()).hasSize(1);

        happens(LOSS - 20, bmc(BmcEvent.Kind.BEHAVIOUR_CHANGED), "node-1");
        assertThat(promises(LOSS + 200).broken()).isEmpty();
    }

    /** node-0 had promised to go on without node-1, and did not. */
    static Stream<Arguments> faults() {
        return Stream.of(
                arguments(new TimelineEvent.Frozen(), "node-0", true),
                arguments(new TimelineEvent.Kill("etcd", "KILL", 1), "node-0", true),
                arguments(new TimelineEvent.Held("etcd"), "node-0", true),
                arguments(new TimelineEvent.DiskFull(LabRequest.Disk.ETCD), "node-0", true),
                arguments(new TimelineEvent.DisksStall(2000), "node-0", true),
                arguments(new TimelineEvent.RolledBack(), "node-0", true),
                arguments(new TimelineEvent.Corrupt("/etc/hosts", 0, 1), "node-0", true),
                arguments(bmc(BmcEvent.Kind.BEHAVIOUR_CHANGED), "node-1", true),
                arguments(cut("node-1", "node-0"), "cluster0", true),
                arguments(loss("node-0"), "cluster0", true),
                // A split is a loss of the peer like any other.
                arguments(cut(NetworkFault.ANYBODY, NetworkFault.ANYBODY), "cluster0", false),
                // What was to be done without was broken, and it is gone.
                arguments(new TimelineEvent.Frozen(), "node-1", false),
                arguments(new TimelineEvent.Kill("etcd", "KILL", 1), "node-1", false),
                arguments(new TimelineEvent.Held("etcd"), "node-1", false),
                arguments(new TimelineEvent.DiskFull(LabRequest.Disk.ETCD), "node-1", false),
                arguments(new TimelineEvent.Corrupt("/etc/hosts", 0, 1), "node-1", false),
                arguments(loss("node-1"), "cluster0", false),
                // Nobody has to switch node-0 off.
                arguments(bmc(BmcEvent.Kind.BEHAVIOUR_CHANGED), "node-0", false),
                arguments(cut("node-1", "arbiter"), "cluster0", false));
    }

    private static TimelineEvent cut(String from, String to) {
        return new TimelineEvent.FaultInForce(
                new NetworkFault.Cut("cluster0", from, to, true, List.of()));
    }

    private static TimelineEvent loss(String node) {
        return new TimelineEvent.FaultInForce(new NetworkFault.Loss("cluster0", node, 30));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void onlyWhatTheSurvivorNeedsIsAnExcuse(TimelineEvent fault, String subject, boolean excused) {
        // A fault may be a loss of its own.
        says(LOSS - 23, false, 3900);
        says("node-1", LOSS - 23, false, 3900);
        samples.sort(Comparator.comparingLong(HealthWatch.Sample::nanos));
        says(LOSS - 2, true, 3900);
        happens(LOSS - 20, fault, subject);

        assertThat(promises(LOSS + 200).broken()).hasSize(excused ? 0 : 1);
    }

    @Test
    void aFaultOfTheLostNodeDoesNotHideAFalsePromise() {
        says(LOSS - 2, true, 3900);
        happens(LOSS - 10, new TimelineEvent.Kill("corosync", "KILL", 1), "node-1");

        assertThat(promises(LOSS + 200).broken())
                .containsExactly(
                        "node-0 said \"all is well\"; then node-1 lost its power, and the next"
                                + " write was acknowledged after 200 s");
    }

    @Test
    void aSurvivorThatLosesItsPowerTooIsNoSurvivor() {
        says(LOSS - 2, true, 3900);
        happens(LOSS + 1, new TimelineEvent.PowerOff(), "node-0");
        samples.add(Samples.of(nanos(LOSS - 2), "node-1", "DOWN", true, 7));

        assertThat(promises(LOSS + 200).broken()).isEmpty();
    }

    @Test
    void aKernelThatStopsIsALossToo() {
        timeline.clear();
        happens(LOSS, new TimelineEvent.Crashed(LabRequest.CrashKind.PANIC), "node-1");
        says(LOSS - 2, true, 3900);

        assertThat(promises(LOSS + 200).broken()).hasSize(1);
    }

    /** What a node whose agent writes that would be seen to say. */
    private static HealthWatch.Sample told(String status) {
        return looked(answered(200, status));
    }

    private static String written(NodeHealth health) {
        return AgentJson.line(Samples.status("node-0", health, true, 3900));
    }

    @Test
    void aStatusAsItIsWrittenIsUnderstood() {
        samples.add(told(written(NodeHealth.REDUNDANT)));

        assertThat(promises(LOSS + 5).broken()).isEmpty();
        assertThat(promises(LOSS + 200).broken()).hasSize(1);
    }

    /** Somebody renames a health, or a field, and forgets the audit. */
    @ParameterizedTest
    @CsvSource({
        "REDUNDANT, DOUBLE",
        "REDUNDANT, UNKNOWN",
        "\"health\", \"wellbeing\"",
        "\"automatic\", \"unattended\"",
        "\"recovery\", \"rescue\"",
        "\"eitherNodeCanFail\", \"well\"",
        "\"sentence\":, \"said\":",
        "\"version\":1, \"version\":2",
    })
    void whatIsNotUnderstoodIsAFinding(String name, String renamed) {
        String status = written(NodeHealth.REDUNDANT);
        String other = status.replace(name, renamed);
        assertThat(other).isNotEqualTo(status);
        samples.add(told(other));

        assertThat(promises(LOSS + 5).broken())
                .singleElement()
                .asString()
                .startsWith("the status of node-0 is not understood: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "7", "not JSON", "{\"health\":0}"})
    void whatIsNoStatusIsAFindingToo(String answer) {
        samples.add(told(answer));

        assertThat(promises(LOSS + 5).broken()).hasSize(1);
    }

    private static HealthWatch.Sample looked(HealthWatch.Asked asked) {
        return HealthWatch.sample(nanos(LOSS - 2), "node-0", List.of(7L), asked, List.of(7L));
    }

    private static HealthWatch.Asked answered(int code, String content) {
        return new HealthWatch.Asked.Answered(new AgentSocket.Answer(code, content));
    }

    @Test
    void whereNobodyListensNobodySaysAnything() {
        HealthWatch.Sample silent = looked(new HealthWatch.Asked.NobodyListens());
        samples.add(silent);

        assertThat(promises(LOSS + 5).broken()).isEmpty();
        assertThat(silent.state()).isEqualTo(HealthWatch.Sample.SILENT);
        assertThat(silent.isWell()).isFalse();
    }

    @Test
    void anErrorOfAnAgentThatListensIsAFinding() {
        samples.add(looked(answered(404, "no such page")));

        assertThat(promises(LOSS + 5).broken())
                .containsExactly("the status of node-0 is not understood: HTTP 404: no such page");
    }

    private static Stream<HealthWatch.Sample> unended() {
        return Stream.of(
                looked(new HealthWatch.Asked.NotTold()),
                HealthWatch.unsure(nanos(LOSS - 2), "node-0"));
    }

    @ParameterizedTest
    @MethodSource("unended")
    void aQuestionWithoutAnEndIsNoSilence(HealthWatch.Sample unknown) {
        samples.add(unknown);

        assertThat(unknown.told()).isFalse();
        assertThat(unknown.runs()).isTrue();
        assertThat(promises(LOSS + 5).broken())
                .containsExactly("what node-0 said before node-1 lost its power is not known");
    }

    /** What node-0 said was said that many seconds before. */
    @ParameterizedTest
    @CsvSource({"2, true", "10, true", "11, false", "60, false"})
    void whatWasSaidLongBeforeIsNotKnown(long before, boolean known) {
        says(LOSS - before, false, 3900);

        assertThat(promises(LOSS + 5).broken())
                .isEqualTo(
                        known
                                ? List.of()
                                : List.of(
                                        "what node-0 said before node-1 lost its power is not"
                                                + " known: the last look was %d s before"
                                                        .formatted(before)));
    }

    /**
     * Which agent was killed how long before; what it would have said was last seen before that.
     */
    @ParameterizedTest
    @CsvSource({"node-0, 20, true", "node-0, 59, true", "node-0, 90, false", "node-1, 20, false"})
    void anAgentThatWasKilledIsNotMissedUntilItRunsAgain(
            String node, long before, boolean excused) {
        says(LOSS - 95, false, 3900);
        kills.add(new ScenarioActs.Act(nanos(LOSS - before), node));

        assertThat(promises(LOSS + 5).broken()).hasSize(excused ? 0 : 1);
    }

    @Test
    void whoCouldNotBeHeardIsNotMissed() {
        says(LOSS - 60, false, 3900);
        happens(LOSS - 50, new TimelineEvent.DisksStall(2000), "node-0");
        assertThat(promises(LOSS + 5).broken()).isEmpty();

        timeline.removeLast();
        happens(LOSS - 50, new TimelineEvent.DisksStall(2000), "node-1");
        assertThat(promises(LOSS + 5).broken()).hasSize(1);

        timeline.clear();
        happens(LOSS - 40, new TimelineEvent.PowerOff(), "node-0");
        happens(LOSS - 20, new TimelineEvent.PowerOn(), "node-0");
        happens(LOSS, new TimelineEvent.PowerOff(), "node-1");
        samples.clear();
        says("node-0", LOSS - 45, false, 3900);
        says("node-1", LOSS - 45, false, 3900);
        says("node-1", LOSS - 3, false, 3900);
        assertThat(promises(LOSS + 5).broken()).isEmpty();
    }

    @Test
    void aWatchThatSeesNothingSaysSo() {
        HealthWatch.Blindness blindness = new HealthWatch.Blindness("node-0", 0);
        IllegalStateException why = new IllegalStateException("the lab does not answer");

        assertThat(blindness.failed(nanos(20), why)).isEmpty();
        assertThat(blindness.failed(nanos(21), why))
                .hasValueSatisfying(
                        words -> assertThat(words).contains("node-0", "the lab does not answer"));
        assertThat(blindness.failed(nanos(22), why)).isEmpty();
        blindness.seen(nanos(23));
        assertThat(blindness.failed(nanos(24), why)).isEmpty();
    }
}
