package dev.tandem.core.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.LevelTwoRecord.Giver;
import dev.tandem.core.decision.LevelTwoRecord.SinceBoot;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.testing.Sketch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which record of the second fencing level proves that the peer is off. */
class LevelTwoTest {
    private static final Optional<Duration> TWICE = Optional.of(Duration.ofSeconds(1));
    private static final Optional<Duration> ONCE = Optional.empty();

    private final Bench bench = new Bench("two 1:7");

    @BeforeEach
    void thePeerIsGone() {
        bench.serves().peerIs(Bench.GONE).pass(Duration.ofSeconds(5));
    }

    private static LevelTwoRecord record(Optional<Duration> span, boolean staysOff) {
        return new LevelTwoRecord(
                20, span, staysOff, Giver.THE_PEERS, new SinceBoot.At(10), new SinceBoot.Never());
    }

    private void finds(LevelTwoRecord record, PowerReading power) {
        finds(bench.order(), record, Proofs.Machine.THE_PEER, power);
    }

    private void finds(
            Proofs.Order order, LevelTwoRecord record, Proofs.Machine machine, PowerReading power) {
        bench.on(
                new Event.LevelTwoFound(
                        order,
                        record,
                        machine,
                        power,
                        "fence_redfish",
                        bench.now(),
                        Membership.UNKNOWN,
                        Instant.EPOCH));
    }

    private static Event.LevelTwoFound found(Bench by) {
        return new Event.LevelTwoFound(
                by.order(),
                record(TWICE, false),
                Proofs.Machine.THE_PEER,
                PowerReading.OFF,
                "fence_ipmilan",
                by.now(),
                Membership.UNKNOWN,
                Instant.EPOCH);
    }

    /** One that reads Off while its node is there says nothing about the other one. */
    @ParameterizedTest
    @CsvSource({
        "OFF, ON, false, true",
        "ON, OFF, true, false",
        "OFF, OFF, false, false",
        "ON, ON, true, true",
    })
    void aRecordIsJudgedByTheBmcThatFenced(
            PowerReading first, PowerReading second, boolean byFirst, boolean bySecond) {
        for (boolean isSecond : new boolean[] {false, true}) {
            Bench with = new Bench("two 1:7").serves();
            for (int look = 0; look < 2; look++) {
                with.reads(first, true, Bench.THERE)
                        .on(new Event.SecondPowerRead(second, true, Bench.THERE))
                        .pass(with.policy.offWhilePresent());
            }
            with.peerIs(Bench.GONE).pass(Duration.ofSeconds(5));

            Event.LevelTwoFound found = found(with);
            Bench after = with.on(isSecond ? new Event.SecondRecordFound(found) : found);

            assertThat(after.view().isFenced(Sketch.SOUTH_BOOT))
                    .isEqualTo(isSecond ? bySecond : byFirst);
        }
    }

    private boolean proven() {
        return bench.view().isFenced(Sketch.SOUTH_BOOT);
    }

    @Test
    void aRecordOfTwoReadingsIsAProof() {
        finds(record(TWICE, false), PowerReading.ON);

        assertThat(proven()).isTrue();
        assertThat(bench.told).endsWith("take over as 2");
    }

    @ParameterizedTest(name = "heard {0}, false Off {1}")
    @CsvSource({
        "10, -, true",
        "10, 15, true",
        // Of one moment nobody knows what came first.
        "20, -, false",
        "10, 20, false",
        "30, -, false",
        "10, 30, false",
        // What is not known does not count.
        "-, -, false",
        "?, -, false",
        "10, ?, false",
    })
    void theOrderIsYoungerThanTheLastSignOfLifeAndTheLastFalseOff(
            String heard, String falseOff, boolean counts) {
        finds(
                new LevelTwoRecord(
                        20, TWICE, false, Giver.THE_PEERS, since(heard), since(falseOff)),
                PowerReading.OFF);

        assertThat(proven()).isEqualTo(counts);
    }

    private static SinceBoot since(String text) {
        return switch (text) {
            case "-" -> new SinceBoot.Never();
            case "?" -> new SinceBoot.Unknown();
            default -> new SinceBoot.At(Long.parseLong(text));
        };
    }

