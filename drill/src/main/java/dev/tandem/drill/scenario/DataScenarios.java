package dev.tandem.drill.scenario;

import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.host.Commands;
import dev.tandem.host.NodePaths;
import dev.tandem.host.pki.SitePki;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Replicas are torn, damaged, missing, of another history, or cut off from space. */
final class DataScenarios {
    private static final String ETCD_DISK = NodePaths.REPLICAS.toString();
    private static final String LINEAGE = NodePaths.REPLICA.resolve("lineage.json").toString();
    private static final String MEMBER = NodePaths.REPLICA.resolve("member").toString();
    private static final String ANOTHER_FOUNDER = "another-recovery";

    private DataScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "fork-refused",
                        "One node comes back with another history; both refuse, nothing is touched,"
                                + " and a person chooses which one is kept.",
                        "TL3",
                        90,
                        DataScenarios::forkRefused),
                Scenario.slow(
                        "log-torn-by-a-power-cut",
                        "The end of one log is torn when both nodes lose power; etcd repairs that"
                                + " much on its own, and both start on their own data.",
                        "TL20",
                        60,
                        DataScenarios::logTorn),
                Scenario.slow(
                        "database-damaged",
                        "Bytes of the follower's database flip while it runs; it stands down, sets"
                                + " the damaged data aside, and copies everything from the other.",
                        "TL20",
                        120,
                        DataScenarios::databaseDamaged),
                Scenario.slow(
                        "newer-replica-damaged",
                        "The node that wrote alone has a damaged log after a cold boot; the older"
                                + " one serves only when a person has accepted the loss, and the"
                                + " damaged data is kept.",
                        "TL20",
                        150,
                        DataScenarios::newerReplicaDamaged),
                Scenario.slow(
                        "both-replicas-damaged",
                        "Both logs are damaged after a cold boot; both nodes refuse and touch"
                                + " nothing, and serve when the logs are sound again.",
                        "TL20",
                        110,
                        DataScenarios::bothReplicasDamaged),
                Scenario.slow(
                        "replica-removed",
                        "The data of one node is gone after a power cut, first of that node alone,"
                                + " then of both nodes; no node creates an empty cluster, and the"
                                + " node without data catches up from its peer.",
                        "TL21",
                        150,
                        DataScenarios::replicaRemoved),
                Scenario.slow(
                        "disk-full",
                        "The disk of the follower fills up, then that of the leader; the other"
                                + " serves on without a fence, and both do when there is space.",
                        "TL22",
                        200,
                        DataScenarios::diskFull),
                Scenario.slow(
                        "both-disks-full",
                        "Both disks fill up; the outage is shown as one, and ends without a person"
                                + " when there is space.",
                        "TL22",
                        120,
                        DataScenarios::bothDisksFull),
                Scenario.slow(
                        "database-full",
                        "The database has reached its quota; reads go on, the status says why"
                                + " nothing can be written, and nobody restarts anything.",
                        "TL22",
                        40,
                        DataScenarios::databaseFull));
    }

    private static void forkRefused(ScenarioContext drill) throws Exception {
        drill.step("cut the power of both while nobody writes");
        drill.bothOffQuietly();
        drill.step("node-1 boots alone and gets the history of another recovery");
        drill.powerOn("node-1");
        drill.awaitUp("node-1");
        drill.awaitAgent("node-1");
        drill.must("node-1", "systemctl", "stop", "tandem-agent");
        drill.must(
                "node-1",
                "sed",
                "-i",
                "s/\"founderBoot\" : \"[^\"]*\"/\"founderBoot\" : \"%s\"/"
                        .formatted(ANOTHER_FOUNDER),
                LINEAGE);
        drill.must("node-1", "systemctl", "start", "tandem-agent");
        long on = drill.step("node-0 boots too");
        drill.powerOn("node-0");
        for (String node : Pair.NODES) {
            drill.await(
                    node + " refuses and says that there are two histories",
                    ScenarioContext.RECOVERY,
                    () -> drill.refuses(node, Refusal.FORKED));
        }
        drill.holds(
                "no etcd runs while nobody has chosen",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(drill::runsEtcd));
        drill.expectNoTakeOver(on);
        drill.expectNothingSetAside(on);
        drill.step("a person would keep node-0's history, which nobody serves yet");
        drill.expect(
                saysWhy(
                        drill.keepHistory("node-1"),
                        "node-1",
                        HistoryChoice.Refusal.PEER_DOES_NOT_SERVE),
                "nothing is given up for a history that is not served");
        drill.step("so node-1 is shut down, as the runbook says");
        drill.shutDown("node-1");
        drill.awaitOff("node-1", Duration.ofMinutes(5));
        drill.step("node-0 is told that node-1 is off and its history given up");
        drill.confirmPeerOff("node-0", "--accept-loss");
        drill.awaitAlone("node-0");
        drill.step("switch on node-1");
        drill.powerOn("node-1");
        drill.await(
                "node-1 does not give up its history without a person",
                ScenarioContext.RECOVERY,
                () -> drill.refuses("node-1", Refusal.FORKED));
        drill.await(
                "node-1 has heard that node-0 serves",
                ScenarioContext.RECOVERY,
                () -> drill.keepHistory("node-1", "--dry-run").ok());
        drill.expectNothingSetAside(on);
        drill.expect(
                saysWhy(
                        drill.keepHistory("node-0", "--yes"),
                        "node-0",
                        HistoryChoice.Refusal.NO_FORK),
                "a node that serves has nothing to choose");
        long chosen = drill.step("a person keeps node-0's history on node-1");
        drill.expect(drill.keepHistory("node-1", "--yes").ok(), "the choice is taken");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expect(
                drill.node("node-1")
                        .must(
                                ScenarioContext.SHORT,
                                "sh",
                                "-c",
                                "cat /var/lib/etcd/kept/*/lineage.json")
                        .contains(ANOTHER_FOUNDER),
                "what was given up is still there");
        drill.expect(
                drill.journal("node-1", JournalEvent.Stated.class, chosen).stream()
                        .map(stated -> stated.statement().statement())
                        .anyMatch(PeerProof.Statement.KEEP_PEERS_HISTORY::equals),
                "the choice is in the journal");
        drill.expectNoFence();
    }

    private static boolean saysWhy(
            Commands.Output output, String self, HistoryChoice.Refusal refusal) {
        return output.err().contains(refusal.why(self, Pair.peerOf(self)));
    }

    /** Clears what the log's last sector holds, as a disk does that lost power while writing it. */
    private static final String TEAR =
            """
            import glob, os
            file = sorted(glob.glob('/var/lib/etcd/current/member/wal/*.wal'))[-1]
            with open(file, 'r+b') as log:
                used = len(log.read().rstrip(b'\\0'))
                sector = (used - 1) // 512 * 512
                log.seek(sector)
                log.write(b'\\0' * (used - sector))
                os.fsync(log.fileno())
            """;

    private static void logTorn(ScenarioContext drill) throws Exception {
        drill.step("cut the power of both while nobody writes");
        drill.bothOffQuietly();
        drill.step("node-1 boots alone, and the end of its log is torn");
        drill.powerOn("node-1");
        drill.awaitUp("node-1");
        drill.awaitAgent("node-1");
        drill.must("node-1", "systemctl", "stop", "tandem-agent");
        drill.must("node-1", "python3", "-c", TEAR);
        drill.must("node-1", "systemctl", "start", "tandem-agent");
        drill.awaitAgent("node-1");
        long on = drill.step("node-0 boots too");
        drill.powerOn("node-0");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectNoTakeOver();
        drill.expectNothingSetAside(on);
        drill.expectNoFence();
    }

    /** Behind the two pages that say where everything is: there it would not even open. */
    private static final long DATABASE_PAGES = 16_384;

    private static void databaseDamaged(ScenarioContext drill) throws Exception {
        String victim = drill.follower();
        String other = Pair.peerOf(victim);
        long flipped = drill.step("flip bytes in the database of " + victim);
        drill.node(victim).corrupt(MEMBER + "/snap/db", DATABASE_PAGES, 131_072);
        drill.pause(Duration.ofSeconds(5));
        if (!drill.happened(victim, JournalEvent.EtcdExited.class, flipped)) {
            drill.step("etcd has not noticed yet; kill it, so that it reads its database again");
            drill.node(victim).kill("etcd", "KILL");
        }
        drill.await(
                victim + " copies everything again",
                ScenarioContext.REDUNDANCY,
                () -> joined(drill, victim, flipped));
        drill.awaitSettled();
        drill.awaitWrites();
        drill.figureOfGap("damage to first write", flipped, Duration.ofSeconds(90));
        drill.expectNoFence();
        drill.expect(
                !joined(drill, other, flipped), "the sound data of " + other + " is left alone");
        expectKept(drill, victim);
    }

    private static boolean joined(ScenarioContext drill, String node, long since) {
        return drill.journal(node, JournalEvent.Decided.class, since).stream()
                .anyMatch(made -> made.decision() instanceof Decision.JoinAsLearner);
    }

    private static void expectKept(ScenarioContext drill, String node) {
        drill.expect(
                drill.node(node)
                        .run(
                                ScenarioContext.SHORT,
                                "sh",
                                "-c",
                                "ls -d /var/lib/etcd/kept/*/member/wal")
                        .ok(),
                "the data of %s is kept".formatted(node));
    }

    private static final int FLIPPED = 16;
    private static final long EARLY_IN_THE_LOG = 4_096;

    /** The part of the log that is being written; to be asked while the node is on. */
    private static String log(ScenarioContext drill, String node) {
        return drill.must(node, "sh", "-c", "ls /var/lib/etcd/current/member/wal/*.wal | tail -n 1")
                .strip();
    }

    private static void newerReplicaDamaged(ScenarioContext drill) throws Exception {
        long alone = drill.step("pull the plug of node-1");
        drill.plugOut("node-1");
        drill.awaitAlone("node-0");
        drill.awaitWrites();
        String log = log(drill, "node-0");
        drill.step("pull the plug of node-0, which wrote alone, and damage its log");
        drill.plugOut("node-0");
        drill.lab().heal();
        drill.node("node-0").corrupt(log, EARLY_IN_THE_LOG, FLIPPED);
        long on = drill.step("both boot");
        Pair.NODES.forEach(drill::powerOn);
        drill.await(
                "node-1 refuses and says why",
                ScenarioContext.RECOVERY,
                () -> drill.refuses("node-1", Refusal.WHO_SERVED_LAST));
        drill.holds(
                "no etcd runs while nobody has decided",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(drill::runsEtcd));
        drill.expectNoTakeOver(on);
        drill.expectNothingSetAside(on);
        drill.step("a person shuts node-0 down, and accepts that what it held is lost");
        drill.shutDown("node-0");
        drill.awaitOff("node-0", Duration.ofMinutes(2));
        drill.lossIsAccepted(alone);
        drill.confirmPeerOff("node-1", "--accept-loss");
        drill.awaitAlone("node-1");
        drill.step("switch on node-0");
        drill.powerOn("node-0");
        drill.awaitSettled();
        drill.awaitWrites();
        expectKept(drill, "node-0");
    }

    private static void bothReplicasDamaged(ScenarioContext drill) throws Exception {
        Map<String, String> logs =
                Map.of("node-0", log(drill, "node-0"), "node-1", log(drill, "node-1"));
        drill.step("cut the power of both while nobody writes, and damage both logs");
        drill.bothOffQuietly();
        flip(drill, logs);
        long on = drill.step("both boot");
        Pair.NODES.forEach(drill::powerOn);
        for (String node : Pair.NODES) {
            drill.await(
                    node + " refuses and says that no replica is complete",
                    ScenarioContext.RECOVERY,
                    () -> drill.refuses(node, Refusal.NO_COMPLETE_REPLICA));
        }
        drill.holds(
                "no etcd runs without a sound replica",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(drill::runsEtcd));
        drill.expectNoTakeOver(on);
        drill.expectNothingSetAside(on);
        drill.step("cut the power of both, and put the bytes back");
        Pair.NODES.forEach(node -> drill.node(node).cutPower());
        flip(drill, logs);
        Pair.NODES.forEach(drill::powerOn);
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectNothingSetAside(on);
        drill.expectNoFence();
    }

    /** Done twice it is undone. */
    private static void flip(ScenarioContext drill, Map<String, String> logs) {
        logs.forEach((node, log) -> drill.node(node).corrupt(log, EARLY_IN_THE_LOG, FLIPPED));
    }

    /** Synced, or a power cut would bring the data back. */
    private static void removeData(ScenarioContext drill) {
        drill.must("node-1", "rm", "-r", MEMBER);
        drill.must("node-1", "sync", "--file-system", ETCD_DISK);
    }

    private static void replicaRemoved(ScenarioContext drill) throws Exception {
        drill.step("remove the data of node-1 and cut its power");
        removeData(drill);
        drill.node("node-1").cutPower();
        drill.awaitAlone("node-0");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.step("remove the data of node-1 and cut the power of both");
        drill.writer().pause();
        removeData(drill);
        Pair.NODES.forEach(node -> drill.node(node).cutPower());
        drill.writer().resume();
        long on = drill.step("both boot");
        Pair.NODES.forEach(drill::powerOn);
        drill.await(
                "node-0 refuses: node-1 may have served alone before it lost its data",
                ScenarioContext.RECOVERY,
                () -> drill.refuses("node-0", Refusal.WHO_SERVED_LAST));
        drill.holds(
                "no etcd runs, least of all an empty one",
                Duration.ofSeconds(15),
                () -> Pair.NODES.stream().noneMatch(drill::runsEtcd));
        drill.expectNoTakeOver(on);
        drill.step("a person shuts node-1 down, and knows that it never served alone");
        drill.shutDown("node-1");
        drill.awaitOff("node-1", Duration.ofMinutes(2));
        drill.confirmPeerOff("node-0", "--accept-loss");
        drill.awaitAlone("node-0");
        drill.step("switch on node-1");
        drill.powerOn("node-1");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expect(
                drill.journal("node-1", JournalEvent.Decided.class, on).stream()
                        .noneMatch(made -> made.decision() instanceof Decision.Bootstrap),
                "node-1 never begins an empty cluster");
    }

    private static final String KEPT = NodePaths.KEPT_REPLICAS.toString();

    private static void diskFull(ScenarioContext drill) throws Exception {
        for (String role : List.of("follower", "leader")) {
            String victim = role.equals("leader") ? drill.leader() : drill.follower();
            String other = Pair.peerOf(victim);
            long full = drill.step("the disk of %s, the %s, is full".formatted(victim, role));
            // What earlier scenarios had it set aside would be given up to make room.
            drill.must(victim, "sh", "-c", "rm -rf %s/*".formatted(KEPT));
            Set<String> kept = kept(drill, victim);
            drill.node(victim).fillDisk(LabRequest.Disk.ETCD);
            drill.awaitEvent(victim, JournalEvent.EtcdExited.class, full, ScenarioContext.RECOVERY);
            drill.await(
                    other + " serves alone",
                    Duration.ofMinutes(3),
                    () -> drill.pair().is(other, NodeHealth.ALONE));
            drill.awaitWrites();
            drill.figureOfGap(
                    "disk of the %s full to first write".formatted(role),
                    full,
                    Duration.ofSeconds(60));
            drill.await(
                    "the status of %s tells the failure that the full disk causes"
                            .formatted(victim),
                    ScenarioContext.RECOVERY,
                    () ->
                            drill.toldFailure(victim, full)
                                    .filter(failed ->
                                            (failed.what() + failed.why()).contains(ETCD_DISK))
                                    .filter(failed -> drill.sentence(victim).contains(failed.why()))
                                    .isPresent());
            drill.expect(
                    kept.containsAll(kept(drill, victim)),
                    "without free space the data of %s stays where it is".formatted(victim));
            drill.step("there is free space again");
            drill.lab().heal();
            drill.awaitSettled();
            drill.awaitWrites();
        }
        drill.expectNoFence();
    }

    /** What the node has set aside, each with its name. */
    private static Set<String> kept(ScenarioContext drill, String node) {
        return drill.node(node)
                .run(ScenarioContext.SHORT, "ls", KEPT)
                .out()
                .lines()
                .collect(Collectors.toSet());
    }

    private static void bothDisksFull(ScenarioContext drill) throws Exception {
        long full = drill.step("both disks are full");
        Pair.NODES.forEach(node -> drill.node(node).fillDisk(LabRequest.Disk.ETCD));
        drill.await(
                "nothing is written any more, and the status says so",
                ScenarioContext.RECOVERY,
                () -> Pair.NODES.stream().allMatch(node -> drill.pair().is(node, NodeHealth.DOWN)));
        drill.pause(Duration.ofSeconds(20));
        drill.expectNothingSetAside(full);
        long room = drill.step("there is free space again");
        drill.lab().heal();
        drill.awaitSettled();
        drill.awaitWrites();
        drill.figure(
                "free space to first write",
                Duration.ofNanos(drill.writer().firstAfter(room).orElseThrow() - room),
                Duration.ofSeconds(60));
        drill.expectNoFence();
    }

    private static void databaseFull(ScenarioContext drill) throws Exception {
        String member = drill.pair().members("node-0").getFirst().id().decimal();
        long full = drill.step("etcd raises the alarm that its database is full");
        alarm(drill, "ACTIVATE", member);
        for (String node : Pair.NODES) {
            drill.await(
                    "the status of %s says that nothing can be written".formatted(node),
                    ScenarioContext.SHORT,
                    () ->
                            drill.pair()
                                    .status(node)
                                    .orElseThrow()
                                    .alarms()
                                    .contains(EtcdAlarm.NOSPACE));
        }
        drill.holds(
                "reads go on",
                Duration.ofSeconds(10),
                () -> drill.pair().members("node-0").size() == 2);
        drill.step("the alarm is taken back");
        alarm(drill, "DEACTIVATE", member);
        drill.awaitWrites();
        drill.awaitSettled();
        for (String node : Pair.NODES) {
            drill.expect(
                    !drill.happened(node, JournalEvent.EtcdExited.class, full),
                    "etcd of %s runs on".formatted(node));
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void alarm(ScenarioContext drill, String action, String member) {
        Path keys = SitePki.INSTALLED;
        drill.must(
                "node-0",
                "curl",
                "--silent",
                "--fail",
                "--cacert",
                keys.resolve(SitePki.CA_CERTIFICATE).toString(),
                "--cert",
                SitePki.Purpose.ETCD_CLIENT.certificate(keys).toString(),
                "--key",
                SitePki.Purpose.ETCD_CLIENT.key(keys).toString(),
                "https://127.0.0.1:2379/v3/maintenance/alarm",
                "--data",
                "{\"action\":\"%s\",\"memberID\":\"%s\",\"alarm\":\"NOSPACE\"}"
                        .formatted(action, member));
    }
}
