package dev.tandem.redfishsim;

import static dev.tandem.redfishsim.testing.LoopbackBmc.PASSWORD;
import static dev.tandem.redfishsim.testing.LoopbackBmc.SYSTEM;
import static dev.tandem.redfishsim.testing.LoopbackBmc.USER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.Fingerprint;
import dev.tandem.host.pki.Pem;
import dev.tandem.redfishsim.testing.LoopbackBmc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whom the second fencing level believes. The agent that is run here asks the BMC as stock {@code
 * fence_redfish} 4.16 does, by the library requests; FenceRedfishIT has the stock agent itself.
 */
class FenceRedfishTest {
    private static final Path PROGRAM =
            Path.of("..", "packaging", "src", "root", "usr", "share", "tandem", "fence-redfish")
                    .toAbsolutePath();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String STOCK =
            """
            import sys
            given = dict(line.strip().split("=", 1) for line in sys.stdin if "=" in line)
            url = "https://%s:%s%s" % (given["ip"], given["ipport"], given["systems_uri"])
            if "by" in given:
                sys.exit(2)
            import requests
            answer = requests.get(
                url, verify="ssl_insecure" not in given, auth=(given["username"], given["password"]))
            sys.exit(2 if answer.json()["PowerState"] == "Off" else 0)
            """;

    @TempDir private Path directory;
    private LoopbackBmc bench;
    private String password = PASSWORD;

    @BeforeAll
    static void findRequests() {
        assumeTrue(
                new SystemCommands()
                        .run(LIMIT, List.of("python3", "-I", "-c", "import requests"))
                        .ok(),
                "python3 has no requests");
    }

    @BeforeEach
    void start() throws IOException {
        bench = new LoopbackBmc();
    }

    @AfterEach
    void stop() throws IOException {
        bench.close();
    }

    private Commands.Output status(String... more) throws IOException {
        Path stock = directory.resolve("stock");
        Files.writeString(stock, STOCK);
        Files.setPosixFilePermissions(stock, PosixFilePermissions.fromString("rwx------"));
        return new SystemCommands()
                .run(
                        LIMIT,
                        List.of(
                                "env",
                                "TANDEM_STOCK_FENCE_REDFISH=" + stock,
                                "TANDEM_DENIED=" + denied(),
                                // What may stand in the environment of Pacemaker decides nothing.
                                "REQUESTS_CA_BUNDLE=" + authorityOf("lab", LoopbackBmc.AUTHORITY),
                                "HTTPS_PROXY=http://127.0.0.1:9",
                                "TANDEM_MACHINE_TOLD=" + told(),
                                "python3",
                                "-I",
                                PROGRAM.toString()),
                        """
                        action=status
                        ip=127.0.0.1
                        ipport=%d
                        systems_uri=%s
                        username=%s
                        password=%s
                        %s
                        """
                                .formatted(
                                        bench.bmc.address().getPort(),
                                        SYSTEM,
                                        USER,
                                        password,
                                        String.join("\n", more)));
    }

    private Path told() {
        return directory.resolve("told");
    }

    /** The record of a fence is to say whose Off it was. */
    @Test
    void whatTheBmcTellsOfItsMachineIsLeftBesideItsPower() throws Exception {
        assertThat(status("certificate=" + pin(bench.tls.certificate())).exitCode()).isZero();
        assertThat(Files.readString(told())).matches(";uuid=[0-9a-fA-F-]{36}(;serial=[^;\n]+)?");

        Files.delete(told());
        assertThat(status("certificate=" + pin(LoopbackBmc.AUTHORITY.certificate())).exitCode())
                .isOne();
        assertThat(told()).doesNotExist();
    }

    private Path authorityOf(String name, CertificateAuthority authority) throws IOException {
        return written(name, authority.certificate());
    }

    private Path written(String name, X509Certificate certificate) throws IOException {
        Path file = directory.resolve(name + ".pem");
        Pem.writeCertificates(file, List.of(certificate));
        return file;
    }

