package dev.tandem.host.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.MemberIdentity;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What etcd on this node is told, apart from how it starts. Addresses, ports and certificates are
 * the same in every role: a learner that listened elsewhere than a voter would be unreachable at
 * the moment it becomes one.
 *
 * <p>Of etcd 3.5: the number of learners is fixed at one and has no setting (3.6 has); durations in
 * a configuration file are nanoseconds; with a file every flag and every variable is ignored.
 *
 * @param addresses of the node, one a link; the first is the one that clients are told
 * @param peer TLS between members; the certificate serves and identifies, so it needs both usages
 * @param client TLS towards clients; etcd's JSON gateway calls itself with it, so both again
 */
public record EtcdConfig(
        String name,
        List<InetAddress> addresses,
        Ports ports,
        Path dataDirectory,
        Optional<TlsFiles> peer,
        Optional<TlsFiles> client,
        Limits limits) {

    private static final long MIB = 1L << 20;

    /** An address of this node accepts or refuses at once. */
    private static final int CONNECT_MILLIS = 500;

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    public EtcdConfig {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("a node has an address");
        }
    }

    public record Ports(int client, int peer, int metrics) {
        /** etcd's registered ports, and the next one for metrics on the loopback. */
        public static final Ports STANDARD = new Ports(2379, 2380, 2381);
    }

    /**
     * Certificate, key and the authority whose clients are let in.
     *
     * @param names of which a certificate has to carry one, or it is refused although the authority
     *     has signed it; empty where all are let in. Only between members: towards clients etcd's
     *     JSON gateway, which calls itself, would fail its own check (3.5.16). Before 3.5.14 etcd
     *     passes over the setting.
     */
    public record TlsFiles(Path certificate, Path key, Path authority, List<String> names) {
        public TlsFiles {
            names = List.copyOf(names);
        }

        public TlsFiles(Path certificate, Path key, Path authority) {
            this(certificate, key, authority, List.of());
        }

        /** The same for members of these names only. */
        public TlsFiles onlyFor(List<String> members) {
            return new TlsFiles(certificate, key, authority, members);
        }
    }

    /**
     * Bounds of growth. Recovery time grows with the log since the last snapshot and with the
     * database, so both are kept small.
     */
    public record Limits(
            long quotaBytes,
            Duration compactionRetention,
            long snapshotCount,
            int maxRequestBytes) {
        /** What Kubernetes needs: 8 GiB, its own compaction as well as ours, 1.5 MiB objects. */
        public static final Limits STANDARD =
                new Limits(8192 * MIB, Duration.ofMinutes(5), 10_000, 1536 * 1024);
    }

    /** Heartbeat and election timers. They are fixed for the life of a process. */
    public record Timing(Duration heartbeat, Duration election) {
        public static final Timing NORMAL =
                new Timing(Duration.ofMillis(100), Duration.ofMillis(1000));

        /** Of a server that nobody waits for or hears: it has no leader to give up too early. */
        static final Timing ALONE = new Timing(Duration.ofMillis(10), Duration.ofMillis(100));
    }

    /** How etcd shall start this once. */
    public sealed interface Mode {}

    /** On its own data, as the member it is: voter, sole voter or learner. */
    public record InPlace() implements Mode {}

    /**
     * On its own data as the only voter, the peer removed by force. Only after {@link CommitTail},
     * and only for one start.
     */
    public record TakeOver() implements Mode {}

    /**
     * Without data, as the learner the leader has listed; all as its member list has them, or etcd
     * refuses to start.
     *
     * @param seat the URLs under which this node is listed
     */
    public record Join(List<URI> seat, List<EtcdApi.Member> others) implements Mode {
        public Join {
            seat = List.copyOf(seat);
            others = List.copyOf(others);
        }
    }

    /** The only way to an empty cluster: the installation of this site. */
    public record Bootstrap(String token) implements Mode {}

    EtcdConfig with(Limits others) {
        return new EtcdConfig(name, addresses, ports, dataDirectory, peer, client, others);
    }

    /** All that is wrong with the configuration, in words; empty means that etcd will accept it. */
    public List<String> problems(Mode mode, Timing timing) {
        List<String> problems = new ArrayList<>();
        if (!name.matches("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")) {
            problems.add("the member name \"" + name + "\" is not a host name");
        }
        for (InetAddress address : addresses) {
            if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
                problems.add("the address " + address.getHostAddress() + " is not one of a node");
            }
        }
        List<Integer> numbers = List.of(ports.client(), ports.peer(), ports.metrics());
        if (numbers.stream().anyMatch(port -> port < 1 || port > 65_535)
                || numbers.stream().distinct().count() != numbers.size()) {
            problems.add("the ports " + numbers + " are not three different ones of 1 to 65535");
        }
        if (!dataDirectory.isAbsolute()) {
            problems.add("the data directory " + dataDirectory + " is not an absolute path");
        }
        peer.ifPresent(files -> problems.addAll(unreadable("peer", files)));
        client.ifPresent(files -> problems.addAll(unreadable("client", files)));
        if (limits.quotaBytes() < 64 * MIB) {
            problems.add("a quota of " + limits.quotaBytes() + " bytes is below 64 MiB");
        }
        if (limits.snapshotCount() < 100) {
            problems.add("a snapshot every " + limits.snapshotCount() + " entries is too often");
        }
        if (limits.compactionRetention().toSeconds() < 1) {
            problems.add("history must be retained for a second at least");
        }
        if (limits.maxRequestBytes() < 1024 || limits.maxRequestBytes() > 10 * MIB) {
            problems.add("requests of " + limits.maxRequestBytes() + " bytes are out of range");
        }
        long heartbeat = timing.heartbeat().toMillis();
        long election = timing.election().toMillis();
        if (heartbeat < 1 || election < 5 * heartbeat || election > 50_000) {
            problems.add(
                    "an election timeout of %d ms does not fit a heartbeat of %d ms"
                            .formatted(election, heartbeat));
        }
        if (mode instanceof Join(List<URI> seat, List<EtcdApi.Member> others)) {
            if (others.isEmpty()) {
                problems.add("there is no member to join");
            }
            if (seat.isEmpty()) {
                problems.add("this node is not listed as a member");
            }
            others.stream()
                    .flatMap(other -> other.peerUrls().stream())
                    .filter(url -> peerUrls().contains(url))
                    .forEach(url ->
                            problems.add("the list of the others contains this node's own " + url));
        }
        if (mode instanceof Bootstrap(String token) && token.isBlank()) {
            problems.add("a new cluster needs a token of its own");
        }
        return problems;
    }

    /** Where it listens for other members, one a link. */
    public List<URI> peerUrls() {
        return urls(addresses, this::peerUrl);
    }

    private URI peerUrl(InetAddress at) {
        return url(peer.isPresent(), at, ports.peer());
    }

    private static List<URI> urls(List<InetAddress> all, Function<InetAddress, URI> url) {
        return all.stream().map(url).toList();
    }

    /** Whether a server of this node accepts connections of members at all addresses. */
    public boolean listensForMembers() {
        return addresses.stream().allMatch(this::listensForMembersAt);
    }

    /** Whether it accepts them at an address of this node. */
    public boolean listensForMembersAt(InetAddress own) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(own, ports.peer()), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** By what this node is found in a member list. */
    public MemberIdentity identity() {
        return new MemberIdentity(name, peerUrls());
    }

    /** The one that clients are told. */
    public URI clientUrl() {
        return clientUrls().getFirst();
    }

    /** Where clients on other nodes reach it, one a link. */
    public List<URI> clientUrls() {
        return urls(addresses, this::clientUrl);
    }

    /**
     * Where clients on this node reach it. The loopback is there even while a link has lost its
     * address.
     */
    public List<URI> ownClientUrls() {
        return ownClientUrls(addresses);
    }

    private List<URI> ownClientUrls(List<InetAddress> all) {
        return Stream.concat(all.stream(), loopbacks().stream())
                .distinct()
                .map(this::clientUrl)
                .toList();
    }

    private URI clientUrl(InetAddress at) {
        return url(client.isPresent(), at, ports.client());
    }

    /** Figures, for this node only and without keys. */
    public URI metricsUrl() {
        return url(false, loopback(), ports.metrics());
    }

    /**
     * The addresses that this node has now. etcd does not start if it cannot listen on one of those
     * it is told, and a link that has lost its address is no reason not to serve over the other.
     * Where none is there the start is to fail, and says why.
     */
    private List<InetAddress> here(Predicate<InetAddress> own) {
        List<InetAddress> there = addresses.stream().filter(own).toList();
        return there.isEmpty() ? addresses : there;
    }

    /** Whether an interface of this node has the address now. */
    static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            // Not known: etcd will find out.
            return true;
        }
    }

    /** Everything etcd will listen on, where this node has these addresses. */
    List<InetSocketAddress> listens(Predicate<InetAddress> own) {
        List<InetSocketAddress> all = new ArrayList<>();
        for (InetAddress address : here(own)) {
            all.add(new InetSocketAddress(address, ports.peer()));
            all.add(new InetSocketAddress(address, ports.client()));
        }
        loopbacks().forEach(each -> all.add(new InetSocketAddress(each, ports.client())));
        all.add(new InetSocketAddress(loopback(), ports.metrics()));
        return all.stream().distinct().toList();
    }

    /** Where a server that serves nobody is asked; see {@link #renderPrivate}. */
    URI privateClientUrl(int port) {
        return url(client.isPresent(), loopback(), port);
    }

    /**
     * The configuration file. It is JSON, which etcd reads as the YAML that JSON is.
     *
     * @param own whether this node has an address now
     */
    String render(Mode mode, Timing timing, Predicate<InetAddress> own) {
        return text(tree(mode, timing, here(own)));
    }

    /**
     * The file for a take-over that nobody is to notice: it listens on the loopback alone, on ports
     * of its own, with the same certificates.
     *
     * @param snapshotCount how many entries raft's next snapshot is away
     */
    String renderPrivate(int clientPort, int peerPort, long snapshotCount) {
        ObjectNode file =
                tree(new TakeOver(), Timing.ALONE, addresses)
                        .put("listen-client-urls", privateClientUrl(clientPort).toString())
                        .put(
                                "listen-peer-urls",
                                url(peer.isPresent(), loopback(), peerPort).toString())
                        .put("snapshot-count", snapshotCount);
        file.remove(
                List.of(
                        "listen-metrics-urls",
                        "auto-compaction-mode",
                        "auto-compaction-retention"));
        return text(file);
    }

    private static String text(ObjectNode file) {
        try {
            return JSON.writeValueAsString(file) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of our own making is always JSON", e);
        }
    }

    private ObjectNode tree(Mode mode, Timing timing, List<InetAddress> here) {
        ObjectNode file =
                JSON.createObjectNode()
                        .put("name", name)
                        .put("data-dir", dataDirectory.toString())
                        .put("listen-peer-urls", text(urls(here, this::peerUrl)))
                        .put("initial-advertise-peer-urls", text(advertised(mode)))
                        .put("listen-client-urls", text(ownClientUrls(here)))
                        .put("advertise-client-urls", text(clientUrls()))
                        .put("listen-metrics-urls", metricsUrl().toString())
                        .put("heartbeat-interval", timing.heartbeat().toMillis())
                        .put("election-timeout", timing.election().toMillis())
                        .put("snapshot-count", limits.snapshotCount())
                        .put("quota-backend-bytes", limits.quotaBytes())
                        .put("max-request-bytes", limits.maxRequestBytes())
                        .put("auto-compaction-mode", "periodic")
                        .put(
                                "auto-compaction-retention",
                                limits.compactionRetention().toSeconds() + "s")
                        .put("strict-reconfig-check", true)
                        .put("pre-vote", true)
                        .put("logger", "zap")
                        .put("log-level", "info")
                        // Before it serves, etcd compares hashes with the others. In a take-over
                        // the
                        // other is off, and asking it would cost seconds for nothing.
                        .put("experimental-initial-corrupt-check", !(mode instanceof TakeOver))
                        .put("experimental-compact-hash-check-enabled", true);
        file.putArray("log-outputs").add("stderr");
        peer.ifPresent(files -> security(file.putObject("peer-transport-security"), files));
        client.ifPresent(files -> security(file.putObject("client-transport-security"), files));
        startMode(file, mode);
        return file;
    }

    private static String text(List<URI> urls) {
        return urls.stream().map(URI::toString).collect(Collectors.joining(","));
    }

    /** Has to agree with what stands of this node in the list of members it starts with. */
    private List<URI> advertised(Mode mode) {
        return mode instanceof Join(List<URI> seat, List<EtcdApi.Member> _) ? seat : peerUrls();
    }

    private void startMode(ObjectNode file, Mode mode) {
        String self =
                advertised(mode).stream()
                        .map(url -> name + "=" + url)
                        .collect(Collectors.joining(","));
        switch (mode) {
            case InPlace() ->
                    // With a log in place etcd takes its members from there.
                    file.put("initial-cluster", self).put("initial-cluster-state", "existing");
            case TakeOver() ->
                    // "existing" although it is forced: should the log be missing after all, etcd
                    // then fails to find a cluster, where "new" would found an empty one.
                    file.put("initial-cluster", self)
                            .put("initial-cluster-state", "existing")
                            .put("force-new-cluster", true);
            case Join(List<URI> _, List<EtcdApi.Member> others) -> {
                List<String> cluster = new ArrayList<>(List.of(self));
                for (EtcdApi.Member other : others) {
                    String otherName = other.started() ? other.name() : other.id().toString();
                    other.peerUrls().forEach(url -> cluster.add(otherName + "=" + url));
                }
                file.put("initial-cluster", String.join(",", cluster))
                        .put("initial-cluster-state", "existing");
            }
            case Bootstrap(String token) ->
                    file.put("initial-cluster", self)
                            .put("initial-cluster-state", "new")
                            .put("initial-cluster-token", token);
        }
    }

    private static void security(ObjectNode section, TlsFiles files) {
        section.put("cert-file", files.certificate().toString())
                .put("key-file", files.key().toString())
                .put("trusted-ca-file", files.authority().toString())
                .put("client-cert-auth", true);
        if (!files.names().isEmpty()) {
            files.names().forEach(section.withArray("allowed-hostname")::add);
        }
    }

    private static List<String> unreadable(String plane, TlsFiles files) {
        return List.of(files.certificate(), files.key(), files.authority()).stream()
                .filter(file -> !Files.isReadable(file) || !Files.isRegularFile(file))
                .map(file -> "the %s file %s cannot be read".formatted(plane, file))
                .toList();
    }

    private InetAddress loopback() {
        return addresses.getFirst() instanceof Inet6Address ? ipv6Loopback() : ipv4Loopback();
    }

    /** Programs of this node that are told one address for all sites ask at that of IPv4. */
    private List<InetAddress> loopbacks() {
        return Stream.of(loopback(), ipv4Loopback()).distinct().toList();
    }

    private static InetAddress ipv4Loopback() {
        return InetAddress.ofLiteral("127.0.0.1");
    }

    private static InetAddress ipv6Loopback() {
        return InetAddress.ofLiteral("::1");
    }

    private static URI url(boolean tls, InetAddress host, int port) {
        String literal = host.getHostAddress();
        // A link-local address carries its interface behind a percent sign; a URL must not.
        String bracketed =
                host instanceof Inet6Address
                        ? "[" + literal.replaceFirst("%.*", "") + "]"
                        : literal;
        return URI.create((tls ? "https://" : "http://") + bracketed + ":" + port);
    }
}
