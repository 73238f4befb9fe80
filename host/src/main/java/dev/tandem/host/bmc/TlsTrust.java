package dev.tandem.host.bmc;

import dev.tandem.host.pki.Fingerprint;
import dev.tandem.host.pki.Tls;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** By what a BMC's certificate is believed. */
public sealed interface TlsTrust {

    /** It is signed by one of these, and carries the name it is called by. */
    record Authorities(List<X509Certificate> certificates) implements TlsTrust {
        public Authorities {
            certificates = List.copyOf(certificates);
        }

        @Override
        public String toString() {
            return "Authorities[" + certificates.size() + "]";
        }
    }

    /** It is signed by an authority the system trusts. */
    record SystemAuthorities() implements TlsTrust {}

    /** It is this very certificate. */
    record Pinned(Fingerprint fingerprint) implements TlsTrust {}

    /**
     * Any certificate does. Only for those who asked for it: anybody on the fencing network can
     * read the password, and can answer Off for a machine that runs.
     */
    record Anybody() implements TlsTrust {}

    default SSLContext context() {
        return switch (this) {
            case Authorities(List<X509Certificate> certificates) ->
                    Tls.client(certificates, Optional.empty());
            case SystemAuthorities() -> Tls.client();
            case Pinned(Fingerprint fingerprint) -> Tls.clientPinnedTo(fingerprint);
            case Anybody() -> Tls.clientTrustingAnybody();
        };
    }
}
