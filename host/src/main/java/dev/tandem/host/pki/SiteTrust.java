package dev.tandem.host.pki;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Takes certificates that the site has signed and that have not expired, for both ends of a
 * connection, and then asks who it is. The JDK's own manager would ask for the usages of any TLS
 * server and client, which the agents' certificates do not have; and it compares the name of a
 * server with its address, where here the name of the node counts.
 */
public final class SiteTrust extends X509ExtendedTrustManager {
    private final List<X509Certificate> authorities;
    private final Function<X509Certificate, Optional<String>> refusal;

    /**
     * @param refusal why a certificate of the site is not taken here; empty where it is
     */
    public SiteTrust(
            List<X509Certificate> authorities,
            Function<X509Certificate, Optional<String>> refusal) {
        if (authorities.isEmpty()) {
            throw new IllegalArgumentException("no authority is given, so nobody can be trusted");
        }
        this.authorities = List.copyOf(authorities);
        this.refusal = refusal;
    }

    /** Whoever the site has certified. */
    public static SiteTrust anybody(List<X509Certificate> authorities) {
        return new SiteTrust(authorities, _ -> Optional.empty());
    }

    /**
     * Fails for a certificate that the site did not sign, that is out of its time, or that is not
     * taken here. The authorities of a site sign leaves only, so what else was sent is not looked
     * at.
     */
    public void check(X509Certificate leaf) throws CertificateException {
        Set<TrustAnchor> anchors =
                authorities.stream()
                        .map(authority -> new TrustAnchor(authority, null))
                        .collect(Collectors.toSet());
        try {
            PKIXParameters parameters = new PKIXParameters(anchors);
            // There are no lists of revoked certificates.
            parameters.setRevocationEnabled(false);
            CertPathValidator.getInstance("PKIX")
                    .validate(
                            CertificateFactory.getInstance("X.509").generateCertPath(List.of(leaf)),
                            parameters);
        } catch (CertificateException e) {
            throw UntrustedCertificate.refused(leaf, e);
        } catch (GeneralSecurityException e) {
            throw UntrustedCertificate.refused(leaf, new CertificateException(e.getMessage(), e));
        }
        Optional<String> why = refusal.apply(leaf);
        if (why.isPresent()) {
            throw UntrustedCertificate.refused(leaf, new CertificateException(why.get()));
        }
    }

    private void checkFirst(X509Certificate[] chain) throws CertificateException {
        if (chain.length == 0) {
            throw new CertificateException("no certificate was shown");
        }
        check(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        checkFirst(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkFirst(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkFirst(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        checkFirst(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkFirst(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkFirst(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities.toArray(X509Certificate[]::new);
    }
}
