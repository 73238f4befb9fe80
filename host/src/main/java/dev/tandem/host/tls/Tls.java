package dev.tandem.host.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS contexts for both sides of a connection. */
public final class Tls {
    private static final char[] NO_PASSWORD = new char[0];

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
        return context(identity.map(Tls::keyManagers).orElse(null), trustManagers(authorities));
    }

    /** A client that trusts what the system trusts. */
    public static SSLContext client() {
        return context(null, null);
    }

    /**
     * A client that takes one certificate and no other, whoever signed it, whatever name it carries
     * and though it has expired: BMCs make their own once, for years, under a factory name.
     */
    public static SSLContext clientPinnedTo(Fingerprint fingerprint) {
        return context(null, new TrustManager[] {new Pinned(Optional.of(fingerprint))});
    }

    /** A client that takes any certificate. Who sits in between reads the password. */
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
        try {
            KeyStore store = emptyStore();
            store.setKeyEntry(
                    "identity",
                    identity.key(),
                    NO_PASSWORD,
                    identity.chain().toArray(Certificate[]::new));
            KeyManagerFactory factory =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, NO_PASSWORD);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("the identity does not fit TLS: " + identity, e);
        }
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
     * Extended, because for a plain X509TrustManager the JDK adds its own check of the host name,
     * and a factory certificate never passes that.
     */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final Optional<Fingerprint> expected;

        Pinned(Optional<Fingerprint> expected) {
            this.expected = expected;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            Fingerprint shown = Fingerprint.of(chain[0]);
            if (expected.isPresent() && !expected.get().equals(shown)) {
                throw new CertificateException(
                        "the certificate has the fingerprint "
                                + shown
                                + ", expected is "
                                + expected.get());
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
            throw new CertificateException("this context is for clients, it accepts none");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
