package dev.tandem.drill.scenario;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.cli.ExitCode;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.health.Impediment;
import dev.tandem.host.Commands;
import dev.tandem.host.NodePaths;
import dev.tandem.host.credential.SealedPassword;
import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.pair.Pair;
import dev.tandem.redfishsim.BmcBehaviour;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.util.List;

/** The passwords of BMCs are changed, denied, and come from elsewhere. */
final class PasswordScenarios {
    /** Three times as many as a BMC with four sessions could bear if each left one. */
    private static final int KILLS = 12;

    private static final String NEW_PASSWORD = "drill 7f3a: another password";
    private static final String THIRD_PASSWORD = "drill 91c4: \"yet\" another & last";

    /** The peer asks every 15 s; a node that has just booted has much else to do. */
    private static final Duration CAUGHT_UP = Duration.ofMinutes(2);

    private static final Duration FENCING_CHECKED = Duration.ofMinutes(2);

    static final Duration APPLIED = Duration.ofMinutes(2);

    private static final String PROGRAM = "/usr/sbin/drill-bmc-password";

    private static final String API_SERVER = "kube-apiserver.service";

    /** On the disk: the next boot is to come without an API server too. */
    private static final String NO_API_SERVER =
            "/etc/systemd/system/" + API_SERVER + ".d/drill.conf";

