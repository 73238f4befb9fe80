package dev.tandem.redfishsim;

import static dev.tandem.redfishsim.testing.LoopbackBmc.PASSWORD;
import static dev.tandem.redfishsim.testing.LoopbackBmc.SYSTEM;
import static dev.tandem.redfishsim.testing.LoopbackBmc.USER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerOutcome.NotObserved;
import dev.tandem.host.bmc.PowerOutcome.Observed;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.RedfishClient;
import dev.tandem.host.bmc.RedfishEndpoint;
import dev.tandem.host.bmc.TlsTrust;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.bmc.check.IdentityCheck;
import dev.tandem.host.bmc.check.LoginDenied;
import dev.tandem.host.bmc.fence.FenceAgent;
import dev.tandem.host.bmc.login.DeniedLogins;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.testing.LoopbackPorts;
import dev.tandem.redfishsim.BmcBehaviour.AccountService;
import dev.tandem.redfishsim.BmcBehaviour.HardOff;
import dev.tandem.redfishsim.BmcBehaviour.Reachability;
import dev.tandem.redfishsim.BmcBehaviour.WhenAlreadyThere;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import dev.tandem.redfishsim.testing.SleepingMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The product's client against a BMC with every fault. */
class RedfishClientTest {
    private static final Duration ENOUGH = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(700);
    private static final TlsTrust LAB =
            new TlsTrust.Authorities(List.of(LoopbackBmc.AUTHORITY.certificate()));

    private LoopbackBmc bench;
    private RedfishClient client;
    private long now;

    @BeforeEach
    void start() throws IOException {
        bench = new LoopbackBmc();
        client = client(USER, PASSWORD, LAB);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        bench.close();
    }

    @Test
    void aReadingIsThePowerStateOfNow() throws Exception {
        assertThat(client.read().known()).contains(PowerState.ON);

        bench.machine.cutPower();

        assertThat(client.read().known()).contains(PowerState.OFF);
    }

    @Test
    void offEndsTheMachineAndOnStartsIt() throws Exception {
        assertThat(client.off(ENOUGH))
                .isInstanceOfSatisfying(
                        Observed.class,
                        seen -> {
                            assertThat(seen.state()).isEqualTo(PowerState.OFF);
                            assertThat(seen.confirmed()).isTrue();
                        });
        assertThat(bench.machine.isRunning()).isFalse();

        assertThat(client.on(ENOUGH)).isInstanceOf(Observed.class);
        bench.await(PowerState.ON);
        assertThat(bench.machine.starts).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void bothKindsOfAddressWork(String address) throws Exception {
        try (LoopbackBmc other = new LoopbackBmc(address);
                RedfishClient there =
                        new RedfishClient(
                                endpoint(address, other.bmc.address().getPort(), LAB),
                                new BmcCredentials(USER, PASSWORD))) {
            assertThat(there.read().known()).contains(PowerState.ON);
        }
    }

    @Test
    void theOnlySystemIsFoundWithoutItsPath() {
        try (RedfishClient there =
                new RedfishClient(
                        new RedfishEndpoint(bench.uri(""), Optional.empty(), LAB),
                        new BmcCredentials(USER, PASSWORD))) {
            assertThat(there.off(ENOUGH)).isInstanceOf(Observed.class);
        }
    }

    @Test
    void aWarmSessionServesManyRequestsAndIsClosedAtTheEnd() {
        client.read();
        client.read();
        client.off(ENOUGH);
        client.close();

        assertThat(bench.kinds())
                .containsOnlyOnce(BmcEvent.Kind.SESSION_OPENED)
                .containsOnlyOnce(BmcEvent.Kind.SESSION_CLOSED)
                .containsOnlyOnce(BmcEvent.Kind.RESET_REQUESTED);
    }

    @Test
    void aSessionThatIsBeingOpenedAtTheEndIsClosedToo() throws InterruptedException {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withAnswerLatency(Duration.ofMillis(300)));
        Thread reading = Thread.ofVirtual().start(client::read);
        // The BMC has opened it, and the client does not know it yet.
        bench.await(BmcEvent.Kind.SESSION_OPENED);

        client.close();
        reading.join();

        assertThat(bench.kinds())
                .containsOnlyOnce(BmcEvent.Kind.SESSION_OPENED)
                .containsOnlyOnce(BmcEvent.Kind.SESSION_CLOSED);
        assertThat(client.read()).isInstanceOf(BmcAnswer.Unknown.class);
    }

