package dev.tandem.host.plan;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.Failure;
import dev.tandem.core.IpAddress;
import dev.tandem.core.Nearest;
import dev.tandem.host.IoErrors;
import dev.tandem.host.plan.ClusterPlan.Api;
import dev.tandem.host.plan.ClusterPlan.Bmc;
import dev.tandem.host.plan.ClusterPlan.Etcd;
import dev.tandem.host.plan.ClusterPlan.Identity;
import dev.tandem.host.plan.ClusterPlan.LoneStart;
import dev.tandem.host.plan.ClusterPlan.Timing;
import dev.tandem.host.plan.ClusterPlan.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads PLAN.yaml. Everything that is wrong with it is told at once, each with its line; no text of
 * the plan is repeated where a password could stand.
 */
final class ClusterPlanReader {
    /** Far longer than any plan. */
    private static final int MAX_LENGTH = 256 * 1024;

    private static final Pattern SHA256 = Pattern.compile("sha256:([0-9a-f]{64})");
    private final Path file;
    private final Path directory;
    private final List<Finding> findings = new ArrayList<>();

    private ClusterPlanReader(Path file) {
        this.file = file;
        this.directory = file.toAbsolutePath().normalize().resolveSibling("");
    }

    private record Finding(int line, String what) {}

    static ClusterPlan read(Path file) {
        String text;
        try {
            if (Files.size(file) > MAX_LENGTH) {
                throw new Failure(
                        "cannot read the plan " + file,
                        "it is longer than " + MAX_LENGTH + " bytes, too long for a plan",
                        "check the name of the file");
            }
            text = Files.readString(file);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the plan " + file,
                    IoErrors.words(e),
                    "check the name of the file and its permissions",
                    e);
        }
        return new ClusterPlanReader(file).parse(text);
    }

    private ClusterPlan parse(String text) {
        Optional<Node> root;
        try {
            root =
                    new Compose(LoadSettings.builder().setLabel(file.toString()).build())
                            .composeString(text);
        } catch (YamlEngineException e) {
            throw new Failure(
                    "cannot read the plan " + file,
                    "it is not YAML: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "),
                    "correct it there; a whole plan to compare with: tandem cluster plan example",
                    e);
        }
        if (root.isEmpty()) {
            throw new Failure(
                    "cannot use the plan " + file,
                    "it is empty",
                    "begin with: tandem cluster plan example");
        }
        Optional<ClusterPlan> plan = plan(root.get());
        if (!findings.isEmpty() || plan.isEmpty()) {
            throw new Failure(
                    "cannot use the plan " + file,
                    findings.stream()
                            .sorted(Comparator.comparingInt(Finding::line))
                            .map(finding -> "line " + finding.line + ": " + finding.what)
                            .distinct()
                            .collect(Collectors.joining("\n         ")),
                    "correct the plan, then run this again; nothing was changed. All fields with"
                            + " their ranges: tandem cluster plan example. For editors: tandem"
                            + " cluster plan schema");
        }
        return plan.get();
    }

    private Optional<ClusterPlan> plan(Node root) {
        Fields fields = new Fields(root, PlanFields.PLAN);
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
        Path token = directory.resolve(fields.text("pcsdTokenFile").orElse(PlanFields.TOKEN_FILE));
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

    private Optional<Timing> timing(Node node) {
        if (node instanceof ScalarNode scalar) {
            Optional<Timing> profile = Timing.profile(scalar.getValue());
            if (profile.isEmpty()) {
                bad(
                        node,
                        "the profiles are default, fast and tolerant, or own times:"
                                + " {token: 1000ms, consensus: 1200ms}");
            }
            return profile;
        }
        Fields fields = new Fields(node, PlanFields.PROFILE);
        Optional<Duration> token = fields.duration("token");
        Optional<Duration> consensus = fields.duration("consensus");
        if (token.isEmpty() || consensus.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> fault = Timing.fault(token.get(), consensus.get());
        fault.ifPresent(words -> bad(node, words));
        return fault.isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Timing(
                                "own", token.get(), consensus.get(), Timing.DEFAULT.dcDeadtime()));
    }

    private List<ClusterPlan.Node> nodes(Fields fields) {
        Optional<Node> list = fields.node("nodes");
        if (list.isEmpty()) {
            return List.of();
        }
        if (!(list.get() instanceof SequenceNode sequence)) {
            bad(list.get(), "nodes must be a list");
            return List.of();
        }
        if (sequence.getValue().size() != 2) {
            bad(list.get(), "exactly two nodes are needed, not " + sequence.getValue().size());
        }
        List<ClusterPlan.Node> nodes = new ArrayList<>();
        for (Node element : sequence.getValue()) {
            node(element).ifPresent(nodes::add);
        }
        if (nodes.size() == 2) {
            compare(list.get(), nodes.get(0), nodes.get(1));
        }
        return nodes;
    }

    /** What two nodes must not share, and what they must. */
    private void compare(Node list, ClusterPlan.Node one, ClusterPlan.Node two) {
        if (one.name().equals(two.name())) {
            bad(list, "both nodes are called " + one.name());
        }
        if (one.addresses().size() != two.addresses().size()) {
            bad(
                    list,
                    "each link needs an address on both nodes: %s has %d, %s has %d"
                            .formatted(
                                    one.name(),
                                    one.addresses().size(),
                                    two.name(),
                                    two.addresses().size()));
        } else {
            for (int link = 0; link < one.addresses().size(); link++) {
                if (one.addresses().get(link).isV6() != two.addresses().get(link).isV6()) {
                    bad(list, "link " + link + " mixes IPv4 and IPv6");
                }
            }
        }
        Set<IpAddress> shared = new LinkedHashSet<>(one.addresses());
        shared.retainAll(two.addresses());
        for (IpAddress address : shared) {
            bad(list, "both nodes have the address " + address);
        }
        if (one.bmc().address().sameSystemAs(two.bmc().address())) {
            bad(list, "both nodes have the same BMC, so one of them could not be fenced");
        }
    }

    private Optional<ClusterPlan.Node> node(Node element) {
        Fields fields = new Fields(element, PlanFields.NODE);
        Optional<String> name = fields.text("name");
        name.filter(text -> !NodeName.isValid(text))
                .ifPresent(_ -> fields.bad("name", "a node's name is a DNS name in lower case"));
        List<IpAddress> addresses = new ArrayList<>();
        for (ScalarNode scalar : fields.list("addresses")) {
            Optional<IpAddress> address = IpAddress.parse(scalar.getValue());
            if (address.isEmpty()) {
                bad(scalar, "not an IP address (names would make the cluster depend on DNS)");
            } else if (addresses.contains(address.get())) {
                bad(scalar, "the address is given twice; each link needs its own");
            } else {
                addresses.add(address.get());
            }
        }
        if (addresses.size() > ClusterPlan.MAX_LINKS) {
            fields.bad("addresses", "Corosync has at most " + ClusterPlan.MAX_LINKS + " links");
        }
        if (addresses.isEmpty() && fields.node("addresses").isPresent()) {
            fields.bad("addresses", "at least one address is needed");
        }
        Optional<Bmc> bmc = fields.node("bmc").flatMap(this::bmc);
        Identity identity = fields.node("identity").map(this::identity).orElse(Identity.UNKNOWN);
        boolean whole =
                name.filter(NodeName::isValid).isPresent()
                        && !addresses.isEmpty()
                        && addresses.size() <= ClusterPlan.MAX_LINKS
                        && bmc.isPresent();
        return whole
                ? Optional.of(new ClusterPlan.Node(name.get(), addresses, bmc.get(), identity))
                : Optional.empty();
    }

    private Optional<Bmc> bmc(Node element) {
        Fields fields = new Fields(element, PlanFields.BMC);
        Optional<BmcAddress> address = Optional.empty();
        Optional<String> text = fields.text("address");
        if (text.isPresent()) {
            switch (BmcAddress.read(text.get())) {
                case BmcAddress.Reading.Good(BmcAddress good) -> address = Optional.of(good);
                case BmcAddress.Reading.Bad(BmcAddress.Fault fault) ->
                        fields.bad("address", fault.why() + "; " + fault.remedy());
            }
        }
        Optional<String> username = fields.text("username");
        username.filter(user -> !PlanFields.USERNAME.matcher(user).matches())
                .ifPresent(_ -> fields.bad("username", "a user name has no colon"));
        Optional<Path> passwordFile = fields.text("passwordFile").map(directory::resolve);
        Optional<Verification> verification =
                fields.node("certificate")
                        .map(this::verification)
                        .orElse(Optional.of(new Verification.SystemTrust()));
        if (address.filter(a -> a.transport() == BmcAddress.Transport.HTTP).isPresent()
                && !(verification.orElse(new Verification.SystemTrust())
                        instanceof Verification.None)) {
            fields.bad(
                    "address",
                    "plain http cannot be verified: use https, or certificate: unverified");
        }
        return address.isPresent()
                        && username.isPresent()
                        && passwordFile.isPresent()
                        && verification.isPresent()
                ? Optional.of(
                        new Bmc(
                                address.get(),
                                username.get(),
                                passwordFile.get(),
                                verification.get()))
                : Optional.empty();
    }

    private Optional<Verification> verification(Node node) {
        if (node instanceof ScalarNode scalar) {
            String text = scalar.getValue().toLowerCase(Locale.ROOT);
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
        } else if (node instanceof MappingNode) {
            Optional<String> caFile = new Fields(node, PlanFields.CERTIFICATE).text("caFile");
            return caFile.map(directory::resolve).map(Verification.Authorities::new);
        }
        bad(node, "certificate is one of: system, sha256:FINGERPRINT, {caFile: FILE}, unverified");
        return Optional.empty();
    }

    private Identity identity(Node element) {
        Fields fields = new Fields(element, PlanFields.IDENTITY);
        Optional<String> uuid =
                fields.text("systemUuid").map(text -> text.toLowerCase(Locale.ROOT));
        uuid.filter(text -> !PlanFields.UUID.matcher(text).matches())
                .ifPresent(_ -> fields.bad("systemUuid", "not a UUID"));
        Set<String> macs = new LinkedHashSet<>();
        for (ScalarNode scalar : fields.list("macs")) {
            if (PlanFields.MAC.matcher(scalar.getValue()).matches()) {
                macs.add(scalar.getValue().toLowerCase(Locale.ROOT).replace('-', ':'));
            } else {
                bad(scalar, "not a MAC address");
            }
        }
        return new Identity(uuid, fields.text("serial"), macs);
    }

    private Optional<Api> api(Node element, List<ClusterPlan.Node> nodes) {
        Fields fields = new Fields(element, PlanFields.API);
        Optional<IpAddress> address = fields.text("address").flatMap(IpAddress::parse);
        if (fields.node("address").isPresent() && address.isEmpty()) {
            fields.bad("address", "not an IP address");
        }
        address.filter(ip -> !ip.isGlobalUnicast())
                .ifPresent(_ -> fields.bad("address", "no other machine can reach it"));
        address.filter(ip -> nodes.stream().anyMatch(node -> node.addresses().contains(ip)))
                .ifPresent(_ ->
                        fields.bad("address", "a node has it; the API's moves between the nodes"));
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

    private Optional<Etcd> etcd(Node element) {
        Fields fields = new Fields(element, PlanFields.ETCD);
        int before = findings.size();
        long client = fields.number("clientPort").orElse(Etcd.DEFAULT.clientPort());
        long peer = fields.number("peerPort").orElse(Etcd.DEFAULT.peerPort());
        if (client == peer) {
            bad(element, "clientPort and peerPort are the same");
        }
        Duration heartbeat = fields.duration("heartbeat").orElse(Etcd.DEFAULT.heartbeat());
        Duration election = fields.duration("election").orElse(Etcd.DEFAULT.election());
        if (election.compareTo(heartbeat.multipliedBy(PlanFields.HEARTBEATS_AN_ELECTION)) < 0) {
            bad(
                    element,
                    "election must be at least "
                            + PlanFields.HEARTBEATS_AN_ELECTION
                            + " times heartbeat");
        }
        long quota = fields.number("quotaMegabytes").orElse(Etcd.DEFAULT.quotaMegabytes());
        return findings.size() > before
                ? Optional.empty()
                : Optional.of(new Etcd((int) client, (int) peer, heartbeat, election, quota));
    }

    private void bad(Node node, String what) {
        findings.add(new Finding(line(node), what));
    }

    private static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    /** The fields of one mapping. Unknown ones are findings: a slip must not become a default. */
    private final class Fields {
        private final Node element;
        private final PlanField.Kind.Mapping known;
        private final Map<String, Node> values = new LinkedHashMap<>();
        private final Map<String, Integer> lines = new HashMap<>();

        Fields(Node element, PlanField.Kind.Mapping known) {
            this.element = element;
            this.known = known;
            if (!(element instanceof MappingNode mapping)) {
                bad(element, known.what() + " must be fields with values");
                return;
            }
            for (NodeTuple tuple : mapping.getValue()) {
                String key =
                        tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "?";
                if (known.names().contains(key)) {
                    values.put(key, tuple.getValueNode());
                    lines.put(key, line(tuple.getKeyNode()));
                } else {
                    bad(tuple.getKeyNode(), unknown(key));
                }
            }
            for (PlanField field : known.fields()) {
                if (field.required() && !values.containsKey(field.name())) {
                    bad(element, field.name() + " is missing: " + field.about());
                }
            }
        }

        private String unknown(String key) {
            if (key.equals("password")) {
                return "password: a plan holds no passwords; write it to a file and name that as"
                        + " passwordFile";
            }
            List<String> meant = Nearest.to(key, known.names());
            return known.what()
                    + " has no field "
                    + key
                    + (meant.isEmpty()
                            ? "; it has " + String.join(", ", known.names())
                            : "; did you mean " + String.join(" or ", meant));
        }

        /** A field that is read here and not described there is a fault of ours. */
        private @Nullable Node value(String field) {
            return values.get(known.field(field).name());
        }

        void bad(String field, String what) {
            findings.add(
                    new Finding(
                            lines.getOrDefault(field, line(element)),
                            lines.containsKey(field) ? field + ": " + what : what));
        }

        private void bad(Node node, String what) {
            ClusterPlanReader.this.bad(node, what);
        }

        Optional<Node> node(String field) {
            return Optional.ofNullable(value(field));
        }

        Optional<String> text(String field) {
            @Nullable Node node = value(field);
            if (node == null) {
                return Optional.empty();
            }
            if (!(node instanceof ScalarNode scalar)
                    || scalar.getValue().isBlank()
                    || scalar.getValue().chars().anyMatch(Character::isISOControl)) {
                bad(node, field + " must be one line of text");
                return Optional.empty();
            }
            return Optional.of(scalar.getValue());
        }

        Optional<String> choice(String field) {
            if (!(known.field(field).kind() instanceof PlanField.Kind.Choice possible)) {
                throw new IllegalArgumentException(field + " is no choice");
            }
            Optional<String> text = text(field);
            if (text.isPresent() && !possible.choices().contains(text.get())) {
                bad(field, "must be " + possible.words());
                return Optional.empty();
            }
            return text;
        }

        boolean truth(String field) {
            Optional<String> text = text(field);
            if (text.isPresent() && !Set.of("true", "false").contains(text.get())) {
                bad(field, "must be true or false");
            }
            return text.filter("true"::equals).isPresent();
        }

        OptionalLong number(String field) {
            return number(field, Long.MAX_VALUE);
        }

        /** A number of the field's range, where another field may have narrowed that. */
        OptionalLong number(String field, long limit) {
            if (!(known.field(field).kind() instanceof PlanField.Kind.Whole range)) {
                throw new IllegalArgumentException(field + " is no number");
            }
            Optional<String> text = text(field);
            if (text.isEmpty()) {
                return OptionalLong.empty();
            }
            PlanField.Kind.Whole possible =
                    new PlanField.Kind.Whole(range.least(), Math.min(range.most(), limit));
            if (text.get().matches("[0-9]{1,10}")) {
                long number = Long.parseLong(text.get());
                if (number >= possible.least() && number <= possible.most()) {
                    return OptionalLong.of(number);
                }
            }
            bad(field, possible.words() + " is needed");
            return OptionalLong.empty();
        }

        Optional<Duration> duration(String field) {
            if (!(known.field(field).kind() instanceof PlanField.Kind.Time range)) {
                throw new IllegalArgumentException(field + " is no time");
            }
            Optional<String> text = text(field);
            if (text.isEmpty()) {
                return Optional.empty();
            }
            Matcher duration = PlanFields.DURATION.matcher(text.get());
            if (!duration.matches()) {
                bad(field, "a time with its unit is required, such as 1000ms or 3s");
                return Optional.empty();
            }
            long count = Long.parseLong(duration.group(1));
            Duration time =
                    duration.group(2).equals("s")
                            ? Duration.ofSeconds(count)
                            : Duration.ofMillis(count);
            if (!range.contains(time)) {
                bad(field, range.range() + " are possible");
                return Optional.empty();
            }
            return Optional.of(time);
        }

        List<ScalarNode> list(String field) {
            @Nullable Node node = value(field);
            if (node == null) {
                return List.of();
            }
            if (!(node instanceof SequenceNode sequence)
                    || !sequence.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
                bad(node, field + " must be a list of texts");
                return List.of();
            }
            return sequence.getValue().stream().map(ScalarNode.class::cast).toList();
        }
    }
}
