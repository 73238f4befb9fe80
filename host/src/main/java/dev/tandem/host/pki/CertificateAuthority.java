package dev.tandem.host.pki;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A certificate authority with a key on the curve P-256: of a site, or of a lab. It signs leaf
 * certificates only; there are no authorities below it.
 */
public final class CertificateAuthority {
    /** RFC 5280 has four digits for a year; nothing of ours shall come near. */
    private static final Duration LONGEST = Duration.ofDays(100 * 365);

    /**
     * Certificates begin this long ago: a machine whose clock is behind must be able to use what
     * was just issued, or it can never reach a time server over TLS.
     */
    private static final Duration BACKDATED = Duration.ofHours(1);

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final byte[] ECDSA_WITH_SHA256 = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));
    private static final String COMMON_NAME = "2.5.4.3";
    private static final String ORGANIZATION = "2.5.4.10";
    private static final String SUBJECT_KEY_ID = "2.5.29.14";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String AUTHORITY_KEY_ID = "2.5.29.35";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";

    private final TlsIdentity identity;
    private final InstantSource clock;

    private CertificateAuthority(TlsIdentity identity, InstantSource clock) {
        this.identity = identity;
        this.clock = clock;
    }

    /** A new authority with a new key. */
    public static CertificateAuthority create(
            String commonName, Duration validity, InstantSource clock) {
        return create(commonName, validity, newKey(), clock);
    }

    /** The authority of an identity that was saved. */
    public static CertificateAuthority of(TlsIdentity identity, InstantSource clock) {
        if (identity.certificate().getBasicConstraints() < 0) {
            throw new IllegalArgumentException(
                    identity.certificate().getSubjectX500Principal()
                            + " is not the certificate of an authority");
        }
        if (!belongTogether(identity.key(), identity.certificate().getPublicKey())) {
            throw new IllegalArgumentException(
                    "the key is not that of " + identity.certificate().getSubjectX500Principal());
        }
        return new CertificateAuthority(identity, clock);
    }

    public static CertificateAuthority load(Path certificate, Path key, InstantSource clock) {
        return of(Pem.readIdentity(certificate, key), clock);
    }

    public void save(Path certificate, Path key) {
        Pem.writeIdentity(certificate, key, identity);
    }

    public X509Certificate certificate() {
        return identity.certificate();
    }

    /** Key and certificate; whoever holds them is the authority. */
    public TlsIdentity identity() {
        return identity;
    }

    /** The same authority, its name and key unchanged, for a new time: old leaves stay valid. */
    public CertificateAuthority renew(Duration validity) {
        checkValidity(validity);
        return new CertificateAuthority(
                selfSigned(
                        identity.certificate().getSubjectX500Principal().getEncoded(),
                        validity,
                        new KeyPair(identity.certificate().getPublicKey(), identity.key()),
                        clock),
                clock);
    }

    /** A certificate for a new key. */
    public TlsIdentity issue(LeafProfile profile) {
        KeyPair pair = newKey();
        return new TlsIdentity(pair.getPrivate(), List.of(certify(profile, pair.getPublic())));
    }

    /** A certificate for the key of the old one: who pinned the key, or loaded it, goes on. */
    public TlsIdentity renew(LeafProfile profile, TlsIdentity old) {
        return new TlsIdentity(
                old.key(), List.of(certify(profile, old.certificate().getPublicKey())));
    }

    /** A certificate for a key that stays where it was made. */
    public X509Certificate certify(LeafProfile profile, PublicKey subjectKey) {
        List<byte[]> extensions = new ArrayList<>();
        extensions.add(extension(BASIC_CONSTRAINTS, true, Der.sequence()));
        // digitalSignature is bit 0: all that ECDSA needs in TLS 1.2 and 1.3.
        extensions.add(extension(KEY_USAGE, true, Der.bits(new byte[] {(byte) 0x80}, 7)));
        extensions.add(
                extension(
                        EXTENDED_KEY_USAGE,
                        false,
                        Der.sequence(
                                profile.usages().stream()
                                        .sorted()
                                        .map(usage -> Der.oid(usage.oid()))
                                        .toList())));
        extensions.add(extension(SUBJECT_KEY_ID, false, Der.octets(keyId(subjectKey))));
        extensions.add(
                extension(
                        AUTHORITY_KEY_ID,
                        false,
                        Der.sequence(
                                Der.implicit(0, keyId(identity.certificate().getPublicKey())))));
        if (!profile.names().isEmpty()) {
            extensions.add(
                    extension(
                            SUBJECT_ALTERNATIVE_NAME,
                            false,
                            Der.sequence(
                                    profile.names().stream()
                                            .map(LeafProfile::generalName)
                                            .toList())));
        }
        Instant now = clock.instant();
        Instant expires = now.plus(profile.validity());
        Instant last = identity.expires();
        return sign(
                identity.certificate().getSubjectX500Principal().getEncoded(),
                distinguishedName(profile.commonName(), profile.organizations()),
                now.minus(BACKDATED),
                // A leaf that outlives its authority looks fine in every list and fails one day.
                expires.isAfter(last) ? last : expires,
                subjectKey,
                extensions,
                identity.key());
    }

    static void checkValidity(Duration validity) {
        if (validity.compareTo(Duration.ofMinutes(1)) < 0 || validity.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "a validity of " + validity + " is not between one minute and 100 years");
        }
    }

    /** Whether what the private key signs is what the public key accepts. */
    static boolean belongTogether(PrivateKey key, PublicKey publicKey) {
        String algorithm = SignedText.algorithm(key);
        byte[] probe = "tandem".getBytes(StandardCharsets.US_ASCII);
        try {
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(probe);
            byte[] signature = signer.sign();
            signer.initVerify(publicKey);
            signer.update(probe);
            return signer.verify(signature);
        } catch (GeneralSecurityException e) {
            // Keys of different kinds: the verifier does not even take the public one.
            return false;
        }
    }

    private static CertificateAuthority create(
            String commonName, Duration validity, KeyPair pair, InstantSource clock) {
        if (commonName.isBlank()) {
            throw new IllegalArgumentException("an authority needs a name");
        }
        checkValidity(validity);
        return new CertificateAuthority(
                selfSigned(distinguishedName(commonName, List.of()), validity, pair, clock), clock);
    }

    private static TlsIdentity selfSigned(
            byte[] name, Duration validity, KeyPair pair, InstantSource clock) {
        List<byte[]> extensions =
                List.of(
                        extension(
                                BASIC_CONSTRAINTS,
                                true,
                                Der.sequence(Der.bool(true), Der.integer(BigInteger.ZERO))),
                        // keyCertSign and cRLSign are bits 5 and 6.
                        extension(KEY_USAGE, true, Der.bits(new byte[] {0x06}, 1)),
                        extension(SUBJECT_KEY_ID, false, Der.octets(keyId(pair.getPublic()))));
        Instant now = clock.instant();
        X509Certificate certificate =
                sign(
                        name,
                        name,
                        now.minus(BACKDATED),
                        now.plus(validity),
                        pair.getPublic(),
                        extensions,
                        pair.getPrivate());
        return new TlsIdentity(pair.getPrivate(), List.of(certificate));
    }

    private static X509Certificate sign(
            byte[] issuer,
            byte[] subject,
            Instant begins,
            Instant expires,
            PublicKey subjectKey,
            List<byte[]> extensions,
            PrivateKey issuerKey) {
        byte[] toBeSigned =
                Der.sequence(
                        // Version 3 is written as 2.
                        Der.explicit(0, Der.integer(BigInteger.TWO)),
                        Der.integer(serialNumber()),
                        ECDSA_WITH_SHA256,
                        issuer,
                        Der.sequence(
                                Der.time(begins.truncatedTo(ChronoUnit.SECONDS)),
                                Der.time(expires.truncatedTo(ChronoUnit.SECONDS))),
                        subject,
                        // The JDK encodes a public key as the SubjectPublicKeyInfo wanted here.
                        subjectKey.getEncoded(),
                        Der.explicit(3, Der.sequence(extensions)));
        try {
            Signature signer = Signature.getInstance("SHA256withECDSA");
            signer.initSign(issuerKey);
            signer.update(toBeSigned);
            byte[] der = Der.sequence(toBeSigned, ECDSA_WITH_SHA256, Der.bits(signer.sign()));
            if (CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der))
                    instanceof X509Certificate certificate) {
                return certificate;
            }
            throw new IllegalStateException("the X.509 factory made something else");
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the authority's key cannot sign", e);
        }
    }

    /** 127 random bits, positive: RFC 5280 allows 20 bytes and asks for what nobody can guess. */
    private static BigInteger serialNumber() {
        return new BigInteger(126, RANDOM).setBit(126);
    }

    private static byte[] distinguishedName(String commonName, List<String> organizations) {
        List<byte[]> parts = new ArrayList<>();
        organizations.forEach(organization -> parts.add(attribute(ORGANIZATION, organization)));
        parts.add(attribute(COMMON_NAME, commonName));
        return Der.sequence(parts);
    }

    private static byte[] attribute(String oid, String text) {
        return Der.set(Der.sequence(Der.oid(oid), Der.text(text)));
    }

    private static byte[] extension(String oid, boolean critical, byte[] content) {
        // DER leaves out what equals its default, and critical defaults to false.
        return critical
                ? Der.sequence(Der.oid(oid), Der.bool(true), Der.octets(content))
                : Der.sequence(Der.oid(oid), Der.octets(content));
    }

    /** As RFC 7093 allows: SHA-256 of the whole key structure, cut to the usual 160 bits. */
    private static byte[] keyId(PublicKey key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
            return Arrays.copyOf(digest, 20);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has the curve P-256", e);
        }
    }
}
