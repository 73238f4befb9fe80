package dev.tandem.lab.pair;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.client.AgentSocket;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.NodePaths;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.spec.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * Tandem on the two nodes of a lab, set up with its own commands as an administrator would: keys,
 * plan, {@code tandem cluster apply}. Then both are asked and written to.
 */
public final class Pair {
    public static final List<String> NODES = List.of("node-0", "node-1");

    private static final int ETCD_PORT = 2379;
    private static final Duration SHORT = Duration.ofSeconds(20);
    private static final Duration STATUS_LIMIT = Duration.ofSeconds(5);
    private static final Duration SETUP = Duration.ofMinutes(5);
    private static final Duration SETUP_SERVES = Duration.ofMinutes(4);

    /** Where a person would keep the files of a site, on each node. */
    public static final String SITE = "/root/site/";

    public static final String PLAN = SITE + "plan.yaml";

    private final Lab lab;
    private final SSLContext tls;
    private final List<URI> endpoints;

    private Pair(Lab lab, SSLContext tls) {
        this.lab = lab;
        this.tls = tls;
        this.endpoints =
                NODES.stream()
                        .map(node -> URI.create("https://127.0.0.1:" + lab.relay(node, ETCD_PORT)))
                        .toList();
    }

    /**
     * Makes the pair, with Kubernetes where the lab has its programs ({@link LabKube#with});
     * returns when either node can fail without an outage.
     */
    public static Pair setUp(Lab lab, String profile) throws IOException {
        return setUp(lab, profile, Optional.empty());
    }

