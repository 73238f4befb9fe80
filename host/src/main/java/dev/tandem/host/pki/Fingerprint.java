package dev.tandem.host.pki;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** SHA-256 of a certificate, written as openssl writes it: upper case, colons between bytes. */
public record Fingerprint(String value) {
    private static final Pattern SHA256 = Pattern.compile("[0-9A-F]{2}(:[0-9A-F]{2}){31}");
    private static final HexFormat COLONS = HexFormat.ofDelimiter(":").withUpperCase();

    public Fingerprint {
        if (!SHA256.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "'" + value + "' is not a SHA-256 fingerprint: 32 bytes in hex are expected");
        }
    }

    public static Fingerprint of(X509Certificate certificate) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
            return new Fingerprint(COLONS.formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        } catch (CertificateEncodingException e) {
            throw new IllegalArgumentException("the certificate cannot be encoded", e);
        }
    }

    /** Takes what people paste: with or without colons, in either case. */
    public static Fingerprint parse(String text) {
        String digits = text.strip().replace(":", "").toUpperCase(Locale.ROOT);
        if (digits.length() != 64) {
            return new Fingerprint(text);
        }
        return new Fingerprint(digits.replaceAll("(..)(?!$)", "$1:"));
    }

    @Override
    public String toString() {
        return value;
    }
}
