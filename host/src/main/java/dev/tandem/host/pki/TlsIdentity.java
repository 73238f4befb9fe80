package dev.tandem.host.pki;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A private key with its certificate, leaf first, as one side of a TLS connection shows it. The key
 * does not appear in {@link #toString}.
 */
public record TlsIdentity(PrivateKey key, List<X509Certificate> chain) {

    public TlsIdentity {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("a TLS identity needs a certificate");
        }
    }

    public X509Certificate certificate() {
        return chain.getFirst();
    }

    public Fingerprint fingerprint() {
        return Fingerprint.of(certificate());
    }

    public Instant expires() {
        return certificate().getNotAfter().toInstant();
    }

    /** True when less than a third of its life is left: early enough to repair a failed renewal. */
    public boolean dueForRenewal(Instant now) {
        Instant begins = certificate().getNotBefore().toInstant();
        return now.isAfter(expires().minus(Duration.between(begins, expires()).dividedBy(3)));
    }

    @Override
    public String toString() {
        return "TlsIdentity["
                + certificate().getSubjectX500Principal()
                + ", "
                + fingerprint()
                + ", until "
                + expires()
                + "]";
    }
}
