package dev.tandem.agent.bmc;

import static dev.tandem.agent.bmc.Identities.identity;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs.Machine;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.BmcPrivileges.MayReset;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.LatencyFigures;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.PowerState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent knows of one BMC while machines, addresses and networks change behind it. */
class NodeBmcTest {
    @TempDir Path state;

    private final FakeBmc bmc = new FakeBmc();
    private Optional<HardwareIdentity> published = Optional.empty();
    private Optional<HardwareIdentity> planned = Optional.empty();
    private HardwareIdentity north = HardwareIdentity.UNTOLD;
    private long now = Duration.ofHours(1).toNanos();
    private NodeBmc south = agent(bmc, Path.of("nowhere"));

    /** A machine behind an address. */
    private static final class FakeBmc implements NodeBmc.Questions {
        HardwareIdentity machine = HardwareIdentity.UNTOLD;
        PowerState power = PowerState.ON;
        boolean listsMacsWhenOff = true;
        boolean answers = true;
        boolean identifies = true;
        Set<String> privileges = Set.of("Login", "ConfigureComponents");
        int identityQuestions;
        int rightsQuestions;
        int logins;
        boolean deniesPassword;
        boolean leftAlone;

        @Override
        public boolean isLeftAlone() {
            return leftAlone;
        }

        @Override
        public BmcAnswer<PowerReport> report(Duration limit) {
            return leftAlone ? unreachable() : reportForProof(limit);
        }

        @Override
        public BmcAnswer<PowerReport> reportForProof(Duration limit) {
            return answers
                    ? new BmcAnswer.Read<>(
                            new PowerReport(power, machine.withoutMacs()), Duration.ZERO)
                    : unreachable();
        }

        @Override
        public BmcAnswer<Bmc.Login> proveLogin(Duration limit) {
            logins++;
            return deniesPassword
                    ? new BmcAnswer.Unknown<>(new BmcFault.Denied(401, "wrong password"))
                    : answers
                            ? new BmcAnswer.Read<>(Bmc.Login.ACCEPTED, Duration.ZERO)
                            : unreachable();
        }

        @Override
        public BmcAnswer<HardwareIdentity> identity(Duration limit) {
            identityQuestions++;
            boolean lists = power == PowerState.ON || listsMacsWhenOff;
            return answers && identifies
                    ? new BmcAnswer.Read<>(lists ? machine : machine.withoutMacs(), Duration.ZERO)
                    : unreachable();
        }

        @Override
        public BmcAnswer<BmcPrivileges> privileges(Duration limit) {
            rightsQuestions++;
            return answers
                    ? new BmcAnswer.Read<>(
                            new BmcPrivileges(Optional.empty(), privileges), Duration.ZERO)
                    : unreachable();
        }

        private static <T> BmcAnswer<T> unreachable() {
            return new BmcAnswer.Unknown<>(new BmcFault.Unreachable("no route"));
        }

        @Override
        public Optional<LatencyFigures> latency() {
            return Optional.empty();
        }
    }

    @BeforeEach
    void agentStarts() {
        south = agent(bmc, state);
    }

    private NodeBmc agent(NodeBmc.Questions questions, Path directory) {
        return new NodeBmc(
                questions,
                planned,
                () -> published,
                () -> List.of(north),
                new VerifiedMachineFile(directory.resolve("bmc-identity-south")),
                AnotherMachineMark.ofThePeer(
                        new BootTimestamps(directory.resolve("moments")),
                        directory.resolve("bmc-another-machine")),
                InstantSource.system(),
                () -> now);
    }

