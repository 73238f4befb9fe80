package dev.tandem.host.pki;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Judges as the JDK does, and tells which certificate was refused. */
final class ReportingTrustManager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager judge;

    private ReportingTrustManager(X509ExtendedTrustManager judge) {
        this.judge = judge;
    }

    static TrustManager[] around(TrustManager[] managers) {
        TrustManager[] telling = managers.clone();
        for (int i = 0; i < telling.length; i++) {
            if (telling[i] instanceof X509ExtendedTrustManager judge) {
                telling[i] = new ReportingTrustManager(judge);
            }
        }
        return telling;
    }

    /** One of the JDK's ways to judge. */
    private interface Judgement {
        void pass() throws CertificateException;
    }

    private static void tell(X509Certificate[] chain, Judgement judgement)
            throws CertificateException {
        try {
            judgement.pass();
        } catch (CertificateException e) {
            throw UntrustedCertificate.refused(chain[0], e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        tell(chain, () -> judge.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        tell(chain, () -> judge.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        tell(chain, () -> judge.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        judge.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        judge.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        judge.checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return judge.getAcceptedIssuers();
    }
}
