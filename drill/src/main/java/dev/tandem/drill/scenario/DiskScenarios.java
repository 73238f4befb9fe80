package dev.tandem.drill.scenario;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.tandem.agentapi.AgentJson;
import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.Failure;
import dev.tandem.core.peer.Abdication;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import java.time.Duration;
import java.util.List;

/** Disks that have no room for what an agent must remember, that are slow, or that forget. */
final class DiskScenarios {
    private static final String NETWORK = "cluster0";
    private static final NetworkFault.Port BETWEEN_SERVERS = NetworkFault.Port.parse("tcp/2380");

    /** Five deaths, and whatever is done about them. */
    private static final Duration CRASH_LOOP = Duration.ofSeconds(60);

    /** Nobody serves for this long without a fault: the fence and what follows take less. */
    private static final Duration NOBODY = Duration.ofSeconds(45);

    private static final Duration SERVES_AGAIN = Duration.ofSeconds(60);

    private DiskScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "agent-disk-full",
                        "An agent has no room to write what it must not forget: it tells its peer"
                                + " nothing that is not stored, the status says so, and when its"
                                + " peer dies it serves as soon as there is room.",
                        "TL22 TL37",
                        300,
                        DiskScenarios::agentDiskFull),
                Scenario.slow(
                        "slow-fsync",
                        "The disks of the node that survives take 2 s and then 5 s for each write;"
                                + " it takes over all the same, and its agent is not ended"
                                + " meanwhile.",
                        "TL23",
                        400,
                        DiskScenarios::slowFsync),
                Scenario.slow(
                        "replica-rolled-back",
                        "One replica is put back to an older state while both nodes are off, and"
                                + " the other node dies before it could catch up; it does not take"
                                + " over, because it lacks what its peer has said is committed.",
                        "TL20",
                        200,
                        DiskScenarios::rolledBack));
    }

    private static void agentDiskFull(ScenarioContext drill) throws Exception {
        long full = drill.cause("the disk of the agent of node-1 is full");
        drill.node("node-1").fillDisk(LabRequest.Disk.TANDEM);
        drill.awaitWarning("node-1", full, ScenarioContext.WARNED);
        drill.step("kill etcd of node-1 as often as it is there");
        boolean stored = true;
        long end = System.nanoTime() + CRASH_LOOP.toNanos();
        while (stored && System.nanoTime() - end < 0) {
            try {
                drill.node("node-1").kill("etcd", "KILL");
            } catch (Failure e) {
                // Between two lives there is nothing to kill.
                drill.pause(Duration.ofMillis(20));
            }
            stored =
                    drill.finds(
                            !toldOfAnAbdication(drill) || hasStoredAnAbdication(drill),
                            "node-0 hears of no abdication that node-1 has not stored");
        }
        long killed = drill.step("kill the agent of node-1");
        drill.node("node-1").kill("java", "KILL");
        drill.awaitOrFind(
                "the agent of node-1 is back: it has nothing to store that is not there",
                ScenarioContext.RECOVERY,
                () -> drill.pair().status("node-1").isPresent());
        drill.finds(
                !toldOfAnAbdication(drill) || hasStoredAnAbdication(drill),
                "what node-1 told before its agent was killed, it knows after that");
        drill.awaitOrFind(
                "writes go on although node-1 cannot store anything",
                Duration.ofMinutes(3),
                () -> drill.writer().firstAfter(killed).isPresent());
        drill.awaitWarning("node-0", killed, ScenarioContext.WARNED);
        drill.step("pull the plug of node-0");
        drill.plugOut("node-0");
        long off = System.nanoTime();
        drill.holdsNoTakeOver(off, NOBODY);
        long room = drill.person("there is room on the disk again");
        drill.node("node-1").freeDisk(LabRequest.Disk.TANDEM);
        drill.awaitOrFind(
                "node-1 serves and a write is acknowledged",
                SERVES_AGAIN,
                () -> drill.writer().firstAfter(room).isPresent());
        drill.step("the plug of node-0 is in again");
        drill.plugIn("node-0");
        drill.awaitSettled();
        drill.awaitWrites();
    }

    /** Whether node-0 knows that node-1 has given up its right. */
    private static boolean toldOfAnAbdication(ScenarioContext drill) {
        return drill.pair().status("node-0").stream()
                .map(AgentStatus::nodes)
                .flatMap(List::stream)
                .anyMatch(line -> line.name().equals("node-1") && line.abdicated() != null);
    }

    private static boolean hasStoredAnAbdication(ScenarioContext drill)
            throws JsonProcessingException {
        return !(AgentJson.MAPPER.treeToValue(
                        AgentJson.MAPPER.readTree(drill.pair().memory("node-1")).path("abdication"),
                        Abdication.class)
                instanceof Abdication.None);
    }

    /**
     * The first forced start has a minute, which such a disk may not keep, the second has two; each
     * is prepared by writes to the same disk.
     */
    private static final Duration TWO_FORCED_STARTS = Duration.ofMinutes(4);

    private static void slowFsync(ScenarioContext drill) throws Exception {
        for (Duration still : List.of(Duration.ofSeconds(2), Duration.ofSeconds(5))) {
            String agent = agent(drill, "node-0");
            int before = drill.switchedOff();
            long slow = drill.step("the disks of node-0 stand still for %s".formatted(still));
            drill.node("node-0").stallDisks(still);
            drill.holds(
                    "nobody is switched off, and nobody takes over, because a disk is slow",
                    Duration.ofSeconds(15),
                    () ->
                            drill.switchedOff() == before
                                    && !drill.happened(
                                            "node-1", JournalEvent.TakeOver.class, slow));
            long off = drill.step("pull the plug of node-1");
            drill.plugOut("node-1");
            // By its own word: a write takes two such times, and the client waits for 0.7 s.
            boolean serves =
                    drill.awaitOrFind(
                            "node-0 serves alone with disks that take %s".formatted(still),
                            TWO_FORCED_STARTS,
                            () -> drill.pair().is("node-0", NodeHealth.ALONE));
            if (serves) {
                drill.figure(
                        "plug out to service, with disks that take " + still,
                        Duration.ofNanos(System.nanoTime() - off),
                        Duration.ofMinutes(1));
            }
            drill.finds(
                    agent(drill, "node-0").equals(agent),
                    "the agent of node-0 was not ended while it waited for its disk");
            drill.step("the disks are fast again, and the plug of node-1 is in");
            drill.plugIn("node-1");
            drill.awaitSettled();
            drill.awaitWrites();
        }
    }

    /** The process of the agent. */
    private static String agent(ScenarioContext drill, String node) {
        return drill.must(
                node, "systemctl", "show", "--value", "--property=MainPID", "tandem-agent");
    }

    private static void rolledBack(ScenarioContext drill) throws Exception {
        drill.step("keep a copy of what node-1 has now, then write more");
        drill.node("node-1").snapshot();
        drill.awaitWrites();
        drill.step("cut the power of both while nobody writes, and put the copy back");
        drill.bothOffQuietly();
        drill.node("node-1").rollBack();
        drill.step("both boot, and their servers cannot talk to each other");
        drill.lab()
                .inject(
                        new NetworkFault.Cut(
                                NETWORK, "node-0", "node-1", true, List.of(BETWEEN_SERVERS)));
        Pair.NODES.forEach(drill::powerOn);
        drill.await(
                "both servers run",
                ScenarioContext.RECOVERY,
                () -> Pair.NODES.stream().allMatch(drill::runsEtcd));
        long off = drill.step("pull the plug of node-0, which has everything");
        drill.plugOut("node-0");
        drill.holdsNoTakeOver(off, NOBODY);
        drill.expect(
                !drill.pair().is("node-1", NodeHealth.ALONE),
                "node-1 does not serve without what was acknowledged");
        drill.finds(
                drill.refuses("node-1"),
                "the status of node-1 says what it lacks, not that it waits for a fence: "
                        + drill.sentence("node-1"));
        drill.step("the plug of node-0 is in again");
        drill.plugIn("node-0");
        drill.awaitSettled();
        drill.awaitWrites();
    }
}
