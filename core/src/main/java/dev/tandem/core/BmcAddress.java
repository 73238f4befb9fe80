package dev.tandem.core;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where one computer system is switched on and off: a Redfish service and the path of the system in
 * it, or a BMC that speaks IPMI and has one system only. Every part of Tandem reads addresses here,
 * so what an install-config passes with is what the fence device gets. Equal values are the same
 * endpoint, however they were spelled: vendor schemes, default ports, capital letters, IPv6 forms
 * and trailing slashes are settled while reading.
 *
 * @param host a DNS name in lower case or a canonical IP address, without brackets
 * @param systemPath {@code /redfish/v1/Systems/<id>}; empty with IPMI
 */
public record BmcAddress(Transport transport, String host, int port, String systemPath) {

    /** How the service is spoken to. */
    public enum Transport {
        HTTPS("https", 443),
        HTTP("http", 80),
        /** IPMI 2.0, by RMCP+ over UDP, with the cipher suite of that name. */
        IPMI_SHA256("ipmi", 623),
        IPMI_SHA1("ipmi", 623);

        private final String scheme;
        private final int defaultPort;

        Transport(String scheme, int defaultPort) {
            this.scheme = scheme;
            this.defaultPort = defaultPort;
        }

        public String scheme() {
            return scheme;
        }

        public int defaultPort() {
            return defaultPort;
        }
    }

    /** What is wrong with a text that is no usable address. Its words never repeat the text. */
    public enum Fault {
        NOT_A_URL(
                "it is not a URL of the form scheme://host[:port]/path",
                "write it like redfish+https://192.0.2.10/redfish/v1/Systems/1, with IPv6 addresses"
                        + " in brackets"),
        NOT_REDFISH(
                "its scheme does not speak Redfish",
                "use redfish+https, or the BMC vendor's Redfish scheme such as idrac-redfish or"
                        + " ilo5-redfish; IPMI cannot be used here, for OpenShift fences by Redfish"
                        + " only: a pair that fences by IPMI is made with a plan of Tandem (tandem"
                        + " cluster plan example)"),
        UNKNOWN_SCHEME(
                "its scheme speaks neither Redfish nor IPMI",
                "use redfish+https, the BMC vendor's Redfish scheme such as idrac-redfish or"
                        + " ilo5-redfish, or ipmi"),
        IPMI_WITH_PATH(
                "a BMC that speaks IPMI has one computer system, and no path to it",
                "write it like ipmi://192.0.2.10, with a port only if it is not 623"),
        NO_SUCH_CIPHER_SUITE(
                "after the ? of an IPMI address only a cipher suite of 17 or 3 can be named, since"
                        + " others do not encrypt or let in whoever asks",
                "remove everything from the ? on, or for a BMC without suite 17 write"
                        + " ?cipherSuite=3"),
        NO_PORT(
                "its scheme has no port of its own and none is given",
                "add the port after the host, usually :443"),
        CARRIES_CREDENTIALS(
                "a user name or password precedes the host",
                "remove everything up to and including the @ and use the username and password"
                        + " fields"),
        NO_SYSTEM(
                "it does not name the computer system",
                "end it with /redfish/v1/Systems/<id>; the BMC lists the ids under"
                        + " /redfish/v1/Systems"),
        EXTRA_PARTS(
                "it carries a query or a fragment", "remove everything from the first ? or # on");

        private final String why;
        private final String remedy;

        Fault(String why, String remedy) {
            this.why = why;
            this.remedy = remedy;
        }

        public String why() {
            return why;
        }

        public String remedy() {
            return remedy;
        }
    }

    /** What reading a text gave. */
    public sealed interface Reading {
        record Good(BmcAddress address) implements Reading {}

        record Bad(Fault fault) implements Reading {}
    }

    /** Far longer than any real one; a bound for what is matched below. */
    private static final int MAX_LENGTH = 2048;

    private static final Pattern URL =
            Pattern.compile(
                    "(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*)://(?<user>[^/?#]*@)?"
                            + "(?<host>\\[[0-9a-fA-F:.]*\\]|[^/?#:@\\[\\]]*)(?<port>:[0-9]*)?"
                            + "(?<path>/[^?#]*)?(?<rest>[?#].*)?");

    private static final Pattern REDFISH_FAMILY =
            Pattern.compile("(?:[a-z0-9]+-)?redfish(?:-[a-z0-9]+)?");

