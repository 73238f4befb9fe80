package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.cli.ExitCode;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.Commands;
import dev.tandem.host.Deadline;
import dev.tandem.host.pki.SitePki;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabLayout;
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
final class ImpedimentScenarios {
    private static final Duration MENDED = Duration.ofSeconds(60);

    /** Both fencing levels against a silent BMC, the pause, and the order after it. */
    private static final Duration NEXT_ORDER = Duration.ofMinutes(4);

    /** A silent BMC is asked twice over, and a node has two of them to ask. */
    private static final Duration FENCING_CHECKED = Duration.ofMinutes(2);

    /** A dead agent is seen by its peer within this. */
    private static final Duration SILENCE_NOTICED = Duration.ofSeconds(15);

    /** Longer than a healthy server that was taken for a hanging one ever lived. */
    private static final Duration REFUSED = Duration.ofSeconds(100);

    private static final Duration SERVES_AGAIN = Duration.ofSeconds(30);

    /** Half a minute of silence, a monitor before and after it, the stop and the fence. */
    private static final Duration HANG_FENCED = Duration.ofMinutes(3);

    /** A monitor, the time that an agent has to come back, and the fence. */
    private static final Duration DEATH_FENCED = Duration.ofSeconds(75);

    /** The stop of etcd without its agent, the wait for a fence of Pacemaker's own, and ours. */
    private static final Duration LEFT_FENCED = Duration.ofSeconds(75);

    /** A minute beside a peer without an agent, then Pacemaker's own time, and the fence. */
    private static final Duration DESERTED_FENCED = Duration.ofMinutes(3);