    /** The shim believed an answer without a certificate; this agent asks for one. */
    @ParameterizedTest
    @CsvSource({
        "true, OFF, true",
        "true, ON, false",
        "true, UNKNOWN, true",
        "false, OFF, true",
        "false, ON, true",
    })
    void aMachineThatWasToStayOffAndReadsOnWasNotSwitchedOff(
            boolean staysOff, PowerReading reads, boolean counts) {
        finds(record(TWICE, staysOff), reads);

        assertThat(proven()).isEqualTo(counts);
    }

    @ParameterizedTest
    @CsvSource({"ANOTHER", "NOT_TOLD"})
    void anotherMachinesOffIsNoProof(Proofs.Machine machine) {
        finds(bench.order(), record(TWICE, false), machine, PowerReading.OFF);

        assertThat(proven()).isFalse();
        assertThat(bench.notices(Notice.OffNotBelieved.class)).hasSize(1);
    }

    /** Whatever machine the BMC that is in use controls: another one was switched, or may be. */
    @ParameterizedTest
    @CsvSource({
        "THE_PEERS, ON, true",
        "THE_PEERS, UNKNOWN, true",
        "UNKNOWN, ON, false",
        "UNKNOWN, UNKNOWN, false",
        "UNKNOWN, OFF, false",
    })
    void aRecordCountsOnlyWhereItIsKnownWhoseBmcGaveIt(
            Giver giver, PowerReading reads, boolean counts) {
        LevelTwoRecord record =
                new LevelTwoRecord(
                        20, TWICE, false, giver, new SinceBoot.At(10), new SinceBoot.Never());
        finds(record, reads);
        bench.pass(Duration.ofSeconds(5));
        if (reads != PowerReading.OFF) {
            finds(record, reads);
        }

        assertThat(proven()).isEqualTo(counts);
        assertThat(bench.notices(Notice.OffNotBelieved.class))
                .as("told once")
                .extracting(Notice.OffNotBelieved::reason)
                .isEqualTo(counts ? List.of() : List.of(Action.Disbelief.UNKNOWN_BMC));
    }

    /** The peer was switched off since, by whomever. */
    @Test
    void aRecordOfAnUnknownBmcCountsWhenThisAgentReadsOffTwice() {
        LevelTwoRecord record =
                new LevelTwoRecord(
                        20,
                        TWICE,
                        false,
                        Giver.UNKNOWN,
                        new SinceBoot.At(10),
                        new SinceBoot.Never());
        finds(record, PowerReading.OFF);
        bench.pass(Duration.ofSeconds(5));
        finds(record, PowerReading.OFF);

        assertThat(proven()).isTrue();
    }

    /** It read Off on another machine's power first; only then was the address corrected. */
    @Test
    void whatAnotherMachineReadDoesNotCountAsAFirstReadingOfThePeer() {
        LevelTwoRecord record = record(TWICE, false).givenBy(Giver.UNKNOWN);
        finds(bench.order(), record, Proofs.Machine.NOT_TOLD, PowerReading.OFF);
        bench.pass(Duration.ofSeconds(5));
        finds(record, PowerReading.OFF);
        assertThat(proven()).isFalse();

        bench.pass(Duration.ofSeconds(5));
        finds(record, PowerReading.OFF);
        assertThat(proven()).isTrue();
        assertThat(bench.notices(Notice.OffNotBelieved.class))
                .extracting(Notice.OffNotBelieved::reason)
                .containsExactly(Action.Disbelief.MACHINE_NOT_TOLD);
    }

    /** It would be found every few seconds, and put this node's own fence off each time. */
    @Test
    void whatIsHeldAgainstTheMachineOfARecordIsToldOnce() {
        finds(bench.order(), record(TWICE, false), Proofs.Machine.ANOTHER, PowerReading.OFF);
        bench.pass(Duration.ofSeconds(5));
        finds(bench.order(), record(TWICE, false), Proofs.Machine.ANOTHER, PowerReading.OFF);

        assertThat(bench.notices(Notice.OffNotBelieved.class)).hasSize(1);
    }

