package dev.tandem.host.pki;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
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
