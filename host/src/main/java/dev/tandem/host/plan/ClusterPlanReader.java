package dev.tandem.host.plan;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.host.IoErrors;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.plan.ClusterPlan.Api;
import dev.tandem.host.plan.ClusterPlan.Bmc;
import dev.tandem.host.plan.ClusterPlan.Etcd;
import dev.tandem.host.plan.ClusterPlan.Identity;
import dev.tandem.host.plan.ClusterPlan.LoneStart;
import dev.tandem.host.plan.ClusterPlan.Timing;
import dev.tandem.host.plan.ClusterPlan.Verification;
import dev.tandem.host.yaml.KnownFile;
import dev.tandem.host.yaml.YamlFault;
import dev.tandem.host.yaml.YamlNode;
import dev.tandem.host.yaml.YamlReader;
import dev.tandem.host.yaml.YamlSubject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads PLAN.yaml. All faults of its fields are told at once, each with its line; what is no YAML
 * ends the reading at the first fault. No text of the plan is repeated where a password could
 * stand.
 */
final class ClusterPlanReader {
    private static final YamlSubject PLAN =
            new YamlSubject(
                    "a",
                    "plan",
                    "apiVersion: " + PlanFields.API_VERSION,
                    "tandem cluster plan example");

    private static final Pattern SHA256 = Pattern.compile("sha256:([0-9a-f]{64})");
    private final Path file;
    private final Path directory;
    private final Rules rules;
    private final PlanFindings findings = new PlanFindings();

    /** By which a plan is judged. */
    enum Rules {
        /** All of them. */
        NEW_PLAN,
        /**
         * Those that any Tandem had when it took the plan: a rule that came later must not leave a
         * pair without its agents.
         */
        INSTALLED_PLAN
    }

    private ClusterPlanReader(Path file, Rules rules) {
        this.file = file;
        this.rules = rules;
        this.directory = file.toAbsolutePath().normalize().resolveSibling("");
    }

    static ClusterPlan read(Path file, Rules rules) {
        return good(examine(file, rules));
    }

    static ClusterPlan readText(String text, Path file, Rules rules) {
        return good(examine(text.getBytes(StandardCharsets.UTF_8), file, rules));
    }

    private static ClusterPlan good(ClusterPlan.Reading reading) {
        return switch (reading) {
            case ClusterPlan.Reading.Good(ClusterPlan plan) -> plan;
            case ClusterPlan.Reading.Bad(Failure failure, _) -> throw failure;
        };
    }

