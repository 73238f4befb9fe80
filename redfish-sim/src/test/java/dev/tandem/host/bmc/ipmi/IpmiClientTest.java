package dev.tandem.host.bmc.ipmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.core.IpmiCipherSuite;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerReport;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import dev.tandem.host.testing.LoopbackPorts;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.ipmi.IpmiAccount;
import dev.tandem.redfishsim.ipmi.IpmiBmc;
import dev.tandem.redfishsim.ipmi.PowerButton;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against OpenIPMI's simulator, by the real ipmitool. */
class IpmiClientTest {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final Duration ENOUGH = Duration.ofSeconds(60);
    private static final IpmiAccount FENCER = new IpmiAccount("fencer", "correct.horse");
    private static final BmcCredentials LOGIN =
            new BmcCredentials(FENCER.user(), FENCER.password());
    private static final UUID GUID = UUID.fromString("3f0c2a51-8d4e-4b7f-9a60-1c5e7d20b9f4");
    private static final MachineIdentity MACHINE =
            new MachineIdentity(GUID, "S-0417", "R-100", List.of());

    /** A machine of one light. */
    private static final class Light implements PowerButton {
        final List<String> orders = new CopyOnWriteArrayList<>();
        volatile boolean lit = true;
        volatile boolean obeys = true;
        volatile CountDownLatch stalls = new CountDownLatch(0);

        @Override
        public boolean isOn() {
            try {
                stalls.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return lit;
        }

        @Override
        public void off() {
            orders.add("off");
            lit &= !obeys;
        }

        @Override
        public void on() {
            orders.add("on");
            lit |= obeys;
        }
    }

    private final Light light = new Light();
    private final List<AutoCloseable> open = new ArrayList<>();

    @TempDir Path directory;

