package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalEvent.TakeOver.Phase;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.BootId;
import dev.tandem.core.FormatVersion;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the audit says of take-overs that should not have been. */
class TakeOverAuditTest {
    private static final long AT = 5_000_000;
    private static final long NANOS = AT * 1000;
    private static final long SECOND = 1_000_000_000;

    private static final PowerRecord NOTHING =
            new PowerRecord(List.of(), List.of(), List.of(), List.of(), List.of());

    private static final AbdicationRecord SAYS_NOTHING = new AbdicationRecord(List.of());

    private static final NodeName SELF = new NodeName("node-0");
    private static final NodeName PEER = new NodeName("node-1");
    private static final BootId BOOT = new BootId("boot-of-node-0");
    private static final BootId PEER_BOOT = new BootId("boot-of-node-1");
    private static final Epoch EPOCH = new Epoch(2, SELF, BOOT, 7);

    private static final Abdication ABDICATION = new Abdication.StandDown(3);
    private static final PeerView PEER_STANDS_DOWN =
            new PeerView.FactsKnown(
                    new NodeFacts(
                            PEER,
                            PEER_BOOT,
                            new Replica.Missing(),
                            EtcdState.STOPPED,
                            ABDICATION,
                            Claim.none(),
                            0,
                            Offer.none()));

    private static TakeOverAudit after(PeerProof... proofs) {
        return after(Claim.none(), PEER_STANDS_DOWN, proofs);
    }

    private static TakeOverAudit after(Claim claim, PeerView peer, PeerProof... proofs) {
        Situation situation =
                new Situation(
                        new NodeFacts(
                                SELF,
                                BOOT,
                                new Replica.Intact(
                                        new Lineage(
                                                "site",
                                                List.of(new Epoch(1, SELF, BOOT, 0), EPOCH)),
                                        3,
                                        9,
                                        9,
                                        Replica.MemberRole.ONE_OF_TWO,
                                        true,
                                        7),
                                EtcdState.STOPPED,
                                Abdication.none(),
                                claim,
                                0,
                                Offer.none()),
                        peer,
                        List.of(proofs),
                        new PeerMembership(PEER, true, false, true),
                        Policy.PAIR,
                        new Intent.Recover());
        return new TakeOverAudit(
                "node-0",
                List.of(
                        line(
                                0,
                                new JournalEvent.Decided(
                                        "node-0 takes over",
                                        new Decision.Bootstrap(),
                                        situation,
                                        new OwnLog.Untold())),
                        line(0, new JournalEvent.TakeOver(Phase.STOPPING, EPOCH)),
                        forced(NANOS)),
                SAYS_NOTHING);
    }

    private static JournalLine forced(long nanos) {
        return line(nanos, new JournalEvent.TakeOver(Phase.FORCING, EPOCH));
    }

    private static JournalLine line(long nanos, JournalEvent event) {
        return new JournalLine(FormatVersion.of(JournalLine.VERSION), Instant.EPOCH, nanos, event);
    }

    private static PeerProof.Fenced fenced(BootId boot, PowerReading observed) {
        return new PeerProof.Fenced(PEER, boot, "fence_tandem", observed, Instant.EPOCH);
    }

    private static PeerProof.Stated stated(PeerProof.Statement statement) {
        return new PeerProof.Stated(
                statement,
                PEER,
                new Incident(BOOT, PEER_BOOT.value(), EPOCH.number()),
                PowerReading.OFF,
                "root",
                Instant.EPOCH);
    }

    @ParameterizedTest
    @EnumSource(PowerReading.class)
    void anOffThatWasReadIsAProof(PowerReading read) {
        int findings = read == PowerReading.OFF ? 0 : 1;

        assertThat(after(fenced(PEER_BOOT, read)).withoutProof()).hasSize(findings);
        assertThat(after(new PeerProof.HeldOff(PEER, read, Instant.EPOCH)).withoutProof())
                .hasSize(findings);
    }