    /** Fails only where the file cannot be read at all. */
    static ClusterPlan.Reading examine(Path file, Rules rules) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(YamlReader.MAX_BYTES + 1);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the plan " + file,
                    IoErrors.words(e),
                    IoErrors.remedy(e, "check the name of the file"),
                    e);
        }
        return examine(bytes, file, rules);
    }

    private static ClusterPlan.Reading examine(byte[] bytes, Path file, Rules rules) {
        Optional<KnownFile> other = KnownFile.of(bytes).filter(known -> known != KnownFile.PLAN);
        if (other.isPresent()) {
            return new ClusterPlan.Reading.Bad(
                    new Failure(
                            "cannot read the plan " + file,
                            "it is %s, and this command takes a plan".formatted(other.get().what()),
                            other.get().remedy(file)),
                    List.of());
        }
        return switch (YamlReader.read(bytes, PLAN)) {
            case YamlReader.Outcome.Read(YamlNode.Mapping root) ->
                    new ClusterPlanReader(file, rules).read(root);
            case YamlReader.Outcome.Refused(YamlFault fault) ->
                    new ClusterPlan.Reading.Bad(
                            new Failure(
                                    "cannot read the plan " + file,
                                    fault.sentence(),
                                    fault.remedy()),
                            List.of());
        };
    }

    private ClusterPlan.Reading read(YamlNode.Mapping root) {
        Optional<ClusterPlan> plan = plan(root);
        return findings.isEmpty() && plan.isPresent()
                ? new ClusterPlan.Reading.Good(plan.get())
                : new ClusterPlan.Reading.Bad(
                        new Failure(
                                "cannot use the plan " + file,
                                findings.text(),
                                "correct the plan, then run this again; nothing was changed. All"
                                    + " fields with their ranges: tandem cluster plan example; for"
                                    + " editors: tandem cluster plan schema"),
                        findings.all());
    }

    private Optional<ClusterPlan> plan(YamlNode root) {
        FieldReader fields = new FieldReader(root, PlanFields.PLAN, findings);
        fields.choice("apiVersion");
        fields.choice("kind");
        Optional<String> name = fields.text("name");
        name.filter(text -> !PlanFields.CLUSTER_NAME.matcher(text).matches())
                .ifPresent(_ ->
                        fields.bad(
                                "name",
                                "a cluster's name has letters, digits, - and _, at most 63"));
        Optional<Timing> timing =
                fields.node("profile").map(this::timing).orElse(Optional.of(Timing.DEFAULT));
        List<ClusterPlan.Node> nodes = nodes(fields);
        boolean kubelet = fields.truth("kubelet");
        LoneStart loneStart =
                fields.choice("loneStart").flatMap(LoneStart::of).orElse(LoneStart.CONFIRMED);
        Duration bmcOff = fields.duration("bmcOff").orElse(ClusterPlan.QUICK_BMC_OFF);
        Optional<Api> api = fields.node("api").flatMap(node -> api(node, nodes));
        if (fields.node("api").isPresent() && !kubelet) {
            fields.bad("api", "without kubelet: true nobody serves the API at this address");
        }
        Optional<Etcd> etcd = fields.node("etcd").map(this::etcd).orElse(Optional.of(Etcd.DEFAULT));
        Path token =
                fields.file("pcsdTokenFile", directory)
                        .orElse(directory.resolve(PlanFields.TOKEN_FILE));
        return findings.isEmpty() && name.isPresent() && timing.isPresent() && etcd.isPresent()
                ? Optional.of(
                        new ClusterPlan(
                                name.get(),
                                timing.get(),
                                nodes,
                                kubelet,
                                bmcOff,
                                loneStart,
                                api,
                                etcd.get(),
                                token))
                : Optional.empty();
    }

    private Optional<Timing> timing(YamlNode node) {
        if (node instanceof YamlNode.Scalar scalar) {
            Optional<Timing> profile = Timing.profile(scalar.text());
            if (profile.isEmpty()) {
                findings.add(
                        node,
                        "profile",
                        "profile: the profiles are default, fast and tolerant, or own times:"
                                + " {token: 1000ms, consensus: 1200ms}");
            }
            return profile;
        }
        FieldReader fields = new FieldReader(node, PlanFields.PROFILE, findings);
        Optional<Duration> token = fields.duration("token");
        Optional<Duration> consensus = fields.duration("consensus");
        if (token.isEmpty() || consensus.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> fault = Timing.fault(token.get(), consensus.get());
        fault.ifPresent(words -> findings.add(node, "profile", words));
        return fault.isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Timing(
                                "own", token.get(), consensus.get(), Timing.DEFAULT.dcDeadtime()));
    }

    private List<ClusterPlan.Node> nodes(FieldReader fields) {
        Optional<YamlNode> list = fields.node("nodes");
        if (list.isEmpty()) {
            return List.of();
        }
        if (!(list.get() instanceof YamlNode.Sequence sequence)) {
            findings.add(list.get(), "nodes", "nodes must be a list");
            return List.of();
        }
        if (sequence.items().size() != 2) {
            findings.add(
                    list.get(),
                    "nodes",
                    "exactly two nodes are needed, not " + sequence.items().size());
        }
        List<ClusterPlan.Node> nodes = new ArrayList<>();
        for (YamlNode element : sequence.items()) {
            node(element).ifPresent(nodes::add);
        }
        if (nodes.size() == 2 && sequence.items().size() == 2) {
            compare(sequence.items(), nodes.get(0), nodes.get(1));
        }
        return nodes;
    }

    /** The line of a field, or of the last on the way to it. */
    private static int line(YamlNode element, String... way) {
        YamlNode at = element;
        int line = element.line();
        for (String field : way) {
            Optional<YamlNode.Entry> entry =
                    at instanceof YamlNode.Mapping mapping ? mapping.find(field) : Optional.empty();
            if (entry.isEmpty()) {
                return line;
            }
            line = entry.get().line();
            at = entry.get().value();
        }
        return line;
    }

    /**
     * What two nodes must not share, and what they must. Told at the second of the two, which is
     * where the eye finds the other above it.
     */
    private void compare(List<YamlNode> elements, ClusterPlan.Node one, ClusterPlan.Node two) {
        YamlNode second = elements.getLast();
        int addresses = line(second, "addresses");
        if (one.name().equals(two.name())) {
            findings.add(
                    line(second, "name"), "nodes[].name", "both nodes are called " + one.name());
        }
        if (one.addresses().size() != two.addresses().size()) {
            findings.add(
                    addresses,
                    "nodes[].addresses",
                    "each link needs an address on both nodes: %s has %d, %s has %d"
                            .formatted(
                                    one.name(),
                                    one.addresses().size(),
                                    two.name(),
                                    two.addresses().size()));
        } else {
            for (int link = 0; link < one.addresses().size(); link++) {
                if (one.addresses().get(link).isV6() != two.addresses().get(link).isV6()) {
                    findings.add(
                            addresses,
                            "nodes[].addresses",
                            "link " + link + " mixes IPv4 and IPv6");
                }
            }
        }
        Set<IpAddress> shared = new LinkedHashSet<>(one.addresses());
        shared.retainAll(two.addresses());
        for (IpAddress address : shared) {
            findings.add(addresses, "nodes[].addresses", "both nodes have the address " + address);
        }
        if (one.bmc().address().sameSystemAs(two.bmc().address())) {
            findings.add(
                    line(second, "bmc", "address"),
                    "nodes[].bmc.address",
                    "both nodes have the same BMC, so one of them could not be fenced");
        }
        sameSecond(second, one, two);
        sameFurther(second, one, two);
        for (ClusterPlan.Node fenced : List.of(one, two)) {
            for (ClusterPlan.Node owner : List.of(one, two)) {
                bmcHost(fenced)
                        .filter(owner.addresses()::contains)
                        .filter(_ -> rules == Rules.NEW_PLAN)
                        .ifPresent(host ->
                                findings.add(
                                        line(
                                                fenced.name().equals(one.name())
                                                        ? elements.getFirst()
                                                        : second,
                                                "bmc",
                                                "address"),
                                        "nodes[].bmc.address",
                                        "the BMC of %s has an address of %s, %s; a BMC has its own"
                                                .formatted(fenced.name(), owner.name(), host)));
                fenced.bySecond()
                        .flatMap(ClusterPlanReader::bmcHost)
                        .filter(owner.addresses()::contains)
                        .ifPresent(host ->
                                findings.add(
                                        line(
                                                fenced.name().equals(one.name())
                                                        ? elements.getFirst()
                                                        : second,
                                                "bmc",
                                                "second",
                                                "address"),
                                        "nodes[].bmc.second.address",
                                        "bmc.second of %s has an address of %s, %s; a BMC has its own"
                                                .formatted(fenced.name(), owner.name(), host)));
            }
        }
    }

    private void sameSecond(YamlNode element, ClusterPlan.Node one, ClusterPlan.Node two) {
        Optional<BmcAddress> first = one.bmc().second().map(Bmc::address);
        Optional<BmcAddress> other = two.bmc().second().map(Bmc::address);
        if (first.isPresent() && other.filter(first.get()::sameSystemAs).isPresent()) {
            findings.add(
                    line(element, "bmc", "second", "address"),
                    "nodes[].bmc.second.address",
                    "bmc.second is the same for both nodes, so one of them could not be fenced by"
                            + " it");
        }
    }

    private void sameFurther(YamlNode element, ClusterPlan.Node one, ClusterPlan.Node two) {
        for (FurtherLevel level : two.bmc().further()) {
            if (one.bmc().further().stream().anyMatch(level::isSameAs)) {
                findings.add(
                        line(element, "bmc", "further"),
                        PlanFields.FURTHER.path(),
                        "both nodes have the same further level (%s), so a fence of one would switch the other off too"
                                .formatted(level.agent()));
            }
        }
    }

    /** Where the address is a number; what a name leads to is not asked here. */
    private static Optional<IpAddress> bmcHost(ClusterPlan.Node node) {
        return IpAddress.parse(node.bmc().address().host());
    }

    private Optional<ClusterPlan.Node> node(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.NODE, findings);
        Optional<String> name = fields.text("name");
        name.filter(text -> rules == Rules.NEW_PLAN || !NodeNames.isValid(text))
                .flatMap(NodeNames::fault)
                .ifPresent(fault -> fields.bad("name", fault));
        List<IpAddress> addresses = new ArrayList<>();
        for (YamlNode.Scalar scalar : fields.list("addresses")) {
            Optional<IpAddress> address = IpAddress.parse(scalar.text());
            if (address.isEmpty()) {
                fields.badItem(scalar, "addresses", noAddress(scalar.text()));
            } else if (rules == Rules.NEW_PLAN && !isReachable(address.get())) {
                fields.badItem(scalar, "addresses", "no other machine can reach this address");
            } else if (addresses.contains(address.get())) {
                fields.badItem(
                        scalar, "addresses", "the address is given twice; each link needs its own");
            } else {
                addresses.add(address.get());
            }
        }
        if (addresses.size() > ClusterPlan.MAX_LINKS) {
            fields.bad("addresses", "Corosync has at most " + ClusterPlan.MAX_LINKS + " links");
        }
        if (fields.node("addresses")
                .filter(node ->
                        node instanceof YamlNode.Sequence(var items, _, _, _) && items.isEmpty())
                .isPresent()) {
            fields.bad("addresses", "at least one address is needed");
        }
        Optional<Bmc> bmc = fields.node("bmc").flatMap(this::bmc);
        Identity identity = fields.node("identity").map(this::identity).orElse(Identity.UNKNOWN);
        boolean whole =
                name.filter(NodeNames::isValid).isPresent()
                        && !addresses.isEmpty()
                        && addresses.size() <= ClusterPlan.MAX_LINKS
                        && bmc.isPresent();
        return whole
                ? Optional.of(new ClusterPlan.Node(name.get(), addresses, bmc.get(), identity))
                : Optional.empty();
    }

    private static String noAddress(String text) {
        int slash = text.indexOf('/');
        return slash > 0 && IpAddress.parse(text.substring(0, slash)).isPresent()
                ? "a node's address has no prefix length; write " + text.substring(0, slash)
                : "not an IP address (names would make the cluster depend on DNS)";
    }

    /** Two machines with a cable between them may well have no other addresses on it. */
    private static boolean isReachable(IpAddress address) {
        return address.isGlobalUnicast() || (!address.isV6() && address.isLinkLocal());
    }

    private Optional<Bmc> bmc(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.BMC, findings);
        Optional<Bmc> second = fields.node("second").flatMap(this::second);
        Optional<BmcAddress> address =
                fields.text("address").flatMap(text -> address(text, fields));
        Optional<String> username = fields.text("username");
        username.filter(user -> !PlanFields.USERNAME.matcher(user).matches())
                .ifPresent(_ -> fields.bad("username", "a user name has no colon"));
        Optional<PasswordSource> password = new PasswordReader(findings, directory).read(fields);
        Optional<Verification> verification =
                address.filter(BmcAddress::isIpmi).isPresent()
                        ? overIpmi(fields, username)
                        : fields.node("certificate")
                                .map(node -> verification(node, address))
                                .orElse(Optional.of(new Verification.SystemTrust()));
        if (address.filter(a -> a.transport() == BmcAddress.Transport.HTTP).isPresent()
                && !(verification.orElse(new Verification.SystemTrust())
                        instanceof Verification.None)) {
            fields.bad(
                    "address",
                    "plain http cannot be verified: use https, or certificate: unverified");
        }
        List<FurtherLevel> further =
                new FurtherLevelReader(findings, directory, rules == Rules.NEW_PLAN).read(fields);
        boolean ipmiTwice =
                fields.node("second").isPresent() && address.filter(BmcAddress::isIpmi).isPresent();
        if (ipmiTwice) {
            fields.bad(
                    "second",
                    "bmc.second is IPMI beside Redfish, and this BMC is reached by IPMI already");
        }
        return address.isPresent()
                        && username.isPresent()
                        && password.isPresent()
                        && verification.isPresent()
                        && !ipmiTwice
                ? Optional.of(
                        new Bmc(
                                address.get(),
                                username.get(),
                                password.get(),
                                verification.get(),
                                second,
                                further))
                : Optional.empty();
    }

    private Optional<Bmc> second(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.SECOND, findings);
        Optional<BmcAddress> address =
                fields.text("address").flatMap(text -> address(text, fields));
        Optional<String> username = fields.text("username");
        username.filter(user -> !PlanFields.USERNAME.matcher(user).matches())
                .ifPresent(_ -> fields.bad("username", "a user name has no colon"));
        shortEnoughForIpmi(fields, username);
        Optional<PasswordSource> password =
                fields.file("passwordFile", directory).map(PasswordSource.InFile::new);
        if (address.filter(one -> !one.isIpmi()).isPresent()) {
            fields.bad(
                    "address",
                    "bmc.second is reached by IPMI, which still works when the BMC's"
                            + " Redfish service does not: ipmi://HOST");
            return Optional.empty();
        }
        return address.isPresent() && username.isPresent() && password.isPresent()
                ? Optional.of(
                        new Bmc(
                                address.get(),
                                username.get(),
                                password.get(),
                                new Verification.SharedPassword(),
                                Optional.empty()))
                : Optional.empty();
    }

    private static Optional<Verification> overIpmi(FieldReader fields, Optional<String> username) {
        if (fields.node("certificate").isPresent()) {
            fields.bad(
                    "certificate",
                    "IPMI has no certificates, the BMC is believed by its password: remove it");
        }
        shortEnoughForIpmi(fields, username);
        return Optional.of(new Verification.SharedPassword());
    }

    private static void shortEnoughForIpmi(FieldReader fields, Optional<String> username) {
        username.filter(user ->
                        user.getBytes(StandardCharsets.UTF_8).length > PlanFields.LONGEST_IPMI_USER)
                .ifPresent(_ ->
                        fields.bad(
                                "username",
                                "IPMI has user names of at most %d bytes"
                                        .formatted(PlanFields.LONGEST_IPMI_USER)));
    }

    private static Optional<BmcAddress> address(String text, FieldReader fields) {
        return switch (BmcAddress.read(text)) {
            case BmcAddress.Reading.Good(BmcAddress good) -> Optional.of(good);
            case BmcAddress.Reading.Bad(BmcAddress.Fault fault) -> {
                fields.bad(
                        "address",
                        fault.why()
                                + "; "
                                + (fault == BmcAddress.Fault.CARRIES_CREDENTIALS
                                        // A plan holds no passwords, as an install-config does.
                                        ? "remove everything up to and including the @, and use"
                                                + " username and passwordFile"
                                        : fault.remedy()));
                yield Optional.empty();
            }
        };
    }

    private Optional<Verification> verification(YamlNode node, Optional<BmcAddress> bmc) {
        if (node instanceof YamlNode.Scalar scalar) {
            String text = scalar.text().toLowerCase(Locale.ROOT);
            Matcher pinned =
                    SHA256.matcher(text.replace(":", "").replaceFirst("^sha256", "sha256:"));
            if (pinned.matches()) {
                return Optional.of(new Verification.Pinned(pinned.group(1)));
            }
            switch (text) {
                case "system" -> {
                    return Optional.of(new Verification.SystemTrust());
                }
                case "unverified" -> {
                    return Optional.of(new Verification.None());
                }
                default -> {}
            }
        } else if (node instanceof YamlNode.Mapping) {
            return new FieldReader(node, PlanFields.CERTIFICATE, findings)
                    .file("caFile", directory)
                    .map(Verification.Authorities::new);
        }
        findings.add(
                node,
                "nodes[].bmc.certificate",
                "certificate is one of: system, unverified, {caFile: bmc-ca.pem}, or sha256: with"
                        + " the fingerprint of the BMC's certificate, 32 bytes in hex"
                        + bmc.map(ClusterPlanReader::howToSee).orElse(""));
        return Optional.empty();
    }

    /** Asks the BMC without a login. */
    private static String howToSee(BmcAddress bmc) {
        return ("; it is what this prints after the equals sign: openssl s_client -connect %s:%d <"
                        + " /dev/null 2> /dev/null | openssl x509 -noout -fingerprint -sha256")
                .formatted(bmc.bracketedHost(), bmc.port());
    }

    private Identity identity(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.IDENTITY, findings);
        Optional<String> uuid =
                fields.text("systemUuid").map(text -> text.toLowerCase(Locale.ROOT));
        uuid.filter(text -> !PlanFields.UUID.matcher(text).matches())
                .ifPresent(_ -> fields.bad("systemUuid", "not a UUID"));
        Set<String> macs = new LinkedHashSet<>();
        for (YamlNode.Scalar scalar : fields.list("macs")) {
            if (PlanFields.MAC.matcher(scalar.text()).matches()) {
                macs.add(scalar.text().toLowerCase(Locale.ROOT).replace('-', ':'));
            } else {
                fields.badItem(scalar, "macs", "not a MAC address");
            }
        }
        return new Identity(uuid, fields.text("serial"), macs);
    }

    private Optional<Api> api(YamlNode element, List<ClusterPlan.Node> nodes) {
        FieldReader fields = new FieldReader(element, PlanFields.API, findings);
        Optional<IpAddress> address = fields.text("address").flatMap(IpAddress::parse);
        if (fields.node("address").isPresent() && address.isEmpty()) {
            fields.bad("address", "not an IP address");
        }
        address.filter(ip -> !ip.isGlobalUnicast())
                .ifPresent(_ -> fields.bad("address", "no other machine can reach it"));
        address.filter(ip -> nodes.stream().anyMatch(node -> node.addresses().contains(ip)))
                .ifPresent(_ ->
                        fields.bad("address", "a node has it; the API's moves between the nodes"));
        for (ClusterPlan.Node node : nodes) {
            if (rules == Rules.NEW_PLAN && address.isPresent() && address.equals(bmcHost(node))) {
                fields.bad("address", "the BMC of " + node.name() + " has it");
            }
        }
        OptionalLong prefix = fields.number("prefix", address.map(IpAddress::bits).orElse(128));
        Optional<String> networkInterface = fields.text("interface");
        networkInterface
                .filter(name -> !PlanFields.INTERFACE.matcher(name).matches())
                .ifPresent(_ -> fields.bad("interface", "not the name of a network interface"));
        return address.map(ip ->
                new Api(
                        ip,
                        prefix.isPresent()
                                ? OptionalInt.of((int) prefix.getAsLong())
                                : OptionalInt.empty(),
                        networkInterface));
    }

    private Optional<Etcd> etcd(YamlNode element) {
        FieldReader fields = new FieldReader(element, PlanFields.ETCD, findings);
        int before = findings.size();
        long client = fields.number("clientPort").orElse(Etcd.DEFAULT.clientPort());
        long peer = fields.number("peerPort").orElse(Etcd.DEFAULT.peerPort());
        if (client == peer) {
            findings.add(
                    Math.max(fields.line("clientPort"), fields.line("peerPort")),
                    "etcd",
                    "clientPort and peerPort are the same");
        }
        taken(fields, "clientPort", client);
        taken(fields, "peerPort", peer);
        Duration heartbeat = fields.duration("heartbeat").orElse(Etcd.DEFAULT.heartbeat());
        Duration election = fields.duration("election").orElse(Etcd.DEFAULT.election());
        if (election.compareTo(heartbeat.multipliedBy(PlanFields.HEARTBEATS_AN_ELECTION)) < 0) {
            findings.add(
                    Math.max(fields.line("election"), fields.line("heartbeat")),
                    "etcd.election",
                    "election must be at least "
                            + PlanFields.HEARTBEATS_AN_ELECTION
                            + " times heartbeat");
        }
        long quota = fields.number("quotaMegabytes").orElse(Etcd.DEFAULT.quotaMegabytes());
        return findings.size() > before
                ? Optional.empty()
                : Optional.of(new Etcd((int) client, (int) peer, heartbeat, election, quota));
    }

    private void taken(FieldReader fields, String field, long port) {
        if (rules == Rules.NEW_PLAN && PlanFields.TAKEN_PORTS.containsKey(port)) {
            fields.bad(
                    field,
                    "%d is the port of %s".formatted(port, PlanFields.TAKEN_PORTS.get(port)));
        }
    }
}
