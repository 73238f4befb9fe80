package dev.tandem.drill.scenario;

import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.host.Commands;
import dev.tandem.host.etcd.ReplicaDirectory;
import dev.tandem.host.pki.SitePki;
import dev.tandem.lab.pair.Pair;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Replicas are torn, damaged, missing, of another history, or cut off from space. */
final class DataScenarios {
    private static final String ETCD_DISK = ReplicaDirectory.STANDARD.toString();
    private static final String LINEAGE = ETCD_DISK + "/current/lineage.json";
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
                                + " damaged data are kept.",
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
                        "The data of one node are gone after a power cut, of that node and then of"
                                + " both; it never begins an empty cluster, and learns.",
                        "TL21",
                        150,
                        DataScenarios::replicaRemoved),
                Scenario.slow(
                        "disk-full",
                        "The disk of the follower fills up, then that of the leader; the other"
                                + " serves on without a fence, and both do when there is room.",
                        "TL22",
                        200,
                        DataScenarios::diskFull),
                Scenario.slow(
                        "both-disks-full",
                        "Both disks fill up; the outage is shown as one, and ends without a person"
                                + " when there is room.",
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

    private static void forkRefused(ScenarioContext stage) throws Exception {
        stage.step("cut the power of both while nobody writes");
        stage.bothOffQuietly();
        stage.step("node-1 boots alone and gets the history of another recovery");
        stage.powerOn("node-1");
        stage.awaitUp("node-1");
        stage.awaitAgent("node-1");
        stage.must("node-1", "systemctl", "stop", "tandem-agent");
        stage.must(
                "node-1",
                "sed",
                "-i",
                "s/\"founderBoot\" : \"[^\"]*\"/\"founderBoot\" : \"%s\"/"
                        .formatted(ANOTHER_FOUNDER),
                LINEAGE);
        stage.must("node-1", "systemctl", "start", "tandem-agent");
        long on = stage.step("node-0 boots too");
        stage.powerOn("node-0");
        for (String node : Pair.NODES) {
            stage.await(
                    node + " refuses and says that there are two histories",
                    ScenarioContext.RECOVERY,
                    () -> stage.refuses(node, Refusal.FORKED));
        }
        stage.holds(
                "no etcd runs while nobody has chosen",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(stage::runsEtcd));
        stage.expectNoTakeOver(on);
        stage.expectNothingSetAside(on);
        stage.step("a person would keep node-0's history, which nobody serves yet");
        stage.expect(
                saysWhy(
                        stage.keepHistory("node-1"),
                        "node-1",
                        HistoryChoice.Refusal.PEER_DOES_NOT_SERVE),
                "nothing is given up for a history that is not served");
        stage.step("so node-1 is shut down, as the runbook says");
        stage.shutDown("node-1");
        stage.awaitOff("node-1", Duration.ofMinutes(5));
        stage.step("node-0 is told that node-1 is off and its history given up");
        stage.confirmPeerOff("node-0", "--accept-loss");
        stage.awaitAlone("node-0");
        stage.step("switch on node-1");
        stage.powerOn("node-1");
        stage.await(
                "node-1 does not give up its history without a person",
                ScenarioContext.RECOVERY,
                () -> stage.refuses("node-1", Refusal.FORKED));
        stage.await(
                "node-1 has heard that node-0 serves",
                ScenarioContext.RECOVERY,
                () -> stage.keepHistory("node-1", "--dry-run").ok());
        stage.expectNothingSetAside(on);
        stage.expect(
                saysWhy(
                        stage.keepHistory("node-0", "--yes"),
                        "node-0",
                        HistoryChoice.Refusal.NO_FORK),
                "a node that serves has nothing to choose");
        long chosen = stage.step("a person keeps node-0's history on node-1");
        stage.expect(stage.keepHistory("node-1", "--yes").ok(), "the choice is taken");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expect(
                stage.node("node-1")
                        .must(
                                ScenarioContext.SHORT,
                                "sh",
                                "-c",
                                "cat /var/lib/etcd/kept/*/lineage.json")
                        .contains(ANOTHER_FOUNDER),
                "what was given up is still there");
        stage.expect(
                stage.journal("node-1", JournalEvent.Stated.class, chosen).stream()
                        .map(stated -> stated.statement().statement())
                        .anyMatch(PeerProof.Statement.KEEP_PEERS_HISTORY::equals),
                "the choice is in the journal");
        stage.expectNoFence();
    }

    private static boolean saysWhy(
            Commands.Output output, String self, HistoryChoice.Refusal refusal) {
        return output.err().contains(refusal.why(self, Pair.peerOf(self)));
    }

    // ---- damage --------------------------------------------------------------------------------

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

    private static void logTorn(ScenarioContext stage) throws Exception {
        stage.step("cut the power of both while nobody writes");
        stage.bothOffQuietly();
        stage.step("node-1 boots alone, and the end of its log is torn");
        stage.powerOn("node-1");
        stage.awaitUp("node-1");
        stage.awaitAgent("node-1");
        stage.must("node-1", "systemctl", "stop", "tandem-agent");
        stage.must("node-1", "python3", "-c", TEAR);
        stage.must("node-1", "systemctl", "start", "tandem-agent");
        stage.awaitAgent("node-1");
        long on = stage.step("node-0 boots too");
        stage.powerOn("node-0");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expectNoTakeOver();
        stage.expectNothingSetAside(on);
        stage.expectNoFence();
    }

    /** Behind the two pages that say where everything is: there it would not even open. */
    private static final long DATABASE_PAGES = 16_384;

    private static void databaseDamaged(ScenarioContext stage) throws Exception {
        String victim = stage.follower();
        String other = Pair.peerOf(victim);
        long flipped = stage.step("flip bytes in the database of " + victim);
        stage.node(victim).corrupt("/var/lib/etcd/current/member/snap/db", DATABASE_PAGES, 131_072);
        stage.pause(Duration.ofSeconds(5));
        if (!stage.happened(victim, JournalEvent.EtcdExited.class, flipped)) {
            stage.step("etcd has not noticed yet; kill it, so that it reads its database again");
            stage.node(victim).kill("etcd", "KILL");
        }
        stage.await(
                victim + " copies everything again",
                ScenarioContext.REDUNDANCY,
                () -> joined(stage, victim, flipped));
        stage.awaitSettled();
        stage.awaitWrites();
        stage.figureOfGap("damage to first write", flipped, Duration.ofSeconds(90));
        stage.expectNoFence();
        stage.expect(
                !joined(stage, other, flipped), "the sound data of " + other + " are left alone");
        expectKept(stage, victim);
    }

    private static boolean joined(ScenarioContext stage, String node, long since) {
        return stage.journal(node, JournalEvent.Decided.class, since).stream()
                .anyMatch(made -> made.decision() instanceof Decision.JoinAsLearner);
    }

    private static void expectKept(ScenarioContext stage, String node) {
        stage.expect(
                stage.node(node)
                        .run(
                                ScenarioContext.SHORT,
                                "sh",
                                "-c",
                                "ls -d /var/lib/etcd/kept/*/member/wal")
                        .ok(),
                "the data of %s are kept".formatted(node));
    }

    private static final int FLIPPED = 16;
    private static final long EARLY_IN_THE_LOG = 4_096;

    /** The part of the log that is being written; to be asked while the node is on. */
    private static String log(ScenarioContext stage, String node) {
        return stage.must(node, "sh", "-c", "ls /var/lib/etcd/current/member/wal/*.wal | tail -n 1")
                .strip();
    }

    private static void newerReplicaDamaged(ScenarioContext stage) throws Exception {
        long alone = stage.step("pull the plug of node-1");
        stage.plugOut("node-1");
        stage.awaitAlone("node-0");
        stage.awaitWrites();
        String log = log(stage, "node-0");
        stage.step("pull the plug of node-0, which wrote alone, and damage its log");
        stage.plugOut("node-0");
        stage.lab().heal();
        stage.node("node-0").corrupt(log, EARLY_IN_THE_LOG, FLIPPED);
        long on = stage.step("both boot");
        Pair.NODES.forEach(stage::powerOn);
        stage.await(
                "node-1 refuses and says why",
                ScenarioContext.RECOVERY,
                () -> stage.refuses("node-1", Refusal.WHO_SERVED_LAST));
        stage.holds(
                "no etcd runs while nobody has decided",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(stage::runsEtcd));
        stage.expectNoTakeOver(on);
        stage.expectNothingSetAside(on);
        stage.step("a person shuts node-0 down, and accepts that what it held is lost");
        stage.shutDown("node-0");
        stage.awaitOff("node-0", Duration.ofMinutes(2));
        stage.lossIsAccepted(alone);
        stage.confirmPeerOff("node-1", "--accept-loss");
        stage.awaitAlone("node-1");
        stage.step("switch on node-0");
        stage.powerOn("node-0");
        stage.awaitSettled();
        stage.awaitWrites();
        expectKept(stage, "node-0");
    }

    private static void bothReplicasDamaged(ScenarioContext stage) throws Exception {
        Map<String, String> logs =
                Map.of("node-0", log(stage, "node-0"), "node-1", log(stage, "node-1"));
        stage.step("cut the power of both while nobody writes, and damage both logs");
        stage.bothOffQuietly();
        flip(stage, logs);
        long on = stage.step("both boot");
        Pair.NODES.forEach(stage::powerOn);
        for (String node : Pair.NODES) {
            stage.await(
                    node + " refuses and says that no replica is complete",
                    ScenarioContext.RECOVERY,
                    () -> stage.refuses(node, Refusal.NO_COMPLETE_REPLICA));
        }
        stage.holds(
                "no etcd runs without a sound replica",
                Duration.ofSeconds(10),
                () -> Pair.NODES.stream().noneMatch(stage::runsEtcd));
        stage.expectNoTakeOver(on);
        stage.expectNothingSetAside(on);
        stage.step("cut the power of both, and put the bytes back");
        Pair.NODES.forEach(node -> stage.node(node).cutPower());
        flip(stage, logs);
        Pair.NODES.forEach(stage::powerOn);
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expectNothingSetAside(on);
        stage.expectNoFence();
    }

    /** Done twice it is undone. */
    private static void flip(ScenarioContext stage, Map<String, String> logs) {
        logs.forEach((node, log) -> stage.node(node).corrupt(log, EARLY_IN_THE_LOG, FLIPPED));
    }

    // ---- nothing there -------------------------------------------------------------------------

    private static final String MEMBER = "/var/lib/etcd/current/member";

    private static void replicaRemoved(ScenarioContext stage) throws Exception {
        stage.step("remove the data of node-1 and cut its power");
        stage.must("node-1", "rm", "-r", MEMBER);
        stage.node("node-1").cutPower();
        stage.awaitAlone("node-0");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.step("remove the data of node-1 and cut the power of both");
        stage.writer().pause();
        stage.must("node-1", "rm", "-r", MEMBER);
        Pair.NODES.forEach(node -> stage.node(node).cutPower());
        stage.writer().resume();
        long on = stage.step("both boot");
        Pair.NODES.forEach(stage::powerOn);
        stage.await(
                "node-0 refuses: node-1 may have served alone before it lost its data",
                ScenarioContext.RECOVERY,
                () -> stage.refuses("node-0", Refusal.WHO_SERVED_LAST));
        stage.holds(
                "no etcd runs, least of all an empty one",
                Duration.ofSeconds(15),
                () -> Pair.NODES.stream().noneMatch(stage::runsEtcd));
        stage.expectNoTakeOver(on);
        stage.step("a person shuts node-1 down, and knows that it never served alone");
        stage.shutDown("node-1");
        stage.awaitOff("node-1", Duration.ofMinutes(2));
        stage.confirmPeerOff("node-0", "--accept-loss");
        stage.awaitAlone("node-0");
        stage.step("switch on node-1");
        stage.powerOn("node-1");
        stage.awaitSettled();
        stage.awaitWrites();
        stage.expect(
                stage.journal("node-1", JournalEvent.Decided.class, on).stream()
                        .noneMatch(made -> made.decision() instanceof Decision.Bootstrap),
                "node-1 never begins an empty cluster");
    }

    // ---- no room -------------------------------------------------------------------------------

    private static void diskFull(ScenarioContext stage) throws Exception {
        for (String role : List.of("follower", "leader")) {
            String victim = role.equals("leader") ? stage.leader() : stage.follower();
            String other = Pair.peerOf(victim);
            long full = stage.step("the disk of %s, the %s, is full".formatted(victim, role));
            Set<String> kept = kept(stage, victim);
            stage.node(victim).fillDisk(0);
            stage.awaitEvent(victim, JournalEvent.EtcdExited.class, full, ScenarioContext.RECOVERY);
            stage.await(
                    other + " serves alone",
                    Duration.ofMinutes(3),
                    () -> stage.pair().is(other, NodeHealth.ALONE));
            stage.awaitWrites();
            stage.figureOfGap(
                    "disk of the %s full to first write".formatted(role),
                    full,
                    Duration.ofSeconds(60));
            stage.await(
                    "the sentence of %s names the disk that is full".formatted(victim),
                    ScenarioContext.RECOVERY,
                    () -> stage.sentence(victim).contains(ETCD_DISK));
            stage.expect(
                    kept.containsAll(kept(stage, victim)),
                    "without room the data of %s stay where they are".formatted(victim));
            stage.step("there is room again");
            stage.lab().heal();
            stage.awaitSettled();
            stage.awaitWrites();
        }
        stage.expectNoFence();
    }

    /** What the node has set aside, each with its name. */
    private static Set<String> kept(ScenarioContext stage, String node) {
        return stage.node(node)
                .run(ScenarioContext.SHORT, "ls", "/var/lib/etcd/kept")
                .out()
                .lines()
                .collect(Collectors.toSet());
    }

    private static void bothDisksFull(ScenarioContext stage) throws Exception {
        long full = stage.step("both disks are full");
        Pair.NODES.forEach(node -> stage.node(node).fillDisk(0));
        stage.await(
                "nothing is written any more, and the status says so",
                ScenarioContext.RECOVERY,
                () -> Pair.NODES.stream().allMatch(node -> stage.pair().is(node, NodeHealth.DOWN)));
        stage.pause(Duration.ofSeconds(20));
        stage.expectNothingSetAside(full);
        long room = stage.step("there is room again");
        stage.lab().heal();
        stage.awaitSettled();
        stage.awaitWrites();
        stage.figure(
                "room to first write",
                Duration.ofNanos(stage.writer().firstAfter(room).orElseThrow() - room),
                Duration.ofSeconds(60));
        stage.expectNoFence();
    }

    private static void databaseFull(ScenarioContext stage) throws Exception {
        String member = stage.pair().members("node-0").getFirst().id().decimal();
        long full = stage.step("etcd raises the alarm that its database is full");
        alarm(stage, "ACTIVATE", member);
        for (String node : Pair.NODES) {
            stage.await(
                    "the status of %s says that nothing can be written".formatted(node),
                    ScenarioContext.SHORT,
                    () ->
                            stage.pair()
                                    .status(node)
                                    .orElseThrow()
                                    .alarms()
                                    .contains(EtcdAlarm.NOSPACE));
        }
        stage.holds(
                "reads go on",
                Duration.ofSeconds(10),
                () -> stage.pair().members("node-0").size() == 2);
        stage.step("the alarm is taken back");
        alarm(stage, "DEACTIVATE", member);
        stage.awaitWrites();
        stage.awaitSettled();
        for (String node : Pair.NODES) {
            stage.expect(
                    !stage.happened(node, JournalEvent.EtcdExited.class, full),
                    "etcd of %s runs on".formatted(node));
        }
        stage.expectNoFence();
        stage.expectNoTakeOver();
    }

    private static void alarm(ScenarioContext stage, String action, String member) {
        Path keys = SitePki.INSTALLED;
        stage.must(
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
