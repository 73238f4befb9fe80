package dev.tandem.host.plan;

import dev.tandem.host.plan.ClusterPlan.Etcd;
import dev.tandem.host.plan.ClusterPlan.LoneStart;
import dev.tandem.host.plan.ClusterPlan.Timing;
import dev.tandem.host.plan.PlanField.Kind;
import dev.tandem.host.plan.PlanField.Kind.Choice;
import dev.tandem.host.plan.PlanField.Kind.Either;
import dev.tandem.host.plan.PlanField.Kind.Flag;
import dev.tandem.host.plan.PlanField.Kind.ListOf;
import dev.tandem.host.plan.PlanField.Kind.Mapping;
import dev.tandem.host.plan.PlanField.Kind.Pairs;
import dev.tandem.host.plan.PlanField.Kind.Text;
import dev.tandem.host.plan.PlanField.Kind.Time;
import dev.tandem.host.plan.PlanField.Kind.Whole;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every field that a plan can have. The reader, the JSON Schema, the example and the reference page
 * take names, ranges and defaults from here, so none of them can know a field that the others do
 * not.
 */
final class PlanFields {
    static final String API_VERSION = "tandem.dev/v1";
    static final String KIND = "ClusterPlan";

    /** The pcsd token beside a plan that does not say where it is. */
    static final String TOKEN_FILE = "pcsd-token";

    /** TCP ports of the others on a node. */
    static final Map<Long, String> TAKEN_PORTS =
            new TreeMap<>(
                    Map.of(
                            2224L, "pcsd",
                            6443L, "the Kubernetes API server",
                            9443L, "the agent",
                            10248L, "kubelet",
                            10250L, "kubelet",
                            10257L, "the controller manager",
                            10259L, "the scheduler"));

    /** How many heartbeats have to fit into the election time; etcd refuses fewer. */
    static final int HEARTBEATS_AN_ELECTION = 5;

