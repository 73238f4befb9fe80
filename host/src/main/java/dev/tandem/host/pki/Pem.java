package dev.tandem.host.pki;

import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PEM files of certificates and of unencrypted PKCS#8 keys. A file appears whole or not at all, and
 * a key is at no moment readable by anybody but its owner.
 */
public final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final String OWNER_ONLY = "rw-------";
    private static final String READABLE = "rw-r--r--";
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.of(
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE);

    private Pem() {}

    public static String encode(List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                text.append(block("CERTIFICATE", certificate.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new IllegalArgumentException("a certificate cannot be encoded", e);
            }
        }
        return text.toString();
    }

    public static String encode(PrivateKey key) {
        byte[] encoded = key.getEncoded();
        if (encoded == null || !"PKCS#8".equals(key.getFormat())) {
            throw new IllegalArgumentException("this private key cannot be exported");
        }
        return block("PRIVATE KEY", encoded);
    }

    /** All certificates of a text, in its order; other blocks are passed over. */
    public static List<X509Certificate> certificates(String text, String origin) {
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals("CERTIFICATE")) {
                certificates.add(certificate(decode(blocks.group(2), origin), origin));
            }
        }
        if (certificates.isEmpty()) {
            throw new Failure(
                    "cannot read a certificate from " + origin,
                    "it holds no CERTIFICATE block",
                    "give a PEM file, which begins with -----BEGIN CERTIFICATE-----");
        }
        return List.copyOf(certificates);
    }

    /** The one private key of a text. */
    public static PrivateKey privateKey(String text, String origin) {
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            String kind = blocks.group(1);
            if (kind.equals("PRIVATE KEY")) {
                return pkcs8(decode(blocks.group(2), origin), origin);
            }
            if (kind.endsWith("PRIVATE KEY")) {
                throw new Failure(
                        "cannot read the private key of " + origin,
                        "it is written as " + kind + ", and only plain PKCS#8 is read",
                        "convert it: openssl pkcs8 -topk8 -nocrypt -in " + origin);
            }
        }
        throw new Failure(
                "cannot read a private key from " + origin,
                "it holds no PRIVATE KEY block",
                "give a PEM file, which begins with -----BEGIN PRIVATE KEY-----");
    }

    public static List<X509Certificate> readCertificates(Path file) {
        return certificates(read(file), file.toString());
    }

    /** Reads a key, unless others than its owner can read it too: then it has leaked already. */
    public static PrivateKey readPrivateKey(Path file) {
        String text = read(file);
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(OTHERS::contains)) {
                throw new Failure(
                        "refusing the private key " + file,
                        "others can read or change it: "
                                + PosixFilePermissions.toString(permissions),
                        "chmod 0600 " + file + ", and renew the key if it may have been read");
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        return privateKey(text, file.toString());
    }

    public static TlsIdentity readIdentity(Path certificate, Path key) {
        TlsIdentity identity = new TlsIdentity(readPrivateKey(key), readCertificates(certificate));
        if (!CertificateAuthority.belongTogether(
                identity.key(), identity.certificate().getPublicKey())) {
            throw new Failure(
                    "cannot use " + certificate + " with " + key,
                    "the certificate was issued for another key",
                    "restore the pair from one backup, or renew both");
        }
        return identity;
    }

    public static void writeCertificates(Path file, List<X509Certificate> certificates) {
        write(file, encode(certificates), READABLE);
    }

    public static void writePrivateKey(Path file, PrivateKey key) {
        write(file, encode(key), OWNER_ONLY);
    }

    /**
     * Key before certificate: a crash between the two leaves a pair that does not match, which
     * {@link #readIdentity} refuses. A renewal by the same key has no such moment.
     */
    public static void writeIdentity(Path certificate, Path key, TlsIdentity identity) {
        writePrivateKey(key, identity.key());
        writeCertificates(certificate, identity.chain());
    }

    private static void write(Path file, String text, String permissions) {
        try {
            DurableFiles.createDirectories(DurableFiles.parent(file));
            DurableFiles.write(file, text, permissions);
        } catch (IOException e) {
            throw new Failure(
                    "cannot write " + file,
                    IoErrors.words(e),
                    "check free space and permissions of " + DurableFiles.parent(file),
                    e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static Failure unreadable(Path file, IOException e) {
        return new Failure(
                "cannot read " + file,
                IoErrors.words(e),
                "check the name of the file and its permissions",
                e);
    }

    private static byte[] decode(String base64, String origin) {
        try {
            return Base64.getMimeDecoder().decode(base64.strip());
        } catch (IllegalArgumentException e) {
            throw damaged(origin, e);
        }
    }

    private static X509Certificate certificate(byte[] der, String origin) {
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            if (factory.generateCertificate(new ByteArrayInputStream(der))
                    instanceof X509Certificate certificate) {
                return certificate;
            }
            throw new IllegalStateException("the X.509 factory made something else");
        } catch (CertificateException e) {
            throw damaged(origin, e);
        }
    }

    private static PrivateKey pkcs8(byte[] der, String origin) {
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(der);
        GeneralSecurityException none = new InvalidKeySpecException("no EC, RSA or Ed25519 key");
        for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("the JDK lacks " + algorithm, e);
            } catch (InvalidKeySpecException e) {
                // PKCS#8 names its algorithm inside; a factory for another one says so thus.
                none.addSuppressed(e);
            }
        }
        throw damaged(origin, none);
    }

    private static Failure damaged(String origin, Exception cause) {
        return new Failure(
                "cannot read " + origin,
                "it is damaged: " + cause.getMessage(),
                "restore it from a backup, or renew it",
                cause);
    }

    private static String block(String kind, byte[] der) {
        return "-----BEGIN "
                + kind
                + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END "
                + kind
                + "-----\n";
    }
}