    /** Redfish by another name, in the bare-metal operator's vocabulary; they carry no port. */
    private static final Set<String> VIRTUAL_MEDIA =
            Set.of("idrac-virtualmedia", "ilo5-virtualmedia");

    private static final Pattern SYSTEM_PATH =
            Pattern.compile(
                    "/redfish/v[0-9]+/Systems/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})+");
    private static final Pattern ENCODED = Pattern.compile("%([0-9a-fA-F]{2})");
    private static final Pattern LABEL =
            Pattern.compile("[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?", Pattern.CASE_INSENSITIVE);

    public BmcAddress {
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is outside 1 to 65535");
        }
    }

    /** Reads an address, or throws what to tell a person. */
    public static BmcAddress of(String text) {
        return switch (read(text)) {
            case Reading.Good(BmcAddress address) -> address;
            case Reading.Bad(Fault fault) ->
                    throw new Failure(
                            "the BMC address cannot be used", fault.why(), fault.remedy());
        };
    }

    /** Reads an address; does not throw and asks no resolver. */
    public static Reading read(String text) {
        return read(text, true);
    }

    /** The same where IPMI is of no use, as to OpenShift's own operators. */
    public static Reading readRedfish(String text) {
        return read(text, false);
    }

    private static Reading read(String text, boolean ipmi) {
        Matcher url = URL.matcher(text);
        if (text.length() > MAX_LENGTH || !url.matches()) {
            return new Reading.Bad(Fault.NOT_A_URL);
        }
        String scheme = url.group("scheme").toLowerCase(Locale.ROOT);
        String path = textOf(url.group("path"));
        Optional<Transport> transport = transport(scheme, path);
        if (url.group("user") != null) {
            return new Reading.Bad(Fault.CARRIES_CREDENTIALS);
        }
        boolean overIpmi = scheme.equals(Transport.IPMI_SHA256.scheme());
        if (transport.isEmpty() || (overIpmi && !ipmi)) {
            return new Reading.Bad(ipmi ? Fault.UNKNOWN_SCHEME : Fault.NOT_REDFISH);
        }
        if (!overIpmi && url.group("rest") != null) {
            return new Reading.Bad(Fault.EXTRA_PARTS);
        }
        Optional<String> host = host(url.group("host"));
        String portText = textOf(url.group("port"));
        int port =
                portText.length() > 1 && portText.length() <= 6
                        ? Integer.parseInt(portText.substring(1))
                        : portText.isEmpty() ? transport.get().defaultPort() : 0;
        if (host.isEmpty() || port < 1 || port > 65535) {
            return new Reading.Bad(Fault.NOT_A_URL);
        }
        if (portText.isEmpty() && VIRTUAL_MEDIA.contains(scheme)) {
            return new Reading.Bad(Fault.NO_PORT);
        }
        if (overIpmi) {
            return ipmi(host.get(), port, path, textOf(url.group("rest")));
        }
        Optional<String> system = systemPath(path);
        return system.isEmpty()
                ? new Reading.Bad(Fault.NO_SYSTEM)
                : new Reading.Good(new BmcAddress(transport.get(), host.get(), port, system.get()));
    }

    private static Reading ipmi(String host, int port, String path, String rest) {
        if (!path.isEmpty() && !path.equals("/")) {
            return new Reading.Bad(Fault.IPMI_WITH_PATH);
        }
        if (rest.isEmpty()) {
            return new Reading.Good(new BmcAddress(Transport.IPMI_SHA256, host, port, ""));
        }
        for (IpmiCipherSuite suite : IpmiCipherSuite.values()) {
            if (rest.equals(suite.query())) {
                return new Reading.Good(
                        new BmcAddress(
                                switch (suite) {
                                    case SHA256 -> Transport.IPMI_SHA256;
                                    case SHA1 -> Transport.IPMI_SHA1;
                                },
                                host,
                                port,
                                ""));
            }
        }
        return new Reading.Bad(Fault.NO_SUCH_CIPHER_SUITE);
    }

    private static String textOf(@Nullable String group) {
        return group == null ? "" : group;
    }

    /**
     * Empty unless the scheme speaks Redfish or IPMI; plain HTTP counts when the path says Redfish.
     */
    private static Optional<Transport> transport(String scheme, String path) {
        if (scheme.equals(Transport.IPMI_SHA256.scheme())) {
            return Optional.of(Transport.IPMI_SHA256);
        }
        int plus = scheme.lastIndexOf('+');
        String family = plus < 0 ? scheme : scheme.substring(0, plus);
        String carrier = plus < 0 ? "" : scheme.substring(plus + 1);
        boolean redfish =
                REDFISH_FAMILY.matcher(family).matches() || VIRTUAL_MEDIA.contains(family);
        if (plus < 0 && !redfish) {
            carrier = path.startsWith("/redfish") ? family : "";
        } else if (!redfish) {
            return Optional.empty();
        } else if (plus < 0) {
            carrier = "https";
        }
        return switch (carrier) {
            case "https" -> Optional.of(Transport.HTTPS);
            case "http" -> Optional.of(Transport.HTTP);
            default -> Optional.empty();
        };
    }

    private static Optional<String> host(String text) {
        if (text.startsWith("[")) {
            return IpAddress.parse(text.substring(1, text.length() - 1)).map(IpAddress::toString);
        }
        String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        // A name whose last label is a number can only be meant as an IPv4 address.
        if (name.matches("(?:.*\\.)?[0-9]+")) {
            return IpAddress.parse(name).map(IpAddress::toString);
        }
        boolean labels = !name.isEmpty() && name.length() <= 253;
        for (String label : name.split("\\.", -1)) {
            labels &= LABEL.matcher(label).matches();
        }
        return labels ? Optional.of(name.toLowerCase(Locale.ROOT)) : Optional.empty();
    }

    private static Optional<String> systemPath(String path) {
        String plain =
                ENCODED.matcher(path)
                        .replaceAll(code ->
                                Matcher.quoteReplacement(
                                        unreserved(
                                                Integer.parseInt(code.group(1), 16),
                                                code.group())));
        String system = plain.endsWith("/") ? plain.substring(0, plain.length() - 1) : plain;
        boolean dots = system.endsWith("/.") || system.endsWith("/..");
        return SYSTEM_PATH.matcher(system).matches() && !dots
                ? Optional.of(system)
                : Optional.empty();
    }

    /** Letters, digits and four marks mean the same encoded or not (RFC 3986, 6.2.2.2). */
    private static String unreserved(int code, String encoded) {
        boolean letterOrDigit = code < 128 && Character.isLetterOrDigit(code);
        return letterOrDigit || "-._~".indexOf(code) >= 0
                ? String.valueOf((char) code)
                : encoded.toUpperCase(Locale.ROOT);
    }

    /**
     * Names the computer system behind the endpoint: equal for two addresses that lead to one
     * system by the same port, or by the two customary ones.
     */
    public String system() {
        return host + " " + (customaryPort() ? "" : String.valueOf(port)) + " " + systemPath;
    }

    /** Whether both lead to one computer system. */
    public boolean sameSystemAs(BmcAddress other) {
        return system().equals(other.system());
    }

    private boolean customaryPort() {
        return isIpmi()
                ? port == Transport.IPMI_SHA256.defaultPort()
                : port == Transport.HTTPS.defaultPort() || port == Transport.HTTP.defaultPort();
    }

    /** Whether the BMC is spoken to by IPMI; by Redfish otherwise. */
    public boolean isIpmi() {
        return cipherSuite().isPresent();
    }

    /** With IPMI, by what the session is protected. */
    public Optional<IpmiCipherSuite> cipherSuite() {
        return switch (transport) {
            case HTTPS, HTTP -> Optional.empty();
            case IPMI_SHA256 -> Optional.of(IpmiCipherSuite.SHA256);
            case IPMI_SHA1 -> Optional.of(IpmiCipherSuite.SHA1);
        };
    }

    /** The host as it stands in a URL or in a fence agent's parameters. */
    public String bracketedHost() {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /** The service without the system's path; with Redfish, ready for an HTTP client. */
    public String serviceUrl() {
        return transport.scheme() + "://" + bracketedHost() + ":" + port;
    }

    /**
     * The canonical text: no vendor scheme, the port always written, of the cipher suites only the
     * one that is not the usual.
     */
    @Override
    public String toString() {
        return switch (transport) {
            case HTTPS, HTTP -> "redfish+" + serviceUrl() + systemPath;
            case IPMI_SHA256 -> serviceUrl();
            case IPMI_SHA1 -> serviceUrl() + IpmiCipherSuite.SHA1.query();
        };
    }
}
