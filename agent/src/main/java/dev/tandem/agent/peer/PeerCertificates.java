package dev.tandem.agent.peer;

import dev.tandem.agent.state.DurableMark;
import dev.tandem.core.NodeName;
import dev.tandem.host.pki.CertificateUse;
import dev.tandem.host.pki.SubjectName;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * Whether a certificate that the site has signed is that of the peer's agent.
 *
 * <p>Certificates of agents have said what they are for only since ADR 22. One of the older ones is
 * taken as long as the peer has never shown a newer one: so the two nodes may be renewed one after
 * the other, and a key that leaked before opens nothing afterwards.
 */
public final class PeerCertificates {
    private final NodeName peer;
    private final DurableMark renewed;

    /**
     * @param renewed whether the peer has shown a certificate that names its purpose
     */
    public PeerCertificates(NodeName peer, DurableMark renewed) {
        this.peer = peer;
        this.renewed = renewed;
    }

    /** Why it is not the peer's; empty where it is. */
    public Optional<String> refusal(X509Certificate certificate) {
        Optional<String> named = SubjectName.commonName(certificate);
        if (!named.equals(Optional.of(peer.value()))) {
            return Optional.of(
                    "it is for %s, not for %s"
                            .formatted(
                                    named.map(name -> "\"" + name + "\"").orElse("nobody"), peer));
        }
        return switch (CertificateUse.of(certificate)) {
            case AGENT -> Optional.empty();
            case ANY_SERVER_AND_CLIENT ->
                    renewed.isSet()
                            ? Optional.of(
                                    "it does not say that it is an agent's, and %s had one that"
                                                    .formatted(peer)
                                            + " did; issue new ones: tandem certs issue PLAN.yaml"
                                            + " --dir SITE")
                            : Optional.empty();
            case OTHER -> Optional.of("it is not for agents");
        };
    }

    /**
     * Remembers what the peer has. Only for a certificate that is the peer's, and after its holder
     * has shown that he has the key too: the certificate alone anybody can show.
     */
    void shown(X509Certificate certificate) {
        if (CertificateUse.of(certificate) == CertificateUse.AGENT) {
            renewed.set();
        }
    }
}