    private void southIs(String machine) {
        published = Optional.of(identity(machine));
        bmc.machine = identity(machine);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private Machine off() {
        bmc.power = PowerState.OFF;
        return south.judge(bmc.machine.withoutMacs());
    }

    /** Every ten seconds, as the looks are. */
    private int rightsQuestionsWithin(Duration time) {
        int before = bmc.rightsQuestions;
        for (long end = now + time.toNanos(); now < end; pass(Duration.ofSeconds(10))) {
            south.look();
            south.askRightsIfDue();
        }
        return bmc.rightsQuestions - before;
    }

    @Test
    void whatTheAccountMayDoIsAskedAtFirstAndThenEveryFiveMinutes() {
        southIs("A/S1/m1");
        south.askRightsIfDue();
        assertThat(bmc.rightsQuestions).as("nothing is known of that BMC yet").isZero();

        assertThat(rightsQuestionsWithin(Duration.ofSeconds(290))).isEqualTo(1);
        assertThat(south.mayReset()).isEqualTo(MayReset.YES);
        assertThat(rightsQuestionsWithin(Duration.ofMinutes(25))).isEqualTo(5);

        bmc.privileges = Set.of("Login");
        rightsQuestionsWithin(Duration.ofMinutes(5));
        assertThat(south.mayReset()).isEqualTo(MayReset.NO);

        bmc.privileges = Set.of("Login", "ConfigureComponents");
        rightsQuestionsWithin(Duration.ofSeconds(70));
        assertThat(south.mayReset()).as("a person waits for that").isEqualTo(MayReset.YES);
    }

    @Test
    void aBmcThatDoesNotTellIsLeftAlone() {
        bmc.privileges = Set.of();

        assertThat(rightsQuestionsWithin(Duration.ofHours(23))).isEqualTo(1);
        assertThat(south.mayReset()).isEqualTo(MayReset.NOT_TOLD);
    }

    /** It may have lost its accounts, or be another one. */
    @Test
    void aBmcThatComesBackIsAskedAgainAndWhatItSaidStandsUntilThen() {
        bmc.privileges = Set.of("Login");
        rightsQuestionsWithin(Duration.ofSeconds(30));
        bmc.answers = false;
        assertThat(rightsQuestionsWithin(Duration.ofMinutes(5))).as("without an answer").isZero();
        assertThat(south.mayReset()).isEqualTo(MayReset.NO);

        bmc.answers = true;
        bmc.privileges = Set.of("Login", "ConfigureComponents");
        assertThat(rightsQuestionsWithin(Duration.ofSeconds(30))).isEqualTo(1);
        assertThat(south.mayReset()).isEqualTo(MayReset.YES);

        bmc.answers = false;
        rightsQuestionsWithin(Duration.ofMinutes(5));
        bmc.answers = true;
        assertThat(rightsQuestionsWithin(Duration.ofMinutes(5))).isEqualTo(1);
    }

    @Test
    void noFenceAsksWhatTheAccountMayDo() {
        southIs("A/S1/m1");
        south.look();
        assertThat(off()).isEqualTo(Machine.THE_PEER);
        south.glance();

        assertThat(bmc.rightsQuestions).isZero();
    }

    @Test
    void anOrdinaryBmcIsAskedForNothingBesides() {
        southIs("A/S1/m1");

        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        assertThat(off()).isEqualTo(Machine.THE_PEER);
        assertThat(bmc.identityQuestions).isZero();
    }

    /** The address moves to a board of the same make a moment after the node's own was seen. */
    @ParameterizedTest
    @ValueSource(strings = {"ami/oem", "zero/-", "-/-", "C/S9"})
    void anotherBoardOfTheSameMakeIsNotThePeer(String alike) {
        published = Optional.of(identity("A/-/m1"));
        bmc.machine = identity(alike + "/m1");
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);

        bmc.machine = identity(alike + "/m2");

        assertThat(off()).isEqualTo(Machine.ANOTHER);
        assertThat(south.last().orElseThrow().isAnothers()).as("remembered").isTrue();
        assertThat(mark()).exists();
    }

    /** The sled beside the peer's, in a chassis with one serial number for all. */
    @Test
    void aNeighbourInTheChassisIsNotThePeer() {
        southIs("ami/S1/m1");
        bmc.listsMacsWhenOff = false;
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);

