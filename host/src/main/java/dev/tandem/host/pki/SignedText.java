package dev.tandem.host.pki;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Optional;

/**
 * A content with a signature and the certificate of who signed it, as text of letters, digits,
 * dashes, underscores and dots: for places that others can write too, such as attributes of the
 * cluster. What is signed are the bytes as they were sent, so nothing has to be put into one form
 * before it can be compared.
 */
public final class SignedText {
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private SignedText() {}

    /** What was signed, and by whom. The signer is one of the site; which, is to be looked at. */
    public static final class Verified {
        private final byte[] content;
        private final X509Certificate signer;

        private Verified(byte[] content, X509Certificate signer) {
            this.content = content;
            this.signer = signer;
        }

        public byte[] content() {
            return content.clone();
        }

        public X509Certificate signer() {
            return signer;
        }
    }

    /**
     * Signs a content with the key of an identity.
     *
     * @param subject what kind of thing is signed, so that it is not taken for another
     */
    public static String sign(TlsIdentity identity, String subject, byte[] content) {
        try {
            Signature signature = Signature.getInstance(algorithm(identity.key()));
            signature.initSign(identity.key());
            update(signature, subject, content);
            return String.join(
                    ".",
                    ENCODER.encodeToString(content),
                    ENCODER.encodeToString(identity.certificate().getEncoded()),
                    ENCODER.encodeToString(signature.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("this key cannot sign", e);
        }
    }

    /** Empty where it is not signed, or not by somebody who is trusted. */
    public static Optional<Verified> verify(String text, String subject, SiteTrust trust) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 3) {
            return Optional.empty();
        }
        try {
            byte[] content = DECODER.decode(parts[0]);
            if (!(CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(DECODER.decode(parts[1])))
                    instanceof X509Certificate signer)) {
                return Optional.empty();
            }
            trust.check(signer);
            Signature signature = Signature.getInstance(algorithm(signer.getPublicKey()));
            signature.initVerify(signer.getPublicKey());
            update(signature, subject, content);
            return signature.verify(DECODER.decode(parts[2]))
                    ? Optional.of(new Verified(content, signer))
                    : Optional.empty();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Not of this site, not of this kind, or no text of ours at all.
            return Optional.empty();
        }
    }

    private static void update(Signature signature, String subject, byte[] content)
            throws GeneralSecurityException {
        signature.update(subject.getBytes(StandardCharsets.UTF_8));
        // A subject has no zero in it, so no subject and content run into another pair.
        signature.update((byte) 0);
        signature.update(content);
    }

    static String algorithm(Key key) {
        return switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> "Ed25519";
        };
    }
}