    @BeforeEach
    void programs() {
        for (List<String> program :
                List.of(List.of("ipmitool", "-V"), List.of("ipmi_sim", "--version"))) {
            assumeTrue(
                    new SystemCommands().run(ENOUGH, program).exitCode()
                            != Commands.Output.NOT_STARTED,
                    program.getFirst() + " is not installed: apt-get install ipmitool openipmi");
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private IpmiEndpoint simulated(MachineIdentity machine) throws Exception {
        int port = LoopbackPorts.next();
        open.add(
                IpmiBmc.start(
                        directory,
                        List.of(),
                        new InetSocketAddress(LOOPBACK, port),
                        List.of(FENCER),
                        machine,
                        light));
        return new IpmiEndpoint(LOOPBACK.getHostAddress(), port, IpmiCipherSuite.SHA1);
    }

    private IpmiEndpoint simulated() throws Exception {
        return simulated(MACHINE);
    }

    private static <T> T known(BmcAnswer<T> answer) {
        assertThat(answer).isInstanceOf(BmcAnswer.Read.class);
        return answer.known().orElseThrow();
    }

    private static BmcFault fault(BmcAnswer<?> answer) {
        return answer instanceof BmcAnswer.Unknown<?>(BmcFault fault)
                ? fault
                : new BmcFault.Unintelligible("it answered: " + answer);
    }

    @Test
    void thePowerIsReadWithTheMachineThatItIsOf() throws Exception {
        try (Bmc bmc = simulated().connect(LOGIN)) {
            HardwareIdentity machine =
                    new HardwareIdentity(Optional.of(GUID), Optional.empty(), Set.of());
            assertThat(known(bmc.report(ENOUGH)))
                    .isEqualTo(new PowerReport(PowerState.ON, machine));

            light.lit = false;

            assertThat(known(bmc.report(ENOUGH)))
                    .isEqualTo(new PowerReport(PowerState.OFF, machine));
            assertThat(known(bmc.read())).isEqualTo(PowerState.OFF);
            assertThat(bmc.latency().orElseThrow().count()).isEqualTo(3);
        }
    }

    @Test
    void itIsSwitchedOffAndOnAndSeenToBe() throws Exception {
        try (Bmc bmc = simulated().connect(LOGIN)) {
            assertThat(bmc.off(ENOUGH))
                    .isInstanceOfSatisfying(
                            PowerOutcome.Observed.class,
                            off -> {
                                assertThat(off.state()).isEqualTo(PowerState.OFF);
                                assertThat(off.confirmed()).isTrue();
                                assertThat(off.machine().uuid()).contains(GUID);
                            });
            assertThat(light.lit).isFalse();

            assertThat(bmc.on(ENOUGH))
                    .isInstanceOfSatisfying(
                            PowerOutcome.Observed.class,
                            on -> assertThat(on.state()).isEqualTo(PowerState.ON));
            assertThat(light.orders).containsExactly("off", "on");
        }
    }

    @Test
    void anAcceptedOrderThatHasNoEffectIsNoProof() throws Exception {
        light.obeys = false;
        try (Bmc bmc = simulated().connect(LOGIN)) {
            // All of it passes; it has to be long enough for an order and a look.
            assertThat(bmc.off(Duration.ofSeconds(8)))
                    .isInstanceOfSatisfying(
                            PowerOutcome.NotObserved.class,
                            not -> assertThat(not.lastRead()).contains(PowerState.ON));
        }
        assertThat(light.orders).contains("off");
    }

    @Test
    void theMachineIsToldByItsGuidAndItsSerialNumber() throws Exception {
        try (Bmc bmc = simulated().connect(LOGIN)) {
            assertThat(known(bmc.identity(ENOUGH)))
                    .isEqualTo(
                            new HardwareIdentity(
                                    Optional.of(GUID), Optional.of("S-0417"), Set.of()));
        }
    }

    @Test
    void whereTheGuidTellsNothingTheSerialNumberComesWithThePower() throws Exception {
        MachineIdentity blank = new MachineIdentity(new UUID(0, 0), "S-0417", "R-100", List.of());
        try (Bmc bmc = simulated(blank).connect(LOGIN)) {
            assertThat(known(bmc.report(ENOUGH)))
                    .isEqualTo(
                            new PowerReport(
                                    PowerState.ON,
                                    new HardwareIdentity(
                                            Optional.empty(), Optional.of("S-0417"), Set.of())));
        }
    }

    @Test
    void anAccountOfLevelOperatorMaySwitch() throws Exception {
        try (Bmc bmc = simulated().connect(LOGIN)) {
            assertThat(known(bmc.privileges(ENOUGH)).mayReset())
                    .isEqualTo(BmcPrivileges.MayReset.YES);
        }
    }

    /** The simulator gives any level that is asked for, so a lower one is asked for here. */
    @Test
    void aSessionOfLevelUserReadsAndMayNotSwitch() throws Exception {
        IpmiEndpoint endpoint = simulated();
        Bmc bmc =
                new IpmiClient(
                        new Ipmitool(
                                new SystemCommands(),
                                directory,
                                endpoint,
                                LOGIN,
                                IpmiPrivilege.USER));

        assertThat(known(bmc.read())).isEqualTo(PowerState.ON);
        assertThat(known(bmc.privileges(ENOUGH)).mayReset()).isEqualTo(BmcPrivileges.MayReset.NO);
        assertThat(bmc.off(ENOUGH))
                .isInstanceOfSatisfying(
                        PowerOutcome.NotObserved.class,
                        not ->
                                assertThat(not.lastFault().orElseThrow().sentence())
                                        .isEqualTo(
                                                "the BMC's account lacks privileges: insufficient"
                                                        + " privilege level"));
        assertThat(light.orders).isEmpty();
    }

    @Test
    void aWrongPasswordIsDeniedAtOnceAndNotTriedAgain() throws Exception {
        IpmiEndpoint endpoint = simulated();
        try (Bmc bmc = endpoint.connect(new BmcCredentials("fencer", "wrong"))) {
            long begin = System.nanoTime();
            assertThat(bmc.off(ENOUGH))
                    .isInstanceOfSatisfying(
                            PowerOutcome.NotObserved.class,
                            not ->
                                    assertThat(not.lastFault().orElseThrow())
                                            .satisfies(fault -> denied(fault, "wrong password")));
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("it is not tried for all the time")
                    .isLessThan(ENOUGH);
        }
        assertThat(light.orders).isEmpty();
    }

    @Test
    void anUnknownUserIsDenied() throws Exception {
        try (Bmc bmc = simulated().connect(new BmcCredentials("nobody", FENCER.password()))) {
            denied(fault(bmc.report(ENOUGH)), "no such user");
        }
    }

    /** As for Redfish: BMCs lock accounts. */
    @Test
    void aLoginThatWasDeniedIsNotTriedAgainSoon() throws Exception {
        AtomicLong nanos = new AtomicLong();
        LoginBackoff backoff =
                new LoginBackoff(LoginBackoff.SOON, nanos::get, LoginBackoff.Memory.NONE);
        BmcCredentials wrong = new BmcCredentials("fencer", "wrong");
        try (Bmc bmc = simulated().connect(wrong, backoff, SessionStore.NONE)) {
            denied(fault(bmc.report(ENOUGH)), "wrong password (for 0 s; the next try is in 60 s");
            nanos.addAndGet(Duration.ofSeconds(59).toNanos());
            denied(fault(bmc.report(ENOUGH)), "wrong password (for 59 s; the next try is in 1 s");
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            denied(
                    fault(bmc.report(ENOUGH)),
                    "wrong password (for 60 s; the next try is in 10 min");
        }
    }

    private static void denied(BmcFault fault, String why) {
        assertThat(fault)
                .isInstanceOfSatisfying(
                        BmcFault.Denied.class,
                        denied -> {
                            assertThat(denied.status()).isEqualTo(401);
                            assertThat(denied.why()).startsWith(why);
                        });
    }

    /** The simulator has no SHA-256. */
    @Test
    void aCipherSuiteThatTheBmcHasNotIsNamed() throws Exception {
        IpmiEndpoint endpoint = simulated();
        try (Bmc bmc =
                new IpmiEndpoint(endpoint.host(), endpoint.port(), IpmiCipherSuite.SHA256)
                        .connect(LOGIN)) {
            assertThat(fault(bmc.report(ENOUGH)).sentence())
                    .isEqualTo("the BMC refused with status 4: it does not accept cipher suite 17");
        }
    }

    @Test
    void aSilentBmcIsWaitedForNoLongerThanTheCallerCan() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, LOOPBACK);
                Bmc bmc =
                        new IpmiEndpoint(
                                        LOOPBACK.getHostAddress(),
                                        silent.getLocalPort(),
                                        IpmiCipherSuite.SHA1)
                                .connect(LOGIN)) {
            // ipmitool was ended: by itself it says something else, and later.
            assertThat(fault(bmc.report(Duration.ofMillis(1500))))
                    .isEqualTo(new BmcFault.Unreachable("no answer within 1.5 s"));
        }
    }

