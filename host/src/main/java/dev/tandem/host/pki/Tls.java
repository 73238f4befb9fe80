package dev.tandem.host.pki;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS contexts for both sides of a connection. */
public final class Tls {
    private Tls() {}

    /** A server that asks its clients for nothing. */
    public static SSLContext server(TlsIdentity identity) {
        return context(keyManagers(identity), null);
    }

    /**
     * A server that knows whose clients it takes. The server socket has to ask for them as well:
     * {@code SSLParameters.setNeedClientAuth(true)}.
     */
    public static SSLContext server(TlsIdentity identity, List<X509Certificate> clientAuthorities) {
        return context(keyManagers(identity), trustManagers(clientAuthorities));
    }

    /** A client that trusts these authorities, and no others. */
    public static SSLContext client(
            List<X509Certificate> authorities, Optional<TlsIdentity> identity) {
        return context(
                identity.map(Tls::keyManagers).orElse(null),
                ReportingTrustManager.around(trustManagers(authorities)));
    }

    /** One end of a connection between agents, whichever. */
    public static SSLContext agent(TlsIdentity identity, SiteTrust trust) {
        return context(keyManagers(identity), new TrustManager[] {trust});
    }

    /** A client that trusts what the system trusts. */
    public static SSLContext client() {
        return client(Optional.empty());
    }

    /** The same, with a certificate of its own where it has one. */
    public static SSLContext client(Optional<TlsIdentity> identity) {
        return context(
                identity.map(Tls::keyManagers).orElse(null),
                ReportingTrustManager.around(trustManagers((KeyStore) null)));
    }

    /**
     * A client that takes one certificate and no other, whoever signed it, whatever name it carries
     * and though it has expired: BMCs make their own once, for years, under a factory name.
     */
    public static SSLContext clientPinnedTo(Fingerprint fingerprint) {
        return context(null, new TrustManager[] {new Pinned(Optional.of(fingerprint))});
    }

    /** A client that takes any certificate. Anybody in between reads the password. */
    public static SSLContext clientTrustingAnybody() {
        return context(null, new TrustManager[] {new Pinned(Optional.empty())});
    }

    private static SSLContext context(
            KeyManager @Nullable [] keyManagers, TrustManager @Nullable [] trustManagers) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers, trustManagers, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot make a TLS context", e);
        }
    }

    private static KeyManager[] keyManagers(TlsIdentity identity) {
        return new KeyManager[] {new OneKey(identity)};
    }

    private static TrustManager[] trustManagers(List<X509Certificate> authorities) {
        if (authorities.isEmpty()) {
            throw new IllegalArgumentException("no authority is given, so nobody can be trusted");
        }
        try {
            KeyStore store = emptyStore();
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry("authority-" + i, authorities.get(i));
            }
            return trustManagers(store);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the authorities do not fit TLS", e);
        }
    }

    /** Those of the JDK for a store; without one, for what the system trusts. */
    private static TrustManager[] trustManagers(@Nullable KeyStore store) {
        try {
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the authorities do not fit TLS", e);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new IllegalStateException("an empty key store reads nothing", e);
        }
        return store;
    }

    /**
     * Nothing to choose from. The JDK's own manager takes a key store, which encrypts its keys with
     * ten thousand rounds of a hash and decrypts them again: a tenth of a second each time in a
     * program that has just been started.
     */
    private static final class OneKey extends X509ExtendedKeyManager {
        private static final String ALIAS = "identity";

        private final TlsIdentity identity;

        OneKey(TlsIdentity identity) {
            this.identity = identity;
        }

        private @Nullable String ifOf(String... keyTypes) {
            return Arrays.asList(keyTypes).contains(identity.key().getAlgorithm()) ? ALIAS : null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ifOf(keyTypes);
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return ifOf(keyTypes);
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ifOf(keyType);
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return ifOf(keyType);
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return identity.chain().toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.key();
        }
    }

    /**
     * Extended, because for a plain X509TrustManager the JDK adds its own check of the host name,
     * and a factory certificate never passes that.
     */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final Optional<Fingerprint> expected;

        Pinned(Optional<Fingerprint> expected) {
            this.expected = expected;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (expected.isPresent() && !expected.get().equals(Fingerprint.of(chain[0]))) {
                throw UntrustedCertificate.other(chain[0], expected.get());
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("this context is for clients only");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
