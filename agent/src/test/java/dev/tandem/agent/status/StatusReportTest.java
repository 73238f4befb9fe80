package dev.tandem.agent.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.agent.bmc.BmcChanges;
import dev.tandem.agent.bmc.PairWithBmc;
import dev.tandem.agent.cluster.BootGate;
import dev.tandem.agent.kube.OutOfServiceNotifier;
import dev.tandem.agent.peer.PeerExchange;
import dev.tandem.agent.peer.PeerMessages;
import dev.tandem.agent.plan.PlanChanges;
import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.SwitchOffTime;
import dev.tandem.agent.supervise.SupervisedNode;
import dev.tandem.agentapi.AbdicationKind;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.AgentStatus.DeviceUse;
import dev.tandem.agentapi.BmcFaultKind;
import dev.tandem.agentapi.BmcIdentity;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.PeerReadiness;
import dev.tandem.agentapi.ReplicaKind;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.core.Runbook;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.Commands;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.health.DiskRoom;
import dev.tandem.host.health.DiskWatch;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.health.LinkWatch;
import dev.tandem.host.health.NodeCertificate;
import dev.tandem.host.health.SecondLevelWatch;
import dev.tandem.host.health.SourceTrouble;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerWatch;
import dev.tandem.host.plan.PlanDigest;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcBehaviour.AccountService;
import dev.tandem.redfishsim.BmcEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What north says of itself and of its peer, south. */
class StatusReportTest {
    @TempDir Path state;

    private PairWithBmc pair;
    private SupervisedNode node;
    private PeerExchange exchange;
    private PacemakerWatch pacemaker;
    private StatusReport report;
    private SwitchOffTime switchOff;
    private RecoveryReadiness readiness = new RecoveryReadiness.Automatic();
    private boolean quorumKeptByOne = true;
    private boolean systemdAnswers = true;
    private Optional<String> apiCannotWrite = Optional.empty();
    private Optional<String> apiNotTested = Optional.empty();
    private List<NodeCertificate> certificates = List.of();
    private DiskWatch.Rooms disks = DiskWatch.Rooms.UNKNOWN;
    private List<BmcChanges.Unfinished> unfinishedChanges = List.of();
    private Optional<PlanChanges.Unused> unusedPlan = Optional.empty();
    private Optional<SourceTrouble> passwordSource = Optional.empty();
    private Optional<PlanDigest> planOfSouth = Optional.of(new PlanDigest(1, "of north"));
    private SecondLevelWatch.Found secondLevel = SecondLevelWatch.Found.NOTHING;
    private LinkWatch.Seen links = LinkWatch.Seen.NOTHING;
    private Impediments fencingNetwork = new Impediments(List.of(), List.of());
    private Duration splitDelay = Duration.ZERO;
    private Optional<Duration> missedAfter = Optional.empty();
    private long logBytes;
    private final PredictionWatch predictionWatch =
            new PredictionWatch(() -> missedAfter, () -> logBytes);
    private final LastFence lastFence = new LastFence(System::nanoTime);
    private final WellCluster cluster = new WellCluster();
    private long number;

    @BeforeEach
    void begin() throws IOException {
        pair = new PairWithBmc(state);
        beginWith("two 1:7", true);
    }

    private void beginWith(String replica) {
        beginWith(replica, true);
    }

    private void beginWith(String replica, boolean gateIsOpen) {
        node = new SupervisedNode(state, replica);
        BootTimestamps moments = new BootTimestamps(state.resolve("moments"));
        exchange =
                new PeerExchange(
                        node.supervisor,
                        node.actor,
                        node.journal,
                        moments,
                        () -> true,
                        () -> report.readiness(),
                        () -> new PlanDigest(1, "of north"),
                        () -> Duration.ofSeconds(3),
                        () -> FenceDelay.Link.UNKNOWN);
        BootGate gate =
                new BootGate(
                        state.resolve("unheard"),
                        Sketch.NORTH_BOOT,
                        List::of,
                        node.journal,
                        System::nanoTime);
        if (gateIsOpen) {
            gate.start();
        }
        pacemaker = new PacemakerWatch(new Pacemaker(cluster)::status, System::nanoTime);
        switchOff =
                new SwitchOffTime(
                        state.resolve("switch-off"),
                        () -> pair.plan.peerOf("north").bmc().address());
        report =
                new StatusReport(
                        () -> pair.plan,
                        Sketch.NORTH,
                        Sketch.SOUTH,
                        node.supervisor,
                        exchange,
                        pair.sessions,
                        gate,
                        pacemaker,
                        new StatusInputs(
                                () -> systemdAnswers,
                                () -> quorumKeptByOne,
                                () -> new Impediments.Api(apiCannotWrite, apiNotTested),
                                () -> certificates,
                                () -> disks,
                                () -> passwordSource,
                                lastFence,
                                switchOff,
                                predictionWatch,
                                () -> unusedPlan,
                                () -> unfinishedChanges,
                                () -> links,
                                () -> secondLevel,
                                () -> splitDelay,
                                () -> fencingNetwork),
                        new OutOfServiceNotifier(
                                "north",
                                "south",
                                state.resolve("no-kubernetes"),
                                new NothingKnown(),
                                event -> {},
                                InstantSource.system()),
                        InstantSource.system());
    }

    @AfterEach
    void end() throws IOException {
        node.close();
        pair.close();
    }

    private void hears(String facts) {
        assertThat(
                        exchange.asked(
                                ++number,
                                new PeerMessages.Received(
                                        new PeerMessage.Facts(
                                                Sketch.south(facts), Sketch.NORTH_BOOT),
                                        readiness,
                                        planOfSouth,
                                        Optional.empty(),
                                        FenceDelay.Link.UNKNOWN,
                                        Optional.of(Sketch.SOUTH),
                                        PeerMessages.VERSION,
                                        List.of())))
                .isPresent();
    }