    /** Of those that are cut off each leaves a session in the BMC, and some have four. */
    @Test
    void whileSessionsMayRunOutOnlyOrdersOpenMore() throws Exception {
        AtomicLong nanos = new AtomicLong();
        List<String> calls = new CopyOnWriteArrayList<>();
        Commands counted =
                (limit, command, stdin) -> {
                    calls.add("call");
                    return new SystemCommands().run(limit, command, stdin);
                };
        Bmc bmc =
                new IpmiClient(
                        new Ipmitool(
                                counted, directory, simulated(), LOGIN, IpmiPrivilege.OPERATOR),
                        new LoginBackoff(),
                        nanos::get);
        known(bmc.report(ENOUGH));
        light.stalls = new CountDownLatch(1);
        BmcFault first = fault(bmc.report(Duration.ofSeconds(2)));
        assertThat(first).isEqualTo(new BmcFault.Unreachable("no answer within 2.0 s"));
        assertThat(calls).hasSize(2);

        assertThat(fault(bmc.report(ENOUGH))).isEqualTo(first);
        assertThat(fault(bmc.identity(ENOUGH))).isEqualTo(first);
        assertThat(bmc.isLeftAlone()).isTrue();
        assertThat(calls).hasSize(2);

        light.stalls.countDown();
        nanos.addAndGet(SpareSessions.UNUSED.minusMillis(1).toNanos());
        assertThat(fault(bmc.report(ENOUGH))).isEqualTo(first);
        assertThat(bmc.off(ENOUGH)).isInstanceOf(PowerOutcome.Observed.class);
        assertThat(light.orders).containsExactly("off");
        assertThat(known(bmc.report(ENOUGH)).state())
                .as("an order was answered since")
                .isEqualTo(PowerState.OFF);
    }