        bmc.machine = identity("ami/S1/m2");
        assertThat(south.look().machine()).isEqualTo(Machine.ANOTHER);
        assertThat(off()).as("off, it lists no MACs").isEqualTo(Machine.ANOTHER);
        agentStarts();
        assertThat(south.look().machine()).as("to the next agent").isEqualTo(Machine.ANOTHER);
        assertThat(off()).as("to the next agent's order").isEqualTo(Machine.ANOTHER);
        bmc.machine = identity("ami/S1/m1");
        bmc.listsMacsWhenOff = true;
        assertThat(south.look().machine()).as("by its MACs").isEqualTo(Machine.THE_PEER);
    }

    /** Its BMC tells the chassis's own numbers, and the board is known by its MACs. */
    @Test
    void aNeighbourThatTellsWhatThePeerToldIsNotThePeerEither() {
        published = Optional.of(identity("A/-/m1"));
        bmc.machine = identity("C/S9/m1");
        bmc.listsMacsWhenOff = false;
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);

        bmc.machine = identity("C/S9/m2");
        assertThat(south.look().machine()).isEqualTo(Machine.ANOTHER);
        assertThat(off()).as("off, it lists no MACs").isEqualTo(Machine.ANOTHER);
        assertThat(south.look().machine()).as("at a look").isEqualTo(Machine.ANOTHER);
        assertThat(mark()).exists();
    }

    /** Nothing but a serial number ever shows that it is the node's. */
    @Test
    void aBmcKnownByItsSerialNumberIsThePeersAgainWhenTheAddressIsMended() {
        southIs("ami/S1/-");
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        bmc.machine = identity("ami/S2/-");
        assertThat(south.look().machine()).isEqualTo(Machine.ANOTHER);

        agentStarts();
        assertThat(south.look().machine()).as("to the next agent").isEqualTo(Machine.ANOTHER);
        bmc.machine = identity("ami/S1/-");
        agentStarts();
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        assertThat(mark()).doesNotExist();
    }

    /** Both nodes' boards have a card with that address, and so has any other board of the make. */
    @Test
    void theCardOfEveryBoardOfAMakeNamesNoMachine() {
        north = identity("ami/oem/m1");
        agentStarts();
        southIs("ami/oem/m1");

        assertThat(south.look().machine()).isEqualTo(Machine.NOT_TOLD);
        assertThat(off()).isEqualTo(Machine.NOT_TOLD);
    }

    @Test
    void aBmcKnownByItsMacsAloneIsComparedAtEveryLook() {
        southIs("ami/oem/m1");
        south.look();
        bmc.machine = identity("ami/oem/m2");

        assertThat(south.look().machine()).isEqualTo(Machine.ANOTHER);
    }

    @Test
    void ofAMachineThatListsNoMacsWhenOffTheFindingOfTheLastMinutesCounts() {
        southIs("ami/oem/m1");
        bmc.listsMacsWhenOff = false;
        south.look();

        pass(NodeBmc.LATELY);
        assertThat(off()).isEqualTo(Machine.THE_PEER);
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);

        pass(Duration.ofMillis(1));
        assertThat(off()).isEqualTo(Machine.NOT_TOLD);
        assertThat(south.look().machine()).isEqualTo(Machine.NOT_TOLD);

        agentStarts();
        assertThat(off()).as("to a restarted agent").isEqualTo(Machine.NOT_TOLD);
    }

    /** For a fence of the second level, whose answer does not say which machine it was of. */
    @Test
    void whichMachineWasSwitchedOffIsToldByABmcThatAnswers() {
        southIs("ami/oem/m1");
        bmc.listsMacsWhenOff = false;
        south.look();
        bmc.power = PowerState.OFF;
        assertThat(south.askMachine()).isPresent();

        bmc.answers = false;
        assertThat(south.askMachine()).as("found a moment ago, by another answer").isEmpty();

        bmc.answers = true;
        assertThat(south.askMachine()).isPresent();
        pass(NodeBmc.LATELY.plusMillis(1));
        assertThat(south.askMachine()).as("found too long ago").isEmpty();
    }

    /** Over IPMI, so that an order finds a session: it would be a minute until the take-over. */
    @Test
    void whichMachineWasSwitchedOffIsAskedAlsoWhereLooksLeaveTheBmcAlone() {
        southIs("A/S1/m1");
        bmc.machine = identity("A/S1/m1");
        south.look();
        bmc.power = PowerState.OFF;
        bmc.leftAlone = true;

        assertThat(south.askMachine().map(BmcSessions.Check::reading)).contains(PowerReading.OFF);
    }

    @Test
    void aBmcThatNobodyAsksIsNoWorseThanItWas() {
        southIs("A/S1/m1");
        bmc.machine = identity("A/S1/m1");
        south.look();
        bmc.leftAlone = true;
        for (int i = 0; i < 2; i++) {
            BmcSessions.Check alone = south.look();
            assertThat(alone.trouble()).isEmpty();
            assertThat(alone.fault()).isEmpty();
            assertThat(alone.reading()).as("nobody knows").isEqualTo(PowerReading.UNKNOWN);
            assertThat(alone.machine()).isEqualTo(Machine.THE_PEER);
        }

        bmc.leftAlone = false;
        bmc.answers = false;
        south.look();
        bmc.leftAlone = true;
        assertThat(south.look().trouble()).as("what it met last").isPresent();
        assertThat(south.glance().trouble()).isPresent();
    }

    @Test
    void aBmcKnownAsAnotherMachinesIsThatAlsoWhileItIsSilent() {
        southIs("A/S1/m1");
        bmc.machine = identity("B/S2/m2");
        south.look();
        bmc.answers = false;

        assertThat(south.askMachine().map(BmcSessions.Check::machine)).contains(Machine.ANOTHER);
    }

    @Test
    void aBmcThatTellsNothingProvesNothing() {
        published = Optional.of(identity("A/S1/m1"));

        assertThat(south.look().machine()).isEqualTo(Machine.NOT_TOLD);
        assertThat(off()).isEqualTo(Machine.NOT_TOLD);
    }

    /** The disks are in a spare machine now; the plan's BMC is still that of the old one. */
    @ParameterizedTest
    @ValueSource(strings = {"A/S1/m1", "ami/oem/m1", "-/S1/-"})
    void theOldMachineIsNotTheNodeThatMoved(String old) {
        southIs(old);
        bmc.listsMacsWhenOff = false;
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);

        bmc.power = PowerState.OFF;
        published = Optional.of(identity("B/S2/m2"));
        pass(Duration.ofSeconds(15));

        assertThat(south.look().machine()).isNotEqualTo(Machine.THE_PEER);
        assertThat(off()).isNotEqualTo(Machine.THE_PEER);
        agentStarts();
        assertThat(off()).as("to a restarted agent").isNotEqualTo(Machine.THE_PEER);
    }

    @Test
    void aRestartedAgentKnowsABmcThatOnlyAMacHadShown() {
        published = Optional.of(identity("A/-/m1"));
        bmc.machine = identity("C/S9/m1");
        bmc.listsMacsWhenOff = false;
        south.look();
        bmc.power = PowerState.OFF;

        agentStarts();

        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        assertThat(off()).isEqualTo(Machine.THE_PEER);
    }

    @Test
    void thePlanCountsBeforeTheNodesWord() {
        planned = Optional.of(identity("C/-/-"));
        agentStarts();
        published = Optional.of(identity("A/S1/m1"));
        bmc.machine = identity("C/-/-");
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);

        bmc.machine = identity("A/S1/m1");
        assertThat(south.look().machine()).isEqualTo(Machine.ANOTHER);
    }

    @Test
    void anAnswerThatDoesNotComeDoesNotMakeAnotherMachineTheNodesAgain() {
        southIs("A/S1/m1");
        south.look();
        bmc.machine = identity("B/S2/m2");
        assertThat(south.look().isAnothers()).isTrue();

        bmc.identifies = false;
        assertThat(south.look().isAnothers()).as("no identity").isTrue();
        bmc.answers = false;
        assertThat(south.look().isAnothers()).as("no answer").isTrue();
        bmc.answers = true;
        bmc.machine = HardwareIdentity.UNTOLD;
        assertThat(south.look().isAnothers()).as("nothing is told").isTrue();
        pass(Duration.ofDays(1));
        assertThat(south.look().isAnothers()).as("long ago").isTrue();

        bmc.identifies = true;
        bmc.machine = identity("A/S1/m1");
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
    }

    /** What the second level's shim reads while there is no agent. */
    private Path mark() {
        return state.resolve("moments/other-machine-found");
    }

    @Test
    void aRestartedAgentHoldsABmcForAnotherMachinesUntilItHasReadOtherwise() {
        southIs("A/S1/m1");
        south.look();
        assertThat(mark()).doesNotExist();
        bmc.machine = identity("B/S2/m2");
        south.look();
        assertThat(mark()).exists();

        agentStarts();
        assertThat(south.last().orElseThrow().isAnothers()).as("before any look").isTrue();
        bmc.answers = false;
        assertThat(south.look().isAnothers()).as("no answer").isTrue();
        bmc.answers = true;
        bmc.machine = HardwareIdentity.UNTOLD;
        assertThat(south.look().isAnothers()).as("nothing is told").isTrue();
        assertThat(mark()).exists();

        bmc.machine = identity("A/S1/m1");
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        assertThat(mark()).doesNotExist();
        agentStarts();
        assertThat(south.last()).isEmpty();
    }

    @Test
    void anIdentityThatCannotBeReadIsNoReasonToDoubtTheNodesOwn() {
        southIs("A/S1/m1");
        bmc.identifies = false;

        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        bmc.answers = false;
        assertThat(south.look().machine()).isEqualTo(Machine.THE_PEER);
        assertThat(south.look().reading()).isEqualTo(PowerReading.UNKNOWN);
        assertThat(south.isTheNodes(NodeBmc.FRESH)).isTrue();
        pass(NodeBmc.FRESH.plusMillis(1));
        assertThat(south.isTheNodes(NodeBmc.FRESH)).as("found too long ago").isFalse();
    }

    @Test
    void aGlanceComparesOnceMoreIfTheBmcTellsOfAnotherMachine() {
        southIs("A/S1/m1");
        south.look();
        assertThat(south.glance().machine()).isEqualTo(Machine.THE_PEER);
        bmc.machine = identity("B/S2/m2");

        assertThat(south.glance().machine()).isEqualTo(Machine.ANOTHER);
    }

    /** Off was judged while a slow look was under way that had begun before. */
    @Test
    void aSlowQuestionDoesNotUndoALaterOne() {
        southIs("A/S1/m1");
        NodeBmc.Questions slow =
                new NodeBmc.Questions() {
                    @Override
                    public BmcAnswer<PowerReport> report(Duration limit) {
                        BmcAnswer<PowerReport> early = bmc.report(limit);
                        pass(Duration.ofSeconds(1));
                        bmc.machine = Identities.identity("B/S2/m2");
                        assertThat(off()).isEqualTo(Machine.ANOTHER);
                        return early;
                    }

                    @Override
                    public BmcAnswer<HardwareIdentity> identity(Duration limit) {
                        return bmc.identity(limit);
                    }

                    @Override
                    public BmcAnswer<BmcPrivileges> privileges(Duration limit) {
                        return bmc.privileges(limit);
                    }

                    @Override
                    public BmcAnswer<Bmc.Login> proveLogin(Duration limit) {
                        return bmc.proveLogin(limit);
                    }

                    @Override
                    public Optional<LatencyFigures> latency() {
                        return Optional.empty();
                    }
                };
        south = agent(slow, state);

        assertThat(south.look().machine()).isEqualTo(Machine.ANOTHER);
    }

    /** A session that is open answers every look, whatever became of the password. */
    @Test
    void aPasswordThatOnlyTheSessionOutlivesIsFoundWithinHours() {
        south.look();
        south.tryPasswordIfDue(false);
        assertThat(bmc.logins).as("not at every start of an agent").isZero();

        now += StoredPassword.USUAL.toNanos();
        south.tryPasswordIfDue(false);
        south.tryPasswordIfDue(false);
        assertThat(bmc.logins).isOne();
        assertThat(south.storedPasswordRefused()).isEmpty();

        bmc.deniesPassword = true;
        now += StoredPassword.USUAL.toNanos();
        south.tryPasswordIfDue(false);
        assertThat(south.storedPasswordRefused().orElseThrow()).contains("wrong password");
        assertThat(south.look().trouble()).as("it serves all the same").isEmpty();

        bmc.deniesPassword = false;
        south.tryPasswordIfDue(false);
        assertThat(bmc.logins).as("BMCs lock accounts").isEqualTo(2);
        now += StoredPassword.WHILE_DENIED.toNanos();
        south.tryPasswordIfDue(false);
        assertThat(south.storedPasswordRefused()).isEmpty();
    }

    @Test
    void aBmcThatDoesNotAnswerIsNotAskedForALogin() {
        bmc.answers = false;
        south.look();
        now += StoredPassword.USUAL.toNanos();

        south.tryPasswordIfDue(false);

        assertThat(bmc.logins).isZero();
    }
}
