package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.BootId;
import dev.tandem.core.decision.Refusal;
import dev.tandem.drill.client.WatchAnswer;
import dev.tandem.host.Commands;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.pki.SitePki;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.redfishsim.BmcBehaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When a node may force its server to go on alone, when it may not, and what clients see. */
final class ForcedStartScenarios {
    private static final String NETWORK = "cluster0";
    private static final String LINEAGE = ReplicaDirectory.STANDARD + "/current/lineage.json";
    private static final Duration NOBODY = Duration.ofSeconds(45);

    /** Both fencing levels against a silent BMC, the pause, and the order after it. */
    private static final Duration NEXT_ORDER = Duration.ofMinutes(4);

    private ForcedStartScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "forced-start-hangs",
                        "A forced start never gets ready, and the agent is restarted meanwhile; the"
                                + " start is tried again, and the node serves.",
                        "TL25",
                        200,
                        ForcedStartScenarios::hangs),
                Scenario.slow(
                        "removed-member-takes-over",
                        "A node has an entry in its log that removes it and does not know whether"
                                + " it counts, and its peer dies; it does not take over, begins no"
                                + " history, and both serve when the peer is back.",
                        "TL5 TL14",
                        200,
                        ForcedStartScenarios::removed),
                Scenario.slow(
                        "watcher-across-accepted-loss",
                        "A person accepts that writes are lost; a client that has seen them and"
                                + " goes on watching is told that it missed something, before"
                                + " anybody has written again.",
                        "TL34",
                        200,
                        ForcedStartScenarios::watcher),
                Scenario.slow(
                        "shot-while-greeting",
                        "A node boots, sends its first message, and is switched off before the"
                                + " next; its peer, which waited for that fence, takes over.",
                        "TL6 TL32",
                        420,
                        ForcedStartScenarios::shotWhileGreeting));
    }

    private static final String RUN = "/run/tandem/etcd";
    private static final String HUNG = RUN + "/hung";
    private static final String HANGS = "/usr/local/sbin/etcd-that-hangs";
    private static final String DROP_IN = "/run/systemd/system/tandem-etcd.service.d/hangs.conf";

    private static void hangs(ScenarioContext drill) {
        drill.cause("the first forced start on node-0 will hang");
        drill.node("node-0")
                .write(
                        HANGS,
                        "0755",
                        """
                        #!/bin/sh
                        if [ ! -e %s ] && grep -q '"force-new-cluster" *: *true' %s/permit.json; then
                            touch %s
                            exec sleep infinity
                        fi
                        exec /usr/bin/etcd "$@"
                        """
                                .formatted(HUNG, RUN, HUNG));
        drill.node("node-0")
                .write(
                        DROP_IN,
                        "0644",
                        "[Service]\nExecStart=\nExecStart=%s --config-file=%s/permit.json\n"
                                .formatted(HANGS, RUN));
        drill.must("node-0", "systemctl", "daemon-reload");
        try {
            drill.step("pull the plug of node-1");
            drill.plugOut("node-1");
            drill.await(
                    "the forced start hangs",
                    ScenarioContext.RECOVERY,
                    () -> drill.node("node-0").run(ScenarioContext.SHORT, "ls", HUNG).ok());
            long restarted = drill.step("restart the agent of node-0");
            drill.must("node-0", "systemctl", "restart", "tandem-agent");
            drill.awaitOrFind(
                    "the start was tried again, and node-0 serves",
                    Duration.ofSeconds(150),
                    () -> drill.writer().firstAfter(restarted).isPresent());
            drill.figure(
                    "restart of the agent to first write",
                    Duration.ofNanos(
                            drill.writer().firstAfter(restarted).orElse(System.nanoTime())
                                    - restarted),
                    Duration.ofSeconds(90));
        } finally {
            drill.must("node-0", "rm", "-f", DROP_IN, HANGS, HUNG);
            drill.must("node-0", "systemctl", "daemon-reload");
        }
        drill.step("the plug of node-1 is in again");
        drill.plugIn("node-1");
        drill.awaitSettled();
        drill.awaitWrites();
    }

    private static void removed(ScenarioContext drill) throws Exception {
        drill.pair().lead("node-1");
        drill.awaitSettled();
        String member = memberOf(drill, "node-0");
        String lineage = drill.node("node-0").read(LINEAGE);
        drill.writer().pause();
        try {
            drill.step("what node-0 answers to node-1's server is lost");
            drill.lab()
                    .inject(
                            new NetworkFault.Cut(
                                    NETWORK,
                                    "node-0",
                                    "node-1",
                                    false,
                                    List.of(NetworkFault.Port.parse("tcp/2380"))));
            drill.step("somebody removes node-0 on node-1, which is not answered");
            // Not in the background: the entry is with node-0 long before this gives up.
            etcd(drill, "node-1", "/v3/cluster/member/remove", "{\"ID\":\"%s\"}".formatted(member));
        } finally {
            drill.writer().resume();
        }
        long off = drill.step("pull the plug of node-1");
        drill.plugOut("node-1");
        drill.awaitEvent("node-0", JournalEvent.Fenced.class, off, ScenarioContext.RECOVERY);
        drill.holds(
                "node-0 does not serve: the peer may have gone on without it",
                NOBODY,
                () -> !drill.pair().is("node-0", NodeHealth.ALONE));
        boolean untouched =
                drill.finds(
                        drill.node("node-0").read(LINEAGE).equals(lineage),
                        "node-0 has begun no history that it cannot serve");
        drill.finds(
                drill.refuses("node-0", Refusal.LOG_REMOVES_SELF),
                "the status of node-0 says what is in the way, not: " + drill.sentence("node-0"));
        drill.step("the plug of node-1 is in again");
        drill.plugIn("node-1");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.finds(untouched, "all that without a history in between");
    }

    private static String memberOf(ScenarioContext drill, String node) {
        return drill.pair().members(node).stream()
                .filter(member -> member.name().equals(node))
                .map(member -> member.id().decimal())
                .findFirst()
                .orElseThrow();
    }

    /** Asks the server of a node as a client on that node would, for two seconds at most. */
    private static Commands.Output etcd(
            ScenarioContext drill, String node, String path, String body) {
        Path keys = SitePki.INSTALLED;
        return drill.node(node)
                .run(
                        ScenarioContext.SHORT,
                        "curl",
                        "--silent",
                        "--no-buffer",
                        "--max-time",
                        "2",
                        "--cacert",
                        keys.resolve(SitePki.CA_CERTIFICATE).toString(),
                        "--cert",
                        SitePki.Purpose.ETCD_CLIENT.certificate(keys).toString(),
                        "--key",
                        SitePki.Purpose.ETCD_CLIENT.key(keys).toString(),
                        "https://127.0.0.1:2379" + path,
                        "--data",
                        body);
    }

    private static void watcher(ScenarioContext drill) throws Exception {
        long alone = drill.step("pull the plug of node-1");
        drill.plugOut("node-1");
        drill.awaitAlone("node-0");
        drill.awaitWrites();
        drill.step("pull the plug of node-0, which wrote alone; only node-1 returns");
        drill.plugOut("node-0");
        long seen =
                drill.writer().acknowledgements().stream()
                        .mapToLong(Writer.Acknowledgement::revision)
                        .max()
                        .orElseThrow();
        drill.lab().heal();
        drill.powerOn("node-1");
        drill.awaitUp("node-1");
        drill.awaitAgent("node-1");
        drill.holdsInert("node-1", Duration.ofSeconds(5));
        // A writer would pass the revision that the client has seen, and hide that it was given out
        // again.
        drill.writer().pause();
        try {
            drill.step("a person accepts that what node-0 wrote alone is lost");
            drill.lossIsAccepted(alone);
            drill.confirmPeerOff("node-1", "--accept-loss");
            drill.awaitHealth("node-1", NodeHealth.ALONE, ScenarioContext.RECOVERY);
            drill.step("a client that has seen revision %d goes on watching".formatted(seen));
            String watch =
                    etcd(
                                    drill,
                                    "node-1",
                                    "/v3/watch",
                                    "{\"create_request\":{\"key\":\"AA==\",\"range_end\":\"AA==\",\"start_revision\":\"%d\"}}"
                                            .formatted(seen + 1))
                            .out();
            drill.finds(
                    new WatchAnswer(watch).tellsOfLossAfter(seen),
                    "whoever saw revision %d is told that something is missing, not: %s"
                            .formatted(seen, first(watch)));
        } finally {
            drill.writer().resume();
        }
        drill.step("switch on node-0");
        drill.powerOn("node-0");
        drill.await(
                "node-0 keeps its own history until a person has chosen, or has joined",
                ScenarioContext.REDUNDANCY,
                () -> drill.refuses("node-0", Refusal.FORKED) || drill.pair().isRedundant());
        if (!drill.pair().isRedundant()) {
            drill.await(
                    "the choice is taken",
                    ScenarioContext.RECOVERY,
                    () -> drill.keepHistory("node-0", "--yes").ok());
        }
        drill.awaitSettled();
        drill.awaitWrites();
    }

    private static String first(String text) {
        return text.lines().findFirst().orElse("nothing");
    }

    private static final String FIRST_BOOT = "/etc/tandem-lab/held-boot";

    /** Units with this do not start in the boot that comes first after it was written. */
    private static final String HELD =
            """
            [Service]
            ExecStartPre=/bin/sh -c 'b=/proc/sys/kernel/random/boot_id; [ -e %s ] || cat $b > %s; ! cmp -s $b %s || sleep infinity'
            """
                    .formatted(FIRST_BOOT, FIRST_BOOT, FIRST_BOOT);

    private static final List<String> HELD_UNITS =
            List.of(
                    "/etc/systemd/system/corosync.service.d/held.conf",
                    "/etc/systemd/system/tandem-agent.service.d/held.conf");

    private static void shotWhileGreeting(ScenarioContext drill) {
        drill.step("in its next boot node-1 will start neither Corosync nor its agent");
        HELD_UNITS.forEach(unit -> drill.node("node-1").write(unit, "0644", HELD));
        long off = drill.step("node-1 reboots on its own while its BMC is silent");
        drill.node("node-1")
                .bmcBehaves(
                        BmcBehaviour.FAULTLESS.withReachability(BmcBehaviour.Reachability.SILENT));
        drill.node("node-1").cutPower();
        drill.powerOn("node-1");
        drill.await(
                "node-1 says hello to node-0, and nothing else",
                ScenarioContext.RECOVERY,
                () -> drill.node("node-1").run(ScenarioContext.SHORT, hello(drill)).ok());
        BootId boot = new BootId(drill.boot("node-1"));
        drill.expectNoTakeOver(off);
        drill.step("the BMC of node-1 answers again");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        drill.await(
                "node-1 is switched off in that boot",
                NEXT_ORDER,
                () ->
                        drill.atBmcs(dev.tandem.redfishsim.BmcEvent.Kind.POWERED_OFF).stream()
                                .anyMatch(event -> !event.byLab()));
        drill.awaitOrFind(
                "node-0 takes over",
                Duration.ofSeconds(30),
                () -> drill.happened("node-0", JournalEvent.TakeOver.class, off));
        drill.finds(
                drill.journal("node-0", JournalEvent.Fenced.class, off).stream()
                        .anyMatch(made -> made.receipt().peerBoot().equals(boot)),
                "the receipt is about the boot that only said hello");
        drill.awaitUp("node-1");
        drill.must("node-1", "rm", "-f", HELD_UNITS.getFirst(), HELD_UNITS.getLast(), FIRST_BOOT);
        drill.must("node-1", "systemctl", "daemon-reload");
        drill.awaitSettled();
        drill.awaitWrites();
    }

    /** What an agent sends first, by its own key. */
    private static String[] hello(ScenarioContext drill) {
        Path keys = SitePki.INSTALLED;
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--fail"));
        command.addAll(
                List.of(
                        "--max-time",
                        "3",
                        // The agent's certificate is not that of just any server, and curl asks
                        // for one.
                        "--insecure",
                        "--cert",
                        SitePki.Purpose.AGENT.certificate(keys).toString(),
                        "--key",
                        SitePki.Purpose.AGENT.key(keys).toString(),
                        "--header",
                        "Tandem-Question: 1",
                        "https://%s:9443/facts"
                                .formatted(drill.node("node-0").plan().primaryAddress().inUrl()),
                        "--data",
                        "{\"version\":1,\"is\":\"Hello\",\"boot\":\"%s\"}"
                                .formatted(drill.boot("node-1"))));
        return command.toArray(String[]::new);
    }
}