    static final Pattern CLUSTER_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");
    // As the kernel takes it, which is almost anything, without what a shell would take apart.
    static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}");
    static final Pattern DURATION = Pattern.compile("([0-9]{1,9}) ?(ms|s)");
    static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}");
    static final Pattern USERNAME = Pattern.compile("[^:]+");

    /** What the protocol has room for. */
    static final int LONGEST_IPMI_USER = 16;

    // For editors only: BmcAddress, IpAddress and the reader decide.
    private static final Pattern IP =
            Pattern.compile(
                    "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}|[0-9a-fA-F]*:[0-9a-fA-F]*:[0-9a-fA-F:.]*");
    private static final Pattern IPMI_ADDRESS =
            Pattern.compile("[Ii][Pp][Mm][Ii]://[^/?#@]+/?(\\?cipherSuite=(3|17))?");
    private static final Pattern BMC_ADDRESS =
            Pattern.compile(
                    "[A-Za-z][A-Za-z0-9+.-]*://[^/?#@]+/redfish/v[0-9]+/Systems/[^/?#]+/?|"
                            + IPMI_ADDRESS.pattern());
    private static final Pattern FINGERPRINT =
            Pattern.compile("sha256:(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}");
    private static final Pattern LINE = Pattern.compile(".*\\S.*");
    private static final Pattern VAULT_ADDRESS = Pattern.compile("https://[^/?#@]+/?");

    /** Names that a URL carries as they are. */
    static final Pattern SEGMENTS =
            Pattern.compile("(?!\\.)[A-Za-z0-9_.-]{1,128}(?:/(?!\\.)[A-Za-z0-9_.-]{1,128}){0,15}");

    static final Pattern SECRET_FIELD = Pattern.compile("[A-Za-z0-9_.-]{1,128}");
    static final Pattern PROGRAM_WORD = Pattern.compile("\\P{Cntrl}{1,256}");
    static final int MOST_PROGRAM_WORDS = 16;

    static final String KV_MOUNT = "secret";
    static final String PASSWORD_FIELD = "password";
    static final String APP_ROLE_MOUNT = "approle";
    static final String CERTIFICATE_MOUNT = "cert";

    private static final Text IP_ADDRESS = new Text(IP, "an IPv4 or IPv6 address");
    private static final Whole PORT = new Whole(1, 65535);
    // etcd refuses more.
    private static final Duration LONGEST_ELECTION = Duration.ofSeconds(50);
    private static final Duration SHORTEST_HEARTBEAT = Duration.ofMillis(10);

    static final Mapping PROFILE =
            new Mapping(
                    "profile",
                    "profile",
                    List.of(
                            PlanField.required(
                                    "token",
                                    new Time(Timing.SHORTEST_TOKEN, Timing.LONGEST_TOKEN),
                                    "how long Corosync waits for its token before it suspects that"
                                            + " a node is lost",
                                    "800ms"),
                            PlanField.required(
                                    "consensus",
                                    new Time(Timing.shortestConsensus(), Timing.LONGEST_CONSENSUS),
                                    "how long Corosync then takes to agree on a new membership; at"
                                            + " least 1.2 times the token",
                                    "1s")));

    static final Mapping CERTIFICATE =
            new Mapping(
                    "certificate",
                    "nodes[].bmc.certificate",
                    List.of(
                            PlanField.required(
                                    "caFile",
                                    file(),
                                    "PEM file with the CAs that may have signed the BMC's"
                                            + " certificate; relative to the plan",
                                    "bmc-ca.pem")));

    static final Mapping APP_ROLE =
            new Mapping(
                    "appRole",
                    "nodes[].bmc.password.vault.appRole",
                    List.of(
                            PlanField.required(
                                    "roleId", line(), "id of the role; not a secret", "tandem"),
                            PlanField.required(
                                    "secretIdFile",
                                    file(),
                                    "file of mode 0600 with the secret id of the role and nothing"
                                            + " else; relative to the plan",
                                    "vault-secret-id"),
                            withDefault(
                                    "mount",
                                    segments(),
                                    "where AppRole is mounted below auth/",
                                    APP_ROLE_MOUNT)));

    static final Mapping VAULT_CERTIFICATE =
            new Mapping(
                    "certificate",
                    "nodes[].bmc.password.vault.certificate",
                    List.of(
                            PlanField.required(
                                    "certFile",
                                    file(),
                                    "PEM file with the client certificate; relative to the plan",
                                    "vault.crt"),
                            PlanField.required(
                                    "keyFile",
                                    file(),
                                    "PEM file of mode 0600 with its key; relative to the plan",
                                    "vault.key"),
                            withDefault(
                                    "mount",
                                    segments(),
                                    "where the login by certificate is mounted below auth/",
                                    CERTIFICATE_MOUNT),
                            PlanField.optional(
                                    "role",
                                    line(),
                                    "name of the store's role for it; without it the store tries"
                                            + " all that fit",
                                    "tandem")));

    static final Mapping VAULT =
            new Mapping(
                    "vault",
                    "nodes[].bmc.password.vault",
                    List.of(
                            PlanField.required(
                                    "address",
                                    new Text(VAULT_ADDRESS, "https://HOST[:PORT]"),
                                    "where HashiCorp Vault or OpenBao is reached",
                                    "https://vault.example.net:8200"),
                            withDefault(
                                    "mount",
                                    segments(),
                                    "where the key-value engine, version 2, is mounted",
                                    KV_MOUNT),
                            PlanField.required(
                                    "path",
                                    segments(),
                                    "path of the secret in that engine",
                                    "bmc/node-0"),
                            withDefault(
                                    "field",
                                    new Text(SECRET_FIELD, "letters, digits, . _ and -"),
                                    "field of the secret that holds the password",
                                    PASSWORD_FIELD),
                            PlanField.optional(
                                    "namespace", segments(), "namespace of the store", "site-17"),
                            PlanField.optional(
                                    "caFile",
                                    file(),
                                    "PEM file with the CAs that may have signed the store's"
                                            + " certificate; relative to the plan; without it,"
                                            + " those of the operating system",
                                    "vault-ca.pem"),
                            PlanField.optional(
                                    "appRole",
                                    APP_ROLE,
                                    "log in with the id of a role and its secret id",
                                    ""),
                            PlanField.optional(
                                    "certificate",
                                    VAULT_CERTIFICATE,
                                    "log in with a client certificate",
                                    "")),
                    List.of("appRole", "certificate"));

    static final Mapping PASSWORD =
            new Mapping(
                    "password",
                    "nodes[].bmc.password",
                    List.of(
                            PlanField.optional(
                                    "program",
                                    new ListOf(
                                            new Text(PROGRAM_WORD, "one line of text"),
                                            1,
                                            Integer.MAX_VALUE),
                                    "whole path and arguments of a program that prints the"
                                            + " password; it belongs to root, and nobody else can"
                                            + " write to it",
                                    "[/usr/local/sbin/print-bmc-password, node-0]"),
                            PlanField.optional(
                                    "vault", VAULT, "a secret in HashiCorp Vault or OpenBao", ""),
                            PlanField.optional(
                                    "cacheFile",
                                    file(),
                                    "where a node keeps the password, encrypted; written by"
                                            + " 'tandem cluster prepare', not by you",
                                    "/etc/tandem/bmc/node-0.password.cred")),
                    List.of("program", "vault"));

    static final Mapping SECOND =
            new Mapping(
                    "second",
                    "nodes[].bmc.second",
                    List.of(
                            PlanField.required(
                                    "address",
                                    new Text(IPMI_ADDRESS, "ipmi://HOST[:PORT][?cipherSuite=3]"),
                                    "IPMI 2.0 address of the same machine's BMC, with"
                                            + " ?cipherSuite=3 for a BMC without suite 17",
                                    "ipmi://198.51.100.110"),
                            PlanField.required(
                                    "username",
                                    new Text(USERNAME, "text without a colon"),
                                    "account at the BMC with the privilege OPERATOR over IPMI",
                                    "fencer"),
                            PlanField.required(
                                    "passwordFile",
                                    file(),
                                    "file of mode 0600 with the account's password and nothing"
                                            + " else; relative to the plan",
                                    "node-0.ipmi-password")));

    static final Mapping FURTHER =
            new Mapping(
                    "a further level",
                    "nodes[].bmc.further[]",
                    List.of(
                            PlanField.required(
                                    "agent",
                                    new Text(FurtherLevel.AGENT, "the name of a fence agent"),
                                    "a stock fence agent that is installed on both nodes and can"
                                            + " read the power state",
                                    "fence_apc_snmp"),
                            PlanField.required(
                                    "parameters",
                                    new Pairs(
                                            FurtherLevel.PARAMETER,
                                            FurtherLevel.VALUE,
                                            "names with values, none of them a secret"),
                                    "what the agent needs to reach and switch this node's power,"
                                            + " named as in 'AGENT -o metadata'",
                                    "{ip: 198.51.100.20, plug: '7'}"),
                            PlanField.optional(
                                    "passwordFile",
                                    file(),
                                    "file of mode 0600 with the password for the agent and nothing"
                                            + " else; relative to the plan",
                                    "node-0.pdu-password"),
                            PlanField.optional(
                                            "provesOff",
                                            new Flag(),
                                            "your statement that this agent, with these parameters,"
                                                    + " switches the whole power of this node and"
                                                    + " of nothing else; without it a node that was"
                                                    + " switched off by it is not proven off, and"
                                                    + " its peer waits for a person",
                                            "true")
                                    .orElse("false")));

    static final Mapping BMC =
            new Mapping(
                    "bmc",
                    "nodes[].bmc",
                    List.of(
                            PlanField.required(
                                            "address",
                                            new Text(
                                                    BMC_ADDRESS,
                                                    "redfish+https://HOST[:PORT]/redfish/v1/Systems/ID"
                                                        + " or ipmi://HOST[:PORT][?cipherSuite=3]"),
                                            "Redfish address of the computer system, whose ID the"
                                                    + " BMC lists under /redfish/v1/Systems; or"
                                                    + " ipmi:// for IPMI 2.0, with ?cipherSuite=3"
                                                    + " for a BMC without suite 17",
                                            "redfish+https://198.51.100.110/redfish/v1/Systems/1")
                                    .onPeer("redfish+https://198.51.100.111/redfish/v1/Systems/1"),
                            PlanField.required(
                                    "username",
                                    new Text(USERNAME, "text without a colon"),
                                    "account at the BMC that may switch the power",
                                    "fencer"),
                            PlanField.optional(
                                            "passwordFile",
                                            file(),
                                            "file of mode 0600 with the account's password and"
                                                    + " nothing else; relative to the plan",
                                            "node-0.password")
                                    .onPeer("node-1.password"),
                            PlanField.optional(
                                    "password",
                                    PASSWORD,
                                    "where else the password is read from: a program that prints"
                                            + " it, or a secret in HashiCorp Vault or OpenBao",
                                    "{program: [/usr/local/sbin/print-bmc-password, node-0]}"),
                            PlanField.optional(
                                            "certificate",
                                            new Either(
                                                    List.of(
                                                            new Choice(
                                                                    List.of(
                                                                            "system",
                                                                            "unverified")),
                                                            new Text(
                                                                    FINGERPRINT,
                                                                    "sha256: and a fingerprint"),
                                                            CERTIFICATE)),
                                            "how the BMC's certificate is verified: against the CAs"
                                                + " of the operating system (system), not at all"
                                                + " (unverified), by its SHA-256 fingerprint, or"
                                                + " against the CAs in a file",
                                            "sha256:"
                                                    + "00:11:22:33:44:55:66:77:".repeat(3)
                                                    + "88:99:AA:BB:CC:DD:EE:FF")
                                    .orElse("system"),
                            PlanField.optional(
                                    "second",
                                    SECOND,
                                    "IPMI beside Redfish: it becomes the second fencing level, and"
                                            + " the stock agent for Redfish the third",
                                    ""),
                            PlanField.optional(
                                    "further",
                                    new ListOf(FURTHER, 1, FurtherLevel.MOST),
                                    "stock fence agents for an outlet or a virtual machine: the"
                                            + " last fencing levels of this node, in this order",
                                    "")),
                    List.of("passwordFile", "password"));

    static final Mapping IDENTITY =
            new Mapping(
                    "identity",
                    "nodes[].identity",
                    List.of(
                            PlanField.optional(
                                    "systemUuid",
                                    new Text(UUID, "a UUID"),
                                    "UUID of the machine, as its BMC shows it too",
                                    "3f0c2a51-8d4e-4b7f-9a60-1c5e7d20b9f4"),
                            PlanField.optional(
                                    "serial",
                                    line(),
                                    "serial number of the machine, as its BMC shows it too",
                                    "'S-0417'"),
                            PlanField.optional(
                                    "macs",
                                    new ListOf(
                                            new Text(MAC, "a MAC address"), 0, Integer.MAX_VALUE),
                                    "MAC addresses of the machine's network interfaces",
                                    "['0e:f2:fd:5d:0f:4c']")));

    static final Mapping NODE =
            new Mapping(
                    "a node",
                    "nodes[]",
                    List.of(
                            PlanField.required(
                                            "name",
                                            new Text(
                                                    NodeNames.VALID,
                                                    "a DNS name in lower case, at most 64"),
                                            "host name of the node",
                                            "node-0")
                                    .onPeer("node-1"),
                            PlanField.required(
                                            "addresses",
                                            new ListOf(IP_ADDRESS, 1, ClusterPlan.MAX_LINKS),
                                            "one address for each link; Corosync, etcd and the"
                                                    + " agents use all of them",
                                            "[192.0.2.10]")
                                    .onPeer("[192.0.2.11]"),
                            PlanField.required(
                                    "bmc",
                                    BMC,
                                    "the BMC that switches this node off and on; without one the"
                                            + " node could not be fenced",
                                    ""),
                            PlanField.optional(
                                    "identity",
                                    IDENTITY,
                                    "which machine this is, to check that the BMC belongs to it;"
                                            + " without it, what the node says about itself"
                                            + " ('tandem cluster identity')",
                                    "")));

    static final Mapping API =
            new Mapping(
                    "api",
                    "api",
                    List.of(
                            PlanField.required(
                                    "address",
                                    IP_ADDRESS,
                                    "the address; no node has it as its own",
                                    "192.0.2.100"),
                            PlanField.optional(
                                    "prefix",
                                    new Whole(1, 128),
                                    "prefix length of its network, at most 32 with IPv4; without"
                                            + " it, that of the interface with a route to the"
                                            + " address",
                                    "24"),
                            PlanField.optional(
                                    "interface",
                                    new Text(INTERFACE, "the name of a network interface"),
                                    "network interface that carries it; without it, the one with a"
                                            + " route to the address",
                                    "bond0")));

    static final Mapping ETCD =
            new Mapping(
                    "etcd",
                    "etcd",
                    List.of(
                            withDefault(
                                    "clientPort",
                                    PORT,
                                    "port for clients",
                                    Etcd.DEFAULT.clientPort()),
                            withDefault(
                                    "peerPort",
                                    PORT,
                                    "port for the other member",
                                    Etcd.DEFAULT.peerPort()),
                            withDefault(
                                    "heartbeat",
                                    new Time(
                                            SHORTEST_HEARTBEAT,
                                            LONGEST_ELECTION.dividedBy(HEARTBEATS_AN_ELECTION)),
                                    "time between two heartbeats of the leader",
                                    Etcd.DEFAULT.heartbeat().toMillis() + "ms"),
                            withDefault(
                                    "election",
                                    new Time(
                                            SHORTEST_HEARTBEAT.multipliedBy(HEARTBEATS_AN_ELECTION),
                                            LONGEST_ELECTION),
                                    "silence of the leader after which an election begins; at"
                                            + " least five heartbeats",
                                    Etcd.DEFAULT.election().toMillis() + "ms"),
                            withDefault(
                                    "quotaMegabytes",
                                    new Whole(64, 65536),
                                    "largest size of the database",
                                    Etcd.DEFAULT.quotaMegabytes())));

    /** The whole file. */
    static final Mapping PLAN =
            new Mapping(
                    "the plan",
                    "",
                    List.of(
                            withDefault(
                                    "apiVersion",
                                    new Choice(List.of(API_VERSION)),
                                    "version of this format",
                                    API_VERSION),
                            withDefault(
                                    "kind", new Choice(List.of(KIND)), "what this file is", KIND),
                            PlanField.required(
                                    "name",
                                    new Text(
                                            CLUSTER_NAME,
                                            "letters, digits, - and _, at most 63, the first a"
                                                    + " letter or digit"),
                                    "name of the cluster",
                                    "site-17"),
                            PlanField.optional(
                                            "profile",
                                            new Either(
                                                    List.of(
                                                            new Choice(
                                                                    Timing.PROFILES.stream()
                                                                            .map(Timing::profile)
                                                                            .toList()),
                                                            PROFILE)),
                                            "how soon a silent peer is declared lost: "
                                                    + String.join(
                                                            ", ",
                                                            Timing.PROFILES.stream()
                                                                    .map(PlanFields::timing)
                                                                    .toList())
                                                    + ", or your own times",
                                            Timing.TOLERANT.profile())
                                    .orElse(Timing.DEFAULT.profile()),
                            PlanField.required(
                                    "nodes",
                                    new ListOf(NODE, 2, 2),
                                    "the two nodes; in a split the first one survives",
                                    ""),
                            PlanField.optional(
                                            "kubelet",
                                            new Flag(),
                                            "whether Pacemaker runs kubelet, and with it the"
                                                    + " control plane",
                                            "true")
                                    .orElse("false"),
                            PlanField.optional(
                                    "api",
                                    API,
                                    "the API's address, which follows the serving node; only with"
                                            + " kubelet: true",
                                    ""),
                            PlanField.optional(
                                            "bmcOff",
                                            new Time(
                                                    ClusterPlan.FASTEST_BMC_OFF,
                                                    ClusterPlan.SLOWEST_BMC_OFF),
                                            "how long the slowest BMC takes to cut the power; in a"
                                                    + " split the second node delays its own fence"
                                                    + " action by this and 2 s more",
                                            "5s")
                                    .orElse(PlanField.written(ClusterPlan.QUICK_BMC_OFF)),
                            PlanField.optional(
                                            "loneStart",
                                            new Choice(
                                                    Stream.of(LoneStart.values())
                                                            .map(LoneStart::word)
                                                            .toList()),
                                            "what is required before a node that boots without its"
                                                    + " peer, and is known to have served last,"
                                                    + " starts alone: a person's statement ('tandem"
                                                    + " confirm-peer-off'), or the peer's BMC"
                                                    + " having read Off for 30 s",
                                            LoneStart.BMC_OFF.word())
                                    .orElse(LoneStart.CONFIRMED.word()),
                            PlanField.optional("etcd", ETCD, "settings of etcd", ""),
                            PlanField.optional(
                                            "pcsdTokenFile",
                                            file(),
                                            "file of mode 0600 with the token with which the nodes'"
                                                    + " pcsd daemons authenticate to each other;"
                                                    + " relative to the plan",
                                            TOKEN_FILE)
                                    .orElse(TOKEN_FILE)));

    /** What no single field can tell. */
    static final List<String> RULES =
            List.of(
                    "The nodes differ in name, in every address and in their BMC.",
                    "Both nodes have the same number of addresses. Those of one link are of one"
                            + " family, IPv4 or IPv6.",
                    "`profile.consensus` is at least 1.2 times `profile.token`.",
                    "A BMC has either `passwordFile` or `password`; `password` has either `program`"
                            + " or `vault`, and `vault` either `appRole` or `certificate`.",
                    "A BMC address with plain http needs `certificate: unverified`.",
                    "A BMC address with `ipmi://` takes no `certificate`, and a `username` of at"
                            + " most "
                            + LONGEST_IPMI_USER
                            + " bytes. So does `bmc.second`, which needs a Redfish BMC beside it.",
                    "In `bmc.further`, `parameters` names no password, nor what Tandem sets itself"
                            + " (`action`, `nodename`, `delay`, `power_timeout`, `pcmk_*`); no two"
                            + " levels of the pair have the same agent and parameters.",
                    "`api` needs `kubelet: true`, and an address that other machines can reach and"
                            + " no node has.",
                    "A BMC has an address of its own, which is neither a node's nor the API's.",
                    "A node is not called `kubernetes` or `localhost`, and its addresses are such"
                            + " as other machines can reach.",
                    "`etcd.clientPort` and `etcd.peerPort` differ, and neither is a port of"
                            + " another program of the pair ("
                            + TAKEN_PORTS.keySet().stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(", "))
                            + ").",
                    "`etcd.election` is at least "
                            + HEARTBEATS_AN_ELECTION
                            + " times `etcd.heartbeat`.");

    private PlanFields() {}

    private static PlanField withDefault(String name, Kind kind, String about, Object value) {
        return PlanField.optional(name, kind, about, value.toString()).orElse(value.toString());
    }

    private static Text line() {
        return new Text(LINE, "one line of text");
    }

    private static Text segments() {
        return new Text(SEGMENTS, "names of letters, digits, . _ and -, with / between them");
    }

    private static Text file() {
        return new Text(LINE, "a path");
    }

    private static String timing(Timing timing) {
        return "%s (token %d ms, consensus %d ms)"
                .formatted(
                        timing.profile(), timing.token().toMillis(), timing.consensus().toMillis());
    }
}
