package dev.tandem.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each fault does what it says to real traffic and real processes, and is gone when healed. */
class FaultsIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Pattern RECEIVED = Pattern.compile("(\\d+) received");
    private static final Pattern ROUND_TRIP = Pattern.compile("= ([0-9.]+)/([0-9.]+)/");

    @RegisterExtension
    static final SharedLab SHARED = SharedLab.of(LabSpec.twoNodes("it").withLinks(2));

    private final Lab lab = SHARED.lab();
    private final NodeHandle zero = lab.node("node-0");
    private final NodeHandle one = lab.node("node-1");

    @Test
    void aNodeSeesTheHardwareThatItsBmcTellsOf() {
        String system =
                zero.must(
                        LIMIT,
                        "curl",
                        "--silent",
                        "--fail",
                        "--cacert",
                        "/etc/tandem-lab/ca.pem",
                        "--user",
                        "admin:lab-node-1",
                        "https://node-1-bmc/redfish/v1/Systems/1");
        String uuid = one.read("/sys/class/dmi/id/product_uuid").strip();
        assertThat(system.toLowerCase(Locale.ROOT)).contains(uuid.toLowerCase(Locale.ROOT));
        for (LabLayout.Interface link : one.plan().interfaces()) {
            assertThat(one.read("/sys/class/net/" + link.network().name() + "/address").strip())
                    .isEqualTo(link.mac());
            String nic =
                    zero.must(
                            LIMIT,
                            "curl",
                            "--silent",
                            "--fail",
                            "--cacert",
                            "/etc/tandem-lab/ca.pem",
                            "--user",
                            "admin:lab-node-1",
                            "https://node-1-bmc/redfish/v1/Systems/1/EthernetInterfaces/"
                                    + link.network().name());
            assertThat(nic.toLowerCase(Locale.ROOT)).contains(link.mac());
        }
    }

    @Test
    void aSplitCutsTheClusterNetworkAndLeavesFencingAlone() {
        lab.split("cluster0");

        assertThat(received(zero, "node-1", 2)).isZero();
        assertThat(received(zero, "node-1.cluster1", 2)).isEqualTo(2);
        assertThat(received(zero, "node-1-bmc", 2)).isEqualTo(2);

        lab.heal();
        assertThat(received(zero, "node-1", 2)).isEqualTo(2);
    }

    @Test
    void aNodeCutOffTheFencingNetworkReachesNoBmc() {
        lab.inject(new NetworkFault.Cut("fence0", "node-0", NetworkFault.ANYBODY, true, List.of()));

        assertThat(received(zero, "node-1-bmc", 2)).isZero();
        assertThat(received(one, "node-0-bmc", 2)).isEqualTo(2);
        assertThat(received(zero, "node-1", 2)).isEqualTo(2);
    }

    @Test
    void onePortCanBeCutAndTheOthersStayOpen() {
        assertThat(connects(zero, "node-1", 2224)).isTrue();

        lab.inject(
                new NetworkFault.Cut(
                        "cluster0",
                        "node-0",
                        "node-1",
                        false,
                        List.of(new NetworkFault.Port(NetworkFault.Port.Protocol.TCP, 2224))));

        assertThat(connects(zero, "node-1", 2224)).isFalse();
        assertThat(connects(zero, "node-1", 22)).isTrue();
        assertThat(received(zero, "node-1", 1)).isEqualTo(1);
    }

    @Test
    void aCutOneWayLetsTheOtherWayThrough() {
        // Without state in the rules a one-way cut shows in counters of the receiving side only.
        zero.must(LIMIT, "ping", "-c", "1", "-W", "2", "node-1");
        lab.inject(new NetworkFault.Cut("cluster0", "node-0", "node-1", false, List.of()));

        long before = packetsIn(zero, "cluster0");
        assertThat(received(one, "node-0", 3)).isZero();
        assertThat(packetsIn(zero, "cluster0")).isGreaterThanOrEqualTo(before + 3);

        long quiet = packetsIn(one, "cluster0");
        assertThat(received(zero, "node-1", 3)).isZero();
        assertThat(packetsIn(one, "cluster0") - quiet).isLessThan(3);
    }

    @Test
    void aDelayHoldsForPingsAndForTcp() {
        zero.must(LIMIT, "ping", "-c", "1", "node-1");
        lab.inject(new NetworkFault.Delay("cluster0", "node-0", 100, 0));
        // The first packet after the cable was changed asks for an address as well.
        zero.must(LIMIT, "ping", "-c", "1", "node-1");

        assertThat(roundTripMilliseconds(zero, "node-1")).isBetween(200.0, 300.0);
        assertThat(leastConnectSeconds(zero, "node-1", 2224)).isBetween(0.2, 0.6);
        assertThat(roundTripMilliseconds(zero, "node-1.cluster1")).isLessThan(50);

        lab.heal();
        zero.must(LIMIT, "ping", "-c", "1", "node-1");
        assertThat(roundTripMilliseconds(zero, "node-1")).isLessThan(50);
    }

    @Test
    void aDelayOutlivesARebootOfTheNode() {
        lab.inject(new NetworkFault.Delay("cluster1", "node-1", 50, 10));
        one.power(LabRequest.PowerAction.CYCLE);
        lab.await("node-1 is up", Duration.ofMinutes(2), one::isUp);

        zero.must(LIMIT, "ping", "-c", "2", "node-1.cluster1");
        assertThat(roundTripMilliseconds(zero, "node-1.cluster1")).isBetween(75.0, 200.0);
    }

    @Test
    void aLossLosesItsShareOfThePackets() {
        lab.inject(new NetworkFault.Loss("cluster0", "node-0", 40));

        // 0.6 * 0.6 of 400 come back on average; six standard deviations either way.
        assertThat(received(zero, "node-1", 400)).isBetween(87, 201);
    }

    @Test
    void aFrozenNodeDoesNothingAndNoticesNothing() {
        one.freeze();
        assertThat(one.state()).isEqualTo(LabStatus.State.FROZEN);
        assertThat(answersTls(zero, "node-1")).isFalse();

        one.thaw();
        lab.await("pcsd of node-1 answers", LIMIT, () -> answersTls(zero, "node-1"));
    }

    @Test
    void aPanickedNodeIsSilentAndItsBmcStillReadsOn() {
        one.crash(LabRequest.CrashKind.PANIC);

        assertThat(received(zero, "node-1", 1)).isZero();
        assertThat(bmcReads(zero, "node-1")).isEqualTo("On");

        one.power(LabRequest.PowerAction.CYCLE);
        lab.await("node-1 is up", Duration.ofMinutes(2), one::isUp);
        assertThat(received(zero, "node-1", 1)).isEqualTo(1);
    }

    @Test
    void aNodeWhosePlugIsOutCannotBeSwitchedOn() {
        one.crash(LabRequest.CrashKind.PLUG);

        assertThatThrownBy(() -> one.power(LabRequest.PowerAction.ON))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("plug");

        lab.heal();
        one.power(LabRequest.PowerAction.ON);
        lab.await("node-1 is up", Duration.ofMinutes(2), one::isUp);
    }

    @Test
    void whatANodeConfiguredInItsLinksIsGoneAfterAPowerCut() {
        one.must(LIMIT, "ip", "address", "add", "10.77.0.100/24", "dev", "cluster0");
        one.write("/root/kept", "600", "written before the cut\n");

        one.cutPower();
        one.power(LabRequest.PowerAction.ON);
        lab.await("node-1 is up", Duration.ofMinutes(2), one::isUp);

        assertThat(one.must(LIMIT, "ip", "address")).doesNotContain("10.77.0.100");
        assertThat(one.read("/root/kept")).isEqualTo("written before the cut\n");
        assertThat(one.must(LIMIT, "journalctl", "--list-boots", "--no-pager").lines().count())
                .isGreaterThan(1);
    }

    @Test
    void whatWasNotSyncedIsGoneAfterAPowerCutUnlessTheCacheIsKept() {
        List<String> places = List.of("/var/lib/etcd", "/var/lib/tandem", "/etc/tandem");
        for (String place : places) {
            one.write(place + "/synced", "600", "synced\n");
        }
        leaveUnsynced(places);
        one.cutPower();
        bootOne();
        for (String place : places) {
            assertThat(one.read(place + "/synced")).isEqualTo("synced\n");
            assertThat(one.run(LIMIT, "cat", place + "/unsynced").out()).isEmpty();
        }

        leaveUnsynced(places);
        one.cutPowerKeepingCache();
        bootOne();
        for (String place : places) {
            assertThat(one.read(place + "/unsynced")).isEqualTo("unsynced\n");
        }

        one.power(LabRequest.PowerAction.CYCLE);
        lab.await("node-1 is up", Duration.ofMinutes(2), one::isUp);
        for (String place : places) {
            assertThat(one.run(LIMIT, "cat", place + "/unsynced").out())
                    .as("kept once is not kept for good")
                    .isEmpty();
            one.must(LIMIT, "rm", place + "/synced");
        }
    }

    private void leaveUnsynced(List<String> places) {
        for (String place : places) {
            one.must(LIMIT, "sh", "-c", "echo unsynced > " + place + "/unsynced");
        }
    }

    private void bootOne() {
        one.power(LabRequest.PowerAction.ON);
        lab.await("node-1 is up", Duration.ofMinutes(2), one::isUp);
    }

    @Test
    void anOrderlyEndLosesNothing() {
        leaveUnsynced(List.of("/var/lib/tandem"));
        one.power(LabRequest.PowerAction.SHUTDOWN);
        bootOne();
        one.cutPower();
        bootOne();

        assertThat(one.read("/var/lib/tandem/unsynced")).isEqualTo("unsynced\n");
        one.must(LIMIT, "rm", "/var/lib/tandem/unsynced");
    }

    @Test
    void aPowerCutDoesNotWaitForDisksThatStandStillAndTheyStandStillAfterIt() {
        zero.stallDisks(Duration.ofSeconds(60));
        zero.must(LIMIT, "sh", "-c", "echo late > /var/lib/tandem/late &");
        long began = System.nanoTime();

        zero.cutPower();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        assertThat(lab.status().faults()).anyMatch(fault -> fault.contains("stand still"));

        lab.heal();
        zero.power(LabRequest.PowerAction.ON);
        lab.await("it boots", LIMIT, zero::isUp);
        assertThat(zero.run(LIMIT, "ls", "/var/lib/tandem/late").ok()).isFalse();
    }

    @Test
    void aRebootFromInsideComesBackUnderTheSameName() {
        Long before = Objects.requireNonNull(one.machine().leader());
        one.run(LIMIT, "systemctl", "reboot");

        lab.await(
                "node-1 has rebooted",
                Duration.ofMinutes(2),
                () -> {
                    Long now = one.machine().leader();
                    return now != null && !now.equals(before) && one.isUp();
                });
        assertThat(one.must(LIMIT, "hostname").strip()).isEqualTo("node-1");
    }

    @Test
    void aFullDiskIsFullForEtcdAlone() {
        zero.fillDisk(LabRequest.Disk.ETCD);

        Commands.Output output =
                zero.run(LIMIT, "dd", "if=/dev/zero", "of=/var/lib/etcd/more", "bs=64k", "count=1");
        assertThat(output.err()).contains("No space left");
        zero.write("/root/elsewhere", "600", "there is room\n");

        lab.heal();
        zero.must(LIMIT, "dd", "if=/dev/zero", "of=/var/lib/etcd/more", "bs=64k", "count=1");
        zero.must(LIMIT, "rm", "/var/lib/etcd/more");
    }

    @Test
    void theAgentsDiskIsFullForTheAgentAlone() {
        zero.fillDisk(LabRequest.Disk.TANDEM);

        List<String> write = List.of("dd", "if=/dev/zero", "bs=64k", "count=1");
        assertThat(zero.commands().run(LIMIT, with(write, "of=/var/lib/tandem/more")).err())
                .contains("No space left");
        zero.must(LIMIT, with(write, "of=/var/lib/etcd/more"), "");

        lab.heal();
        zero.must(LIMIT, with(write, "of=/var/lib/tandem/more"), "");
        zero.must(LIMIT, "rm", "/var/lib/tandem/more", "/var/lib/etcd/more");
    }

    private static List<String> with(List<String> command, String more) {
        return Stream.concat(command.stream(), Stream.of(more)).toList();
    }

    @Test
    void disksThatStandStillKeepEveryWriteWaiting() {
        zero.stallDisks(Duration.ofSeconds(10));
        long began = System.nanoTime();

        // The disks already stand still, so the write waits for what is left of ten seconds.
        zero.must(
                Duration.ofSeconds(60),
                "dd",
                "if=/dev/zero",
                "of=/var/lib/tandem/slow",
                "bs=4k",
                "count=1",
                "conv=fsync");
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .isGreaterThan(Duration.ofSeconds(3));

        lab.heal();
        assertThat(lab.status().faults()).isEmpty();
        zero.must(LIMIT, "rm", "/var/lib/tandem/slow");
    }

    @Test
    void aReplicaIsPutBackToWhatItWas() {
        zero.write("/var/lib/etcd/kept", "600", "old\n");
        zero.snapshot();
        zero.write("/var/lib/etcd/kept", "600", "new\n");
        zero.write("/var/lib/etcd/later", "600", "new\n");
        assertThatThrownBy(zero::rollBack).hasMessageContaining("the node is on");

        zero.cutPower();
        zero.rollBack();
        zero.power(LabRequest.PowerAction.ON);
        lab.await("it boots", LIMIT, zero::isUp);
        assertThat(zero.must(LIMIT, "ls", "/var/lib/etcd").strip()).isEqualTo("kept");
        assertThat(zero.read("/var/lib/etcd/kept")).isEqualTo("old\n");
        zero.must(LIMIT, "rm", "/var/lib/etcd/kept");
    }

    @Test
    void aProcessThatIsHeldOutlivesEvenSigkillUntilItIsLetGo() {
        sleeps("held");

        assertThat(zero.hold("sleep")).isEqualTo(1);
        zero.kill("sleep", "KILL");
        assertThat(zero.must(LIMIT, "ps", "-C", "sleep", "-o", "args=")).contains("4711");

        lab.heal();
        lab.await(
                "the process has ended",
                LIMIT,
                () -> !zero.run(LIMIT, "ps", "-C", "sleep", "-o", "args=").out().contains("4711"));
    }

    @Test
    void aPowerCutEndsWhatTheKernelHolds() {
        sleeps("held-at-the-end");
        zero.hold("sleep");

        zero.cutPower();
        zero.power(LabRequest.PowerAction.ON);
        lab.await("it boots", LIMIT, zero::isUp);
    }

    /** Type exec: it has its name by the time this returns. */
    private void sleeps(String unit) {
        zero.must(LIMIT, "systemd-run", "--property=Type=exec", "--unit=" + unit, "sleep", "4711");
    }

    @Test
    void corruptingFlipsBytesInTheMiddleOnly() {
        zero.write("/var/lib/etcd/victim", "600", "0123456789abcdef");

        zero.corrupt("/var/lib/etcd/victim", 4);

        String bytes = zero.must(LIMIT, "od", "-An", "-tx1", "/var/lib/etcd/victim");
        assertThat(bytes.strip()).isEqualTo("30 31 32 33 34 35 c9 c8 c7 c6 61 62 63 64 65 66");
        zero.must(LIMIT, "rm", "/var/lib/etcd/victim");
    }

    @Test
    void corruptingNeverFollowsALinkOutOfTheNode() {
        zero.must(LIMIT, "ln", "-sf", "/etc/hostname", "/root/link-to-host");

        assertThatThrownBy(() -> zero.corrupt("/root/link-to-host", 1))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("no regular file");
    }

    @Test
    void killingHitsTheProcessesOfThatNameAndSystemdStartsThemAgain() {
        String before = zero.must(LIMIT, "systemctl", "show", "-P", "MainPID", "ssh");

        assertThat(zero.kill("sshd", "KILL")).isPositive();

        lab.await(
                "ssh runs again",
                LIMIT,
                () -> {
                    String now = zero.run(LIMIT, "systemctl", "show", "-P", "MainPID", "ssh").out();
                    return !now.equals(before) && !now.strip().equals("0");
                });
        assertThatThrownBy(() -> zero.kill("no-such-program", "KILL"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("no process called");
    }

    @Test
    void killingAProgramSparesAScriptOfTheSameName() {
        zero.must(
                LIMIT,
                "sh",
                "-c",
                """
                printf '#!/bin/sh\\nread -r line < /run/pipe\\n' > /run/namesake
                chmod +x /run/namesake
                mkfifo /run/pipe
                systemd-run --quiet --unit=namesake /run/namesake
                """);

        assertThatThrownBy(() -> zero.kill("namesake", "KILL"))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("no process called");
        assertThat(zero.must(LIMIT, "systemctl", "is-active", "namesake").strip())
                .isEqualTo("active");
        zero.must(LIMIT, "systemctl", "stop", "namesake");
    }

    @Test
    void aLyingBmcAcceptsAndDoesNothing() {
        one.bmcBehaves(BmcBehaviour.FAULTLESS.withLies(true));

        zero.must(
                LIMIT,
                "curl",
                "--silent",
                "--fail",
                "--insecure",
                "--user",
                "admin:lab-node-1",
                "--json",
                "{\"ResetType\":\"ForceOff\"}",
                "https://node-1-bmc/redfish/v1/Systems/1/Actions/ComputerSystem.Reset");

        assertThat(one.isUp()).isTrue();
        assertThat(lab.status().faults()).anyMatch(fault -> fault.contains("BMC of node-1"));
    }

    @Test
    void everyFaultStandsInTheTimeline() {
        NetworkFault fault = new NetworkFault.Loss("cluster1", "node-0", 1);
        lab.inject(fault);
        lab.heal();

        assertThat(lab.timeline())
                .extracting(Timeline.Entry::event)
                .containsSubsequence(
                        new TimelineEvent.FaultBegins(fault),
                        new TimelineEvent.FaultInForce(fault),
                        new TimelineEvent.Healed());
    }

    private static int received(NodeHandle from, String to, int count) {
        String output =
                from.run(LIMIT, "ping", "-c", "" + count, "-i", "0.02", "-W", "1", to).out();
        Matcher matcher = RECEIVED.matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private static double roundTripMilliseconds(NodeHandle from, String to) {
        String output = from.must(LIMIT, "ping", "-c", "5", "-i", "0.3", "-W", "3", to);
        Matcher matcher = ROUND_TRIP.matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    private static boolean connects(NodeHandle from, String to, int port) {
        String connected =
                from.run(
                                LIMIT,
                                "curl",
                                "--silent",
                                "--insecure",
                                "--max-time",
                                "3",
                                "--output",
                                "/dev/null",
                                "--write-out",
                                "%{time_connect}",
                                "https://" + to + ":" + port + "/")
                        .out();
        return Double.parseDouble(connected) > 0;
    }

    /** As with the pings: a busy machine adds to some. */
    private static double leastConnectSeconds(NodeHandle from, String to, int port) {
        return IntStream.range(0, 5)
                .mapToDouble(_ -> connectSeconds(from, to, port))
                .min()
                .orElseThrow();
    }

    private static double connectSeconds(NodeHandle from, String to, int port) {
        return Double.parseDouble(
                from.must(
                        LIMIT,
                        "curl",
                        "--silent",
                        "--insecure",
                        "--output",
                        "/dev/null",
                        "--write-out",
                        "%{time_connect}",
                        "https://" + to + ":" + port + "/"));
    }

    private static boolean answersTls(NodeHandle from, String to) {
        return from.run(
                        LIMIT,
                        "curl",
                        "--silent",
                        "--insecure",
                        "--max-time",
                        "3",
                        "--output",
                        "/dev/null",
                        "https://" + to + ":2224/")
                .ok();
    }

    private static String bmcReads(NodeHandle from, String node) {
        String system =
                from.must(
                        LIMIT,
                        "curl",
                        "--silent",
                        "--insecure",
                        "--user",
                        "admin:lab-" + node,
                        "https://" + node + "-bmc/redfish/v1/Systems/1");
        Matcher matcher = Pattern.compile("\"PowerState\" ?: ?\"(\\w+)\"").matcher(system);
        assertThat(matcher.find()).as(system).isTrue();
        return matcher.group(1);
    }

    private static long packetsIn(NodeHandle node, String link) {
        return Long.parseLong(
                node.read("/sys/class/net/" + link + "/statistics/rx_packets").strip());
    }
}
