package dev.tandem.host.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateAuthorityTest {
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    private final CertificateAuthority authority =
            CertificateAuthority.create("site", YEAR.multipliedBy(10), InstantSource.system());

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aServerIsTrustedUnderItsAddress(String address) throws Exception {
        TlsIdentity server =
                authority.issue(LeafProfile.server("bmc", List.of("bmc.lab", address), YEAR));

        assertThat(handshake(Tls.server(server), trusting(authority), address, false))
                .isEqualTo(server.certificate());
    }

    @Test
    void aServerIsNotTrustedUnderAnAddressItDoesNotCarry() {
        TlsIdentity server =
                authority.issue(LeafProfile.server("bmc", List.of("127.0.0.2", "::1"), YEAR));

        assertThatThrownBy(() ->
                        handshake(Tls.server(server), trusting(authority), "127.0.0.1", false))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void aServerOfAnotherAuthorityIsNotTrustedThoughBothHaveTheSameName() {
        CertificateAuthority other =
                CertificateAuthority.create("site", YEAR, InstantSource.system());
        TlsIdentity server = other.issue(LeafProfile.server("bmc", List.of("127.0.0.1"), YEAR));

        assertThatThrownBy(() ->
                        handshake(Tls.server(server), trusting(authority), "127.0.0.1", false))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void aClientCertificateServesNoServer() {
        TlsIdentity client =
                authority.issue(
                        new LeafProfile(
                                "user",
                                List.of(),
                                Set.of(LeafProfile.Usage.CLIENT),
                                List.of("127.0.0.1"),
                                YEAR));

        assertThatThrownBy(() ->
                        handshake(Tls.server(client), trusting(authority), "127.0.0.1", false))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void bothSidesOfMutualTlsKnowEachOther() throws Exception {
        TlsIdentity peer =
                authority.issue(LeafProfile.serverAndClient("etcd", List.of("127.0.0.1"), YEAR));
        SSLContext server = Tls.server(peer, List.of(authority.certificate()));
        SSLContext client = Tls.client(List.of(authority.certificate()), Optional.of(peer));

        assertThat(handshake(server, client, "127.0.0.1", true)).isEqualTo(peer.certificate());
        assertThatThrownBy(() -> handshake(server, trusting(authority), "127.0.0.1", true))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aPinnedClientTakesOneCertificateWhateverItsName() throws Exception {
        TlsIdentity factory = authority.issue(LeafProfile.server("x", List.of("factory"), YEAR));
        TlsIdentity other = authority.issue(LeafProfile.server("x", List.of("factory"), YEAR));
        SSLContext pinned = Tls.clientPinnedTo(factory.fingerprint());

        assertThat(handshake(Tls.server(factory), pinned, "127.0.0.1", false))
                .isEqualTo(factory.certificate());
        assertThatThrownBy(() -> handshake(Tls.server(other), pinned, "127.0.0.1", false))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void aLeafNeverOutlivesItsAuthority() {
        CertificateAuthority brief =
                CertificateAuthority.create("brief", Duration.ofDays(2), InstantSource.system());

        assertThat(brief.issue(LeafProfile.client("user", YEAR)).expires())
                .isEqualTo(brief.identity().expires());
    }

    @Test
    void aYearAfter2049IsWrittenWithFourDigits() {
        CertificateAuthority distant =
                CertificateAuthority.create("far", YEAR.multipliedBy(50), InstantSource.fixed(NOW));

        assertThat(distant.identity().expires()).isEqualTo(NOW.plus(YEAR.multipliedBy(50)));
    }

    @Test
    void aRenewedLeafKeepsItsKey() {
        LeafProfile profile = LeafProfile.client("user", YEAR);
        TlsIdentity old = authority.issue(profile);

        TlsIdentity renewed = authority.renew(profile, old);

        assertThat(renewed.certificate().getPublicKey())
                .isEqualTo(old.certificate().getPublicKey());
        assertThat(renewed.certificate().getSerialNumber())
                .isNotEqualTo(old.certificate().getSerialNumber());
    }

    @Test
    void leavesStayTrustedWhenTheirAuthorityIsRenewed() throws Exception {
        TlsIdentity server = authority.issue(LeafProfile.server("bmc", List.of("127.0.0.1"), YEAR));

        CertificateAuthority renewed = authority.renew(YEAR.multipliedBy(20));

        assertThat(handshake(Tls.server(server), trusting(renewed), "127.0.0.1", false))
                .isEqualTo(server.certificate());
    }

    @Test
    void anAuthorityComesBackFromItsFilesAndItsKeyIsForItsOwnerOnly() throws Exception {
        Path certificate = directory.resolve("deep/ca.crt");
        Path key = directory.resolve("deep/ca.key");

        authority.save(certificate, key);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(certificate)))
                .isEqualTo("rw-r--r--");
        assertThat(
                        CertificateAuthority.load(certificate, key, InstantSource.system())
                                .certificate())
                .isEqualTo(authority.certificate());
        try (var files = Files.list(directory.resolve("deep"))) {
            assertThat(files).containsExactlyInAnyOrder(certificate, key);
        }
    }

    @Test
    void aKeyThatOthersCanReadIsRefused() throws Exception {
        Path key = directory.resolve("ca.key");
        Pem.writePrivateKey(key, authority.identity().key());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));

        assertThatThrownBy(() -> Pem.readPrivateKey(key))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("rw-r-----");
    }

    @Test
    void aCertificateWithTheKeyOfAnotherIsRefused() {
        Path certificate = directory.resolve("leaf.crt");
        Path key = directory.resolve("leaf.key");
        TlsIdentity leaf = authority.issue(LeafProfile.client("user", YEAR));
        Pem.writeIdentity(certificate, key, leaf);
        Pem.writePrivateKey(key, authority.identity().key());

        assertThatThrownBy(() -> Pem.readIdentity(certificate, key))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("another key");
    }

    @Test
    void aDamagedFileIsNamed() {
        assertThatThrownBy(() ->
                        Pem.certificates(
                                "-----BEGIN CERTIFICATE-----\nMAMC\n" + "-----END CERTIFICATE-----",
                                "/etc/x.crt"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("/etc/x.crt");
        assertThatThrownBy(() -> Pem.privateKey("", "/etc/x.key"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("no PRIVATE KEY block");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-node", "no de", "1.2.3", "1.2.3.256", "fe80::1%eth0", "::g"})
    void whatIsNeitherNameNorAddressIsRefused(String name) {
        assertThatThrownBy(() -> LeafProfile.server("bmc", List.of(name), YEAR))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPrintedIdentityDoesNotShowItsKey() {
        assertThat(authority.identity().toString())
                .contains("CN=site")
                .doesNotContain(authority.identity().key().toString());
    }

    @Test
    void aFingerprintIsReadInEverySpelling() {
        Fingerprint fingerprint = authority.identity().fingerprint();

        assertThat(Fingerprint.parse(fingerprint.value().replace(":", "").toLowerCase(Locale.ROOT)))
                .isEqualTo(fingerprint);
        assertThatThrownBy(() -> Fingerprint.parse("AB:CD"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static SSLContext trusting(CertificateAuthority authority) {
        return Tls.client(List.of(authority.certificate()), Optional.empty());
    }

    /** The certificate the client accepted, name and all. */
    private static X509Certificate handshake(
            SSLContext server, SSLContext client, String address, boolean mutual)
            throws IOException {
        InetAddress local = InetAddress.ofLiteral(address);
        try (SSLServerSocket listening =
                        (SSLServerSocket)
                                server.getServerSocketFactory().createServerSocket(0, 1, local);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            listening.setNeedClientAuth(mutual);
            // What the server thinks of a refused handshake is not asked: the client's view counts.
            var _ =
                    threads.submit(() -> {
                        try (SSLSocket accepted = (SSLSocket) listening.accept()) {
                            accepted.getOutputStream().write('x');
                        }
                        return null;
                    });
            try (SSLSocket socket =
                    (SSLSocket)
                            client.getSocketFactory()
                                    .createSocket(local, listening.getLocalPort())) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
                // In TLS 1.3 a client learns with the first byte whether the server took it.
                if (socket.getInputStream().read() != 'x') {
                    throw new IOException("the server hung up");
                }
                return (X509Certificate) socket.getSession().getPeerCertificates()[0];
            }
        }
    }
}
