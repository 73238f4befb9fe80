package dev.tandem.host.bmc.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.RedfishEndpoint;
import dev.tandem.host.bmc.TlsTrust;
import dev.tandem.host.bmc.check.BmcPreflight.Questions;
import dev.tandem.host.bmc.check.BmcPreflight.Report;
import dev.tandem.host.bmc.check.BmcTarget.Machine;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.TestPlans;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a BMC may answer, and whether it could fence its node then. */
class BmcPreflightTest {
    private static final UUID ONE = UUID.fromString("6b2b1a7e-6f0b-4c3e-9d55-0a3f1c2d4e5f");
    private static final UUID TWO = UUID.fromString("7c3c2b8f-7a1c-4d4f-8e66-1b4a2d3e5f60");
    private static final UUID FACTORY = UUID.fromString("03000200-0400-0500-0006-000700080009");
    private static final String CARD = "52:54:00:00:00:10";
    private static final BmcPrivileges ALL =
            new BmcPrivileges(Optional.empty(), Set.of("ConfigureComponents"));
    private static final BmcPrivileges LOGIN = new BmcPrivileges(Optional.empty(), Set.of("Login"));
    private static final BmcFault SILENT = new BmcFault.Unreachable("no route");

    @Test
    void aBmcThatProvesAllIsFit() {
        Report report = examine(known(ONE), machine(ONE), ALL);

        assertThat(report.failure()).isEmpty();
        assertThat(report.power()).contains(PowerState.ON);
        assertThat(report.rights()).contains(BmcPrivileges.MayReset.YES);
        assertThat(report.identity()).contains("both have the UUID " + ONE);
    }

    @Test
    void aBmcOfAnotherMachineIsUnfit() {
        assertThat(why(examine(known(TWO), machine(ONE), ALL)))
                .startsWith("machine: the BMC controls");
        assertThat(why(examine(described("52:54:00:00:00:99"), machine(ONE), ALL)))
                .startsWith("machine: ");
    }

    @Test
    void onlyAMachineThatIsKnownHasToBeProven() {
        HardwareIdentity nothing = HardwareIdentity.UNTOLD;

        assertThat(why(examine(known(ONE), nothing, ALL))).startsWith("machine: nothing can be");
        assertThat(examine(described(CARD), nothing, ALL).failure()).isEmpty();
        assertThat(examine(described(CARD), machine(ONE), ALL).identity())
                .contains("both have the MAC " + CARD);
    }

    @Test
    void anAccountThatMayNotSwitchIsUnfitAndOneThatIsNotToldMayBeFit() {
        assertThat(why(examine(known(ONE), machine(ONE), LOGIN))).isEqualTo("rights");
        assertThat(
                        examine(
                                        known(ONE),
                                        machine(ONE),
                                        new BmcPrivileges(Optional.empty(), Set.of()))
                                .rights())
                .contains(BmcPrivileges.MayReset.NOT_TOLD);
    }

    @Test
    void aQuestionWithoutAnAnswerMakesUnfitAndWhatWasToldStays() {
        Report report =
                BmcPreflight.examine(
                        target("node-0", known(ONE)),
                        new Questions(
                                () -> new BmcAnswer.Read<>(PowerState.OFF, Duration.ZERO),
                                () -> new BmcAnswer.Unknown<>(SILENT),
                                () -> {
                                    throw new AssertionError("asked after a failure");
                                },
                                BmcPreflightTest::systems));

        assertThat(why(report)).isEqualTo("identity: the BMC cannot be reached: no route");
        assertThat(report.power()).contains(PowerState.OFF);
    }

    private static BmcAnswer<List<String>> systems() {
        return new BmcAnswer.Read<>(
                List.of("/redfish/v1/Systems/1", "/redfish/v1/Systems/2"), Duration.ZERO);
    }