    @Test
    void anOffThatWasReadOnceCountsWhenThisAgentReadsItTwice() {
        finds(record(ONCE, false), PowerReading.OFF);
        assertThat(proven()).isFalse();
        assertThat(bench.notices(Notice.OffNotBelieved.class))
                .as("told once as what it is")
                .extracting(Notice.OffNotBelieved::reason)
                .containsExactly(Action.Disbelief.READ_ONCE);

        bench.pass(Duration.ofMillis(299));
        finds(record(ONCE, false), PowerReading.OFF);
        assertThat(proven()).as("too soon after the first").isFalse();
        bench.pass(Duration.ofMillis(1));
        finds(record(ONCE, false), PowerReading.OFF);
        assertThat(proven()).isTrue();
    }

    /** It was switched on again, or it never was off. */
    @ParameterizedTest
    @CsvSource({"ON", "UNKNOWN"})
    void anOffThatWasReadOnceDoesNotCountWithAnythingElseBetween(PowerReading between) {
        finds(record(ONCE, false), PowerReading.OFF);
        bench.pass(Duration.ofSeconds(1));
        finds(record(ONCE, false), between);
        bench.pass(Duration.ofSeconds(1));
        finds(record(ONCE, false), PowerReading.OFF);

        assertThat(proven()).isFalse();
        assertThat(bench.notices(Notice.OffNotBelieved.class)).as("told once").hasSize(1);
    }

    /** The first of them was of another order. */
    @Test
    void aSecondOrderThatWasReadOnceBeginsAgain() {
        finds(record(ONCE, false), PowerReading.OFF);
        bench.pass(Duration.ofSeconds(1));
        finds(
                new LevelTwoRecord(
                        25,
                        ONCE,
                        false,
                        Giver.THE_PEERS,
                        new SinceBoot.At(10),
                        new SinceBoot.Never()),
                PowerReading.OFF);

        assertThat(proven()).isFalse();
    }

    private void findsFurther(LevelTwoRecord record, boolean provesOff) {
        bench.on(further(bench, record, provesOff));
    }

    private static Event.FurtherLevelFound further(
            Bench by, LevelTwoRecord record, boolean provesOff) {
        return further(by, 1, record, provesOff);
    }

    private static Event.FurtherLevelFound further(
            Bench by, int number, LevelTwoRecord record, boolean provesOff) {
        return new Event.FurtherLevelFound(
                number,
                by.order(),
                record,
                provesOff,
                "fence_apc_snmp",
                by.now(),
                Membership.UNKNOWN,
                Instant.EPOCH);
    }

    /** As the level leaves it: it names neither a BMC nor a machine. */
    private static LevelTwoRecord ofAnOutlet(Optional<Duration> span) {
        return record(span, false).givenBy(Giver.UNKNOWN);
    }

    /** An outlet cannot tell what hangs on it; a person can. */
    @ParameterizedTest
    @CsvSource({
        "true, true, true",
        "false, true, false",
        "true, false, false",
        "false, false, false",
    })
    void aFurtherLevelProvesWhatThePlanSaysOfItWhereOffWasReadTwice(
            boolean provesOff, boolean twice, boolean counts) {
        for (Giver giver : Giver.values()) {
            Bench with = new Bench("two 1:7").serves();
            with.peerIs(Bench.GONE).pass(Duration.ofSeconds(5));

            with.on(further(with, record(twice ? TWICE : ONCE, true).givenBy(giver), provesOff));

            assertThat(with.view().isFenced(Sketch.SOUTH_BOOT)).isEqualTo(counts);
            assertThat(with.notices(Notice.OffNotBelieved.class))
                    .extracting(Notice.OffNotBelieved::reason)
                    .isEqualTo(
                            counts
                                    ? List.of()
                                    : List.of(
                                            provesOff
                                                    ? Action.Disbelief.READ_ONCE
                                                    : Action.Disbelief.NOT_STATED));
        }
    }

    @Test
    void thatAFurtherLevelProvesNothingIsToldOnceUntilThePlanSaysOtherwise() {
        findsFurther(ofAnOutlet(TWICE), false);
        findsFurther(ofAnOutlet(TWICE), false);
        assertThat(bench.notices(Notice.OffNotBelieved.class)).hasSize(1);

        findsFurther(ofAnOutlet(TWICE), true);
        assertThat(proven()).isTrue();
    }

    private static LevelTwoRecord of(long ordered, Giver giver) {
        return new LevelTwoRecord(
                ordered, TWICE, false, giver, new SinceBoot.At(10), new SinceBoot.Never());
    }