    private PasswordScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                        "bmc-password-changes",
                        "The password is changed in the BMC of node-1, and then on both nodes with"
                            + " one command on one of them; neither agent is restarted. When node-1"
                            + " loses power, node-0 fences it with the new password.",
                        "TL30",
                        90,
                        PasswordScenarios::changes),
                Scenario.slow(
                                "bmc-password-changes-without-api",
                                "No API server of Kubernetes runs. The password of node-1's BMC is"
                                    + " changed, in the BMC and by one command, and node-0 fences"
                                    + " with the new one. While node-1 is off, that of node-0's BMC"
                                    + " is changed in the same way; node-1 catches up when it is"
                                    + " back, and fences with it.",
                                "TL30",
                                300,
                                PasswordScenarios::changesWithoutApi)
                        .withKubernetes(),
                Scenario.slow(
                        "bmc-locks-accounts",
                        "The BMC of node-1 locks an account for 5 min after 5 wrong logins, and its"
                            + " password is changed; in three minutes neither node locks it, nor do"
                            + " people who check fencing, and the status says so. With the new"
                            + " password node-1 is fenced when it stops.",
                        "TL30",
                        300,
                        PasswordScenarios::locksAccounts),
                Scenario.slow(
                        "bmc-with-few-sessions",
                        "The BMCs have four sessions each and no basic authentication; the agent of"
                                + " node-0 is killed 12 times and started again, and then fences"
                                + " node-1.",
                        "TL30",
                        150,
                        PasswordScenarios::withFewSessions),
                Scenario.slow(
                        "password-source-dead",
                        "The plan takes the passwords of the BMCs from a program, which then stops"
                                + " working, and the agents are restarted. node-1 is fenced all the"
                                + " same, with the password that node-0 keeps; later also by the"
                                + " second level, while the agent of node-0 is down.",
                        "TL30 TL37",
                        210,
                        PasswordScenarios::sourceDies));
    }

    private static void changes(ScenarioContext drill) {
        List<String> agents = Pair.NODES.stream().map(node -> process(drill, node)).toList();
        BmcScenarios.misbehaves(
                drill,
                "the password of node-1's BMC is changed in the BMC",
                BmcBehaviour.FAULTLESS.withNewPassword(NEW_PASSWORD));
        drill.step("a wrong password is refused, and changes nothing");
        drill.expect(
                drill.setBmcPassword("node-0", "node-1", "not " + NEW_PASSWORD).exitCode()
                        == ExitCode.COULD_NOT_ASK,
                "a password that the BMC refuses is not taken");
        long told = drill.step("tandem fencing set node-1, on node-0");
        isTaken(drill.setBmcPassword("node-0", "node-1", NEW_PASSWORD), drill);
        drill.await(
                "both nodes say that either can fail",
                BmcScenarios.PROMISED_AGAIN,
                () ->
                        Pair.NODES.stream()
                                .allMatch(node ->
                                        drill.pair()
                                                .status(node)
                                                .filter(AgentStatus::eitherNodeCanFail)
                                                .isPresent()));
        drill.figure(
                "command to a pair that can recover",
                Duration.ofNanos(System.nanoTime() - told),
                Duration.ofMinutes(1));
        for (String node : Pair.NODES) {
            drill.expect(
                    keeps(drill, node, "node-1", NEW_PASSWORD),
                    node + " has the new password on its disk");
        }
        drill.expect(
                Pair.NODES.stream().map(node -> process(drill, node)).toList().equals(agents),
                "neither agent was restarted");
        losesPowerAndIsFenced(drill, "node-1");
        drill.expectFences(1);
        drill.step("the old password again, set on the other node");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        isTaken(drill.setBmcPassword("node-1", "node-1", LabBmc.passwordOf("node-1")), drill);
        drill.awaitSteady();
    }

    private static void isTaken(Commands.Output set, ScenarioContext drill) {
        drill.expect(set.ok(), "the password is taken: " + set.out() + set.err());
    }

    private static boolean keeps(
            ScenarioContext drill, String node, String bmcOf, String password) {
        return drill.node(node)
                .read("/etc/tandem/bmc/%s.password".formatted(bmcOf))
                .strip()
                .equals(password);
    }

    private static void losesPowerAndIsFenced(ScenarioContext drill, String node) {
        String survivor = Pair.peerOf(node);
        long cut = drill.step("cut the power of " + node);
        drill.node(node).cutPower();
        drill.awaitAlone(survivor);
        drill.expect(
                drill.happened(survivor, JournalEvent.Fenced.class, cut),
                "%s has fenced %s with the new password".formatted(survivor, node));
        drill.awaitSettled();
        drill.awaitWrites();
    }

    private static void changesWithoutApi(ScenarioContext drill) throws Exception {
        drill.cause("the API server of both nodes is stopped, and stays so");
        Pair.NODES.forEach(node -> stopApiServer(drill, node));
        try {
            changesOnBoth(drill);
            changesWhileThePeerIsOff(drill);
            drill.expect(
                    Pair.NODES.stream().noneMatch(node -> servesApi(drill, node)),
                    "no API server has run");
            drill.step("the old passwords again");
            for (String node : Pair.NODES) {
                drill.node(node).bmcBehaves(BmcBehaviour.FAULTLESS);
                isTaken(drill.setBmcPassword("node-0", node, LabBmc.passwordOf(node)), drill);
            }
        } finally {
            drill.person("the API servers run again");
            Pair.NODES.forEach(node -> startApiServer(drill, node));
        }
        drill.awaitSteady();
    }

    private static void changesOnBoth(ScenarioContext drill) {
        BmcScenarios.misbehaves(
                drill,
                "the password of node-1's BMC is changed in the BMC",
                BmcBehaviour.FAULTLESS.withNewPassword(NEW_PASSWORD));
        drill.step("tandem fencing set node-1, on node-0");
        isTaken(drill.setBmcPassword("node-0", "node-1", NEW_PASSWORD), drill);
        for (String node : Pair.NODES) {
            drill.expect(
                    keeps(drill, node, "node-1", NEW_PASSWORD),
                    node + " has the new password on its disk");
        }
        losesPowerAndIsFenced(drill, "node-1");
    }

    private static void changesWhileThePeerIsOff(ScenarioContext drill) {
        drill.step("shut node-1 down");
        drill.shutDown("node-1");
        drill.awaitOff("node-1", ScenarioContext.RECOVERY);
        drill.awaitAlone("node-0");
        drill.step("tandem fencing set node-0, on node-0: node-1, which fences by it, is off");
        drill.node("node-0").bmcBehaves(BmcBehaviour.FAULTLESS.withNewPassword(THIRD_PASSWORD));
        isTaken(drill.setBmcPassword("node-0", "node-0", THIRD_PASSWORD), drill);
        long back = drill.step("switch on node-1");
        drill.powerOn("node-1");
        drill.awaitUp("node-1");
        drill.await(
                "node-1 has caught up, and asks the BMC of node-0 with the new password",
                CAUGHT_UP,
                () ->
                        keeps(drill, "node-1", "node-0", THIRD_PASSWORD)
                                && reads(drill, "node-1", "node-0"));
        drill.figure(
                "power on to the new password",
                Duration.ofNanos(System.nanoTime() - back),
                CAUGHT_UP);
        drill.awaitSettled();
        losesPowerAndIsFenced(drill, "node-0");
    }

    /** Its unit starts and does nothing: what depends on it does not fail. */
    private static void stopApiServer(ScenarioContext drill, String node) {
        drill.node(node)
                .write(NO_API_SERVER, "0644", "[Unit]\nConditionPathExists=/no/such/file\n");
        drill.must(node, "systemctl", "daemon-reload");
        drill.must(node, "systemctl", "stop", API_SERVER);
        drill.expect(!servesApi(drill, node), "the API server of " + node + " is stopped");
    }

    private static boolean servesApi(ScenarioContext drill, String node) {
        return LabKube.of(drill.lab()).orElseThrow().apiOf(node).ready();
    }

    private static void startApiServer(ScenarioContext drill, String node) {
        drill.awaitUp(node);
        drill.must(node, "rm", "-f", NO_API_SERVER);
        drill.must(node, "systemctl", "daemon-reload");
        drill.must(node, "systemctl", "start", API_SERVER);
        // They were left out when their own start was skipped.
        drill.must(node, "systemctl", "start", "kube-controller-manager", "kube-scheduler");
    }

    private static void locksAccounts(ScenarioContext drill) throws Exception {
        BmcBehaviour strict = BmcBehaviour.FAULTLESS.withLockAfter(5);
        BmcBehaviour changed = strict.withNewPassword(NEW_PASSWORD);
        long begun = drill.step("the password of node-1's BMC is changed in the BMC");
        drill.node("node-1").bmcBehaves(changed);
        drill.awaitWarning(
                "node-0", Impediment.Cause.BMC_REFUSES_PASSWORD, begun, ScenarioContext.WARNED);
        drill.step("people check fencing on both nodes, three times");
        for (int time = 1; time <= 3; time++) {
            for (String node : Pair.NODES) {
                Commands.Output checked =
                        drill.node(node).run(FENCING_CHECKED, "tandem", "fencing", "check");
                drill.finds(
                        checked.exitCode() == ExitCode.FINDING,
                        "the check of fencing on %s does not call it well: %s"
                                .formatted(node, checked.out()));
            }
        }
        drill.holds(
                "neither node locks the account",
                Duration.ofMinutes(3),
                () -> drill.atBmcs(BmcEvent.Kind.ACCOUNT_LOCKED).isEmpty());
        drill.expect(
                drill.pair().status("node-0").orElseThrow().fencing().stream()
                        .anyMatch(line ->
                                line.node().equals("node-1") && line.nextLoginMillis() != null),
                "the status of node-0 says when the password is tried next");
        drill.step("tandem fencing set node-1, on node-0");
        isTaken(drill.setBmcPassword("node-0", "node-1", NEW_PASSWORD), drill);
        drill.awaitPromise("node-0", BmcScenarios.PROMISED_AGAIN);
        BmcScenarios.stopsAndIsFenced(drill, "node-1");
        drill.expectFences(1);
        drill.expect(drill.atBmcs(BmcEvent.Kind.ACCOUNT_LOCKED).isEmpty(), "no account was locked");
        drill.step("the old password again");
        drill.node("node-1").bmcBehaves(BmcBehaviour.FAULTLESS);
        isTaken(drill.setBmcPassword("node-0", "node-1", LabBmc.passwordOf("node-1")), drill);
        drill.awaitSteady();
    }

    private static void withFewSessions(ScenarioContext drill) {
        BmcBehaviour few = BmcBehaviour.FAULTLESS.withSessionLimit(4).withSessionsOnly(true);
        drill.step("the BMCs have four sessions each, and no basic authentication");
        Pair.NODES.forEach(node -> drill.node(node).bmcBehaves(few));
        for (int kill = 1; kill <= KILLS; kill++) {
            long killed = drill.step("kill the agent of node-0, %d of %d".formatted(kill, KILLS));
            String before = process(drill, "node-0");
            drill.must("node-0", "kill", "-KILL", before);
            drill.await(
                    "another agent runs, and has read the BMC of node-1",
                    BmcScenarios.PROMISED_AGAIN,
                    () ->
                            !process(drill, "node-0").equals(before)
                                    && drill.happened(
                                            "node-0", JournalEvent.AgentStarted.class, killed)
                                    && reads(drill, "node-0", "node-1"));
        }
        long opened =
                drill.atBmcs(BmcEvent.Kind.SESSION_OPENED).stream()
                        .filter(event -> !event.byLab())
                        .count();
        drill.expect(opened <= KILLS, "a killed agent goes on with its session: opened " + opened);
        BmcScenarios.stopsAndIsFenced(drill, "node-1");
        drill.expectFences(1);
        Pair.NODES.forEach(node -> drill.node(node).bmcBehaves(BmcBehaviour.FAULTLESS));
        drill.awaitSteady();
    }

    private static void sourceDies(ScenarioContext drill) throws Exception {
        drill.step("the passwords of the BMCs come from a program");
        for (String node : Pair.NODES) {
            for (String bmcOf : Pair.NODES) {
                drill.node(node).write(source(bmcOf), "0600", LabBmc.passwordOf(bmcOf) + "\n");
            }
            drill.node(node)
                    .write(PROGRAM, "0755", "#!/bin/sh\nexec cat %s\n".formatted(source("$1")));
        }
        String plan = drill.node(Actions.FIRST).read(Pair.PLAN);
        for (String node : Pair.NODES) {
            plan =
                    plan.replace(
                            "passwordFile: %s.password".formatted(node),
                            "password: {program: [%s, %s]}".formatted(PROGRAM, node));
        }
        drill.expect(plan.contains(PROGRAM), "the plan names the program");
        String second = Pair.peerOf(Actions.FIRST);
        for (String node : Pair.NODES) {
            drill.node(node).write(Actions.CHANGED_PLAN, "0600", plan);
        }
        try {
            // The program runs as root: who is root on one node names none for the other.
            Commands.Output first =
                    drill.node(Actions.FIRST).run(APPLIED, apply(Actions.CHANGED_PLAN));
            drill.expect(
                    first.exitCode() == ExitCode.FINDING && !keepsEncrypted(drill, second),
                    "%s runs no program that was named on %s alone: %s"
                            .formatted(second, Actions.FIRST, first.out()));
            drill.must(second, apply(Actions.CHANGED_PLAN));
            drill.await(
                    "both nodes keep the passwords, encrypted",
                    CAUGHT_UP,
                    () -> Pair.NODES.stream().allMatch(node -> keepsEncrypted(drill, node)));
            long dead = drill.step("the program stops working, and the agents are restarted");
            for (String node : Pair.NODES) {
                drill.node(node)
                        .write(PROGRAM, "0755", "#!/bin/sh\necho 'no store' >&2\nexit 75\n");
                drill.must(node, "rm", source("node-0"), source("node-1"));
                drill.must(node, "systemctl", "restart", "tandem-agent");
            }
            Pair.NODES.forEach(drill::awaitAgent);
            drill.awaitSettled();
            drill.awaitOrFind(
                    "the status of node-0 warns of the source",
                    CAUGHT_UP,
                    () ->
                            drill.told("node-0").status().recovery().warnings().stream()
                                    .anyMatch(warning ->
                                            warning.cause()
                                                    == Impediment.Cause.PASSWORD_SOURCE_SILENT));
            leavesNoCore(drill, "node-1");
            drill.awaitPromise("node-0", BmcScenarios.PROMISED_AGAIN);
            BmcScenarios.stopsAndIsFenced(drill, "node-1");
            drill.expect(
                    drill.journal("node-0", JournalEvent.Fenced.class, dead).stream()
                            .noneMatch(made -> made.receipt().method().equals("fence_redfish")),
                    "the agent has fenced, and not the second level");
            ProofScenarios.levelTwoFences(drill, "fence_redfish");
            drill.expectFences(2);
        } finally {
            drill.step("the passwords come from files again");
            Pair.NODES.forEach(drill::awaitUp);
            drill.apply("");
            Pair.NODES.forEach(node -> drill.must(node, "rm", PROGRAM));
        }
        drill.awaitSteady();
    }

    private static final String BEFORE_THE_CORES = "/run/drill-before-the-cores";

    /**
     * Wherever the kernel puts one: as the pattern says, in the directory of the process, or with
     * systemd. A core that a handler outside of the node took would not be seen here.
     */
    private static final String CORES =
            """
            pattern=$(cat /proc/sys/kernel/core_pattern)
            case $pattern in
                /*) find "${pattern%%/*}" -type f -newer %1$s ;;
            esac
            if command -v coredumpctl > /dev/null; then coredumpctl --quiet --no-legend list | grep -w present; fi
            find / /run /tmp /var -xdev -type f -newer %1$s -name '*core*' -printf '%%f %%p\\n' |
                grep -E '^(core([.].*)?|.*[.]core) '
            true
            """
                    .formatted(BEFORE_THE_CORES);

    /** Their memory holds the passwords, and a core would be copied and sent without a thought. */
    private static void leavesNoCore(ScenarioContext drill, String node) {
        drill.must(node, "touch", BEFORE_THE_CORES);
        long died = drill.step("the agent of %s and then its etcd crash".formatted(node));
        String before = process(drill, node);
        drill.killAgent(node, "SEGV");
        drill.await(
                "another agent runs",
                BmcScenarios.PROMISED_AGAIN,
                () ->
                        !process(drill, node).equals(before)
                                && drill.happened(node, JournalEvent.AgentStarted.class, died));
        drill.awaitSettled();
        drill.node(node).kill("etcd", "SEGV");
        drill.awaitEvent(node, JournalEvent.EtcdExited.class, died, ScenarioContext.RECOVERY);
        drill.awaitEvent(node, JournalEvent.Serving.class, died, ScenarioContext.RECOVERY);
        drill.awaitSettled();
        String cores = drill.node(node).run(ScenarioContext.SHORT, "sh", "-c", CORES).out();
        drill.finds(cores.isBlank(), "no core of either is on %s: %s".formatted(node, cores));
    }

    private static String[] apply(String plan) {
        return new String[] {"tandem", "cluster", "apply", "--yes", plan};
    }

    private static String source(String bmcOf) {
        return "/etc/drill-bmc-password-of-" + bmcOf;
    }

    private static boolean keepsEncrypted(ScenarioContext drill, String node) {
        return drill.node(node)
                .run(ScenarioContext.SHORT, "ls", kept("node-0"), kept("node-1"))
                .ok();
    }

    private static String kept(String bmcOf) {
        return SealedPassword.file(NodePaths.CONFIGURATION, bmcOf).toString();
    }

    /** Whether a node reads the power state from the BMC of a node. */
    private static boolean reads(ScenarioContext drill, String node, String bmcOf) {
        return drill.pair().status(node).stream()
                .flatMap(status -> status.fencing().stream())
                .anyMatch(line ->
                        line.node().equals(bmcOf)
                                && line.fault() == null
                                && line.power() != PowerReading.UNKNOWN);
    }

    private static String process(ScenarioContext drill, String node) {
        return drill.must(node, "systemctl", "show", "-P", "MainPID", "tandem-agent").strip();
    }
}
