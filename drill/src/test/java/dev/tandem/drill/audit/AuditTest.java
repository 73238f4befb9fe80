package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.BootId;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever does not hold after an incident is found, in a drill as in a bench. */
class AuditTest {
    private static final Moment BEGAN = new Moment(Instant.parse("2026-01-01T00:00:00Z"), 0);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final PaperPair pair = new PaperPair();

    private Audit.Result audit(ScenarioActs acts) {
        return new Audit(pair, BEGAN).end(acts, LIMIT);
    }

    private void finds(String what) {
        assertThat(audit(ScenarioActs.NONE).findings()).singleElement().asString().contains(what);
    }

    private static long nanos(long second) {
        return Duration.ofSeconds(second).toNanos();
    }

    private void happens(long second, TimelineEvent event, String subject) {
        pair.timeline.add(new Timeline.Entry(BEGAN.instant().plusSeconds(second), subject, event));
    }

    @Test
    void aPairToWhichNothingHappenedIsFine() {
        Audit.Result result = audit(ScenarioActs.NONE);

        assertThat(result.findings()).isEmpty();
        assertThat(result.settled()).isTrue();
        assertThat(result.lost()).isEqualTo(OptionalLong.of(0));
    }

    /** Both serve, and nobody could be fenced. */
    @Test
    void aPairThatCannotDoWithoutOneIsNotAsBefore() {
        pair.statuses.put("node-1", Samples.status("node-1", NodeHealth.REDUNDANT, false, 3900));

        finds("either node can fail without an outage: node-1 says \"all is well\"");
        assertThat(audit(ScenarioActs.NONE).settled()).isTrue();
    }

    @Test
    void anAgentThatIsSilentIsNotAsBefore() {
        pair.statuses.remove("node-0");

        finds("afterwards: not within 180 s");
        assertThat(audit(ScenarioActs.NONE).settled()).isFalse();
    }

    @Test
    void whatTheWatchSawIsAFinding() {
        pair.lies.add("both say that they are alone");

        finds("both say that they are alone");
    }

    @Test
    void aSecretInTheOpenIsAFinding() {
        pair.leaksAtRest.add("node-0: the token of pcsd stands in /var/log/pcsd/pcsd.log");
        pair.leaksOfProcesses.add("node-1: ipmitool has a password among its arguments");

        assertThat(audit(ScenarioActs.NONE).findings())
                .containsExactly(
                        "a secret is told: node-0: the token of pcsd stands in"
                                + " /var/log/pcsd/pcsd.log",
                        "a secret is told: node-1: ipmitool has a password among its arguments");
    }

    /** What cannot be read is not clean. */
    @Test
    void aNodeThatCannotBeSearchedIsAFinding() {
        pair.searched = false;

        finds("the audit could not be finished");
    }

    @Test
    void theNodeThatLacksMoreCounts() {
        pair.missing.put("node-0", List.of("a"));
        pair.missing.put("node-1", List.of("a", "b", "c"));

        Audit.Result result = audit(ScenarioActs.NONE);

        assertThat(result.lost()).isEqualTo(OptionalLong.of(3));
        assertThat(result.findings()).hasSize(2);
    }

    @Test
    void twoContentsAreAFindingWhileSomebodyGoesOnWriting() {
        pair.hashes.put("node-1", 4712L);

        finds("the databases differ");
    }

    @Test
    void twoLineagesOfTheSameLengthAreAFinding() {
        pair.lineages.put("node-1", PaperPair.INSTALLED.takenOver(new NodeName("node-1"), BOOT, 7));
        pair.lineages.put("node-0", PaperPair.INSTALLED.takenOver(new NodeName("node-0"), BOOT, 7));

        assertThat(audit(ScenarioActs.NONE).findings())
                .anySatisfy(finding -> assertThat(finding).startsWith("two lineages"));
    }

    private static final BootId BOOT = new BootId("the second");

    /** Both disks have an epoch that node-0 began; its journal tells of it or does not. */
    private Audit.Result afterATakeOver(
            Optional<Epoch> told, boolean peerWasOff, List<ScenarioActs.Act> kills) {
        Audit audit = new Audit(pair, BEGAN);
        Lineage longer = PaperPair.INSTALLED.takenOver(new NodeName("node-0"), BOOT, 7);
        Pair.NODES.forEach(node -> pair.lineages.put(node, longer));
        told.ifPresent(epoch -> pair.journals.put("node-0", List.of(forced(epoch))));
        if (peerWasOff) {
            diesAndWrites(130);
        }
        return audit.end(ScenarioActs.NONE.withKills(kills), LIMIT);
    }

    private static JournalLine forced(Epoch epoch) {
        return new JournalLine(
                FormatVersion.of(JournalLine.VERSION),
                BEGAN.instant(),
                nanos(104),
                new JournalEvent.TakeOver(JournalEvent.TakeOver.Phase.FORCING, epoch));
    }

    private static final List<ScenarioActs.Act> KILLED =
            List.of(
                    new ScenarioActs.Act(nanos(105), "node-0"),
                    new ScenarioActs.Act(nanos(120), "node-1"));

    @Test
    void anEpochWithoutALineIsAFinding() {
        assertThat(afterATakeOver(Optional.empty(), true, KILLED.subList(1, 2)).findings())
                .singleElement()
                .asString()
                .contains("has no take-over in the journal of node-0");
    }