    @Test
    void whoNamesASystemThatDoesNotExistIsToldWhichDo(@TempDir Path directory) {
        Report report =
                BmcPreflight.examine(
                        target("node-0", known(ONE)),
                        new Questions(
                                () ->
                                        new BmcAnswer.Unknown<>(
                                                new BmcFault.Rejected(404, "no such resource")),
                                () -> {
                                    throw new AssertionError("asked after a failure");
                                },
                                () -> {
                                    throw new AssertionError("asked after a failure");
                                },
                                BmcPreflightTest::systems));

        assertThat(why(report))
                .isEqualTo(
                        "power state: the BMC refused with status 404: no such resource; the"
                                + " systems that it has: /redfish/v1/Systems/1,"
                                + " /redfish/v1/Systems/2");
        assertThat(
                        new BmcPreflight.WordsOfAPlan(
                                        TestPlans.read(directory, TestPlans.PAIR).preferred())
                                .unanswered("power state", new BmcFault.Rejected(404, "no"))
                                .remedy())
                .isEqualTo("correct the path in the BMC's address of node-0 in the plan");
    }

    /** The BMC's log says nothing of it. */
    @Test
    void aCipherSuiteThatIsRefusedHasARemedyOfItsOwn(@TempDir Path directory) {
        ClusterPlan.Node redfish = TestPlans.read(directory, TestPlans.PAIR).preferred();
        ClusterPlan.Node ipmi =
                new ClusterPlan.Node(
                        redfish.name(),
                        redfish.addresses(),
                        new ClusterPlan.Bmc(
                                BmcAddress.of("ipmi://198.51.100.7"),
                                "admin",
                                redfish.bmc().password(),
                                new ClusterPlan.Verification.SharedPassword(),
                                Optional.empty()),
                        redfish.identity());

        assertThat(
                        new BmcPreflight.WordsOfAPlan(ipmi)
                                .unanswered("power state", new BmcFault.Rejected(0x10, "no"))
                                .remedy())
                .contains("ipmi://198.51.100.7?cipherSuite=3");
        assertThat(
                        new BmcPreflight.WordsOfAPlan(redfish)
                                .unanswered("power state", new BmcFault.Rejected(0x10, "no"))
                                .remedy())
                .doesNotContain("cipherSuite");
    }

    /** The headline says that it cannot be reached; the cause says why. */
    @Test
    void nothingIsToldTwice(@TempDir Path directory) {
        assertThat(
                        new BmcPreflight.WordsOfAPlan(
                                        TestPlans.read(directory, TestPlans.PAIR).preferred())
                                .unanswered("power state", SILENT))
                .hasMessage("the BMC of node-0 cannot be reached: no route");
    }

    @Test
    void theHeadlineIsThatOfTheFault(@TempDir Path directory) {
        BmcTarget.Words words =
                new BmcPreflight.WordsOfAPlan(
                        TestPlans.read(directory, TestPlans.PAIR).preferred());

        assertThat(
                        Stream.of(
                                        SILENT,
                                        new BmcFault.Denied(401, "no"),
                                        new BmcFault.Denied(403, "no"),
                                        new BmcFault.Untrusted("unknown CA", Optional.empty()),
                                        new BmcFault.Rejected(500, "no"))
                                .map(fault -> words.unanswered("power state", fault).what()))
                .containsExactly(
                        "the BMC of node-0 cannot be reached",
                        "the BMC of node-0 refuses the password",
                        "the BMC of node-0 does not give the account enough privileges",
                        "the BMC of node-0 has a certificate that is not trusted",
                        "the BMC of node-0 does not report its power state");
    }

    /** With 403 the password is right. */
    @Test
    void whoeverMayNotAskNeedsARoleAndWhoeverIsNotKnownThePassword(@TempDir Path directory) {
        BmcTarget.Words words =
                new BmcPreflight.WordsOfAPlan(
                        TestPlans.read(directory, TestPlans.PAIR).preferred());

        assertThat(
                        Stream.of(403, 401)
                                .map(status -> new BmcFault.Denied(status, "no"))
                                .map(fault -> words.unanswered("power state", fault).remedy()))
                .containsExactly(
                        "give the account the role Operator or Administrator in the BMC",
                        "correct the username of node-0's BMC in the plan, or the password in the"
                                + " file that passwordFile names; what was denied is tried again"
                                + " later, and at once by: tandem fencing set node-0"
                                + " --password-stdin");
    }

