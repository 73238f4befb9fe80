package dev.tandem.lab.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.lab.Lab;
import dev.tandem.lab.LabRequest;
import dev.tandem.lab.LabSpec;
import dev.tandem.lab.bmc.BmcBehaviour;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Incidents on real Corosync, Pacemaker and etcd. Each ends with the audit. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FailoverIT {
    /** Generous: the machine of a build may be busy. The bench holds the objectives. */
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    private static final Duration SHORT = Duration.ofSeconds(20);
    private static final Duration REDUNDANCY = Duration.ofMinutes(4);

    @TempDir private static Path keys;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Lab lab;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Pair pair;

    @BeforeAll
    static void makeThePair() throws Exception {
        lab = Lab.start(LabSpec.twoNodes("it-failover"));
        pair = Pair.setUp(lab, "default", keys);
    }

    @AfterAll
    static void endTheLab() throws Exception {
        lab.close();
    }

    @BeforeEach
    void bothAreWell() {
        pair.awaitSettled(REDUNDANCY);
    }

    @AfterEach
    void heal() {
        lab.heal();
    }

    @Test
    @Order(1)
    void aLeaderThatLosesPowerIsFencedAndTheOtherServesOnWithAllThatWasAcknowledged() {
        String victim = Pair.NODES.stream().filter(pair::leads).findFirst().orElseThrow();
        String survivor = Pair.peerOf(victim);
        try (Writer writer = pair.write(4)) {
            awaitWrites(writer);
            long cut = System.nanoTime();

            lab.node(victim).cutPower();

            lab.await(
                    survivor + " serves alone",
                    RECOVERY,
                    () -> pair.health(survivor).equals("ALONE"));
            List<String> events = events(survivor, cut);
            assertThat(events)
                    .containsSubsequence("fence-ordered", "fenced", "take-over", "serving");
            lab.await(
                    "writes go on",
                    RECOVERY,
                    () -> writer.firstAfter(System.nanoTime() - 300_000_000L).isPresent());
            pair.audit(writer);
        }
    }

    @Test
    @Order(2)
    void aKilledEtcdIsStartedAgainOnItsOwnDataWithoutAnyFence() {
        long before = System.nanoTime();
        try (Writer writer = pair.write(2)) {
            awaitWrites(writer);

            assertThat(lab.node("node-1").kill("etcd", "KILL")).isEqualTo(1);

            lab.await("it died", RECOVERY, () -> events("node-1", before).contains("etcd-ended"));
            pair.audit(writer);
        }
        assertThat(events("node-0", before)).doesNotContain("fence-ordered", "take-over");
        assertThat(events("node-1", before)).doesNotContain("fence-ordered", "take-over");
    }

    @Test
    @Order(3)
    void inASplitOneNodeIsShotAndTheOtherServes() {
        long before = System.nanoTime();
        try (Writer writer = pair.write(2)) {
            awaitWrites(writer);

            lab.split("cluster0");

            lab.await("node-0 serves alone", RECOVERY, () -> pair.health("node-0").equals("ALONE"));
            lab.await("node-1 is back", REDUNDANCY, () -> lab.node("node-1").isUp());
            assertThat(pair.health("node-1")).isNotEqualTo("ALONE");
            lab.heal();
            pair.audit(writer);
        }
        assertThat(events("node-0", before)).containsOnlyOnce("fenced");
    }

    @Test
    @Order(4)
    void agentsThatAreKilledTakeNothingWithThem() {
        long before = System.nanoTime();
        try (Writer writer = pair.write(2)) {
            awaitWrites(writer);

            for (String node : Pair.NODES) {
                lab.node(node).must(SHORT, "systemctl", "kill", "-s", "KILL", "tandem-agent");
            }

            int acknowledged = writer.acknowledgedSoFar();
            lab.await(
                    "writes go on", RECOVERY, () -> writer.acknowledgedSoFar() > acknowledged + 50);
            pair.audit(writer);
        }
        assertThat(events("node-0", before)).doesNotContain("fence-ordered", "etcd-ended");
        assertThat(events("node-1", before)).doesNotContain("fence-ordered", "etcd-ended");
    }

    @Test
    @Order(5)
    void bothLosePowerAndBothStartOnTheirOwnDataWithoutForce() {
        long before = System.nanoTime();
        try (Writer writer = pair.write(2)) {
            awaitWrites(writer);

            Pair.NODES.forEach(node -> lab.node(node).cutPower());
            Pair.NODES.forEach(node -> lab.node(node).power(LabRequest.PowerAction.ON));

            pair.audit(writer);
        }
        assertThat(events("node-0", before)).doesNotContain("take-over");
        assertThat(events("node-1", before)).doesNotContain("take-over");
    }

    @Test
    @Order(6)
    void withoutABmcNobodyTakesOverUntilAPersonHasSeenThePeerOff() {
        long before = System.nanoTime();
        lab.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS.withCredentialsRotated(true));
        try (Writer writer = pair.write(2)) {
            awaitWrites(writer);

            lab.node("node-1").cutPower();

            lab.await(
                    "fencing fails",
                    RECOVERY,
                    () -> events("node-0", before).contains("fence-answered"));
            assertThat(pair.health("node-0")).isEqualTo("DOWN");
            assertThat(events("node-0", before)).doesNotContain("take-over");
            String incident = pair.status("node-0").orElseThrow().path("incident").asText();
            lab.node("node-0")
                    .must(
                            Duration.ofSeconds(60),
                            "tandem",
                            "confirm-peer-off",
                            "node-1",
                            "--incident",
                            incident,
                            "--typed",
                            "node-1");
            lab.await("node-0 serves alone", RECOVERY, () -> pair.health("node-0").equals("ALONE"));
            lab.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
            lab.node("node-1").power(LabRequest.PowerAction.ON);
            pair.audit(writer);
        }
    }

    private static List<String> events(String node, long since) {
        return pair.journalSince(node, since).stream()
                .map((JsonNode line) -> line.path("event").asText())
                .toList();
    }

    private static void awaitWrites(Writer writer) {
        lab.await("writes are acknowledged", RECOVERY, () -> writer.acknowledgedSoFar() > 50);
    }
}
