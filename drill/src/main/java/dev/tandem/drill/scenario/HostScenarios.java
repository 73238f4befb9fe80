package dev.tandem.drill.scenario;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.peer.EtcdState;
import java.time.Duration;
import java.util.List;

/** What the agent stands on: a clock that is set, and a systemd that does not answer. */
final class HostScenarios {
    /** systemctl is given 10 s; then it is asked again. */
    private static final Duration UNANSWERED = Duration.ofSeconds(60);

    /** Pacemaker's look, its stop with all its limits, the fence, and the take-over. */
    private static final Duration FENCED_AT_LAST = Duration.ofMinutes(5);

    private HostScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "clock-steps-back",
                        "A node was fenced and is back; then the clock of its peer's agent is set"
                                + " back by an hour, the network is cut and no BMC answers. The old"
                                + " fence, now in the future, proves nothing.",
                        "TL43",
                        300,
                        HostScenarios::clockStepsBack),
                Scenario.slow(
                        "systemd-hangs",
                        "systemctl does not answer while an agent starts, and later systemd itself"
                                + " hangs: nobody says of a server that it has stopped, the status"
                                + " warns, and a node that cannot start its server is fenced.",
                        "TL18 TL46",
                        400,
                        HostScenarios::systemdHangs));
    }

    private static final String CLOCK = "/run/lab-clock";
    private static final String CLOCK_DROP_IN =
            "/run/systemd/system/tandem-agent.service.d/clock.conf";

    /**
     * Without FORCE_MONOTONIC_FIX=0 libfaketime 0.9.10 takes the waits of the JVM, which are by the
     * monotonic clock, for waits by the other one: each ends at once, and the agent burns a core.
     */
    private static final String CLOCK_SETTINGS =
            """
            [Service]
            Environment=LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1
            Environment=FAKETIME_TIMESTAMP_FILE=%s FAKETIME_NO_CACHE=1
            Environment=FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_FORCE_MONOTONIC_FIX=0
            """
                    .formatted(CLOCK);

    private static void clockStepsBack(ScenarioContext drill) throws Exception {
        drill.step("the clock of node-0's agent can be set, and is an hour ahead");
        set(drill, "+3600");
        drill.node("node-0").write(CLOCK_DROP_IN, "0644", CLOCK_SETTINGS);
        try {
            drill.must("node-0", "systemctl", "daemon-reload");
            drill.must("node-0", "systemctl", "restart", "tandem-agent");
            drill.awaitAgent("node-0");
            drill.awaitSettled();
            drill.bootsSlowly("node-1");
            drill.step("node-1 loses power, is fenced and comes back");
            long lost = System.nanoTime();
            drill.node("node-1").cutPower();
            drill.awaitAlone("node-0");
            drill.awaitSettled();
            drill.expect(
                    drill.journal("node-0", JournalEvent.Fenced.class, lost).stream()
                            .anyMatch(made ->
                                    made.receipt()
                                            .time()
                                            .isAfter(
                                                    java.time.Instant.now()
                                                            .plus(Duration.ofMinutes(30)))),
                    "the agent of node-0 lives an hour ahead");
            drill.step("the clock is set back by two hours");
            set(drill, "-3600");
            drill.awaitWrites();
            long cut = ProofScenarios.splitWithoutBmcs(drill);
            ProofScenarios.awaitFailedFence(drill, "node-0", cut);
            drill.holdsNoTakeOver(cut, Duration.ofSeconds(30));
            drill.step("restart the agent of node-0");
            drill.must("node-0", "systemctl", "restart", "tandem-agent");
            drill.awaitAgent("node-0");
            drill.holdsNoTakeOver(cut, Duration.ofSeconds(30));
            // The other way round: a fence that is made now must count, whatever the clock says.
            ProofScenarios.oneIsShotWhenABmcAnswers(drill, cut);
        } finally {
            drill.must("node-0", "rm", "-f", CLOCK_DROP_IN, CLOCK);
            drill.must("node-0", "systemctl", "daemon-reload");
            drill.must("node-0", "systemctl", "restart", "tandem-agent");
        }
        drill.awaitSettled();
    }

    private static void set(ScenarioContext drill, String offset) {
        drill.node("node-0").write(CLOCK, "0644", offset + "\n");
    }

    /**
     * Ends with the boot, as the fault it stands for does; what leads to it is passed over then.
     */
    private static final String SLOW_PROGRAM = "/run/lab-systemctl";

    private static final String INSTEAD_OF_SYSTEMCTL = "/usr/local/sbin/systemctl";

    private static void systemdHangs(ScenarioContext drill) throws Exception {
        String server = server(drill);
        long hangs = drill.cause("systemctl of node-1 does not answer, and its agent is restarted");
        drill.node("node-1").write(SLOW_PROGRAM, "0755", "#!/bin/sh\nexec sleep 300\n");
        drill.must("node-1", "ln", "-sf", SLOW_PROGRAM, INSTEAD_OF_SYSTEMCTL);
        try {
            drill.must("node-1", "/usr/bin/systemctl", "restart", "tandem-agent");
            drill.awaitAgent("node-1");
            drill.holds(
                    "nobody says that etcd of node-1 has stopped, and its server is left alone",
                    UNANSWERED,
                    () -> !saysStopped(drill) && server(drill).equals(server));
            drill.awaitWarning("node-1", hangs, UNANSWERED.plus(ScenarioContext.WARNED));
        } finally {
            drill.must("node-1", "rm", "-f", INSTEAD_OF_SYSTEMCTL, SLOW_PROGRAM);
        }
        drill.finds(
                drill.writer().longestGapSince(hangs).length().compareTo(Duration.ofSeconds(5)) < 0,
                "writes go on without a gap of 5 s");
        drill.awaitSettled();
        drill.awaitWrites();
        drill.expectNoFence();
        drill.expectNoTakeOver();
        drill.bootsSlowly("node-1");
        long held = drill.cause("systemd of node-1 hangs");
        drill.node("node-1").hold("systemd");
        drill.awaitWarning("node-1", held, ScenarioContext.WARNED);
        drill.finds(
                drill.writer()
                        .firstAfter(System.nanoTime() - Duration.ofSeconds(2).toNanos())
                        .isPresent(),
                "writes go on while systemd hangs");
        long died = drill.step("etcd of node-1 dies, and nothing can start it again");
        drill.node("node-1").kill("etcd", "KILL");
        drill.awaitOrFind(
                "node-1 is fenced, and node-0 goes on alone",
                FENCED_AT_LAST,
                () ->
                        drill.happened("node-0", JournalEvent.TakeOver.class, died)
                                && drill.writer().firstAfter(died).isPresent());
        drill.figureOfGap("death of etcd to first write", died, Duration.ofMinutes(2));
        drill.step("systemd goes on, if it is still there");
        drill.lab().heal();
        drill.awaitSettled();
        drill.awaitWrites();
    }

    /** The process of etcd on node-1. */
    private static String server(ScenarioContext drill) {
        return drill.node("node-1").run(ScenarioContext.SHORT, "pidof", "etcd").out().strip();
    }

    /** By its own status, or by what its peer has heard. */
    private static boolean saysStopped(ScenarioContext drill) {
        return dev.tandem.lab.pair.Pair.NODES.stream()
                .flatMap(node -> drill.pair().status(node).stream())
                .map(AgentStatus::nodes)
                .flatMap(List::stream)
                .filter(line -> line.name().equals("node-1"))
                .anyMatch(line ->
                        line.etcd() == EtcdState.STOPPED || line.lastEtcd() == EtcdState.STOPPED);
    }
}
