package dev.tandem.host.pki;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Whom a certificate names. The name is taken apart first: as a text, a comma inside of one
 * attribute looks like the beginning of the next.
 */
public final class SubjectName {
    private static final String COMMON_NAME = "CN";

    private SubjectName() {}

    /** Its one common name; empty where there is none, or several to choose from. */
    public static Optional<String> commonName(X509Certificate certificate) {
        List<String> names = commonNames(certificate.getSubjectX500Principal().getName());
        return names.size() == 1 ? Optional.of(names.getFirst()) : Optional.empty();
    }

    private static List<String> commonNames(String subject) {
        try {
            return new LdapName(subject)
                    .getRdns().stream().flatMap(SubjectName::commonNames).toList();
        } catch (InvalidNameException e) {
            // What the JDK has written it can read; anything else names nobody.
            return List.of();
        }
    }

    /** One element of a name may have several attributes. */
    private static Stream<String> commonNames(Rdn element) {
        if (element.size() > 1) {
            // Nobody issues such certificates here, so nobody is meant.
            return Stream.of("", "");
        }
        return element.getType().equalsIgnoreCase(COMMON_NAME)
                        && element.getValue() instanceof String name
                ? Stream.of(name)
                : Stream.empty();
    }
}