    @Test
    void aMachineThatNobodyKnowsIsNotAskedFor() {
        Report report =
                BmcPreflight.examine(
                        target("node-0", new Machine.NotKnown()),
                        new Questions(
                                () -> new BmcAnswer.Read<>(PowerState.ON, Duration.ZERO),
                                () -> {
                                    throw new AssertionError("asked for its machine");
                                },
                                () -> new BmcAnswer.Read<>(ALL, Duration.ZERO),
                                BmcPreflightTest::systems));

        assertThat(report.failure()).isEmpty();
        assertThat(report.machine()).isEmpty();
    }

    @Test
    void twoBmcsOfOneMachineAreToldByTheSecond() {
        assertThat(whyOfBoth(machine(ONE), machine(ONE))).containsExactly("", "same as node-0");
        assertThat(whyOfBoth(machine(ONE), machine(TWO))).containsExactly("", "");
    }

    @Test
    void whatBoardMakersLeaveInDoesNotMakeTwoMachinesOne() {
        assertThat(whyOfBoth(machine(FACTORY), machine(FACTORY))).containsExactly("", "");
    }

    private static List<String> whyOfBoth(HardwareIdentity one, HardwareIdentity other) {
        List<BmcTarget> targets =
                List.of(target("node-0", described(CARD)), target("node-1", described(CARD)));
        List<Report> reports =
                List.of(
                        BmcPreflight.examine(targets.get(0), answering(one, ALL)),
                        BmcPreflight.examine(targets.get(1), answering(other, ALL)));
        return BmcPreflight.compared(targets, reports).stream()
                .map(report -> report.failure().map(Failure::why).orElse(""))
                .toList();
    }

    private static Report examine(
            Machine expected, HardwareIdentity told, BmcPrivileges privileges) {
        return BmcPreflight.examine(target("node-0", expected), answering(told, privileges));
    }

    private static Questions answering(HardwareIdentity told, BmcPrivileges privileges) {
        return new Questions(
                () -> new BmcAnswer.Read<>(PowerState.ON, Duration.ZERO),
                () -> new BmcAnswer.Read<>(told, Duration.ZERO),
                () -> new BmcAnswer.Read<>(privileges, Duration.ZERO),
                BmcPreflightTest::systems);
    }

    private static String why(Report report) {
        return report.failure().orElseThrow().why();
    }

    private static HardwareIdentity machine(UUID uuid) {
        return new HardwareIdentity(Optional.of(uuid), Optional.empty(), Set.of(CARD));
    }

    private static Machine known(UUID uuid) {
        return new Machine.Known(
                new HardwareIdentity(Optional.of(uuid), Optional.empty(), Set.of()));
    }

    private static Machine described(String card) {
        return new Machine.Described(
                new HardwareIdentity(Optional.empty(), Optional.empty(), Set.of(card)));
    }

    private static BmcTarget target(String node, Machine machine) {
        return new BmcTarget(
                node,
                new RedfishEndpoint(
                        URI.create("http://192.0.2.1"), Optional.empty(), new TlsTrust.Anybody()),
                new BmcCredentials("fence", "secret"),
                machine,
                new ShortWords());
    }

    /** Tells apart by why, and nothing else. */
    private record ShortWords() implements BmcTarget.Words {
        @Override
        public Failure unanswered(String question, BmcFault fault) {
            return failure(question + ": " + fault.sentence());
        }

        @Override
        public Failure mayNotSwitch() {
            return failure("rights");
        }

        @Override
        public Failure notItsMachine(IdentityCheck.Verdict verdict) {
            return failure("machine: " + verdict.reason());
        }

        @Override
        public Failure sameMachineAs(String otherNode) {
            return failure("same as " + otherNode);
        }

        private static Failure failure(String why) {
            return new Failure("unfit", why, "");
        }
    }
}