    @Test
    void aTakeOverNeedsAProof() {
        assertThat(after().withoutProof()).hasSize(1);
        assertThat(after(new PeerProof.Yielded(ABDICATION)).withoutProof()).isEmpty();
        assertThat(after(new PeerProof.Yielded(new Abdication.StandDown(2))).withoutProof())
                .as("an abdication that the peer no longer tells of")
                .hasSize(1);
        assertThat(after(new Claim.TakeOver(EPOCH), PeerView.unheard()).withoutProof()).isEmpty();
    }

    @Test
    void aReceiptAboutAnEarlierBootIsNone() {
        PeerProof.Fenced receipt = fenced(PEER_BOOT, PowerReading.OFF);

        assertThat(after(Claim.none(), new PeerView.BootKnown(PEER_BOOT), receipt).withoutProof())
                .isEmpty();
        assertThat(
                        after(
                                        Claim.none(),
                                        new PeerView.BootKnown(new BootId("a later boot")),
                                        receipt)
                                .withoutProof())
                .hasSize(1);
        assertThat(after(Claim.none(), PeerView.unheard(), receipt).withoutProof()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(PeerProof.Statement.class)
    void aChoiceOfThePeersHistoryIsNoProof(PeerProof.Statement statement) {
        assertThat(after(stated(statement)).withoutProof())
                .hasSize(statement == PeerProof.Statement.KEEP_PEERS_HISTORY ? 1 : 0);
    }

    /** As it would be after a rename of a proof, an event or a field. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    `{"event":"seizure","phase":"FORCING"}`
                    `{"event":"take-over","phase":"SEIZING"}`
                    `{"event":"decision","sentence":"x","decision":{"is":"Seize"},"situation":{}}`
                    `{"event":"fenced","receipt":{"is":"Shot"}}`
                    """)
    void aLineThatCannotBeReadIsAFinding(String text) {
        TakeOverAudit audit =
                new TakeOverAudit("node-0", List.of(JournalLine.parse(text)), SAYS_NOTHING);

        assertThat(audit.withoutProof()).hasSize(1);
    }

    /** What was decided before a line that cannot be read allows nothing after it. */
    @Test
    void aProofBeforeALineThatCannotBeReadDoesNotCount() {
        TakeOverAudit proven = after(fenced(PEER_BOOT, PowerReading.OFF));
        TakeOverAudit torn =
                new TakeOverAudit(
                        "node-0",
                        List.of(
                                proven.journal().getFirst(),
                                JournalLine.parse("{\"event\":\"decision\"}"),
                                forced(NANOS)),
                        SAYS_NOTHING);

        assertThat(torn.withoutProof()).hasSize(2);
    }

    /** How the peer was seen before and after the take-over: its state and its server's process. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    REDUNDANT | 41 | DOWN      | 41 | true
                    SILENT    | 41 | SILENT    | 41 | true
                    FROZEN    | 0  | FROZEN    | 0  | true
                    FROZEN    | 0  | OFF       | 0  | false
                    REDUNDANT | 41 | OFF       | 0  | false
                    REDUNDANT | 41 | LEARNING  | 57 | false
                    DOWN      | 0  | DOWN      | 0  | false
                    """)
    void theServerOfThePeerMustNotHaveLived(
            String before, long process, String after, long later, boolean lived) {
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", AT * 1000 - 400, before, process),
                        sample("node-0", AT * 1000 - 1, "ALONE", 12),
                        sample("node-0", AT * 1000 + 1, "ALONE", 12),
                        sample("node-1", AT * 1000 + 600, after, later));

        assertThat(after().besideALiveServer(samples, NOTHING, ScenarioActs.NONE))
                .hasSize(lived ? 1 : 0);
    }

    private static HealthWatch.Sample sample(String node, long nanos, String state, long process) {
        return Samples.of(nanos, node, state, process != 0, process);
    }

    private static PowerRecord dark(String node, long from, long to) {
        return new PowerRecord(
                List.of(new PowerRecord.Dark(node, from, to)),
                List.of(),
                List.of(),
                List.of(),
                List.of());
    }

    /** Seconds before the take-over: the last good word of the peer, and its time without power. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    3 | 2  | 1  | true
                    3 | 2  | -9 | true
                    3 | 4  | 1  | true
                    1 | 4  | 3  | false
                    3 | -1 | -9 | false
                    """)
    void thePeerMustHaveBeenWithoutPowerSinceItServed(
            long served, long from, long to, boolean fine) {
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", NANOS - served * SECOND, "REDUNDANT", 41),
                        sample("node-1", NANOS - SECOND / 2, "DOWN", 41),
                        sample("node-1", NANOS + SECOND / 2, "DOWN", 41));

        assertThat(
                        after().withoutPowerLoss(
                                        samples,
                                        List.of(),
                                        dark("node-1", NANOS - from * SECOND, NANOS - to * SECOND),
                                        ScenarioActs.NONE,
                                        0))
                .hasSize(fine ? 0 : 1);
    }

    @Test
    void thePowerOfTheNodeItselfIsNoExcuse() {
        assertThat(
                        after().withoutPowerLoss(
                                        List.of(sample("node-1", 1, "REDUNDANT", 41)),
                                        List.of(),
                                        dark("node-0", 2, NANOS),
                                        ScenarioActs.NONE,
                                        0))
                .hasSize(1);
    }

    @Test
    void whoAcknowledgedAfterItsPowerWasBackHasServedSince() {
        PowerRecord lab = dark("node-1", NANOS - 4 * SECOND, NANOS - 3 * SECOND);

        assertThat(after().withoutPowerLoss(List.of(), List.of(), lab, ScenarioActs.NONE, 0))
                .isEmpty();
        assertThat(
                        after().withoutPowerLoss(
                                        List.of(),
                                        List.of(NANOS - SECOND),
                                        lab,
                                        ScenarioActs.NONE,
                                        0))
                .hasSize(1);
    }

    /** The same take-over, of a node whose peer wrote that. */
    private static TakeOverAudit beside(JournalLine... peer) {
        return new TakeOverAudit("node-0", after().journal(), new AbdicationRecord(List.of(peer)));
    }

    private static JournalLine departs(long nanos) {
        return line(nanos, new JournalEvent.DepartureAsked(new Abdication.Departure(3)));
    }

    private static JournalLine standsDown(long nanos) {
        return decides(nanos, new Decision.StandDown(Decision.StandDownReason.PORTS_CUT));
    }

    private static JournalLine decides(long nanos, Decision decision) {
        return line(
                nanos,
                new JournalEvent.Decided(
                        "so it is",
                        decision,
                        ((JournalEvent.Decided) after().journal().getFirst().event()).situation(),
                        new OwnLog.Untold()));
    }

    private static JournalLine serves(long nanos) {
        return line(nanos, new JournalEvent.Serving(EtcdState.LEADING, new Replica.Missing()));
    }

    private static List<String> withoutPowerLoss(
            TakeOverAudit audit, PowerRecord lab, long before, long later) {
        return audit.withoutPowerLoss(
                List.of(
                        sample("node-1", NANOS - SECOND / 2, "DOWN", before),
                        sample("node-1", NANOS + SECOND / 2, "DOWN", later)),
                List.of(),
                lab,
                ScenarioActs.NONE,
                0);
    }

    /** How the peer was seen before and after: its server's process, and 0 for none. */
    @ParameterizedTest
    @CsvSource({"0, 0, true", "0, 57, true", "41, 0, true", "41, 57, true", "41, 41, false"})
    void whoLeftAndEndedItsServerNeedsNoPowerLoss(long before, long later, boolean fine) {
        int findings = fine ? 0 : 1;

        assertThat(withoutPowerLoss(beside(departs(NANOS - SECOND)), NOTHING, before, later))
                .hasSize(findings);
        assertThat(withoutPowerLoss(beside(standsDown(NANOS - SECOND)), NOTHING, before, later))
                .hasSize(findings);
    }

    /** Whatever became of its process: one that was killed, by the lab too, is started again. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 57", "41, 0", "41, 57", "41, 41"})
    void whoseServerEndedHasNotLeft(long before, long later) {
        PowerRecord killed =
                new PowerRecord(
                        List.of(),
                        List.of(),
                        List.of(
                                new PowerRecord.Fault(
                                        "node-1", NANOS - SECOND, PowerRecord.Need.OTHER)),
                        List.of(),
                        List.of());

        assertThat(withoutPowerLoss(beside(), NOTHING, before, later)).hasSize(1);
        assertThat(withoutPowerLoss(beside(), killed, before, later)).hasSize(1);
    }

    static Stream<Arguments> journals() {
        return Stream.of(
                arguments(List.of(standsDown(NANOS - SECOND)), true),
                arguments(List.of(departs(NANOS - SECOND)), true),
                // It decided, and did not say so to anybody.
                arguments(List.of(decides(NANOS - SECOND, new Decision.Depart())), false),
                arguments(
                        List.of(
                                departs(NANOS - 2 * SECOND),
                                decides(
                                        NANOS - SECOND,
                                        new Decision.Stop(Decision.StopReason.UNCONFIRMED))),
                        true),
                arguments(
                        List.of(
                                departs(NANOS - 2 * SECOND),
                                decides(
                                        NANOS - SECOND,
                                        new Decision.Stop(Decision.StopReason.DENIED))),
                        false),
                arguments(
                        List.of(
                                standsDown(NANOS - 2 * SECOND),
                                decides(NANOS - SECOND, WaitFor.PEER_SERVES.decision())),
                        true),
                arguments(
                        List.of(
                                standsDown(NANOS - 2 * SECOND),
                                decides(NANOS - SECOND, new Decision.StartAsVoter())),
                        false),
                arguments(List.of(standsDown(NANOS - 2 * SECOND), serves(NANOS - SECOND)), false),
                // Later, or nobody knows when.
                arguments(List.of(standsDown(NANOS + 1)), false),
                arguments(List.of(standsDown(0)), false),
                arguments(List.of(serves(NANOS - 2 * SECOND), standsDown(NANOS - SECOND)), true),
                arguments(List.of(standsDown(NANOS - SECOND), serves(NANOS + SECOND)), true),
                arguments(
                        List.of(
                                standsDown(NANOS - SECOND),
                                JournalLine.parse("{\"event\":\"decision\"}")),
                        false));
    }

    @ParameterizedTest
    @MethodSource("journals")
    void anAbdicationHoldsUntilTheServerIsToServeAgain(List<JournalLine> peer, boolean left) {
        TakeOverAudit audit = beside(peer.toArray(JournalLine[]::new));

        assertThat(withoutPowerLoss(audit, NOTHING, 41, 0)).hasSize(left ? 0 : 1);
    }

    /**
     * Between two looks both nodes end their servers and force them: each sees another process of
     * its peer, and nobody's power went.
     */
    @Test
    void twoThatForceBetweenTwoLooksAreFound() {
        long later = NANOS + SECOND / 5;
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-0", NANOS - SECOND / 2, "REDUNDANT", 12),
                        sample("node-1", NANOS - SECOND / 2, "REDUNDANT", 41),
                        sample("node-0", NANOS + SECOND / 2, "ALONE", 13),
                        sample("node-1", NANOS + SECOND / 2, "ALONE", 42));
        TakeOverAudit first =
                new TakeOverAudit(
                        "node-0",
                        List.of(forced(NANOS)),
                        new AbdicationRecord(List.of(forced(later))));
        TakeOverAudit second =
                new TakeOverAudit(
                        "node-1",
                        List.of(forced(later)),
                        new AbdicationRecord(List.of(forced(NANOS))));

        for (TakeOverAudit each : List.of(first, second)) {
            assertThat(each.besideALiveServer(samples, NOTHING, ScenarioActs.NONE)).isEmpty();
            assertThat(each.withoutPowerLoss(samples, List.of(), NOTHING, ScenarioActs.NONE, 0))
                    .hasSize(1);
        }
    }

    /**
     * When the peer forced, in milliseconds before the take-over, and when its power went: neither
     * an abdication nor an earlier loss of power is an excuse then.
     */
    @ParameterizedTest
    @CsvSource({
        "200, 3000, 2000, true",
        "-200, 3000, 2000, true",
        "200, 100, 50, false",
        "6000, 3000, 2000, false",
        "-6000, 3000, 2000, false",
    })
    void whoForcedJustNowHasNotLeft(long forced, long from, long to, boolean found) {
        long milli = SECOND / 1000;
        TakeOverAudit audit =
                beside(standsDown(NANOS - 7 * SECOND), forced(NANOS - forced * milli));
        PowerRecord lab = dark("node-1", NANOS - from * milli, NANOS - to * milli);

        assertThat(withoutPowerLoss(audit, lab, 41, 57)).hasSize(found ? 1 : 0);
    }

    @Test
    void aServerThatWasNotSeenHasNotEnded() {
        HealthWatch.Sample unseen = Samples.of(NANOS - 1, "node-1", "SILENT", true, 0);

        assertThat(
                        after().withoutPowerLoss(
                                        List.of(unseen), List.of(), NOTHING, ScenarioActs.NONE, 0))
                .hasSize(1);
    }

    /** The node whose BMC lied, the one whose BMC feigned, and when, before the take-over. */
    @ParameterizedTest
    @CsvSource({
        "node-1, node-1, 1, true",
        "node-0, node-1, 1, false",
        "node-1, node-0, 1, false",
        "node-1, node-1, -1, false",
    })
    void oneLieExcusesOneTakeOver(String lies, String feigns, long before, boolean excused) {
        PowerRecord lab =
                new PowerRecord(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new PowerRecord.Event(feigns, NANOS - before * SECOND)),
                        List.of());
        ScenarioActs excuses =
                new ScenarioActs(
                        List.of(),
                        List.of(),
                        List.of(new ScenarioActs.Act(NANOS - 3 * SECOND, lies)),
                        List.of());
        List<HealthWatch.Sample> samples =
                List.of(
                        sample("node-1", NANOS - SECOND, "REDUNDANT", 41),
                        sample("node-1", NANOS + SECOND, "DOWN", 41));
        TakeOverAudit once = after();
        TakeOverAudit twice =
                new TakeOverAudit(
                        "node-0",
                        Stream.concat(once.journal().stream(), Stream.of(forced(NANOS + 1000)))
                                .toList(),
                        SAYS_NOTHING);

        assertThat(once.withoutPowerLoss(samples, List.of(), lab, excuses, 0))
                .hasSize(excused ? 0 : 1);
        assertThat(once.besideALiveServer(samples, lab, excuses)).hasSize(excused ? 0 : 1);
        assertThat(twice.withoutPowerLoss(samples, List.of(), lab, excuses, 0))
                .hasSize(excused ? 1 : 2);
        assertThat(twice.besideALiveServer(samples, lab, excuses)).hasSize(excused ? 1 : 2);
    }

    @Test
    void aMomentThatIsNotKnownIsAFinding() {
        TakeOverAudit those = new TakeOverAudit("node-0", List.of(forced(0)), SAYS_NOTHING);

        assertThat(
                        those.withoutPowerLoss(
                                List.of(), List.of(), dark("node-1", 0, 1), ScenarioActs.NONE, 0))
                .contains("node-0 took over at a moment that is not known");
    }

    @Test
    void aLieIsToldOnceWhenItHasLastedTooLong() {
        HealthWatch.Lie lie = new HealthWatch.Lie(Duration.ofSeconds(3), "its server was down");

        assertThat(lie.take(true, at(1))).isEmpty();
        assertThat(lie.take(true, at(3))).isEmpty();
        assertThat(lie.take(false, at(4))).isEmpty();
        assertThat(lie.take(true, at(5))).isEmpty();
        assertThat(lie.take(true, at(9)))
                .hasValue(
                        "for more than 3 s node-0 has said \"all is well\" while its server was"
                                + " down");
        assertThat(lie.take(true, at(12))).isEmpty();
    }

    private static HealthWatch.Sample at(long second) {
        return Samples.of(Duration.ofSeconds(second).toNanos(), "node-0", "REDUNDANT", false, 0);
    }
}