    private String pin(X509Certificate certificate) {
        return "sha256:"
                + Fingerprint.of(certificate).value().replace(":", "").toLowerCase(Locale.ROOT);
    }

    @Test
    void aBmcIsBelievedByItsAuthorityOrByItsVeryCertificate() throws Exception {
        X509Certificate shown = bench.tls.certificate();

        assertThat(status("certificate=" + authorityOf("its", LoopbackBmc.AUTHORITY)).exitCode())
                .isZero();
        assertThat(status("certificate=" + pin(shown)).exitCode()).isZero();
        assertThat(status("certificate=" + written("leaf", shown)).exitCode()).isZero();
        assertThat(status("certificate=unverified").exitCode()).isZero();

        bench.machine.cutPower();
        assertThat(status("certificate=" + pin(shown)).exitCode()).isEqualTo(2);
    }

    /** Somebody else answers at the address: he is not shown the password, right or wrong. */
    @Test
    void aForeignCertificateIsRefusedBeforeAnythingIsSent() throws Exception {
        password = "not this one";
        CertificateAuthority foreign =
                CertificateAuthority.create("foreign", Duration.ofDays(1), InstantSource.system());

        for (String certificate :
                List.of(
                        "system",
                        pin(foreign.certificate()),
                        authorityOf("foreign", foreign).toString())) {
            Commands.Output output = status("certificate=" + certificate);

            assertThat(output.exitCode()).as(certificate + output.err()).isEqualTo(1);
        }
        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.LOGIN_REFUSED);

        assertThat(status("certificate=unverified").exitCode()).isEqualTo(1);
        assertThat(bench.kinds()).contains(BmcEvent.Kind.LOGIN_REFUSED);
    }

    /** The stock agent takes whatever it printed, and be it nothing, for the password. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    echo '%s'                | 0
                    echo '%s'; exit 1        | 1
                    exit 0                   | 1
                    """)
    void thePasswordIsReadBeforeTheBmcIsAsked(String script, int code) throws Exception {
        Path program = directory.resolve("password");
        Files.writeString(program, "#!/bin/sh\n" + script.formatted(PASSWORD) + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        password = "not this one";

        assertThat(
                        status("certificate=unverified", "password_script=" + program + " node-1")
                                .exitCode())
                .isEqualTo(code);
        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.LOGIN_REFUSED);
    }

    /** The shim around this does not try it again soon: BMCs lock accounts. */
    @Test
    void aDeniedPasswordIsTold() throws Exception {
        assertThat(status("certificate=unverified").exitCode()).isZero();
        assertThat(denied()).doesNotExist();

        password = "not this one";
        status("certificate=system");
        assertThat(denied()).as("it was not shown to anybody").doesNotExist();
        status("certificate=unverified");
        assertThat(denied()).exists();
    }

    private Path denied() {
        return directory.resolve("denied");
    }

    @ParameterizedTest
    @CsvSource({"ssl_insecure=1", "ssl_insecure=0", "ssl-insecure=1"})
    void whatTheStockAgentHasForItDoesNotContradict(String its) throws Exception {
        password = "not this one";

        assertThat(status("certificate=system", its).exitCode()).isEqualTo(1);
        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.LOGIN_REFUSED);
    }

    @ParameterizedTest
    @CsvSource({
        "''",
        "certificate=",
        "certificate=yes",
        "certificate=sha256:00",
        "certificate=/does/not/exist"
    })
    void withoutAWordOnTheCertificateNothingIsAsked(String parameter) throws Exception {
        password = "not this one";

        Commands.Output output = status(parameter, "ssl_insecure=1");

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err()).startsWith("fence-redfish: ");
        assertThat(bench.kinds()).doesNotContain(BmcEvent.Kind.LOGIN_REFUSED);
    }

    /** A later stock agent may ask in another way. */
    @Test
    void anAnswerOverAConnectionThatNobodyVerifiedDoesNotCount() throws Exception {
        Commands.Output output = status("certificate=unverified", "by=another way");

        assertThat(output.exitCode()).isEqualTo(1);
        assertThat(output.err()).contains("its answer does not count");
    }
}