    private static final BmcBehaviour SILENT =
            BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT);

    private static final String AGENT_KEY = SitePki.INSTALLED.resolve("agent.key").toString();

    private ImpedimentScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "agent-refused-by-its-etcd",
                        "etcd refuses the certificate of its own agent, on one node and then on"
                                + " both; the servers are left alone, and the status says that the"
                                + " agent cannot see.",
                        "TL24",
                        330,
                        ImpedimentScenarios::refusedByItsEtcd),
                Scenario.slow(
                        "agent-cannot-start",
                        "The agent of one node cannot start, which its peer and Pacemaker show;"
                                + " the peer dies and is fenced, and the node serves as soon as its"
                                + " agent starts.",
                        "TL37",
                        180,
                        ImpedimentScenarios::cannotStart),
                Scenario.slow(
                        "etcd-hangs-without-agent",
                        "The agent of one node cannot start, and then its etcd is suspended"
                                + " (SIGSTOP); Pacemaker notices within two minutes, the node is"
                                + " fenced, and its peer serves alone.",
                        "TL18",
                        240,
                        drill -> endsWithoutAgent(drill, "suspend", "STOP", HANG_FENCED)),
                Scenario.slow(
                        "etcd-dies-without-agent",
                        "The agent of one node cannot start, and then its etcd is killed; nothing"
                                + " would start it again there, so the node is fenced, and its peer"
                                + " serves alone.",
                        "TL16",
                        180,
                        drill -> endsWithoutAgent(drill, "kill", "KILL", DEATH_FENCED)),
                Scenario.slow(
                        "reboot-without-agent",
                        "The agent of one node cannot start, and then the node is shut down in"
                            + " order; for Pacemaker it has left and needs no fence, so its peer"
                            + " orders one and serves alone.",
                        "TL4 TL37",
                        180,
                        ImpedimentScenarios::leavesWithoutAgent),
                Scenario.slow(
                        "returns-without-agent",
                        "The agent of one node cannot start, and then the node is rebooted; it is"
                                + " back in the cluster before anybody fenced it, and nobody starts"
                                + " its etcd. Its peer orders a fence and serves alone.",
                        "TL4 TL37",
                        240,
                        ImpedimentScenarios::returnsWithoutAgent),
                Scenario.slow(
                        "bmc-dies-quietly",
                        "A BMC refuses the password, and later falls silent, alone and then with"
                                + " that of its peer; each time the status promises no recovery,"
                                + " nor does the check of fencing. Then its node crashes: the first"
                                + " line names the cause, and the repair ends the outage.",
                        "TL30",
                        660,
                        ImpedimentScenarios::bmcDiesQuietly),
                Scenario.slow(
                        "fencing-switched-off",
                        "Pacemaker is put into maintenance, fence devices are disabled, fencing is"
                                + " switched off; each time the status of both nodes promises no"
                                + " recovery, nor does the check of fencing. Then a node crashes:"
                                + " the first line names the cause, and undoing it ends the"
                                + " outage.",
                        "TL30 TL42",
                        540,
                        ImpedimentScenarios::fencingSwitchedOff));
    }

    private static void refusedByItsEtcd(ScenarioContext drill) throws Exception {
        Path keys = Files.createTempDirectory("another-authority");
        try {
            SitePki.create(keys.resolve("authority"), "another", InstantSource.system());
            refused(drill, keys, List.of("node-1"));
            refused(drill, keys, Pair.NODES);
        } finally {
            try (Stream<Path> all = Files.walk(keys)) {
                for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private static void refused(ScenarioContext drill, Path keys, List<String> nodes)
            throws Exception {
        drill.awaitWrites();
        Map<String, String> servers = servers(drill);
        List<String> members = members(drill);
        Map<String, Map<String, String>> own = new TreeMap<>();
        for (String node : nodes) {
            own.put(node, ownKeys(drill, node));
        }
        // What Pacemaker remembers of earlier incidents must not pass for this one.
        drill.must("node-0", "crm_resource", "--cleanup", "--resource", "etcd");
        String which = String.join(" and ", nodes);
        long begun = drill.cause("the agent of %s has a key of another authority".formatted(which));
        try {
            for (String node : nodes) {
                install(drill, node, foreignKeys(drill, keys, node));
                drill.must(node, "systemctl", "restart", "tandem-agent");
            }
            nodes.forEach(drill::awaitAgent);
            for (String node : nodes) {
                drill.awaitWarning(Pair.peerOf(node), begun, SILENCE_NOTICED);
                drill.awaitWarning(node, begun, SILENCE_NOTICED);
                drill.awaitOrFind(
                        "Pacemaker shows etcd of %s as degraded".formatted(node),
                        begun,
                        SILENCE_NOTICED,
                        () -> degraded(drill, node));
                drill.awaitOrFind(
                        "the status of %s says that its agent cannot see its etcd".formatted(node),
                        begun,
                        SILENCE_NOTICED,
                        () ->
                                drill.told(node).exitCode() != 0
                                        && drill.told(node).status().health() == NodeHealth.UNSEEN);
            }
            untouched(drill, servers, members, begun);
        } finally {
            drill.person("repair the key of " + which);
            for (String node : nodes) {
                install(drill, node, own.getOrDefault(node, Map.of()));
                drill.must(node, "systemctl", "restart", "tandem-agent");
            }
        }
        drill.awaitSettled();
        drill.awaitWrites();
        drill.finds(servers(drill).equals(servers), "no etcd was restarted by the repair either");
    }

    /** Nothing is done to servers that are well. */
    private static void untouched(
            ScenarioContext drill, Map<String, String> servers, List<String> members, long since)
            throws Exception {
        Deadline deadline = Deadline.after(since, REFUSED);
        boolean alive = true;
        while (!deadline.passed() && alive) {
            alive =
                    drill.finds(
                            servers(drill).equals(servers),
                            "no etcd is ended while its agent cannot see it");
            drill.pause(Duration.ofSeconds(1));
        }
        if (alive) {
            drill.finds(members(drill).equals(members), "the membership is what it was");
        }
        drill.finds(
                drill.writer().longestGapSince(since).length().compareTo(Duration.ofSeconds(5)) < 0,
                "writes go on without a gap of 5 s");
        for (String node : Pair.NODES) {
            drill.finds(
                    drill.journal(node, JournalEvent.TakeOver.class, since).isEmpty(),
                    "no take-over by " + node);
        }
    }

    /** The process of each server. */
    private static Map<String, String> servers(ScenarioContext drill) {
        return Pair.NODES.stream()
                .collect(
                        Collectors.toMap(
                                node -> node,
                                node ->
                                        drill.node(node)
                                                .run(ScenarioContext.SHORT, "pidof", "etcd")
                                                .out()
                                                .strip()));
    }

    private static List<String> members(ScenarioContext drill) {
        return drill.pair().members("node-0").stream().map(Object::toString).sorted().toList();
    }

    private static List<String> files() {
        SitePki.Purpose client = SitePki.Purpose.ETCD_CLIENT;
        return Stream.of(client.certificate(SitePki.INSTALLED), client.key(SitePki.INSTALLED))
                .map(Path::toString)
                .toList();
    }

    private static Map<String, String> ownKeys(ScenarioContext drill, String node) {
        return files().stream()
                .collect(Collectors.toMap(file -> file, file -> drill.node(node).read(file)));
    }

    private static Map<String, String> foreignKeys(ScenarioContext drill, Path keys, String node)
            throws IOException {
        Path issued = keys.resolve(node);
        if (!Files.exists(issued)) {
            Files.createDirectory(issued);
            SitePki.load(keys.resolve("authority"), InstantSource.system())
                    .issue(
                            node,
                            drill.node(node).plan().planAddresses().stream()
                                    .map(LabLayout.Address::ip)
                                    .toList(),
                            issued);
        }
        Map<String, String> foreign = new TreeMap<>();
        for (String file : files()) {
            foreign.put(
                    file, Files.readString(issued.resolve(Path.of(file).getFileName().toString())));
        }
        return foreign;
    }

    private static void install(ScenarioContext drill, String node, Map<String, String> files) {
        files.forEach((file, content) -> drill.node(node).write(file, "0600", content));
    }

    private static void cannotStart(ScenarioContext drill) throws Exception {
        // What Pacemaker remembers of earlier incidents must not pass for this one.
        drill.must("node-0", "crm_resource", "--cleanup", "--resource", "etcd");
        long begun =
                drill.cause("make the agent's key on node-0 group-readable, and restart the agent");
        drill.must("node-0", "chmod", "0640", AGENT_KEY);
        try {
            // Its end is awaited, its start is not to succeed.
            drill.must("node-0", "systemctl", "restart", "--no-block", "tandem-agent");
            drill.awaitWarning("node-1", begun, SILENCE_NOTICED);
            drill.awaitOrFind(
                    "Pacemaker shows etcd of node-0 as degraded",
                    begun,
                    SILENCE_NOTICED,
                    () -> degraded(drill, "node-0"));
            long stopped = drill.step("the kernel of node-1 stops");
            int shots = drill.switchedOff();
            drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
            drill.await(
                    "node-1 is fenced by the second level",
                    ScenarioContext.RECOVERY,
                    () -> drill.switchedOff() > shots);
            drill.awaitUp("node-1");
            drill.figure(
                    "death to the fence of the second level",
                    Duration.ofNanos(System.nanoTime() - stopped),
                    Duration.ofSeconds(60));
        } finally {
            drill.must("node-0", "chmod", "0600", AGENT_KEY);
        }
        long mended = drill.person("the key is right again, and the agent may start");
        drill.awaitOrFind(
                "node-0 serves and a write is acknowledged",
                SERVES_AGAIN,
                () -> drill.writer().firstAfter(mended).isPresent());
        drill.figure(
                "repair to first write",
                Duration.ofNanos(
                        drill.writer().firstAfter(mended).orElse(System.nanoTime()) - mended),
                SERVES_AGAIN);
        drill.awaitSettled();
        drill.awaitWrites();
    }

    private static void endsWithoutAgent(
            ScenarioContext drill, String how, String signal, Duration fenced) {
        drill.must("node-0", "crm_resource", "--cleanup", "--resource", "etcd");
        drill.bootsSlowly("node-1");
        long begun =
                drill.cause("make the agent's key on node-1 group-readable, and restart the agent");
        drill.must("node-1", "chmod", "0640", AGENT_KEY);
        try {
            drill.must("node-1", "systemctl", "restart", "--no-block", "tandem-agent");
            drill.awaitWarning("node-0", begun, SILENCE_NOTICED);
            drill.awaitOrFind(
                    "Pacemaker shows etcd of node-1 as degraded",
                    begun,
                    SILENCE_NOTICED,
                    () -> degraded(drill, "node-1"));
            drill.awaitWrites();
            long ended = drill.step("%s etcd of node-1".formatted(how));
            drill.node("node-1").kill("etcd", signal);
            drill.awaitEvent("node-0", JournalEvent.Fenced.class, ended, fenced);
            drill.awaitAlone("node-0");
            drill.figureOfGap("%s to first write".formatted(how), ended, fenced);
        } finally {
            drill.awaitUp("node-1");
            drill.must("node-1", "chmod", "0600", AGENT_KEY);
        }
        agentMayStart(drill, begun);
    }

    /** After one fence of node-1, whose agent could not start. */
    private static void agentMayStart(ScenarioContext drill, long begun) {
        drill.person("the key is right again, and the agent may start");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectFences(1);
        drill.expect(
                drill.journal("node-1", JournalEvent.TakeOver.class, begun).isEmpty(),
                "no take-over by node-1");
    }

    private static void leavesWithoutAgent(ScenarioContext drill) {
        drill.must("node-0", "crm_resource", "--cleanup", "--resource", "etcd");
        long begun =
                drill.cause("make the agent's key on node-1 group-readable, and restart the agent");
        drill.must("node-1", "chmod", "0640", AGENT_KEY);
        try {
            drill.must("node-1", "systemctl", "restart", "--no-block", "tandem-agent");
            drill.awaitWarning("node-0", begun, SILENCE_NOTICED);
            drill.awaitWrites();
            long left = drill.step("shut node-1 down");
            drill.shutDown("node-1");
            drill.awaitEvent("node-0", JournalEvent.FenceRequested.class, left, LEFT_FENCED);
            drill.awaitAlone("node-0");
            drill.figureOfGap("shutdown to first write", left, LEFT_FENCED);
            drill.awaitOff("node-1", ScenarioContext.SHORT);
            drill.expectFences(1);
            drill.expectSwitchedOff(0);
        } finally {
            drill.powerOn("node-1");
            drill.awaitUp("node-1");
            drill.must("node-1", "chmod", "0600", AGENT_KEY);
        }
        agentMayStart(drill, begun);
        drill.expect(
                drill.journal("node-0", JournalEvent.FenceRequested.class, begun).size() == 1,
                "node-0 ordered one fence");
    }

    private static void returnsWithoutAgent(ScenarioContext drill) {
        drill.must("node-0", "crm_resource", "--cleanup", "--resource", "etcd");
        long begun =
                drill.cause("make the agent's key on node-1 group-readable, and restart the agent");
        drill.must("node-1", "chmod", "0640", AGENT_KEY);
        try {
            drill.must("node-1", "systemctl", "restart", "--no-block", "tandem-agent");
            drill.awaitWarning("node-0", begun, SILENCE_NOTICED);
            drill.awaitWrites();
            long left = drill.step("reboot node-1");
            drill.node("node-1").run(ScenarioContext.SHORT, "systemctl", "reboot");
            drill.awaitEvent("node-0", JournalEvent.FenceRequested.class, left, DESERTED_FENCED);
            drill.awaitAlone("node-0");
            drill.figureOfGap("reboot to first write", left, DESERTED_FENCED);
            drill.expectFences(1);
        } finally {
            drill.awaitUp("node-1");
            drill.must("node-1", "chmod", "0600", AGENT_KEY);
        }
        agentMayStart(drill, begun);
    }

    /**
     * The code of the resource standard for "active, but more likely to fail soon". Pacemaker keeps
     * it as the last failure, also when the next look is well again.
     */
    private static boolean degraded(ScenarioContext drill, String node) {
        return drill.node("node-1")
                .run(
                        ScenarioContext.SHORT,
                        "cibadmin",
                        "--query",
                        "--xpath",
                        "//node_state[@uname='%s']//lrm_resource[starts-with(@id,'etcd')]/lrm_rsc_op[@rc-code='190']"
                                .formatted(node))
                .ok();
    }

    private static void bmcDiesQuietly(ScenarioContext drill) throws Exception {
        bmcDies(
                drill,
                "the BMC of node-1 has another password now",
                BmcBehaviour.FAULTLESS.withCredentialsRotated(true),
                Cause.BMC_REFUSES_PASSWORD,
                List.of("node-1"));
        bmcDies(
                drill,
                "the BMC of node-1 falls silent",
                SILENT,
                Cause.BMC_UNREACHABLE,
                List.of("node-1"));
        bmcDies(
                drill,
                "the BMCs of both nodes fall silent at once, as with a dead switch",
                SILENT,
                Cause.BMC_UNREACHABLE,
                Pair.NODES);
    }

    /**
     * @param whose BMCs; that of node-1 is among them
     */
    private static void bmcDies(
            ScenarioContext drill,
            String what,
            BmcBehaviour behaviour,
            Cause cause,
            List<String> whose)
            throws Exception {
        Outage outage = Outage.under(drill, cause, drill.step(what));
        for (String node : whose) {
            drill.node(node).bmcBehaves(behaviour);
        }
        for (String node : whose) {
            drill.awaitWarning(Pair.peerOf(node), cause, outage.since(), ScenarioContext.WARNED);
        }
        outage.crash();
        long repaired = drill.person("the BMC is repaired, and the password is tried at once");
        for (String node : whose) {
            drill.node(node).bmcBehaves(BmcBehaviour.FAULTLESS);
        }
        if (cause == Cause.BMC_REFUSES_PASSWORD) {
            drill.expect(
                    drill.setBmcPassword("node-0", "node-1", LabBmc.passwordOf("node-1")).ok(),
                    "the password is right");
        }
        outage.ends(repaired, NEXT_ORDER);
        drill.awaitPromise("node-0", MENDED);
    }

    /**
     * A crash that nobody recovers from while a cause lasts.
     *
     * @param since when the cause began
     * @param switchedOff how often a machine had been switched off by then
     */
    private record Outage(ScenarioContext drill, Cause cause, long since, int switchedOff) {
        static Outage under(ScenarioContext drill, Cause cause, long since) {
            return new Outage(drill, cause, since, drill.switchedOff());
        }

        /**
         * node-1 crashes when the cause could long have been known: nobody said that it may, nobody
         * takes over, and node-0 says first what is in the way.
         */
        void crash() throws Exception {
            Commands.Output checked =
                    drill.node("node-0").run(FENCING_CHECKED, "tandem", "fencing", "check");
            drill.finds(
                    checked.exitCode() == ExitCode.FINDING
                            && !checked.out().contains("Each node can be switched off"),
                    "with %s, tandem fencing check does not say that each node can be switched off: %s"
                            .formatted(cause, checked.out()));
            drill.findsNoPromise(since);
            drill.expect(
                    drill.switchedOff() == switchedOff, "no node is switched off before the crash");
            drill.expectNoTakeOver(since);
            long crashed = drill.step("the kernel of node-1 stops");
            drill.node("node-1").crash(LabRequest.CrashKind.PANIC);
            drill.await(
                    "node-0 does not serve",
                    ScenarioContext.RECOVERY,
                    () -> drill.pair().is("node-0", NodeHealth.DOWN));
            drill.awaitFirstLine("node-0", cause, crashed, ScenarioContext.WARNED);
            drill.holdsNoTakeOver(crashed, Duration.ofSeconds(15));
            drill.finds(
                    drill.told("node-0").tellsFirst(cause),
                    "the first line still names %s, not: %s"
                            .formatted(cause, drill.sentence("node-0")));
        }

        /** The pair recovers by itself once the cause is undone. */
        void ends(long undone, Duration limit) {
            drill.awaitOrFind(
                    "node-0 serves and a write is acknowledged",
                    limit,
                    () -> drill.writer().firstAfter(undone).isPresent());
            drill.figure(
                    "repair to first write after " + cause,
                    Duration.ofNanos(
                            drill.writer().firstAfter(undone).orElse(System.nanoTime()) - undone),
                    limit);
            drill.awaitSettled();
            drill.awaitWrites();
            drill.expect(
                    drill.switchedOff() > switchedOff,
                    "node-1 was switched off before node-0 served");
        }
    }

    private static void fencingSwitchedOff(ScenarioContext drill) throws Exception {
        switchedOff(
                drill,
                "Pacemaker is put into maintenance",
                Cause.MAINTENANCE,
                List.of(property("maintenance-mode", "true")),
                List.of(property("maintenance-mode", "false")),
                MENDED);
        switchedOff(
                drill,
                "both fence devices of node-1 are disabled",
                Cause.FENCE_DEVICE_DISABLED,
                List.of(role("tandem-fence-node-1", true), role("tandem-redfish-node-1", true)),
                List.of(role("tandem-fence-node-1", false), role("tandem-redfish-node-1", false)),
                // Pacemaker had nobody to ask, and gave up for a while.
                NEXT_ORDER);
        switchedOff(
                drill,
                "fencing is switched off",
                Cause.FENCING_OFF,
                List.of(property("stonith-enabled", "false")),
                List.of(property("stonith-enabled", "true")),
                MENDED);
    }

    private static void switchedOff(
            ScenarioContext drill,
            String what,
            Cause cause,
            List<List<String>> commands,
            List<List<String>> undoing,
            Duration limit)
            throws Exception {
        Outage outage = Outage.under(drill, cause, drill.cause(what));
        long undone;
        try {
            all(drill, commands);
            awaitWarnings(drill, cause, outage.since());
            outage.crash();
        } finally {
            undone = drill.person("that is undone");
            all(drill, undoing);
        }
        outage.ends(undone, limit);
        awaitPromises(drill);
    }

    private static void awaitWarnings(ScenarioContext drill, Cause cause, long since) {
        for (String node : Pair.NODES) {
            drill.awaitWarning(node, cause, since, ScenarioContext.WARNED);
        }
    }

    private static void awaitPromises(ScenarioContext drill) {
        for (String node : Pair.NODES) {
            drill.awaitPromise(node, MENDED);
        }
    }

    private static void all(ScenarioContext drill, List<List<String>> commands) {
        commands.forEach(command -> drill.must("node-0", command.toArray(String[]::new)));
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