    private AgentStatus status() {
        return node.ask(report::now);
    }

    @Test
    void aPlanThatIsNotInUseIsAWarningWithItsAgeAndItsRemedy() {
        unusedPlan =
                Optional.of(
                        new PlanChanges.Unused(
                                System.nanoTime() - Duration.ofMinutes(7).toNanos(),
                                List.of(
                                        new PlanUse.Changed(
                                                PlanUse.Setting.BMC_OFF,
                                                null,
                                                PlanUse.Effect.NOW,
                                                "",
                                                "")),
                                Optional.empty()));

        assertThat(status().recovery().warnings())
                .filteredOn(line -> line.cause() == Impediment.Cause.PLAN_NOT_IN_USE)
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.sentence()).contains("different plan", "bmcOff");
                    assertThat(line.remedy())
                            .isEqualTo("tandem cluster apply /etc/tandem/cluster.yaml");
                    assertThat(line.sinceMillis())
                            .isGreaterThanOrEqualTo(Duration.ofMinutes(7).toMillis());
                });
    }

    private List<AgentStatus.ImpedimentLine> warnings(Impediment.Cause cause) {
        return status().recovery().warnings().stream()
                .filter(line -> line.cause() == cause)
                .toList();
    }

    /** As where one agent was down while a plan was applied: neither disk shows it. */
    @Test
    void aPeerThatRunsByAnotherPlanIsAWarningAfterAWhile() {
        planOfSouth = Optional.of(new PlanDigest(1, "of south"));
        well();
        assertThat(warnings(Impediment.Cause.PLANS_DIFFER))
                .as("the peer takes a plan some seconds later")
                .isEmpty();

        node.wait(Duration.ofSeconds(11));
        hears("two 1:9/7 leading");
        assertThat(warnings(Impediment.Cause.PLANS_DIFFER))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.sentence())
                            .isEqualTo("tandem-agent on north and on south use different plans");
                    assertThat(line.remedy())
                            .isEqualTo(
                                    "on the node that has the right plan: tandem cluster apply"
                                            + " /etc/tandem/cluster.yaml");
                    assertThat(line.sinceMillis()).isGreaterThanOrEqualTo(11_000);
                });
        assertThat(report.readiness()).as("it recovers").isEqualTo(readiness);

        planOfSouth = Optional.empty();
        hears("two 1:9/7 leading");
        assertThat(warnings(Impediment.Cause.PLANS_DIFFER)).as("an older release").isEmpty();
    }

    @Test
    void aLinkThatIsDownIsAWarning() {
        links =
                new LinkWatch.Seen(
                        List.of(pair.plan.nodes().getFirst().address()), List.of(), List.of());

        assertThat(warnings(Impediment.Cause.LINK_DOWN))
                .singleElement()
                .satisfies(line -> assertThat(line.runbook()).isEqualTo(Runbook.LINK_DOWN.path()));
    }

    /** Each node waits for the other by the figure of the plan. */
    @Test
    void aBmcThatIsSlowerThanThePlanIsAWarning() {
        assertThat(warnings(Impediment.Cause.BMC_SLOWER_THAN_PLAN)).as("not measured").isEmpty();

        switchOff.took(pair.plan.bmcOff().plusSeconds(1));

        assertThat(warnings(Impediment.Cause.BMC_SLOWER_THAN_PLAN))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.node()).isEqualTo("south");
                    assertThat(line.runbook()).isEqualTo(Runbook.BMC_CANNOT_FENCE.path());
                });
    }

    @Test
    void aChangeOfABmcThatIsNotEverywhereIsAWarning() {
        unfinishedChanges =
                List.of(
                        new BmcChanges.Unfinished(
                                "south", BmcChanges.Lacks.PEER, Optional.of("no route")));

        assertThat(status().recovery().warnings())
                .filteredOn(line -> line.cause() == Impediment.Cause.BMC_CHANGE_UNFINISHED)
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.node()).isEqualTo("south");
                    assertThat(line.sentence()).contains("south does not use them yet", "no route");
                    assertThat(line.remedy()).contains("tandem fencing check");
                });
    }

    /** Of an address or an account no other part of the status would say so. */
    @Test
    void settingsOfABmcThatDifferAreAWarning() {
        unfinishedChanges =
                List.of(
                        new BmcChanges.Unfinished(
                                "south_second",
                                BmcChanges.Lacks.PEER_HAS_OTHERS,
                                Optional.empty()));

        assertThat(status().recovery().warnings())
                .filteredOn(line -> line.cause() == Impediment.Cause.BMC_CHANGE_UNFINISHED)
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.node()).isEqualTo("south");
                    assertThat(line.sentence())
                            .contains("north and south have different settings")
                            .contains("IPMI of south");
                    assertThat(line.remedy()).contains("tandem fencing set south --second");
                });
    }

    private static AgentStatus.NodeLine line(AgentStatus status, String name) {
        return status.nodes().stream()
                .filter(line -> line.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static AgentStatus.FencingLine bmc(AgentStatus status, String name) {
        return status.fencing().stream()
                .filter(line -> line.node().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void well() {
        node.serves(EtcdState.FOLLOWING);
        hears("two 1:9/7 leading");
        pair.sessions.check();
        pacemaker.look();
    }

    @Test
    void aPairThatIsWell() {
        well();

        AgentStatus status = status();

        assertThat(status.health()).isEqualTo(NodeHealth.REDUNDANT);
        assertThat(status.recovery().impediments()).isEmpty();
        assertThat(status.promisesRecovery()).isTrue();
        assertThat(status.eitherNodeCanFail()).isTrue();
        assertThat(status.ageMillis()).isZero();
        assertThat(status.pending()).isNull();
        assertThat(status.pacemaker())
                .isEqualTo(new AgentStatus.PacemakerLine(true, true, true, false));
        assertThat(Objects.requireNonNull(status.prediction()).parts())
                .containsOnlyKeys(
                        "detect", "order", "split-delay", "switch-off", "fence", "log", "etcd");
        assertThat(status.incident()).isEqualTo(node.supervisor.view().incident().code());
    }

    /** The plan says what Corosync should run with, and the log has grown since etcd started. */
    @Test
    void aPredictionIsMadeOfWhatIsSoNow() {
        well();
        Map<String, Long> planned = Objects.requireNonNull(status().prediction()).parts();
        assertThat(planned).as("as the profile says").containsEntry("detect", 2200L);

        splitDelay = Duration.ofSeconds(9);
        missedAfter = Optional.of(Duration.ofMillis(7500));
        logBytes = 200_000_000;
        predictionWatch.look();

        Map<String, Long> now = Objects.requireNonNull(status().prediction()).parts();
        assertThat(now).containsEntry("detect", 7500L);
        assertThat(now)
                .as("what the peer has measured of this node's BMC counts, as in a fence")
                .containsEntry("split-delay", 9000L);
        assertThat(now.get("log")).isGreaterThan(Objects.requireNonNull(planned.get("log")));
    }

    /** Every look is answered, and every fence would be denied. */
    @Test
    void anAccountThatMayReadAndNotSwitchIsNotWell() throws IOException {
        end();
        pair = PairWithBmc.readingOnly(state);
        beginWith("two 1:7");
        well();
        assertThat(status().eitherNodeCanFail()).as("many a BMC does not tell").isTrue();

        pair.asksForRights();

        AgentStatus status = status();
        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.BMC_LACKS_RIGHTS);
        assertThat(status.recovery().warnings())
                .extracting(AgentStatus.ImpedimentLine::node)
                .as("north's own has the same account")
                .containsExactly("north");
        assertThat(status.sentence())
                .contains("the BMC of south does not give the account enough privileges")
                .contains("Fix: give the account the role Operator or Administrator");
        assertThat(pair.south.kinds().stream().filter(BmcEvent.Kind.SESSION_OPENED::equals))
                .as("by the session of the looks")
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void anAccountThatMaySwitchIsWellWhetherItsBmcTellsOrNot(AccountService answer) {
        pair.south.bmc.behave(BmcBehaviour.FAULTLESS.withAccountService(answer));
        well();

        pair.asksForRights();

        assertThat(status().recovery().impediments()).isEmpty();
        assertThat(status().eitherNodeCanFail()).isTrue();
    }

    /** The lie that a hostile reader found: north cannot know which BMC south reaches. */
    @Test
    void whatOnlyThePeerFindsMakesThePairUnhealthyHereToo() {
        readiness = new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE));
        well();

        AgentStatus status = status();

        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.recovery().peerSays()).isEqualTo(PeerReadiness.IMPEDED);
        assertThat(status.recovery().impediments())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.cause()).isEqualTo(Impediment.Cause.BMC_UNREACHABLE);
                    assertThat(line.failureOf()).isEqualTo("north");
                    assertThat(line.reportedBy()).isEqualTo("south");
                });
        assertThat(status.sentence())
                .contains("if north fails")
                .contains("south cannot reach the BMC of north")
                .contains("on south: ");

        readiness = new RecoveryReadiness.Automatic();
        hears("two 1:9/7 leading");

        assertThat(status().eitherNodeCanFail()).isTrue();
        assertThat(status().recovery().peerSays()).isEqualTo(PeerReadiness.AUTOMATIC);
    }

    /** As after corosync.conf was edited: both look quorate and well, and neither is alone. */
    @Test
    void aPairWithoutTwoNodeIsNotWellAndSaysHowToMendIt() {
        well();
        quorumKeptByOne = false;

        AgentStatus status = status();

        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.sentence())
                .contains("if south fails")
                .contains("north would lose quorum without south: two_node is not in effect")
                .endsWith(
                        "Fix: tandem cluster apply /etc/tandem/cluster.yaml; pcs cluster reload"
                                + " corosync");
        assertThat(report.readiness())
                .as("what the peer is told")
                .isEqualTo(new RecoveryReadiness.Impeded(List.of(Impediment.Cause.NO_TWO_NODE)));
    }

    @Test
    void aNodeWhoseSystemdHangsWouldNotTakeOver() {
        well();
        systemdAnswers = false;

        assertThat(status().promisesRecovery()).isFalse();
        assertThat(status().sentence())
                .contains("if south fails")
                .contains("systemd on north does not answer")
                .endsWith("Fix: on south: pcs stonith fence north");
    }

    private void beginWithApi() throws IOException {
        end();
        pair = new PairWithBmc(state, "kubelet: true\napi: {address: 192.0.2.100, prefix: 24}\n");
        beginWith("two 1:7");
        well();
        assertThat(status().eitherNodeCanFail()).isTrue();
    }

    /** What {@code pcs resource ban} left, a year ago. */
    @Test
    void anApiAddressThatWouldNotMoveIsNotWell() throws IOException {
        beginWithApi();
        cluster.bans =
                """
                <ban id="cli-ban-tandem-api-address-on-south" resource="tandem-api-address"
                  node="south" weight="-1000000"/>
                """;
        pacemaker.look();

        assertThat(status().eitherNodeCanFail()).isFalse();
        assertThat(status().sentence())
                .startsWith(
                        "etcd is serving on north and south, but if north fails, the API is not"
                                + " recovered automatically: the API address would not move to"
                                + " south")
                .endsWith("Fix: pcs constraint delete cli-ban-tandem-api-address-on-south");
    }

    @Test
    void anApiAddressWithoutAPlanForItConcernsNobody() {
        cluster.started = false;
        well();

        assertThat(status().eitherNodeCanFail()).isTrue();
    }

    private void corosyncAnswersAfter(Duration time) {
        node.wait(time);
        node.peerIs(true);
    }

    /** A recovery that is under way shows the same for a moment. */
    @Test
    void anApiThatIsNotThereIsToldWhenThatLasts() throws IOException {
        beginWithApi();
        cluster.started = false;
        apiCannotWrite = Optional.of("500 etcdserver: request timed out");
        pacemaker.look();
        assertThat(status().eitherNodeCanFail()).as("at first").isTrue();

        corosyncAnswersAfter(Duration.ofSeconds(16));
        assertThat(status().recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.API_CANNOT_WRITE);
        assertThat(status().eitherNodeCanFail()).isFalse();
        assertThat(status().sentence())
                .contains("if south fails, the API is not recovered automatically")
                .contains("the API server on north cannot write: 500 etcdserver")
                .containsPattern("\\(for 1[67] s\\)");
        assertThat(report.readiness())
                .isEqualTo(
                        new RecoveryReadiness.Impeded(List.of(Impediment.Cause.API_CANNOT_WRITE)));

        corosyncAnswersAfter(Duration.ofSeconds(15));
        assertThat(status().recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(
                        Impediment.Cause.API_ADDRESS_STOPPED, Impediment.Cause.API_CANNOT_WRITE);
    }

    /** With the agent's permissions missing nobody would see that the API server cannot write. */
    @Test
    void anApiThatCannotBeTestedIsNotTakenForOneThatWrites() throws IOException {
        beginWithApi();
        apiNotTested = Optional.of("403 leases is forbidden");
        pacemaker.look();
        assertThat(status().eitherNodeCanFail()).as("an API server that has just started").isTrue();

        corosyncAnswersAfter(Duration.ofSeconds(16));
        assertThat(status().recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.API_NOT_TESTED);
        assertThat(status().eitherNodeCanFail()).isFalse();
        assertThat(status().sentence())
                .contains("if south fails, the API is not recovered automatically")
                .contains("cannot test whether the API server on north writes: 403 leases")
                .contains("tandem cluster roles");
    }

    /** The API server needs some seconds until it has found the etcd of a take-over. */
    @Test
    void aNodeThatIsLeftTellsOfItsApiServerWhenThatLasts() throws IOException {
        beginWithApi();
        apiCannotWrite = Optional.of("request timed out");
        node.etcdIs(EtcdState.LEADERLESS);
        node.wait(Duration.ofSeconds(35));
        node.peerIs(false);
        assertThat(status().recovery().impediments()).as("nobody serves").isEmpty();

        node.etcd.replica = Sketch.north("sole 2n7:9").replica();
        node.etcdIs(EtcdState.LEADING);
        assertThat(status().health()).isEqualTo(NodeHealth.ALONE);
        node.wait(Duration.ofSeconds(14));
        assertThat(status().sentence()).as("it has some time").doesNotContain("API");

        node.wait(Duration.ofSeconds(2));
        assertThat(status().sentence())
                .startsWith(
                        "etcd is serving on north alone, and the API may be unreachable: the API"
                                + " server on north cannot write: request timed out")
                .contains("Fix: systemctl restart kube-apiserver");

        apiCannotWrite = Optional.empty();
        assertThat(status().sentence()).doesNotContain("API");
    }

    /** As while a node boots. */
    @Test
    void anApiServerBesideAnEtcdThatDoesNotServeHasNoCauseOfItsOwn() throws IOException {
        beginWithApi();
        apiCannotWrite = Optional.of("etcd does not serve");
        node.etcdIs(EtcdState.LEADERLESS);
        assertThat(status().recovery().impediments()).isEmpty();
        corosyncAnswersAfter(Duration.ofSeconds(35));
        assertThat(status().recovery().impediments()).isEmpty();

        node.etcdIs(EtcdState.FOLLOWING);
        assertThat(status().eitherNodeCanFail()).as("its time begins with etcd's").isTrue();
    }

    private static NodeCertificate etcdsUntil(Instant until) {
        return new NodeCertificate(
                Path.of("/etc/tandem/pki/etcd.pem"),
                NodeCertificate.Need.ETCD,
                NodeCertificate.Renewal.ISSUED_AGAIN,
                new NodeCertificate.Reading.Term(until.minus(Duration.ofDays(1000)), until));
    }

    @Test
    void aCertificateThatEndsSoonIsToldAndThePairIsWell() {
        certificates = List.of(etcdsUntil(Instant.now().plus(Duration.ofHours(250))));
        well();

        AgentStatus status = status();

        assertThat(status.eitherNodeCanFail()).isTrue();
        assertThat(status.promisesRecovery()).isTrue();
        assertThat(status.sentence()).endsWith("There are warnings; see below.");
        assertThat(status.recovery().warnings())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.cause()).isEqualTo(Impediment.Cause.CERTIFICATE_ENDS_SOON);
                    assertThat(line.sentence()).contains("/etc/tandem/pki/etcd.pem in 10 days");
                    assertThat(line.remedy()).contains("tandem certs install /root/north");
                    assertThat(line.runbook()).endsWith("certificate-ends.md");
                });
        assertThat(report.readiness()).isEqualTo(new RecoveryReadiness.Automatic());
    }

    /** The password in use still logs in: nothing keeps a fence from working. */
    @Test
    void aStoreThatCannotBeReadIsAWarningAndNotMore() throws Exception {
        boolean automatic = status().recovery().automatic();
        passwordSource =
                Optional.of(
                        new SourceTrouble(
                                SourceTrouble.Kind.UNREAD,
                                "Vault at https://vault:8200",
                                "no connection to vault:8200",
                                "check address and network",
                                Duration.ofMinutes(12)));

        AgentStatus status = status();
        assertThat(status.recovery().automatic()).isEqualTo(automatic);
        assertThat(status.recovery().warnings())
                .filteredOn(line -> line.cause() == Impediment.Cause.PASSWORD_SOURCE_SILENT)
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.sentence())
                            .isEqualTo(
                                    "the password for the BMC of south cannot be read from Vault at"
                                        + " https://vault:8200 (no connection to vault:8200); the"
                                        + " one that was read last is still in use");
                    assertThat(line.sinceMillis())
                            .isGreaterThanOrEqualTo(Duration.ofMinutes(12).toMillis());
                    assertThat(line.runbook()).endsWith("/password-source.md");
                });
    }

    @Test
    void aCertificateThatHasExpiredIsNotWellAndThePeerIsTold() {
        certificates = List.of(etcdsUntil(Instant.now().minus(Duration.ofHours(1))));
        well();

        AgentStatus status = status();

        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.recovery().automatic()).isFalse();
        assertThat(status.prediction()).isNull();
        assertThat(status.sentence())
                .startsWith(
                        "etcd is serving on north and south, but if south fails, there is no"
                                + " automatic recovery: a certificate of north is not valid:"
                                + " /etc/tandem/pki/etcd.pem expired on ");
        assertThat(status.recovery().impediments().getFirst().sinceMillis())
                .isBetween(3_600_000L, 3_700_000L);
        assertThat(report.readiness())
                .isEqualTo(
                        new RecoveryReadiness.Impeded(
                                List.of(Impediment.Cause.CERTIFICATE_INVALID)));
    }

    /** Both nodes are mostly issued theirs on one day. */
    @Test
    void aCertificateOfThePeerIsToldBesideThisNodesOwn() {
        certificates = List.of(etcdsUntil(Instant.now().minus(Duration.ofHours(1))));
        readiness = new RecoveryReadiness.Impeded(List.of(Impediment.Cause.CERTIFICATE_INVALID));
        well();

        assertThat(status().recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::failureOf)
                .containsExactly("south", "north");
        assertThat(status().recovery().impediments().getLast())
                .satisfies(line -> {
                    assertThat(line.reportedBy()).isEqualTo("south");
                    assertThat(line.sentence())
                            .isEqualTo("a certificate of south has expired or is not valid yet");
                    assertThat(line.remedy())
                            .isEqualTo(
                                    "to see which one and how to replace it, on south: tandem"
                                            + " status");
                });
    }

    @Test
    void aDiskWithoutRoomForATakeOverIsNotWellAndThePeerIsTold() {
        disks =
                new DiskWatch.Rooms(
                        Optional.of(new DiskRoom(Path.of("/var/lib/etcd"), 3 << 20, 0)),
                        Optional.empty());
        well();

        assertThat(status().eitherNodeCanFail()).isFalse();
        assertThat(status().sentence())
                .contains("if south fails, there is no automatic recovery")
                .contains("the disk of /var/lib/etcd on north has 3 MB free");
        assertThat(report.readiness())
                .isEqualTo(new RecoveryReadiness.Impeded(List.of(Impediment.Cause.DISK_FULL)));

        disks =
                new DiskWatch.Rooms(
                        Optional.of(new DiskRoom(Path.of("/var/lib/etcd"), 100 << 20, 0)),
                        Optional.empty());

        assertThat(status().eitherNodeCanFail()).isTrue();
        assertThat(status().recovery().warnings())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.DISK_NEARLY_FULL);
    }

    /** And what north finds of south, south is told; not what concerns north's failure alone. */
    @Test
    void whatThisNodeFindsIsWhatThePeerIsTold() throws IOException {
        well();
        assertThat(node.ask(report::readiness)).isEqualTo(new RecoveryReadiness.Automatic());

        pair.south.close();
        pair.sessions.check();
        assertThat(node.ask(report::readiness))
                .isEqualTo(
                        new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE)));
    }

    @Test
    void aPeerOfAnOlderReleaseDoesNotMakeThePairUnhealthy() {
        readiness = new RecoveryReadiness.NotTold();
        well();

        AgentStatus status = status();

        assertThat(status.eitherNodeCanFail()).isTrue();
        assertThat(status.recovery().peerSays()).isEqualTo(PeerReadiness.NOT_TOLD);
        assertThat(status.sentence())
                .contains("does not report")
                .doesNotContain("No action needed");
    }

    /** As after a restart of the agent: facts of this boot are on disk, and nobody has spoken. */
    @Test
    void aPeerThatHasNotSaidYetIsUnknownAndNotWell() {
        node.serves(EtcdState.FOLLOWING);
        node.peerIs(true);
        pair.sessions.check();
        pacemaker.look();

        AgentStatus.Recovery recovery = status().recovery();

        assertThat(recovery.peerSays()).isEqualTo(PeerReadiness.UNKNOWN);
        assertThat(recovery.impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.PEER_READINESS_UNKNOWN);
    }

    /** Of a peer that is gone, what it said last is no reason for anything. */
    @Test
    void aPeerThatIsGoneReportsNothing() {
        readiness = new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE));
        well();
        node.peerIs(false);

        assertThat(status().recovery().impediments())
                .allMatch(line -> line.reportedBy() == null)
                .noneMatch(line -> line.cause() == Impediment.Cause.PEER_READINESS_UNKNOWN);
        assertThat(status().recovery().peerSays()).isEqualTo(PeerReadiness.UNKNOWN);
    }

    @Test
    void eachNodeHasItsLine() {
        well();

        AgentStatus status = status();
        AgentStatus.NodeLine own = line(status, "north");
        AgentStatus.NodeLine peer = line(status, "south");

        assertThat(own.etcd()).isEqualTo(EtcdState.FOLLOWING);
        assertThat(own.replica()).isEqualTo(ReplicaKind.INTACT);
        assertThat(own.role()).isEqualTo(MemberRole.ONE_OF_TWO);
        assertThat(own.heardMillis()).isZero();
        assertThat(own.index()).isEqualTo(7);
        assertThat(own.lag()).as("entries behind the peer").isEqualTo(2);
        assertThat(peer.etcd()).isEqualTo(EtcdState.LEADING);
        assertThat(peer.present()).isTrue();
        assertThat(peer.index()).isEqualTo(9);
        assertThat(peer.lag()).isZero();
        assertThat(peer.abdicated()).isNull();
    }

    /** By an older report of its peer it may seem to be. */
    @Test
    void aLeaderIsBehindNobody() {
        node.serves(EtcdState.LEADING);
        hears("two 1:9/7 following");

        assertThat(line(status(), "north").lag()).isZero();
    }

    @Test
    void whatAPeerThatIsGoneSaidLastIsNotWhatItDoes() {
        well();
        node.peerIs(false);

        AgentStatus.NodeLine peer = line(status(), "south");

        assertThat(peer.present()).isFalse();
        assertThat(peer.etcd()).isNull();
        assertThat(peer.lastEtcd()).isEqualTo(EtcdState.LEADING);
        assertThat(line(status(), "north").lastEtcd()).isNull();
    }

    /** It is a second or two until Corosync notices; what was read before the peer came is old. */
    @Test
    void aPeerWhoseBmcReadsOffIsNoPromise() throws IOException {
        well();
        pair.south.machine.cutPower();
        pair.sessions.check();

        assertThat(status().eitherNodeCanFail()).isFalse();
        assertThat(status().sentence()).startsWith("the BMC of south reads Off");
        assertThat(status().recovery().impediments()).isEmpty();
    }

    @Test
    void anOffThatWasReadBeforeThePeerCameIsOld() throws IOException {
        well();
        pair.south.machine.cutPower();
        pair.sessions.check();
        node.peerIs(false);
        assertThat(status().health()).isNotNull();
        node.peerIs(true);
        hears("two 1:9/7 leading");

        assertThat(status().eitherNodeCanFail()).isTrue();
    }

    @Test
    void whileTheBootGateHoldsCorosyncBackTheRemedyIsToWait() {
        node.close();
        beginWith("two 1:7", false);

        AgentStatus status = status();

        assertThat(status.sentence()).endsWith("No action needed.");
        assertThat(status.recovery().impediments())
                .filteredOn(line ->
                        line.cause() == Impediment.Cause.COROSYNC_SILENT
                                || line.cause() == Impediment.Cause.PACEMAKER_SILENT)
                .isNotEmpty()
                .allSatisfy(line -> {
                    assertThat(line.sentence()).contains("is held back on north");
                    assertThat(line.remedy()).isEqualTo("no action needed; it ends automatically");
                    assertThat(line.runbook()).isNull();
                });
    }

    @Test
    void whatThePeerGaveUpAndLostIsTold() {
        node.peerIs(true);
        hears("damaged stood-down");

        AgentStatus.NodeLine peer = line(status(), "south");

        assertThat(peer.replica()).isEqualTo(ReplicaKind.DAMAGED);
        assertThat(peer.abdicated()).isEqualTo(AbdicationKind.STOOD_DOWN);
        assertThat(peer.role()).isNull();
        assertThat(peer.complete()).isFalse();
    }

    @Test
    void ofAPeerThatWasNeverHeardThereIsNoLine() {
        assertThat(status().nodes())
                .singleElement()
                .extracting(AgentStatus.NodeLine::name)
                .isEqualTo("north");
    }

    /** What is not known is not well. */
    @Test
    void withoutPacemakersWordNothingIsPromised() {
        node.serves(EtcdState.FOLLOWING);
        hears("two 1:7 leading");
        pair.sessions.check();

        AgentStatus status = status();

        assertThat(status.health()).isEqualTo(NodeHealth.REDUNDANT);
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.prediction()).isNull();
        assertThat(status.recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.PACEMAKER_SILENT);
    }

    @Test
    void aBmcThatWasNotReadYetIsUnknown() {
        assertThat(bmc(status(), "south"))
                .isEqualTo(
                        new AgentStatus.FencingLine(
                                "south",
                                PowerReading.UNKNOWN,
                                null,
                                null,
                                null,
                                "",
                                BmcIdentity.UNKNOWN,
                                "",
                                null,
                                null,
                                List.of(
                                        new AgentStatus.DeviceLine(
                                                "tandem-fence-south", 1, DeviceUse.UNKNOWN),
                                        new AgentStatus.DeviceLine(
                                                "tandem-redfish-south", 2, DeviceUse.UNKNOWN)),
                                null,
                                null));
    }

    @Test
    void eachFenceDeviceIsListedWithItsLevelAndWhetherItCouldBeUsed() throws IOException {
        end();
        pair = PairWithBmc.withSecond(state);
        beginWith("two 1:7");
        secondLevel =
                new SecondLevelWatch.Found(
                        Set.of("tandem-redfish-south"), new Impediments(List.of(), List.of()));
        well();

        assertThat(
                        status().fencing().stream()
                                .filter(line -> line.node().equals("south"))
                                .map(AgentStatus.FencingLine::devices))
                .containsExactly(
                        List.of(
                                new AgentStatus.DeviceLine(
                                        "tandem-fence-south", 1, DeviceUse.USABLE),
                                new AgentStatus.DeviceLine(
                                        "tandem-redfish-south", 3, DeviceUse.BROKEN)),
                        List.of(
                                new AgentStatus.DeviceLine(
                                        "tandem-ipmilan-south", 2, DeviceUse.MISSING)));
    }

    /** It has no BMC of its own, so it stands after the levels by the first. */
    @Test
    void aFurtherLevelIsListedWithTheFirstBmc() throws IOException {
        end();
        pair = PairWithBmc.withOutlet(state);
        beginWith("two 1:7");
        secondLevel =
                new SecondLevelWatch.Found(
                        Set.of("tandem-further1-south"), new Impediments(List.of(), List.of()));
        well();

        assertThat(bmc(status(), "south").devices())
                .containsExactly(
                        new AgentStatus.DeviceLine("tandem-fence-south", 1, DeviceUse.USABLE),
                        new AgentStatus.DeviceLine("tandem-redfish-south", 2, DeviceUse.USABLE),
                        new AgentStatus.DeviceLine("tandem-further1-south", 3, DeviceUse.BROKEN));
    }

    /** Each node has measured the other. */
    @Test
    void aBmcSaysHowLongItTookToSwitchOffAndWhichFigureFits() throws IOException {
        well();
        assertThat(bmc(status(), "south").switchOffMillis()).isNull();
        assertThat(bmc(status(), "south").bmcOffSeconds()).isNull();

        switchOff.took(Duration.ofMillis(6100));

        assertThat(bmc(status(), "south").switchOffMillis()).isEqualTo(6100);
        assertThat(bmc(status(), "south").bmcOffSeconds()).isBetween(7L, 9L);
        assertThat(bmc(status(), "north").switchOffMillis()).isNull();
    }

    @Test
    void aBmcSaysWhatItReadAndWhoseItIs() throws IOException {
        well();
        pair.south.machine.cutPower();
        pair.southIsAnotherMachine();

        AgentStatus status = status();

        assertThat(bmc(status, "north").power()).isEqualTo(PowerReading.ON);
        assertThat(bmc(status, "north").identity()).isEqualTo(BmcIdentity.SAME);
        assertThat(bmc(status, "north").fault()).isNull();
        assertThat(bmc(status, "south").power()).isEqualTo(PowerReading.OFF);
        assertThat(bmc(status, "south").identity()).isEqualTo(BmcIdentity.DIFFERENT);
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .contains(Impediment.Cause.BMC_OTHER_MACHINE);
    }

    @Test
    void aBmcThatDoesNotAnswerIsAnImpediment() throws IOException {
        well();
        pair.south.close();
        pair.sessions.check();

        AgentStatus status = status();

        assertThat(bmc(status, "south").fault()).isEqualTo(BmcFaultKind.UNREACHABLE);
        assertThat(bmc(status, "south").faultSentence()).isNotBlank();
        assertThat(status.recovery().impediments())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.cause()).isEqualTo(Impediment.Cause.BMC_UNREACHABLE);
                    assertThat(line.node()).isEqualTo("south");
                    assertThat(line.runbook()).isNotBlank();
                });
    }

    @Test
    void aDiskThatDoesNotStoreIsAnImpediment() {
        well();
        node.stores = false;
        hears("two 1:9/7 following");

        AgentStatus status = status();

        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.recovery().impediments())
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.cause()).isEqualTo(Impediment.Cause.STATE_NOT_STORED);
                    assertThat(line.sentence()).contains("the disk is full");
                });
    }

    @Test
    void aCorosyncThatFallsSilentIsAnImpediment() {
        well();
        assertThat(status().promisesRecovery()).isTrue();

        node.wait(Duration.ofSeconds(41));
        node.corosyncIsSilent();
        AgentStatus silent = status();

        assertThat(silent.promisesRecovery()).isFalse();
        assertThat(silent.recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.COROSYNC_SILENT);
        assertThat(silent.pacemaker().known()).isFalse();

        node.peerIs(true);
        assertThat(status().recovery().impediments()).isEmpty();
    }

    /** As where an agent could not read its state, and a person moved the file away. */
    @Test
    void anEtcdThatTheAgentWasNotToldToRunIsAnImpediment() {
        node.peerIs(true);
        node.etcdIs(EtcdState.FOLLOWING);
        hears("two 1:9/7 leading");
        pair.sessions.check();
        pacemaker.look();

        AgentStatus status = status();

        assertThat(status.health()).isEqualTo(NodeHealth.REDUNDANT);
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.recovery().impediments())
                .extracting(AgentStatus.ImpedimentLine::cause)
                .containsExactly(Impediment.Cause.ETCD_RUNS_UNASKED);
        assertThat(report.readiness())
                .as("what the peer is told")
                .isEqualTo(
                        new RecoveryReadiness.Impeded(List.of(Impediment.Cause.ETCD_RUNS_UNASKED)));
    }

    @Test
    void anAlarmIsToldWhileEtcdServesAndNotWhenItIsDown() {
        well();
        node.etcd.words = "etcdserver: mvcc: NOSPACE";
        node.etcdIs(EtcdState.FOLLOWING);
        assertThat(status().alarms()).containsExactly(EtcdAlarm.NOSPACE);
        assertThat(status().eitherNodeCanFail()).isFalse();

        node.etcdIs(EtcdState.LEADERLESS);
        assertThat(status().alarms()).isEmpty();
        assertThat(status().health()).isEqualTo(NodeHealth.DOWN);
    }

    @Test
    void aWaitHasAnOwnerALimitAndAPage() {
        node.peerIs(true);
        node.ask(() -> {
            node.supervisor.on(new Event.StartRequested());
            return true;
        });

        AgentStatus.PendingLine pending = Objects.requireNonNull(status().pending());

        assertThat(pending.waitsFor()).isEqualTo(WaitFor.PEER_FACTS);
        assertThat(pending.owner()).isEqualTo(WaitFor.PEER_FACTS.owner());
        assertThat(pending.limitMillis()).isEqualTo(WaitFor.PEER_FACTS.limit().toMillis());
        assertThat(pending.overdue()).isFalse();
        assertThat(pending.refuses()).isNull();
        assertThat(pending.runbook()).isEqualTo(WaitFor.PEER_FACTS.runbook().path());
    }

    /** What is stated against a BMC that reads On is refused. */
    @Test
    void theRemedyOfAWaitForFencingIsOneThatWouldBeTaken() throws IOException {
        well();
        node.peerIs(false);
        node.etcdIs(EtcdState.LEADERLESS);

        assertThat(Objects.requireNonNull(status().pending()).waitsFor())
                .isEqualTo(WaitFor.FENCING);
        assertThat(Objects.requireNonNull(status().pending()).remedy())
                .isEqualTo(
                        "switch south off (its BMC reads On), then: tandem confirm-peer-off south");
        assertThat(status().sentence()).doesNotContain("confirm-peer-off");

        pair.south.machine.cutPower();
        pair.sessions.check();
        assertThat(Objects.requireNonNull(status().pending()).remedy())
                .isEqualTo(WaitFor.FENCING.remedy(Sketch.NORTH, Sketch.SOUTH).orElseThrow());
    }

    /** Its BMC reads On, and well; only the order showed that the account may not switch it. */
    @Test
    void whatOnlyTheFenceHasFoundIsInTheFirstLine() {
        well();
        node.peerIs(false);
        node.etcdIs(EtcdState.LEADERLESS);
        lastFence.failed(
                "south is not known to be off: after 0.2 s it last read On; the BMC's account lacks"
                        + " privileges: Forbidden",
                Optional.of(new BmcFault.Denied(403, "Forbidden")));

        assertThat(status().sentence())
                .startsWith("No writes here: south is silent and could not be fenced: south is not")
                .contains("lacks privileges: Forbidden (0 s ago). Fix: give the account the role");

        lastFence.failed("south is not known to be off", Optional.empty());
        assertThat(status().sentence())
                .contains(
                        "Fix: switch south off (its BMC reads On), then: tandem confirm-peer-off");

        lastFence.forget();
        assertThat(status().sentence()).doesNotContain("could not be fenced");
    }

    @Test
    void aRefusalIsForAPersonAndSaysWhatIsMissing() {
        node.close();
        beginWith("sole 2n6:9");
        node.peerIs(true);
        hears("sole 2s6:8");
        node.ask(() -> {
            node.supervisor.on(new Event.StartRequested());
            return true;
        });

        AgentStatus status = status();
        AgentStatus.PendingLine pending = Objects.requireNonNull(status.pending());

        assertThat(status.health()).isEqualTo(NodeHealth.DOWN);
        assertThat(pending.refuses()).isEqualTo(Refusal.FORKED);
        assertThat(pending.owner()).isEqualTo(WaitFor.Owner.PERSON);
        assertThat(pending.limitMillis()).isNull();
        assertThat(pending.missing()).isNotBlank();
        assertThat(pending.remedy()).isNotBlank();
        assertThat(pending.runbook()).isEqualTo(Refusal.FORKED.runbook().path());
    }

    @Test
    void aStatusWhoseLookAtEtcdIsOldIsToldWithItsAgeAndWithoutPromise() {
        well();
        node.wait(Duration.ofSeconds(11));

        AgentStatus status = report.ask();

        assertThat(status.health()).isEqualTo(NodeHealth.BUSY);
        assertThat(status.ageMillis()).isGreaterThanOrEqualTo(11_000);
        assertThat(status.eitherNodeCanFail()).isFalse();
        assertThat(status.promisesRecovery()).isFalse();
        assertThat(status.nodes()).hasSize(2);
    }

    @Test
    void theStatusWaitsForNobody() throws InterruptedException {
        well();

        assertThat(whileBusy().health()).isEqualTo(NodeHealth.REDUNDANT);
    }

    private AgentStatus whileBusy() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        node.actor.post(() -> {
            begun.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        begun.await();
        try {
            return report.ask();
        } finally {
            over.countDown();
        }
    }

    /** A pair that is well, as crm_mon tells it, with an API. */
    private static final class WellCluster implements Commands {
        /** Of the API's address. */
        boolean started = true;

        String bans = "";

        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            StringBuilder devices = new StringBuilder();
            for (String id :
                    List.of(
                            "tandem-fence-north",
                            "tandem-redfish-north",
                            "tandem-fence-south",
                            "tandem-redfish-south",
                            "tandem-further1-south",
                            "etcd")) {
                devices.append(
                        """
                        <resource id="%s" resource_agent="a" role="Started" active="true"
                          blocked="false" managed="true" failed="false"/>
                        """
                                .formatted(id));
            }
            devices.append(
                    """
                    <resource id="tandem-api-address" resource_agent="a" role="%s" active="%s"
                      blocked="false" managed="true" failed="false"/>
                    """
                            .formatted(started ? "Started" : "Stopped", started));
            return new Output(
                    0,
                    """
                    <pacemaker-result api-version="2.38">
                      <summary>
                        <current_dc present="true" name="north" id="1" with_quorum="true"/>
                        <cluster_options stonith-enabled="true" symmetric-cluster="true"
                          no-quorum-policy="stop" maintenance-mode="false"
                          stop-all-resources="false"/>
                      </summary>
                      <nodes>
                        <node name="north" id="1" online="true" standby="false"
                          maintenance="false" unclean="false"/>
                        <node name="south" id="2" online="true" standby="false"
                          maintenance="false" unclean="false"/>
                      </nodes>
                      <resources>%s</resources>
                      <bans>%s</bans>
                    </pacemaker-result>
                    """
                            .formatted(devices, bans),
                    "");
        }
    }

    private static final class NothingKnown implements OutOfServiceNotifier.Source {
        @Override
        public long changes() {
            return 0;
        }

        @Override
        public Optional<KubernetesReport> known() {
            return Optional.empty();
        }

        @Override
        public void awaitChange(long seen, Duration limit) {}
    }
}
