package dev.tandem.lab.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Commands;
import dev.tandem.host.Commands.Output;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.Fingerprint;
import dev.tandem.host.pki.Pem;
import dev.tandem.lab.NodeRoot;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcBehaviour.WhenAlreadyThere;
import dev.tandem.redfishsim.BmcEvent;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stock fence agent, which knows nothing of us, against the virtual BMC. */
class FenceRedfishIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Debian 13's, from the node image. */
    private static final String FENCE_REDFISH = "/usr/sbin/fence_redfish";

    private static NodeRoot node;

    private final Commands commands = new SystemCommands();
    @TempDir private Path directory;
    private LoopbackBmc bench;

    @BeforeAll
    static void findTheAgent() throws IOException, InterruptedException {
        node = NodeRoot.ofImage();
    }

    @BeforeEach
    void start() throws IOException {
        bench = new LoopbackBmc();
    }

    @AfterEach
    void stop() throws IOException {
        bench.close();
    }

    @Test
    void statusTellsThePowerState() throws Exception {
        assertThat(fence("status", "ssl_insecure=1").exitCode()).isZero();

        bench.machine.cutPower();

        // 2 is how fence agents say off.
        assertThat(fence("status", "ssl_insecure=1").exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"monitor", "list", "validate-all"})
    void whatChangesNothingSucceeds(String action) throws Exception {
        Output output = fence(action, "ssl_insecure=1");

        assertThat(output.exitCode()).as(output.err()).isZero();
        assertThat(bench.machine.isRunning()).isTrue();
        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.RESET_REQUESTED);
    }

    @Test
    void offEndsTheMachineAndOnStartsIt() throws Exception {
        Output off = fence("off", "ssl_insecure=1");
        assertThat(off.exitCode()).as(off.err()).isZero();
        assertThat(bench.machine.isRunning()).isFalse();

        Output on = fence("on", "ssl_insecure=1");
        assertThat(on.exitCode()).as(on.err()).isZero();
        assertThat(bench.machine.isRunning()).isTrue();
    }

    @Test
    void rebootEndsTheMachineAndStartsIt() throws Exception {
        bench.bmc.behave(
                BmcBehaviour.FAULTLESS
                        .withOffLatency(Duration.ofSeconds(2))
                        .withOnLatency(Duration.ofSeconds(1)));

        Output reboot = fence("reboot", "ssl_insecure=1");

        assertThat(reboot.exitCode()).as(reboot.err()).isZero();
        bench.await(PowerState.ON);
        assertThat(bench.machine.cuts).hasValue(1);
        assertThat(bench.machine.starts).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource(WhenAlreadyThere.class)
    void offWhenOffSucceedsInEveryDialect(WhenAlreadyThere dialect) throws Exception {
        bench.machine.cutPower();
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withWhenAlreadyThere(dialect));

        assertThat(fence("off", "ssl_insecure=1").exitCode()).isZero();
    }

    @Test
    void theSystemIsFoundWithoutItsPath() throws Exception {
        Output output = run("status", "ssl_insecure=1");

        assertThat(output.exitCode()).as(output.err()).isZero();
    }

    @Test
    void ourAuthorityIsEnoughForItsOwnTlsLibrary() throws Exception {
        // Not ssl_insecure=0: fence_redfish 4.12.1 takes the mere presence of the name for a yes.
        Path authority = directory.resolve("ca.crt");
        Pem.writeCertificates(authority, List.of(LoopbackBmc.AUTHORITY.certificate()));

        Output output =
                commands.run(
                        LIMIT,
                        node.command(
                                directory,
                                List.of("env", "REQUESTS_CA_BUNDLE=/mnt/ca.crt", FENCE_REDFISH)),
                        parameters("status", "ssl_secure=1"));

        assertThat(output.exitCode()).as(output.err()).isZero();
        assertThat(fence("status", "ssl_secure=1").exitCode())
                .as("without the authority it must not connect")
                .isEqualTo(1);
    }

    /** As the second level runs it, while another machine has the BMC's address. */
    @Test
    void throughOurProgramItBelievesTheBmcAsThePlanSays() throws Exception {
        Pem.writeCertificates(
                directory.resolve("ca.crt"), List.of(LoopbackBmc.AUTHORITY.certificate()));
        CertificateAuthority foreign =
                CertificateAuthority.create("foreign", Duration.ofDays(1), InstantSource.system());
        Pem.writeCertificates(directory.resolve("foreign.crt"), List.of(foreign.certificate()));

        assertThat(verifying("/mnt/ca.crt").exitCode()).isZero();
        assertThat(verifying(pin(bench.tls.certificate())).exitCode()).isZero();
        assertThat(verifying("unverified").exitCode()).isZero();
        for (String other : List.of("/mnt/foreign.crt", pin(foreign.certificate()), "system")) {
            assertThat(verifying(other).exitCode()).as(other).isEqualTo(1);
        }
    }

    private static String pin(X509Certificate certificate) {
        return "sha256:"
                + Fingerprint.of(certificate).value().replace(":", "").toLowerCase(Locale.ROOT);
    }

    private Output verifying(String certificate) throws IOException {
        Path program = directory.resolve("fence-redfish");
        Files.copy(
                Path.of("../packaging/src/root/usr/share/tandem/fence-redfish"),
                program,
                StandardCopyOption.REPLACE_EXISTING);
        return commands.run(
                LIMIT,
                node.command(directory, List.of("/usr/bin/python3", "-I", "/mnt/fence-redfish")),
                parameters(
                        "status",
                        "systems_uri=%s\ncertificate=%s"
                                .formatted(LoopbackBmc.SYSTEM, certificate)));
    }

    @Test
    void wrongCredentialsFail() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));

        assertThat(fence("off", "ssl_insecure=1").exitCode()).isEqualTo(1);
        assertThat(bench.machine.isRunning()).isTrue();
    }

    @Test
    void aLiarIsFoundOut() throws Exception {
        bench.bmc.behave(BmcBehaviour.FAULTLESS.withLies(true));

        assertThat(fence("off", "ssl_insecure=1\npower_timeout=3").exitCode()).isEqualTo(1);
        assertThat(bench.machine.isRunning()).isTrue();
    }

    private Output fence(String action, String more) {
        return run(action, "systems_uri=" + LoopbackBmc.SYSTEM + "\n" + more);
    }

    private Output run(String action, String more) {
        return commands.run(
                LIMIT, node.command(directory, List.of(FENCE_REDFISH)), parameters(action, more));
    }

    private String parameters(String action, String more) {
        return """
        action=%s
        ip=%s
        ipport=%d
        username=%s
        password=%s
        %s
        """
                .formatted(
                        action,
                        bench.bmc.address().getAddress().getHostAddress(),
                        bench.bmc.address().getPort(),
                        LoopbackBmc.USER,
                        LoopbackBmc.PASSWORD,
                        more);
    }
}
