package dev.tandem.host.pki;

import dev.tandem.core.Failure;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Whether an issued certificate is fit to be put in place. */
public final class LeafCheck {
    private LeafCheck() {}

    /**
     * Fails where a certificate is somebody else's, too old or of another authority.
     *
     * @param commonName whom it has to be for
     * @param authorities those that lie beside it
     */
    public static void require(
            Path file,
            TlsIdentity leaf,
            String commonName,
            List<X509Certificate> authorities,
            Instant now) {
        String subject = leaf.certificate().getSubjectX500Principal().getName();
        if (!SubjectName.commonName(leaf.certificate()).equals(Optional.of(commonName))) {
            throw new Failure(
                    "refusing " + file,
                    "it is for " + subject + ", not for " + commonName,
                    "take the directory that was issued for this node");
        }
        if (leaf.expires().isBefore(now)) {
            throw new Failure(
                    "refusing " + file,
                    "it expired at " + leaf.expires(),
                    "issue new ones: tandem certs issue PLAN.yaml --dir SITE");
        }
        if (authorities.stream().noneMatch(authority -> signed(authority, leaf))) {
            throw new Failure(
                    "refusing " + file,
                    "no authority in ca.pem beside it has signed it",
                    "take a directory as a whole, as it was issued");
        }
    }

    private static boolean signed(X509Certificate authority, TlsIdentity leaf) {
        try {
            leaf.certificate().verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            // Signed by somebody else.
            return false;
        }
    }
}