    /**
     * The same with a plan that says how long BMCs take.
     *
     * @param bmcOff as the plan's field of that name; without it the plan leaves it out
     */
    public static Pair setUp(Lab lab, String profile, Optional<Duration> bmcOff)
            throws IOException {
        Path keys =
                Files.createDirectory(
                        lab.keys(),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
        SitePki.create(keys.resolve("authority"), lab.name(), InstantSource.system());
        SitePki.Authority authority =
                SitePki.load(keys.resolve("authority"), InstantSource.system());
        Optional<LabKube> kube = LabKube.of(lab);
        String plan =
                PairPlan.of(lab.layout(), profile, bmcOff)
                        + kube.map(LabKube::planFields).orElse("");
        if (kube.isPresent()) {
            Path file = Files.writeString(keys.resolve("plan.yaml"), plan);
            kube.get().install(ClusterPlan.read(file));
        }
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        String token = HexFormat.of().formatHex(random);
        for (NodeHandle node : lab.nodes()) {
            Path issued = keys.resolve(node.name());
            Files.createDirectories(issued);
            authority.issue(node.name(), PairPlan.addresses(node.plan()), issued);
            try (Stream<Path> files = Files.list(issued)) {
                for (Path file : files.toList()) {
                    node.write(
                            SitePki.INSTALLED.resolve(file.getFileName()).toString(),
                            "0600",
                            Files.readString(file));
                }
            }
            node.write(PLAN, "0600", plan);
            node.write(SITE + "bmc-ca.pem", "0600", lab.authorityPem());
            node.write(SITE + "pcsd-token", "0600", token);
            for (String other : NODES) {
                node.write(SITE + other + ".password", "0600", LabBmc.passwordOf(other));
                node.write(SITE + other + ".ipmi-password", "0600", LabBmc.ipmiPasswordOf(other));
            }
        }
        prepareAll(lab);
        lab.node(NODES.getFirst()).must(SETUP, "tandem", "cluster", "apply", "--yes", PLAN);
        Pair pair = new Pair(lab, client(keys.resolve(NODES.getFirst())));
        pair.awaitRedundant(SETUP_SERVES);
        if (kube.isPresent()) {
            // Until the agents may write there, they cannot promise that the API is recovered.
            kube.get().awaitReady();
        }
        pair.awaitEitherCanFail(SETUP_SERVES);
        return pair;
    }

    /** Both at once: neither needs the other, and most of it is waiting for programs to start. */
    private static void prepareAll(Lab lab) {
        lab.nodes().parallelStream()
                .forEach(node -> node.must(SETUP, "tandem", "cluster", "prepare", "--yes", PLAN));
    }

    private static SSLContext client(Path keys) {
        return Tls.client(
                Pem.readCertificates(keys.resolve(SitePki.CA_CERTIFICATE)),
                Optional.of(
                        Pem.readIdentity(
                                SitePki.Purpose.ETCD_CLIENT.certificate(keys),
                                SitePki.Purpose.ETCD_CLIENT.key(keys))));
    }

    public Lab lab() {
        return lab;
    }

    public static String peerOf(String node) {
        return NODES.get(1 - NODES.indexOf(node));
    }

    /** A client that writes to both without pause. */
    public Writer write(int parallel) {
        return new Writer("/written/%x/".formatted(System.nanoTime()), endpoints, tls, parallel);
    }

    /** Makes etcd's database that much larger, from a filling of that size before. */
    public void fill(long fromMegabytes, long toMegabytes) {
        try (HttpEtcdApi etcd = new HttpEtcdApi(endpoints.getFirst(), tls)) {
            DatabaseFiller.fill(etcd, fromMegabytes, toMegabytes);
        }
    }

    /**
     * What the agent of a node says; empty while it does not answer.
     *
     * @throws IllegalStateException where it answers something that is not understood
     */
    public Optional<AgentStatus> status(String node) {
        AgentSocket.Answer answer;
        try {
            Optional<AgentSocket> agent = lab.node(node).agent();
            if (agent.isEmpty()) {
                return Optional.empty();
            }
            answer = agent.get().get(AgentRoutes.STATUS, STATUS_LIMIT);
        } catch (IOException e) {
            return Optional.empty();
        }
        if (!answer.isOk()) {
            // A refusal is no status.
            return Optional.empty();
        }
        try {
            return Optional.of(AgentStatus.readExactly(answer.content()));
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the status of %s is not understood: %s".formatted(node, e.getMessage()), e);
        }
    }

    /**
     * The journal of a node since that moment of the monotonic clock, which all nodes share. It is
     * read from the node's disk: a node that is off has one too.
     */
    public List<JournalLine> journalSince(String node, long nanos) {
        List<JournalLine> lines = new ArrayList<>();
        Optional<String> before = lab.node(node).agentFile(JournalLine.FILE + ".1");
        Optional<String> now = lab.node(node).agentFile(JournalLine.FILE);
        if (now.isEmpty()) {
            lines.add(JournalLine.unreadable("there is no " + JournalLine.FILE));
        }
        for (Optional<String> part : List.of(before, now)) {
            part.ifPresent(text -> lines(text).forEach(lines::add));
        }
        // What has no time may be of now: the audit has to see it.
        return lines.stream().filter(line -> line.nanos() == 0 || line.nanos() > nanos).toList();
    }

    /** Without a last line that is being written just now. */
    private static Stream<JournalLine> lines(String text) {
        return JournalLine.lines(text.substring(0, text.lastIndexOf('\n') + 1)).stream()
                .map(JournalLine::parse);
    }

    /** Whether the agent of a node answers, and with this health. */
    public boolean is(String node, NodeHealth health) {
        return status(node).filter(status -> status.health() == health).isPresent();
    }

    public boolean leads(String node) {
        return own(node).filter(line -> line.etcd() == EtcdState.LEADING).isPresent();
    }

    /** What the agent of a node says of its own replica; empty while it does not answer. */
    public Optional<AgentStatus.NodeLine> own(String node) {
        return status(node).flatMap(AgentStatus::own);
    }

    /** Waits until both servers vote and serve. */
    public void awaitRedundant(Duration limit) {
        lab.await(Readiness.REDUNDANT, limit, this::isRedundant);
    }

    public boolean isRedundant() {
        return readiness().isRedundant();
    }

    private Readiness readiness() {
        return Readiness.of(this::status);
    }

    /**
     * Waits until both servers serve, and then until both nodes say that either can fail without an
     * outage; fails with what they say is in the way.
     *
     * @param limit for the servers
     */
    public void awaitEitherCanFail(Duration limit) {
        awaitRedundant(limit);
        try {
            lab.await(
                    Readiness.EITHER_CAN_FAIL, Readiness.LIMIT, () -> readiness().eitherCanFail());
        } catch (ExpectationFailed e) {
            throw new ExpectationFailed(
                    "%s: %s".formatted(e.getMessage(), readiness().inTheWay()), e);
        }
    }

    /** What the agent of a node keeps over its own end, as its file has it. */
    public String memory(String node) {
        return lab.node(node).read(NodePaths.AGENT_STATE.toString());
    }

    /** The boot that a node is in, by its own kernel. */
    public String boot(String node) {
        return lab.node(node).read(NodePaths.BOOT_ID.toString()).strip();
    }

    /**
     * The whole lineage that lies with the data of a node.
     *
     * @throws IllegalStateException where it is not understood
     */
    public Lineage lineage(String node) {
        return lineageOf(lab.node(node).read(NodePaths.REPLICA.resolve("lineage.json").toString()));
    }

    /** Read apart from the agent, whose file it is, and as strictly. */
    static Lineage lineageOf(String file) {
        try {
            JsonNode json = Json.MAPPER.readTree(file);
            List<Epoch> epochs = new ArrayList<>();
            for (JsonNode epoch : json.required("epochs")) {
                epochs.add(
                        new Epoch(
                                epoch.required("number").asLong(),
                                new NodeName(epoch.required("founder").asText()),
                                new BootId(epoch.required("founderBoot").asText()),
                                epoch.required("forkIndex").asLong()));
            }
            return new Lineage(json.required("clusterId").asText(), epochs);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new IllegalStateException("no lineage: %s in %s".formatted(e, file), e);
        }
    }

    /** Makes the server of a node the leader, unless it is. */
    public void lead(String node) {
        if (leads(node)) {
            return;
        }
        EtcdApi.Member target =
                members(node).stream()
                        .filter(member -> member.name().equals(node))
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException(node + " is no member"));
        try (HttpEtcdApi leader = etcd(peerOf(node))) {
            EtcdAnswer<EtcdApi.Done> answer = leader.moveLeader(target.id(), SHORT);
            if (!answer.isOk()) {
                throw new IllegalStateException(
                        "leadership does not go to " + node + ": " + answer.words());
            }
        }
        lab.await(node + " leads", SHORT, () -> leads(node));
    }

    private HttpEtcdApi etcd(String node) {
        return new HttpEtcdApi(endpoints.get(NODES.indexOf(node)), tls);
    }

    /**
     * The hash of all that the database of a node held at a revision, 0 for now; fails where it
     * does not answer, or has not come that far.
     */
    public EtcdApi.KeyHash hash(String node, long revision) {
        try (HttpEtcdApi etcd = etcd(node)) {
            EtcdAnswer<EtcdApi.KeyHash> answer = etcd.hashKeys(revision, SHORT);
            return answer.toOptional()
                    .orElseThrow(() ->
                            new IllegalStateException(
                                    "no hash from " + node + ": " + answer.words()));
        }
    }

    /** The members as the server of a node lists them; fails where it does not answer. */
    public List<EtcdApi.Member> members(String node) {
        try (HttpEtcdApi etcd = etcd(node)) {
            EtcdAnswer<List<EtcdApi.Member>> answer =
                    etcd.members(EtcdApi.Consistency.LINEARIZABLE, SHORT);
            return answer.toOptional()
                    .orElseThrow(() ->
                            new IllegalStateException(
                                    "no member list from " + node + ": " + answer.words()));
        }
    }
}
