package dev.tandem.agent.peer;

import dev.tandem.agent.state.DurableMark;
import dev.tandem.core.NodeName;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.TlsIdentity;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** A site with an authority, on the loopback. */
final class TestSite {
    private static final Duration DAY = Duration.ofDays(1);

    private final Path directory;

    TestSite(Path directory) {
        this.directory = directory;
        if (!SitePki.isIn(directory.resolve("ca"))) {
            SitePki.create(directory.resolve("ca"), "test", InstantSource.system());
        }
    }

    /** What `tandem certs issue` would write for a node. */
    TlsIdentity issued(NodeName node, SitePki.Purpose purpose) {
        Path keys = directory.resolve(node.value());
        if (!purpose.key(keys).toFile().exists()) {
            SitePki.load(directory.resolve("ca"), InstantSource.system())
                    .issue(node.value(), List.of("127.0.0.1"), keys);
        }
        return Pem.readIdentity(purpose.certificate(keys), purpose.key(keys));
    }

    /** As agents had them before their certificates said what they are for. */
    TlsIdentity older(NodeName node) {
        return authority()
                .issue(LeafProfile.serverAndClient(node.value(), List.of("127.0.0.1"), DAY));
    }

    CertificateAuthority authority() {
        return CertificateAuthority.load(
                directory.resolve("ca/ca.pem"),
                directory.resolve("ca/ca.key"),
                InstantSource.system());
    }

    List<X509Certificate> authorities() {
        return List.of(authority().certificate());
    }

    /** Of the peer of a node, which this node has not seen before. */
    PeerCertificates certificatesOf(NodeName peer) {
        return new PeerCertificates(
                peer, new DurableMark(directory.resolve("renewed-" + peer.value())));
    }
}