    @Test
    void whatIsUrgentDoesNotLogInFirst() {
        assertThat(client.off(ENOUGH)).isInstanceOf(Observed.class);

        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.SESSION_OPENED);
    }

    /** One login more at first, and from then on the session before anything else. */
    @Test
    void whereBasicAuthenticationIsOffASessionServes() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withSessionsOnly(true));

        assertThat(client.off(ENOUGH)).isInstanceOf(Observed.class);
        assertThat(client.on(ENOUGH)).isInstanceOf(Observed.class);
        assertThat(bench.kinds().stream().filter(BmcEvent.Kind.SESSION_OPENED::equals)).hasSize(1);
    }

    @Test
    void aBmcWithoutSessionsAndBasicAuthenticationIsBusyAndDeniesNothing() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withSessionsOnly(true).withSessionLimit(0));

        assertThat(fault(client.read())).isInstanceOf(BmcFault.Busy.class);
        assertThat(fault(client.read())).isInstanceOf(BmcFault.Busy.class);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withSessionsOnly(true));
        assertThat(client.read().known()).contains(PowerState.ON);
    }

    @Test
    void aSessionThatEndedIsOpenedAgain() throws Exception {
        client.read();
        bench.send(
                bench.asAdmin("/redfish/v1/Managers/1/Actions/Manager.Reset")
                        .POST(LoopbackBmc.text("{\"ResetType\": \"ForceRestart\"}")));

        assertThat(client.read().known()).contains(PowerState.ON);
        assertThat(bench.kinds().stream().filter(BmcEvent.Kind.SESSION_OPENED::equals)).hasSize(2);
    }

    @Test
    void withoutAFreeSessionThePasswordServes() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withSessionLimit(0));

        assertThat(client.read().known()).contains(PowerState.ON);
        assertThat(client.off(ENOUGH)).isInstanceOf(Observed.class);
    }

    @ParameterizedTest
    @EnumSource(WhenAlreadyThere.class)
    void alreadyOffCountsInEveryDialect(WhenAlreadyThere dialect) throws Exception {
        bench.machine.cutPower();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withWhenAlreadyThere(dialect));

        assertThat(client.off(ENOUGH))
                .isInstanceOfSatisfying(
                        Observed.class,
                        seen ->
                                assertThat(seen.confirmed())
                                        .isEqualTo(dialect == WhenAlreadyThere.ACCEPTS));
    }

    @Test
    void offIsSeenWhenItIsTrueAndNotBefore() {
        Duration latency = Duration.ofMillis(900);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withOffLatency(latency));

        PowerOutcome outcome = client.off(ENOUGH);

        assertThat(bench.machine.isRunning()).isFalse();
        assertThat(((Observed) outcome).took()).isGreaterThanOrEqualTo(latency);
    }

    @Test
    void onIsDoneWhenTheMachineIsOnItsWay() throws Exception {
        bench.machine.cutPower();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withOnLatency(Duration.ofSeconds(46)));

        assertThat(client.on(ENOUGH))
                .isInstanceOfSatisfying(
                        Observed.class,
                        seen -> assertThat(seen.state()).isEqualTo(PowerState.POWERING_ON));
    }

    @Test
    void aBusyBmcIsLeftAloneForTheTimeItAsksFor() {
        client.read();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withBusy(2, Duration.ofSeconds(1)));

        PowerOutcome outcome = client.off(ENOUGH);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Observed.class,
                        seen -> assertThat(seen.took()).isGreaterThan(Duration.ofMillis(990)));
        assertThat(bench.events.stream().filter(RedfishClientTest::isReset)).hasSize(1);
    }

    @Test
    void aBmcThatStaysBusyIsAskedOnceMoreBeforeTheLimit() {
        client.read();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withBusy(2, Duration.ofSeconds(60)));

        // Two requests meet the first two answers, the next comes half a second before the limit.
        assertThat(client.off(Duration.ofSeconds(2))).isInstanceOf(Observed.class);
    }

    @Test
    void aBusyBmcIsUnknownNotOff() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withBusy(BmcBehaviour.ALWAYS, Duration.ofHours(1)));

        assertThat(client.read())
                .isEqualTo(
                        new BmcAnswer.Unknown<>(
                                new BmcFault.Busy(
                                        Duration.ofHours(1),
                                        ((BmcFault.Busy) fault(client.read())).why())));
        assertThat(((NotObserved) client.off(SHORT)).lastFault())
                .containsInstanceOf(BmcFault.Busy.class);
    }

    @Test
    void whereHardOffIsNotOfferedAShutdownHasToDo() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withHardOff(HardOff.REFUSED));

        assertThat(client.off(ENOUGH)).isInstanceOf(Observed.class);
        assertThat(bench.machine.isRunning()).as("a refused reset is no proof").isFalse();
        assertThat(bench.machine.cuts).hasValue(0);
    }

    @Test
    void wrongCredentialsAreDeniedAndNotTriedAgainAndAgain() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));

        assertThat(fault(client.read())).isInstanceOf(BmcFault.Denied.class);
        assertThat(((NotObserved) client.off(ENOUGH)).lastFault())
                .containsInstanceOf(BmcFault.Denied.class);
        // Read: one login. Off: another one; what was denied once is tried in one way only.
        assertThat(bench.kinds().stream().filter(BmcEvent.Kind.LOGIN_REFUSED::equals)).hasSize(2);
        assertThat(bench.machine.isRunning()).isTrue();
    }

    @Test
    void anAccountThatMayOnlyReadIsDeniedTheSwitch() {
        try (RedfishClient watcher = client("watch", "only", LAB)) {
            assertThat(watcher.read().known()).contains(PowerState.ON);
            assertThat(((NotObserved) watcher.off(ENOUGH)).lastFault())
                    .containsInstanceOf(BmcFault.Denied.class);
        }
    }

    @Test
    void privilegesAreToldBeforeTheyAreNeeded() {
        assertThat(client.privileges().known().orElseThrow().mayReset())
                .isEqualTo(BmcPrivileges.MayReset.YES);
        try (RedfishClient watcher = client("watch", "only", LAB)) {
            BmcPrivileges privileges = watcher.privileges().known().orElseThrow();
            assertThat(privileges.mayReset()).isEqualTo(BmcPrivileges.MayReset.NO);
            assertThat(privileges.role()).contains("ReadOnly");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ANSWERS")
    void privilegesThatAreHiddenAreNotKnown(AccountService answer) {
        assertThat(client.read().known()).contains(PowerState.ON);
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withAccountService(answer));

        assertThat(client.privileges().known().orElseThrow().mayReset())
                .isEqualTo(BmcPrivileges.MayReset.NOT_TOLD);
        assertThat(client.read().known()).contains(PowerState.ON);
    }

    /** A BMC that hides its accounts behind 401 still tells a wrong password from that. */
    @Test
    void privilegesAreDeniedWhereThePasswordIsWrong() {
        assertThat(client.read().known()).contains(PowerState.ON);
        bench.bmc.behave(
                BmcBehaviour.FAULTLESS
                        .withAccountService(AccountService.UNAUTHORIZED)
                        .withCredentialsRotated(true));

        assertThat(fault(client.privileges())).isInstanceOf(BmcFault.Denied.class);
    }

    @Test
    void aBmcThatHangsUpIsUnreachable() {
        client.read();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withReachability(Reachability.HANGS_UP));

        assertThat(fault(client.read())).isInstanceOf(BmcFault.Unreachable.class);
        assertThat(client.off(SHORT)).isInstanceOf(NotObserved.class);

        bench.bmc.behave(BmcBehaviour.FAULTLESS);
        assertThat(client.off(ENOUGH)).isInstanceOf(Observed.class);
    }

    @Test
    void aSilentBmcCostsNoMoreThanTheLimit() {
        try (RedfishClient patient =
                new RedfishClient(
                        endpoint("127.0.0.1", bench.bmc.address().getPort(), LAB),
                        new BmcCredentials(USER, PASSWORD),
                        // Of a request: it ends by the limit of the whole, or not in time.
                        Duration.ofMinutes(1))) {
            assertThat(patient.read().known()).contains(PowerState.ON);
            bench.bmc.behave(BmcBehaviour.FAULTLESS.withReachability(Reachability.SILENT));

            assertThat(assertTimeoutPreemptively(ENOUGH, () -> patient.off(SHORT)))
                    .isInstanceOfSatisfying(
                            NotObserved.class,
                            not -> {
                                assertThat(not.lastRead()).isEmpty();
                                assertThat(not.sentence()).contains("never read");
                            });
        }
    }

    @Test
    void offGoesThroughWhenTheBmcComesBackInTime() {
        client.read();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withReachability(Reachability.HANGS_UP));
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        Thread.sleep(500);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    bench.bmc.behave(BmcBehaviour.FAULTLESS);
                });

        assertThat(client.off(ENOUGH)).isInstanceOf(Observed.class);
    }

    @Test
    void nobodyAtTheAddressIsUnreachable() throws Exception {
        try (RedfishClient nobody =
                new RedfishClient(
                        endpoint("127.0.0.1", LoopbackPorts.next(), LAB),
                        new BmcCredentials(USER, PASSWORD))) {
            assertThat(fault(nobody.read())).isInstanceOf(BmcFault.Unreachable.class);
        }
    }

    @Test
    void aLiarIsFoundOut() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withLies(true));

        assertThat(client.off(Duration.ofSeconds(5)))
                .isInstanceOfSatisfying(
                        NotObserved.class,
                        not -> assertThat(not.lastRead()).contains(PowerState.ON));
    }

    @Test
    void aStaleReadingOfOnIsNotTakenForOff() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withPowerStateAge(BmcBehaviour.FOREVER));

        assertThat(client.off(SHORT)).isInstanceOf(NotObserved.class);
    }

    @Test
    void aReadingThatLagsBehindIsAwaited() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withPowerStateAge(Duration.ofMillis(800)));

        assertThat(client.off(ENOUGH))
                .isInstanceOfSatisfying(
                        Observed.class,
                        seen -> assertThat(seen.took()).isGreaterThan(Duration.ofMillis(300)));
    }

    @Test
    void aBmcThatDiedWithItsHostProvesNothing() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withLosesPowerWithHost(true));
        bench.bmc.pullPlug();

        assertThat(client.off(SHORT)).isInstanceOf(NotObserved.class);
    }

    @Test
    void anotherAuthoritysCertificateIsUntrustedAndGetsNoPassword() {
        TlsTrust other =
                new TlsTrust.Authorities(
                        List.of(
                                CertificateAuthority.create(
                                                "other", Duration.ofDays(1), InstantSource.system())
                                        .certificate()));
        try (RedfishClient careful = client(USER, PASSWORD, other)) {
            assertThat(fault(careful.read()))
                    .isEqualTo(
                            new BmcFault.Untrusted(
                                    "its authority is not trusted here: CN=lab",
                                    Optional.of(bench.tls.fingerprint())));
            assertThat(assertTimeoutPreemptively(ENOUGH, () -> careful.off(Duration.ofHours(1))))
                    .isInstanceOf(NotObserved.class);
        }
        assertThat(bench.machine.isRunning()).isTrue();
        assertThat(bench.events).isEmpty();
    }

    @Test
    void aPinnedCertificateNeedsNoAuthority() {
        try (RedfishClient pinned =
                client(USER, PASSWORD, new TlsTrust.Pinned(bench.tls.fingerprint()))) {
            assertThat(pinned.read().known()).contains(PowerState.ON);
        }
        try (RedfishClient anybody = client(USER, PASSWORD, new TlsTrust.Anybody())) {
            assertThat(anybody.read().known()).contains(PowerState.ON);
        }
        try (RedfishClient wrong =
                client(
                        USER,
                        PASSWORD,
                        new TlsTrust.Pinned(LoopbackBmc.AUTHORITY.identity().fingerprint()))) {
            assertThat(fault(wrong.read()))
                    .isInstanceOf(BmcFault.Untrusted.class)
                    .satisfies(fault ->
                            assertThat(fault.sentence())
                                    .contains("it is another one than the pinned ")
                                    .endsWith("sha256:" + bench.tls.fingerprint()));
        }
    }

    /** What the operating system trusts is asked by another way than a file with authorities. */
    @Test
    void aCertificateThatTheSystemDoesNotKnowIsToldByItsFingerprint() {
        try (RedfishClient careful = client(USER, PASSWORD, new TlsTrust.SystemAuthorities())) {
            assertThat(fault(careful.read()).sentence())
                    .contains("not trusted")
                    .doesNotContain("PKIX", "sun.security")
                    .endsWith("sha256:" + bench.tls.fingerprint());
        }
    }

    @Test
    void theRemedyIsTheLineOfThePlanThatPinsWhatWasSeen(@TempDir Path directory)
            throws IOException {
        Secrets.write(directory.resolve("password"), PASSWORD + "\n");
        String plan = plan();
        Path file = Files.writeString(directory.resolve("plan.yaml"), plan);
        ClusterPlan.Node node = ClusterPlan.read(file).nodes().getFirst();

        Failure failure = catchThrowableOfType(Failure.class, () -> check(node, directory));

        String line = "certificate: sha256:" + bench.tls.fingerprint();
        assertThat(failure.remedy()).endsWith("in bmc of node-0: " + line);
        Files.writeString(
                file,
                plan.replaceFirst(
                        "passwordFile: password", "passwordFile: password\n      " + line));
        assertThat(check(ClusterPlan.read(file).nodes().getFirst(), directory).power())
                .isEqualTo(PowerState.ON);
    }

    private BmcPreflight.Proof check(ClusterPlan.Node node, Path run) {
        return BmcPreflight.check(
                new BmcPreflight.Way(node, false),
                Optional.empty(),
                "node-1",
                new DeniedLogins(run, () -> now));
    }

    private static long times(List<BmcEvent.Kind> kinds, BmcEvent.Kind kind) {
        return kinds.stream().filter(kind::equals).count();
    }

    /** Its remedies name such commands, and whoever reads them repeats them. */
    @Test
    void aCheckThatIsRepeatedDoesNotLockTheAccount(@TempDir Path directory) throws IOException {
        Path password = directory.resolve("password");
        Secrets.write(password, "wrong\n");
        ClusterPlan.Node node = trusting(directory);

        for (int i = 0; i < 5; i++) {
            Failure refused = catchThrowableOfType(Failure.class, () -> check(node, directory));
            assertThat(LoginDenied.in(refused)).isPresent();
            assertThat(refused.why()).contains("the next try is in");
        }
        assertThat(times(bench.kinds(), BmcEvent.Kind.LOGIN_REFUSED)).isOne();
        LoginBackoff agent =
                new LoginBackoff(
                        LoginBackoff.SOON,
                        () -> now,
                        new DeniedLogins(directory, () -> now)
                                .ofTheAgent(
                                        node.name(),
                                        node.bmc().address(),
                                        node.bmc().username(),
                                        "wrong",
                                        Optional.empty()));
        assertThat(agent.denied()).as("the agent beside it knows").isTrue();

        Failure given =
                catchThrowableOfType(
                        Failure.class,
                        () ->
                                BmcPreflight.check(
                                        node, new BmcCredentials(USER, "wrong"), Optional.empty()));
        assertThat(LoginDenied.in(given)).isPresent();
        assertThat(times(bench.kinds(), BmcEvent.Kind.LOGIN_REFUSED))
                .as("what somebody has just given is tried at once")
                .isEqualTo(2);
        Secrets.write(password, PASSWORD + "\n");
        assertThat(check(node, directory).power()).isEqualTo(PowerState.ON);
        Secrets.write(password, "wrong\n");
        now += LoginBackoff.SOON.toNanos();
        assertThat(catchThrowableOfType(Failure.class, () -> check(node, directory))).isNotNull();
        assertThat(times(bench.kinds(), BmcEvent.Kind.LOGIN_REFUSED)).isEqualTo(3);
    }

    private ClusterPlan.Node trusting(Path directory) throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("trusting.yaml"),
                        plan().replace(
                                        "passwordFile: password",
                                        "passwordFile: password\n      certificate: sha256:"
                                                + bench.tls.fingerprint()));
        return ClusterPlan.read(file).nodes().getFirst();
    }

    private String plan() {
        return """
        name: site-17
        nodes:
          - name: node-0
            addresses: [192.0.2.10]
            bmc:
              address: redfish+%s
              username: %s
              passwordFile: password
          - name: node-1
            addresses: [192.0.2.11]
            bmc:
              address: redfish+https://192.0.2.3/redfish/v1/Systems/1
              username: fencer
              passwordFile: password
        """
                .formatted(bench.uri(SYSTEM), USER);
    }

    @Test
    void theIdentityIsTheMachines() {
        HardwareIdentity told = client.identity().known().orElseThrow();
        HardwareIdentity node =
                new HardwareIdentity(
                        Optional.of(SleepingMachine.IDENTITY.uuid()),
                        Optional.of("TND-0001"),
                        Set.of("02:54:00:00:00:01"));
        HardwareIdentity peer =
                new HardwareIdentity(
                        Optional.of(new UUID(7, 7)),
                        Optional.of("TND-0002"),
                        Set.of("02:54:00:00:00:07"));

        assertThat(told.macs()).containsExactly("02:54:00:00:00:01", "02:54:00:00:00:02");
        assertThat(IdentityCheck.compare(told, node))
                .isInstanceOf(IdentityCheck.Verdict.Same.class);
        assertThat(IdentityCheck.compare(told, peer))
                .isInstanceOf(IdentityCheck.Verdict.Different.class);
    }

    @Test
    void theEndOfTheCertificateThatItShowsIsKnown() {
        assertThat(client.certificateEnds()).isEmpty();

        client.read();

        assertThat(client.certificateEnds()).contains(bench.tls.expires());
    }

    @Test
    void latencyIsMeasured() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withAnswerLatency(Duration.ofMillis(50)));
        client.read();

        assertThat(client.latency().orElseThrow().median()).isGreaterThan(Duration.ofMillis(49));
    }

    @Test
    void thePasswordStandsInNothingThatIsPrinted() {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));

        assertThat(
                        List.of(
                                        client,
                                        client.endpoint(),
                                        new BmcCredentials(USER, PASSWORD),
                                        client.read(),
                                        client.off(SHORT),
                                        bench.events,
                                        new BmcAccount(
                                                USER, PASSWORD, BmcAccount.Role.ADMINISTRATOR))
                                .toString())
                .doesNotContain(PASSWORD);
    }

    @Test
    void theFenceAgentRebootsAndTellsTheMomentOfOff() throws Exception {
        List<Boolean> runningWhenTold = new ArrayList<>();
        FenceAgent agent =
                new FenceAgent(
                        () -> Map.of("north", client),
                        (_, _) -> {
                            runningWhenTold.add(bench.machine.isRunning());
                            return Optional.empty();
                        });

        FenceAgent.Result result = agent.run(List.of(), "action=reboot\nplug=north\n");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(runningWhenTold).containsExactly(false);
        bench.await(PowerState.ON);
        assertThat(bench.machine.starts).hasValue(1);
    }

    private RedfishClient client(String user, String password, TlsTrust trust) {
        InetSocketAddress address = bench.bmc.address();
        return new RedfishClient(
                endpoint(address.getAddress().getHostAddress(), address.getPort(), trust),
                new BmcCredentials(user, password));
    }

    private static RedfishEndpoint endpoint(String host, int port, TlsTrust trust) {
        return RedfishEndpoint.of(
                new BmcAddress(BmcAddress.Transport.HTTPS, host, port, SYSTEM), trust);
    }

    private static boolean isReset(BmcEvent event) {
        return event.kind() == BmcEvent.Kind.RESET_REQUESTED;
    }

    private static BmcFault fault(BmcAnswer<?> answer) {
        return ((BmcAnswer.Unknown<?>) answer).fault();
    }
}