    @Test
    void aLineOfAnotherEpochWithTheSameNumberIsNone() {
        Epoch other = new Epoch(2, new NodeName("node-0"), new BootId("another"), 7);

        assertThat(afterATakeOver(Optional.of(other), true, KILLED.subList(1, 2)).findings())
                .anySatisfy(finding ->
                        assertThat(finding).contains("has no take-over in the journal of node-0"));
    }

    @Test
    void aLineThatDiedWithItsAgentIsNotMissedAndTheTakeOverIsJudged() {
        assertThat(afterATakeOver(Optional.empty(), true, KILLED).findings()).isEmpty();
    }

    @Test
    void aTakeOverBesideAPeerWithPowerIsFoundWithoutALine() {
        assertThat(afterATakeOver(Optional.empty(), false, KILLED).findings())
                .singleElement()
                .asString()
                .contains("node-0 began epoch 2", "node-1 had neither lost its power");
    }

    /** Seconds; each epoch is one that node-0 began without a line, unless it has one at 104. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # lies of node-1 | its BMC feigned | epochs | has a line | findings
                    100              | 101             | 1      | false      | 0
                    100              | ''              | 1      | false      | 1
                    100              | 99              | 1      | false      | 1
                    100              | 101             | 2      | false      | 1
                    100 102          | 101 103         | 2      | false      | 0
                    100              | 101             | 2      | true       | 1
                    100 106          | 101 107         | 2      | true       | 0
                    """)
    void aLieIsAnExcuseForOneEpoch(
            String lies, String feigned, int epochs, boolean written, int findings) {
        Audit audit = new Audit(pair, BEGAN);
        Lineage longer = PaperPair.INSTALLED;
        for (int i = 0; i < epochs; i++) {
            longer = longer.takenOver(new NodeName("node-0"), BOOT, 7 + i);
        }
        for (String node : Pair.NODES) {
            pair.lineages.put(node, longer);
        }
        if (written) {
            pair.journals.put("node-0", List.of(forced(longer.epochs().get(1))));
        }
        seconds(feigned)
                .forEach(second ->
                        happens(
                                second,
                                new TimelineEvent.Bmc(
                                        BmcEvent.Kind.OFF_FEIGNED, "admin", "ForceOff"),
                                "node-1"));
        ScenarioActs acts =
                new ScenarioActs(
                        List.of(),
                        List.of(),
                        seconds(lies)
                                .mapToObj(second -> new ScenarioActs.Act(nanos(second), "node-1"))
                                .toList(),
                        List.of(new ScenarioActs.Act(nanos(105), "node-0")));

        assertThat(audit.end(acts, LIMIT).findings())
                .filteredOn(finding -> finding.contains("node-1 had neither lost its power"))
                .hasSize(findings);
    }

    private static LongStream seconds(String text) {
        return Stream.of(text.split(" "))
                .filter(word -> !word.isEmpty())
                .mapToLong(Long::parseLong);
    }

    @Test
    void aHistoryThatIsGoneIsAFinding() {
        Pair.NODES.forEach(node ->
                pair.lineages.put(
                        node, PaperPair.INSTALLED.takenOver(new NodeName("node-0"), BOOT, 7)));
        Audit audit = new Audit(pair, BEGAN);
        pair.lineages.clear();

        assertThat(audit.end(ScenarioActs.NONE, LIMIT).findings())
                .singleElement()
                .asString()
                .contains("the lineage did not go on");
    }

    @Test
    void aLoneVoterIsAFinding() {
        pair.members.put("node-1", List.of(PaperPair.member("node-1")));

        finds("node-1 does not list two started voters");
    }

    @Test
    void aMarkThatIsLeftIsAFinding() {
        pair.memories.put(
                "node-0",
                PaperPair.stored("None").replace("\"None\"}", "\"StandDown\",\"number\":3}"));

        assertThat(audit(ScenarioActs.NONE).findings())
                .anySatisfy(finding -> assertThat(finding).contains("node-0"));
    }

    @Test
    void aRevisionThatWentBackIsAFinding() {
        pair.backwards.add("/written/1 at revision 5 after 7");

        finds("a revision went backwards");
    }

    private void diesAndWrites(long writes) {
        for (String node : List.of("node-0", "node-1")) {
            pair.samples.add(Samples.of(nanos(98), node, "REDUNDANT", true, 7));
        }
        happens(100, new TimelineEvent.PowerOff(), "node-1");
        happens(110, new TimelineEvent.PowerOn(), "node-1");
        pair.acknowledgements.add(new Writer.Acknowledgement(nanos(103), 0, 8));
        pair.acknowledgements.add(new Writer.Acknowledgement(nanos(writes), 1, 9));
    }

    @Test
    void whatANodeAcknowledgesWithoutPowerIsAFinding() {
        diesAndWrites(105);

        finds("node-1 acknowledged 1 writes after its power was off");
    }

    /** The line that says that it starts may have died with its agent; its power is known. */
    @Test
    void aLineThatAKilledAgentDidNotWriteIsNotMissed() {
        diesAndWrites(130);
        ScenarioActs killed =
                ScenarioActs.NONE.withKills(List.of(new ScenarioActs.Act(nanos(120), "node-1")));

        assertThat(audit(killed).findings()).isEmpty();
        finds("node-1 acknowledged 1 writes after its power was off");

        pair.acknowledgements.clear();
        pair.timeline.clear();
        pair.samples.clear();
        diesAndWrites(105);
        assertThat(audit(killed).findings()).hasSize(1);
    }
}
