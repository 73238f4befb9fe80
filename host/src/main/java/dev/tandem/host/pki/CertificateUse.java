package dev.tandem.host.pki;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.List;

/** What a certificate of the site may be used for, as far as agents ask. */
public enum CertificateUse {
    /** Between agents, and for nothing else. */
    AGENT,

    /**
     * As a server and as a client of anything. So were certificates of agents until they were given
     * a purpose of their own, and so are those of etcd.
     */
    ANY_SERVER_AND_CLIENT,

    /** For something else. */
    OTHER;

    public static CertificateUse of(X509Certificate certificate) {
        List<String> usages;
        try {
            usages = certificate.getExtendedKeyUsage();
        } catch (CertificateParsingException e) {
            return OTHER;
        }
        if (usages == null) {
            return OTHER;
        }
        if (usages.contains(LeafProfile.Usage.AGENT.oid())) {
            return usages.size() == 1 ? AGENT : OTHER;
        }
        return usages.contains(LeafProfile.Usage.SERVER.oid())
                        && usages.contains(LeafProfile.Usage.CLIENT.oid())
                ? ANY_SERVER_AND_CLIENT
                : OTHER;
    }
}
