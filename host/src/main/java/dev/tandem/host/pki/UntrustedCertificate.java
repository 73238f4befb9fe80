package dev.tandem.host.pki;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** A server showed a certificate that is not believed; tells which, so that it can be pinned. */
public final class UntrustedCertificate extends CertificateException {
    private static final long serialVersionUID = 1L;

    private final transient Fingerprint shown;

    private UntrustedCertificate(X509Certificate leaf, String why, CertificateException cause) {
        super(why, cause);
        this.shown = Fingerprint.of(leaf);
    }

    /** A certificate that is not the one which was pinned. */
    static UntrustedCertificate other(X509Certificate leaf, Fingerprint expected) {
        return new UntrustedCertificate(
                leaf,
                "it is another one than the pinned " + expected,
                new CertificateException("not pinned"));
    }

    /** A certificate that the authorities do not vouch for. */
    static UntrustedCertificate refused(X509Certificate leaf, CertificateException cause) {
        return new UntrustedCertificate(leaf, why(leaf, cause), cause);
    }

    /** Says it without the names of classes, which the JDK puts into its own words. */
    private static String why(X509Certificate leaf, CertificateException refusal) {
        for (Throwable cause = refusal; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case CertificateExpiredException _ -> {
                    return "it expired on " + leaf.getNotAfter().toInstant();
                }
                case CertificateNotYetValidException _ -> {
                    return "it is not valid before " + leaf.getNotBefore().toInstant();
                }
                case CertPathBuilderException _ -> {
                    return leaf.getSubjectX500Principal().equals(leaf.getIssuerX500Principal())
                            ? "it is self-signed"
                            : "its authority is not trusted here: "
                                    + leaf.getIssuerX500Principal().getName();
                }
                default -> {}
            }
        }
        return String.valueOf(refusal.getMessage());
    }

    /** The one that a failed connection has met; empty where that failed for something else. */
    public static Optional<UntrustedCertificate> in(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof UntrustedCertificate untrusted) {
                return Optional.of(untrusted);
            }
        }
        return Optional.empty();
    }

    /** Why it is not believed, half a sentence. */
    public String why() {
        return String.valueOf(getMessage());
    }

    public Fingerprint shown() {
        return shown;
    }
}
