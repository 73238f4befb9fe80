package dev.tandem.host.pki;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a leaf certificate shall say.
 *
 * @param commonName whom it names; etcd and the Kubernetes API take it for the user
 * @param organizations groups of that user, where the reader has groups
 * @param names under which a server is reached: DNS names and IP literals, mixed
 */
public record LeafProfile(
        String commonName,
        List<String> organizations,
        Set<Usage> usages,
        List<String> names,
        Duration validity) {

    /** What the key may be used for in a TLS connection. */
    public enum Usage {
        SERVER("1.3.6.1.5.5.7.3.1"),
        CLIENT("1.3.6.1.5.5.7.3.2"),

        /**
         * Both ends of a connection between two agents, and nothing else: without the two usages
         * above, no other server or client of TLS takes the certificate. The number is of the arc
         * that RFC 5612 keeps free of real owners. It means something only in certificates of a
         * site's own authority, which issues to nobody else; see ADR 22.
         */
        AGENT("1.3.6.1.4.1.32473.9443.1");

        private final String oid;

        Usage(String oid) {
            this.oid = oid;
        }

        String oid() {
            return oid;
        }
    }

    // Underscores are not allowed in a host name, but nodes carry them and TLS clients accept them.
    private static final Pattern DNS_NAME =
            Pattern.compile(
                    "(\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?"
                            + "(\\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*");
    private static final Pattern DOTTED_QUAD = Pattern.compile("[0-9]+(\\.[0-9]+)*");

    public LeafProfile {
        organizations = List.copyOf(organizations);
        usages = Set.copyOf(usages);
        names = List.copyOf(names);
        if (commonName.isBlank()) {
            throw new IllegalArgumentException("a certificate needs a common name");
        }
        if (usages.isEmpty()) {
            throw new IllegalArgumentException(
                    "a certificate for " + commonName + " needs a usage: server, client or both");
        }
        if (usages.contains(Usage.SERVER) && names.isEmpty()) {
            throw new IllegalArgumentException(
                    "a server certificate for "
                            + commonName
                            + " needs a name or an address: clients do not look at common names");
        }
        names.forEach(LeafProfile::generalName);
        CertificateAuthority.checkValidity(validity);
    }

    public static LeafProfile server(String commonName, List<String> names, Duration validity) {
        return new LeafProfile(commonName, List.of(), EnumSet.of(Usage.SERVER), names, validity);
    }

    public static LeafProfile client(String commonName, Duration validity) {
        return new LeafProfile(
                commonName, List.of(), EnumSet.of(Usage.CLIENT), List.of(), validity);
    }

    /** For peers that call each other, as etcd's members do. */
    public static LeafProfile serverAndClient(
            String commonName, List<String> names, Duration validity) {
        return new LeafProfile(
                commonName, List.of(), EnumSet.of(Usage.SERVER, Usage.CLIENT), names, validity);
    }

    /** For the agents of a site, towards each other. */
    static LeafProfile agent(String commonName, List<String> names, Duration validity) {
        return new LeafProfile(commonName, List.of(), EnumSet.of(Usage.AGENT), names, validity);
    }

    /** The DER GeneralName of a DNS name or an IP literal. */
    static byte[] generalName(String name) {
        return address(name)
                .map(address -> Der.implicit(7, address.getAddress()))
                .orElseGet(() -> Der.implicit(2, dnsName(name)));
    }

    private static Optional<InetAddress> address(String name) {
        if (name.indexOf('%') >= 0) {
            throw new IllegalArgumentException(
                    "the address '" + name + "' has a zone, which a certificate cannot carry");
        }
        try {
            if (name.indexOf(':') >= 0) {
                return Optional.of(Inet6Address.ofLiteral(name));
            }
            if (DOTTED_QUAD.matcher(name).matches()) {
                // The JDK also takes 127.1 for an address; nobody who writes it here means it.
                if (name.chars().filter(c -> c == '.').count() != 3) {
                    throw new IllegalArgumentException("it does not have four parts");
                }
                return Optional.of(Inet4Address.ofLiteral(name));
            }
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not an IP address: " + e.getMessage(), e);
        }
    }

    private static byte[] dnsName(String name) {
        if (name.length() > 253 || !DNS_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + name + "' is neither a DNS name nor an IP address");
        }
        return name.getBytes(StandardCharsets.US_ASCII);
    }
}