    /** The record of a fence is judged by it, and its node may take over. */
    @Test
    void aProofThatWaitsIsAskedForWhateverLooksLeaveAlone() throws Exception {
        Bmc bmc = simulated().connect(LOGIN);
        light.stalls = new CountDownLatch(1);
        fault(bmc.report(Duration.ofSeconds(2)));
        light.stalls.countDown();
        light.lit = false;
        assertThat(bmc.report(ENOUGH).known()).isEmpty();

        assertThat(known(bmc.reportForProof(ENOUGH)).state()).isEqualTo(PowerState.OFF);
        assertThat(bmc.isLeftAlone()).isFalse();
    }

    @Test
    void aBmcThatWasSilentIsLookedAtAgainAfterAMinute() throws Exception {
        AtomicLong nanos = new AtomicLong();
        Bmc bmc =
                new IpmiClient(
                        new Ipmitool(
                                new SystemCommands(),
                                directory,
                                simulated(),
                                LOGIN,
                                IpmiPrivilege.OPERATOR),
                        new LoginBackoff(),
                        nanos::get);
        light.stalls = new CountDownLatch(1);
        fault(bmc.report(Duration.ofSeconds(2)));
        light.stalls.countDown();

        nanos.addAndGet(SpareSessions.UNUSED.toNanos());

        assertThat(known(bmc.report(ENOUGH)).state()).isEqualTo(PowerState.ON);
    }

    /** What a caller who waits reads of it: ipmitool has given up by itself. */
    @Test
    void whereNobodyListensNoSessionIsOpened() throws Exception {
        int port = LoopbackPorts.next();
        Commands.Output output =
                new SystemCommands()
                        .run(
                                ENOUGH,
                                List.of(
                                        "ipmitool",
                                        "-v",
                                        "-I",
                                        "lanplus",
                                        "-H",
                                        "127.0.0.1",
                                        "-p",
                                        String.valueOf(port),
                                        "-U",
                                        "fencer",
                                        "-f",
                                        "/dev/stdin",
                                        "-C",
                                        "3",
                                        "-N",
                                        "1",
                                        "-R",
                                        "1",
                                        "raw",
                                        "0",
                                        "1"),
                                "correct.horse\n");

        assertThat(
                        IpmiFaults.noSession(
                                output,
                                new IpmiEndpoint("127.0.0.1", port, IpmiCipherSuite.SHA1),
                                ENOUGH))
                .contains(
                        new BmcFault.Unreachable(
                                "no IPMI session with port %d of 127.0.0.1".formatted(port)));
    }

    @Test
    void nothingIsLeftBehindAndNobodyAsksAfterTheEnd() throws Exception {
        IpmiEndpoint endpoint = simulated();
        Path scratch = Files.createDirectory(directory.resolve("scratch"));
        Bmc bmc =
                new IpmiClient(
                        new Ipmitool(
                                new SystemCommands(),
                                scratch,
                                endpoint,
                                LOGIN,
                                IpmiPrivilege.OPERATOR));
        known(bmc.report(ENOUGH));
        try (Stream<Path> left = Files.list(scratch)) {
            assertThat(left).isEmpty();
        }
        bmc.close();

        assertThat(fault(bmc.report(ENOUGH)))
                .isEqualTo(new BmcFault.Unreachable("the connection was closed"));
    }

    /** While it is asked, its password is in nobody's arguments or environment. */
    @Test
    void thePasswordIsNotToBeSeenInTheListOfProcesses() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, LOOPBACK)) {
            String port = String.valueOf(silent.getLocalPort());
            Bmc bmc =
                    new IpmiEndpoint(
                                    LOOPBACK.getHostAddress(),
                                    silent.getLocalPort(),
                                    IpmiCipherSuite.SHA1)
                            .connect(LOGIN);
            Thread asking =
                    Thread.ofVirtual().start(() -> fault(bmc.report(Duration.ofSeconds(6))));
            // Its first packet is there: it has read the password.
            silent.setSoTimeout((int) ENOUGH.toMillis());
            silent.receive(new java.net.DatagramPacket(new byte[512], 512));
            List<Path> asked = new ArrayList<>();
            try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
                processes
                        .filter(process -> text(process.resolve("cmdline")).contains("\0" + port))
                        .forEach(asked::add);
            }

            assertThat(asked).hasSize(1);
            assertThat(text(asked.getFirst().resolve("cmdline")))
                    .startsWith("ipmitool\0")
                    .doesNotContain(LOGIN.password());
            assertThat(text(asked.getFirst().resolve("environ"))).doesNotContain(LOGIN.password());
            asking.interrupt();
            asking.join();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
