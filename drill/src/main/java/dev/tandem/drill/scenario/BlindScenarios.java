package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.host.pki.SitePki;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.redfishsim.BmcBehaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Somebody cannot see, or cannot act, and the status has to say so before it matters. */
final class BlindScenarios {
    /** The agents look at BMCs and Pacemaker four times a minute. */
    private static final Duration WARNED = Duration.ofSeconds(40);

    private static final Duration MENDED = Duration.ofSeconds(60);

    /** A dead agent is seen by its peer within this. */
    private static final Duration SILENCE_NOTICED = Duration.ofSeconds(20);

    /** Longer than a healthy server that was taken for a hanging one ever lived. */
    private static final Duration REFUSED = Duration.ofSeconds(100);

    private static final Duration SERVES_AGAIN = Duration.ofSeconds(30);

    private static final String AGENT_KEY = SitePki.INSTALLED.resolve("agent.key").toString();

    private BlindScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "agent-refused-by-its-etcd",
                        "etcd refuses the certificate of its own agent, on one node and then on"
                                + " both; the servers are left alone, and the status says that the"
                                + " agent cannot see.",
                        "TL24",
                        330,
                        BlindScenarios::refusedByItsEtcd),
                Scenario.slow(
                        "agent-cannot-start",
                        "The agent of one node cannot start, which its peer and Pacemaker show;"
                                + " the peer dies and is fenced, and the node serves as soon as its"
                                + " agent starts.",
                        "TL37",
                        180,
                        BlindScenarios::cannotStart),
                Scenario.slow(
                        "bmc-dies-quietly",
                        "A BMC falls silent, and later refuses the password; each time the status"
                                + " promises no recovery until it is mended.",
                        "TL30",
                        150,
                        BlindScenarios::bmcDiesQuietly),
                Scenario.slow(
                        "fencing-switched-off",
                        "Pacemaker is put into maintenance, fence devices are disabled, fencing is"
                                + " switched off; each time the status of both nodes promises no"
                                + " recovery until that is undone.",
                        "TL30 TL42",
                        240,
                        BlindScenarios::fencingSwitchedOff));
    }

    // ---- agent-refused-by-its-etcd -------------------------------------------------------------

    private static void refusedByItsEtcd(ScenarioContext stage) throws Exception {
        Path keys = Files.createTempDirectory("another-authority");
        try {
            SitePki.create(keys.resolve("authority"), "another", InstantSource.system());
            refused(stage, keys, List.of("node-1"));
            refused(stage, keys, Pair.NODES);
        } finally {
            try (Stream<Path> all = Files.walk(keys)) {
                for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private static void refused(ScenarioContext stage, Path keys, List<String> nodes)
            throws Exception {
        stage.awaitWrites();
        Map<String, String> servers = servers(stage);
        List<String> members = members(stage);
        Map<String, Map<String, String>> own = new TreeMap<>();
        for (String node : nodes) {
            own.put(node, ownKeys(stage, node));
        }
        String which = String.join(" and ", nodes);
        long begun = stage.cause("the agent of %s has a key of another authority".formatted(which));
        try {
            for (String node : nodes) {
                install(stage, node, foreignKeys(stage, keys, node));
                stage.must(node, "systemctl", "restart", "tandem-agent");
            }
            nodes.forEach(stage::awaitAgent);
            for (String node : nodes) {
                stage.awaitOrFind(
                        "the status of %s says that its agent cannot see its etcd".formatted(node),
                        Duration.ofSeconds(30),
                        () ->
                                stage.told(node).exitCode() != 0
                                        && stage.told(node).status().health() == NodeHealth.UNSEEN);
            }
            untouched(stage, servers, members, begun);
        } finally {
            stage.person("mend the key of " + which);
            for (String node : nodes) {
                install(stage, node, own.getOrDefault(node, Map.of()));
                stage.must(node, "systemctl", "restart", "tandem-agent");
            }
        }
        stage.awaitSettled();
        stage.awaitWrites();
        stage.finds(servers(stage).equals(servers), "no etcd was restarted by the mending either");
    }

    /** Nothing is done to servers that are well. */
    private static void untouched(
            ScenarioContext stage, Map<String, String> servers, List<String> members, long since)
            throws Exception {
        long end = since + REFUSED.toNanos();
        boolean alive = true;
        while (System.nanoTime() - end < 0 && alive) {
            alive =
                    stage.finds(
                            servers(stage).equals(servers),
                            "no etcd is ended while its agent cannot see it");
            stage.pause(Duration.ofSeconds(1));
        }
        if (alive) {
            stage.finds(members(stage).equals(members), "the membership is what it was");
        }
        stage.finds(
                stage.writer().longestGapSince(since).length().compareTo(Duration.ofSeconds(5)) < 0,
                "writes go on without a gap of 5 s");
        for (String node : Pair.NODES) {
            stage.finds(
                    stage.journal(node, JournalEvent.TakeOver.class, since).isEmpty(),
                    "no take-over by " + node);
        }
    }

    /** The process of each server. */
    private static Map<String, String> servers(ScenarioContext stage) {
        return Pair.NODES.stream()
                .collect(
                        Collectors.toMap(
                                node -> node,
                                node ->
                                        stage.node(node)
                                                .run(ScenarioContext.SHORT, "pidof", "etcd")
                                                .out()
                                                .strip()));
    }

    private static List<String> members(ScenarioContext stage) {
        return stage.pair().members("node-0").stream().map(Object::toString).sorted().toList();
    }

    private static List<String> files() {
        SitePki.Purpose client = SitePki.Purpose.ETCD_CLIENT;
        return Stream.of(client.certificate(SitePki.INSTALLED), client.key(SitePki.INSTALLED))
                .map(Path::toString)
                .toList();
    }

    private static Map<String, String> ownKeys(ScenarioContext stage, String node) {
        return files().stream()
                .collect(Collectors.toMap(file -> file, file -> stage.node(node).read(file)));
    }

    private static Map<String, String> foreignKeys(ScenarioContext stage, Path keys, String node)
            throws IOException {
        Path issued = keys.resolve(node);
        if (!Files.exists(issued)) {
            Files.createDirectory(issued);
            SitePki.load(keys.resolve("authority"), InstantSource.system())
                    .issue(node, List.of(stage.node(node).plan().primaryAddress().ip()), issued);
        }
        Map<String, String> foreign = new TreeMap<>();
        for (String file : files()) {
            foreign.put(
                    file, Files.readString(issued.resolve(Path.of(file).getFileName().toString())));
        }
        return foreign;
    }

    private static void install(ScenarioContext stage, String node, Map<String, String> files) {
        files.forEach((file, content) -> stage.node(node).write(file, "0600", content));
    }

    // ---- agent-cannot-start --------------------------------------------------------------------

    private static void cannotStart(ScenarioContext stage) throws Exception {
        // What Pacemaker remembers of earlier incidents must not pass for this one.
        stage.must("node-0", "crm_resource", "--cleanup", "--resource", "etcd");
        long begun =
                stage.cause("make the agent's key on node-0 group-readable, and restart the agent");
        stage.must("node-0", "chmod", "0640", AGENT_KEY);
        try {
            // Its end is awaited, its start is not to succeed.
            stage.must("node-0", "systemctl", "restart", "--no-block", "tandem-agent");
            stage.awaitWarning("node-1", begun, SILENCE_NOTICED);
            stage.awaitOrFind(
                    "Pacemaker shows etcd of node-0 as degraded",
                    begun,
                    SILENCE_NOTICED,
                    () -> degraded(stage, "node-0"));
            long stopped = stage.step("the kernel of node-1 stops");
            int shots = stage.shots();
            stage.node("node-1").crash(LabRequest.CrashKind.PANIC);
            stage.await(
                    "node-1 is fenced by the second level",
                    ScenarioContext.RECOVERY,
                    () -> stage.shots() > shots);
            stage.awaitUp("node-1");
            stage.figure(
                    "death to the fence of the second level",
                    Duration.ofNanos(System.nanoTime() - stopped),
                    Duration.ofSeconds(60));
        } finally {
            stage.must("node-0", "chmod", "0600", AGENT_KEY);
        }
        long mended = stage.person("the key is right again, and the agent may start");
        stage.awaitOrFind(
                "node-0 serves and a write is acknowledged",
                SERVES_AGAIN,
                () -> stage.writer().firstAfter(mended).isPresent());
        stage.figure(
                "mended to first write",
                Duration.ofNanos(
                        stage.writer().firstAfter(mended).orElse(System.nanoTime()) - mended),
                SERVES_AGAIN);
        stage.awaitSettled();
        stage.awaitWrites();
    }

    /**
     * The code of the resource standard for "active, but more likely to fail soon". Pacemaker keeps
     * it as the last failure, also when the next look is well again.
     */
    private static boolean degraded(ScenarioContext stage, String node) {
        return stage.node("node-1")
                .run(
                        ScenarioContext.SHORT,
                        "cibadmin",
                        "--query",
                        "--xpath",
                        "//node_state[@uname='%s']//lrm_resource[starts-with(@id,'etcd')]/lrm_rsc_op[@rc-code='190']"
                                .formatted(node))
                .ok();
    }

    // ---- bmc-dies-quietly ----------------------------------------------------------------------

    private static void bmcDiesQuietly(ScenarioContext stage) {
        quietly(
                stage,
                "the BMC of node-1 falls silent",
                BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT));
        quietly(
                stage,
                "the BMC of node-1 has another password now",
                BmcBehaviour.FAULTLESS.withCredentialsRotated(true));
        stage.expectNoFence();
    }

    private static void quietly(ScenarioContext stage, String what, BmcBehaviour behaviour) {
        long begun = stage.step(what);
        stage.node("node-1").bmcBehaves(behaviour);
        stage.awaitWarning("node-0", begun, WARNED);
        stage.step("the BMC is well again");
        stage.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        stage.awaitPromise("node-0", MENDED);
    }

    // ---- fencing-switched-off ------------------------------------------------------------------

    private static void fencingSwitchedOff(ScenarioContext stage) {
        switchedOff(
                stage,
                "Pacemaker is put into maintenance",
                List.of(property("maintenance-mode", "true")),
                List.of(property("maintenance-mode", "false")));
        switchedOff(
                stage,
                "both fence devices of node-1 are disabled",
                List.of(role("tandem-fence-node-1", true), role("tandem-redfish-node-1", true)),
                List.of(role("tandem-fence-node-1", false), role("tandem-redfish-node-1", false)));
        switchedOff(
                stage,
                "fencing is switched off",
                List.of(property("stonith-enabled", "false")),
                List.of(property("stonith-enabled", "true")));
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    private static void switchedOff(
            ScenarioContext stage,
            String what,
            List<List<String>> commands,
            List<List<String>> undone) {
        long begun = stage.cause(what);
        try {
            all(stage, commands);
            for (String node : Pair.NODES) {
                stage.awaitWarning(node, begun, WARNED);
            }
        } finally {
            stage.person("that is undone");
            all(stage, undone);
        }
        for (String node : Pair.NODES) {
            stage.awaitPromise(node, MENDED);
        }
    }

    private static void all(ScenarioContext stage, List<List<String>> commands) {
        commands.forEach(command -> stage.must("node-0", command.toArray(String[]::new)));
    }

    private static List<String> property(String name, String value) {
        return List.of("crm_attribute", "--type=crm_config", "--name=" + name, "--update=" + value);
    }

    private static List<String> role(String device, boolean stopped) {
        return stopped
                ? List.of(
                        "crm_resource",
                        "--resource=" + device,
                        "--meta",
                        "--set-parameter=target-role",
                        "--parameter-value=Stopped")
                : List.of(
                        "crm_resource",
                        "--resource=" + device,
                        "--meta",
                        "--delete-parameter=target-role");
    }
}