    /**
     * Each level left a record in turn, and every one is found every five seconds. Nothing is held
     * against the first of them but that nobody knows whose BMC it was.
     */
    private void everyLevelsRecordIsFound(Bench by, PowerReading power) {
        Event.LevelTwoFound bmcs =
                new Event.LevelTwoFound(
                        by.order(),
                        of(20, Giver.UNKNOWN),
                        Proofs.Machine.THE_PEER,
                        power,
                        "fence_ipmilan",
                        by.now(),
                        Membership.UNKNOWN,
                        Instant.EPOCH);
        by.on(bmcs)
                .on(new Event.SecondRecordFound(bmcs))
                .on(further(by, 1, of(40, Giver.UNKNOWN), false))
                .on(further(by, 2, of(60, Giver.UNKNOWN), false));
    }

    @Test
    void whatIsHeldAgainstARecordIsToldOnceWhateverOtherLevelsLeft() {
        Bench with = new Bench("two 1:7").serves().pacemakerMayFence();
        with.peerIs(Bench.GONE).etcdIs(EtcdState.LEADERLESS);
        for (Duration gone = Duration.ZERO;
                gone.compareTo(with.policy.fenceOrder().plusSeconds(5)) < 0;
                gone = gone.plusSeconds(5)) {
            everyLevelsRecordIsFound(with, PowerReading.UNKNOWN);
            with.pass(Duration.ofSeconds(5)).peerIs(Bench.GONE);
        }

        assertThat(with.notices(Notice.OffNotBelieved.class))
                .extracting(Notice.OffNotBelieved::reason)
                .containsExactly(
                        Action.Disbelief.UNKNOWN_BMC,
                        Action.Disbelief.UNKNOWN_BMC,
                        Action.Disbelief.NOT_STATED,
                        Action.Disbelief.NOT_STATED);
        assertThat(with.fenceOrders).as("its own fence is not put off for ever").hasSize(1);
    }

    @Test
    void aRecordOfAnUnknownBmcCountsByItsOwnReadingsWhateverOtherLevelsLeft() {
        everyLevelsRecordIsFound(bench, PowerReading.OFF);
        assertThat(proven()).isFalse();
        bench.pass(Duration.ofSeconds(5));
        everyLevelsRecordIsFound(bench, PowerReading.OFF);

        assertThat(proven()).isTrue();
    }

    /** Both BMCs read Off while the node was there; the outlet is none of them. */
    @Test
    void aFurtherLevelIsNotJudgedByWhatTheBmcsReadFalsely() {
        Bench with = new Bench("two 1:7").serves();
        for (int look = 0; look < 2; look++) {
            with.reads(PowerReading.OFF, true, Bench.THERE)
                    .on(new Event.SecondPowerRead(PowerReading.OFF, true, Bench.THERE))
                    .pass(with.policy.offWhilePresent());
        }
        with.peerIs(Bench.GONE).pass(Duration.ofSeconds(5));

        with.on(further(with, ofAnOutlet(TWICE), true));

        assertThat(with.view().isFenced(Sketch.SOUTH_BOOT)).isTrue();
    }

    /** The order is of an earlier boot, whatever the plan says. */
    @Test
    void aRecordOfAFurtherLevelIsYoungerThanTheLastSignOfLifeToo() {
        findsFurther(
                new LevelTwoRecord(
                        20,
                        TWICE,
                        false,
                        Giver.UNKNOWN,
                        new SinceBoot.At(30),
                        new SinceBoot.Never()),
                true);

        assertThat(proven()).isFalse();
    }

    /** While the BMC was asked; the journal says what the fence was for. */
    @Test
    void aPeerThatIsHeardInAnotherBootIsNotProvenOff() {
        Proofs.Order order = bench.order();
        bench.hears(new PeerMessage.Hello(Bench.nextBoot()));
        finds(
                order,
                new LevelTwoRecord(
                        20,
                        TWICE,
                        false,
                        Giver.THE_PEERS,
                        new SinceBoot.At(30),
                        new SinceBoot.Never()),
                Proofs.Machine.THE_PEER,
                PowerReading.ON);

        assertThat(bench.view().isFenced(Bench.nextBoot())).isFalse();
        assertThat(proven()).isFalse();
        assertThat(bench.notices(Notice.FenceProvesNothing.class)).hasSize(1);
    }
}
