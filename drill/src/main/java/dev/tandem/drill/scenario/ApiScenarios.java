package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.drill.client.ApiWriter;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.kube.LabKubeApi;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.NetworkFault;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What clients of Kubernetes meet, and how much of it the agents can bear. */
final class ApiScenarios {
    private static final String ADDRESS = "tandem-api-address";
    private static final String PODS = "/api/v1/namespaces/default/pods";

    /** In which the address has to follow, and which no client may wait after the end. */
    private static final Duration FOLLOWS = Duration.ofSeconds(5);

    /** Longer than the wait of an API server's etcd client that has tried for long. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(40);

    private static final int MANY = 2000;
    private static final int READY = 50;
    private static final int VARIABLES = 80;
    private static final int AT_A_TIME = 8;

    private ApiScenarios() {}

    static List<Scenario> all() {
        return List.of(
                Scenario.slow(
                                "address-follows-the-writer",
                                "Only etcd's ports are cut while the API's address is on the node"
                                    + " that stands down; the address goes to the one that writes,"
                                    + " and stays there.",
                                "TL11",
                                240,
                                ApiScenarios::addressFollowsTheWriter)
                        .withKubernetes(),
                Scenario.slow(
                                "many-pods",
                                "A node with 2,000 large pods loses power; the agent of the other"
                                        + " tells Kubernetes about all of them and lives on.",
                                "TL6",
                                300,
                                ApiScenarios::manyPods)
                        .withKubernetes());
    }

    // ---- address-follows-the-writer ------------------------------------------------------------

    private static void addressFollowsTheWriter(ScenarioContext stage) throws Exception {
        LabKube kube = LabKube.of(stage.lab()).orElseThrow();
        stage.step("the address goes to node-1");
        addressTo(stage, "node-1");
        try (ApiWriter client = new ApiWriter(kube.api(), "through-the-address");
                ApiWriter onFirst = new ApiWriter(kube.apiOf("node-0"), "on-node-0");
                ApiWriter onSecond = new ApiWriter(kube.apiOf("node-1"), "on-node-1")) {
            for (ApiWriter one : List.of(client, onFirst, onSecond)) {
                awaitAccepted(stage, one, System.nanoTime());
            }
            stage.step("kill etcd of node-1, which starts again in place");
            stage.node("node-1").kill("etcd", "KILL");
            stage.holds(
                    "the address stays on node-1",
                    Duration.ofSeconds(15),
                    () -> has(stage, "node-1"));
            stage.awaitSettled();
            awaitAccepted(stage, client, System.nanoTime());

            long cut = stage.step("cut etcd's ports between the nodes");
            stage.lab()
                    .inject(
                            new NetworkFault.Cut(
                                    "cluster0",
                                    "node-0",
                                    "node-1",
                                    true,
                                    List.of(
                                            NetworkFault.Port.parse("tcp/2379"),
                                            NetworkFault.Port.parse("tcp/2380"))));
            stage.await(
                    "one node serves alone",
                    ScenarioContext.RECOVERY,
                    () -> Pair.NODES.stream().anyMatch(n -> stage.pair().is(n, NodeHealth.ALONE)));
            String serving =
                    Pair.NODES.stream()
                            .filter(node -> stage.pair().is(node, NodeHealth.ALONE))
                            .findFirst()
                            .orElseThrow();
            ApiWriter there = serving.equals("node-0") ? onFirst : onSecond;
            stage.step(serving + " serves alone");
            // Before the cut both wrote; what counts is the first write after the long silence.
            awaitAccepted(stage, there, System.nanoTime());
            long canWrite = there.endOfLongestGapSince(cut);
            awaitAccepted(stage, client, canWrite);
            long follows = client.firstAfter(canWrite).orElseThrow();
            stage.figure(
                    "API of the serving node writes, to a write through the address",
                    Duration.ofNanos(follows - canWrite),
                    FOLLOWS);
            stage.expect(
                    has(stage, serving) && !has(stage, Pair.peerOf(serving)),
                    "the address is on " + serving);
            stage.holds(
                    "the address stays on " + serving,
                    Duration.ofSeconds(30),
                    () -> has(stage, serving));

            long healed = stage.step("the ports are open again");
            stage.lab().heal();
            stage.awaitSettled();
            stage.holds("the address stays on " + serving, AFTERWARDS, () -> has(stage, serving));
            Duration gap = client.longestGapSince(healed);
            stage.figure("longest gap of the address after the heal", gap, FOLLOWS);
            stage.expect(
                    gap.compareTo(FOLLOWS) <= 0,
                    "no client waits longer than %d s after the heal (it was %d ms)"
                            .formatted(FOLLOWS.toSeconds(), gap.toMillis()));
        }
        stage.expectNoFence();
    }

    private static void awaitAccepted(ScenarioContext stage, ApiWriter writer, long since) {
        stage.await(
                "the API accepts writes",
                ScenarioContext.RECOVERY,
                () -> writer.firstAfter(since).isPresent());
    }

    /** As an administrator moves it, who then takes the constraint back that pcs leaves. */
    private static void addressTo(ScenarioContext stage, String node) {
        if (!has(stage, node)) {
            stage.must("node-0", "pcs", "resource", "move-with-constraint", ADDRESS, node);
            stage.await(
                    "the address is on " + node, ScenarioContext.RECOVERY, () -> has(stage, node));
            stage.must("node-0", "pcs", "resource", "clear", ADDRESS);
        }
        String constraints = stage.must("node-0", "pcs", "constraint", "location", "--full");
        stage.expect(!constraints.contains("cli-"), "no constraint is left: " + constraints);
    }

    private static boolean has(ScenarioContext stage, String node) {
        String address = stage.lab().site().apiAddress().ip();
        return stage.node(node)
                .run(ScenarioContext.SHORT, "ip", "-o", "address", "show", "to", address)
                .out()
                .contains(address);
    }

    // ---- many-pods -----------------------------------------------------------------------------

    private static void manyPods(ScenarioContext stage) throws Exception {
        LabKube kube = LabKube.of(stage.lab()).orElseThrow();
        // Of node-0, so that the address may be anywhere.
        LabKubeApi api = kube.apiOf("node-0");
        try {
            stage.step("%d pods with %d variables each on node-1".formatted(MANY, VARIABLES));
            // A kubelet takes 110. These are ready before it is busy with refusing the others.
            create(api, 0, READY);
            stage.await(
                    READY + " pods run on node-1",
                    ScenarioContext.REDUNDANCY,
                    () -> running(api) >= READY);
            create(api, READY, MANY);
            stage.awaitSettled();
            String agent = agent(stage);
            long cut = stage.step("pull the plug of node-1");
            stage.plugOut("node-1");
            stage.awaitAlone("node-0");
            stage.awaitEvent(
                    "node-0", JournalEvent.NodeMarked.class, cut, ScenarioContext.RECOVERY);
            stage.awaitEvent(
                    "node-0", JournalEvent.PodsNotReady.class, cut, ScenarioContext.RECOVERY);
            long told = System.nanoTime();
            stage.figure(
                    "power cut to pods not ready",
                    Duration.ofNanos(told - cut),
                    ScenarioContext.RECOVERY);
            stage.await(
                    "the agent has told everything",
                    ScenarioContext.RECOVERY,
                    () -> stage.pair().status("node-0").isPresent());
            stage.step("agent afterwards: %s, before: %s".formatted(agent(stage), agent));
            stage.expect(
                    pid(agent(stage)).equals(pid(agent)),
                    "the agent of node-0 lives on (%s, before %s)".formatted(agent(stage), agent));
            stage.step("the plug is in again");
            stage.plugIn("node-1");
            stage.awaitSettled();
            stage.expect(
                    pid(agent(stage)).equals(pid(agent)),
                    "the agent of node-0 lives on (%s, before %s)".formatted(agent(stage), agent));
        } finally {
            stage.step("the pods go");
            stage.await("the pods are gone", ScenarioContext.REDUNDANCY, () -> deleted(api));
        }
    }

    private static void create(LabKubeApi api, int from, int to) throws Exception {
        String variables =
                IntStream.range(0, VARIABLES)
                        .mapToObj(ApiScenarios::variable)
                        .collect(Collectors.joining(","));
        try (ExecutorService workers = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<LabKubeApi.Answer>> answers = new ArrayList<>();
            for (int i = from; i < to; i++) {
                String pod =
                        """
                        {"apiVersion":"v1","kind":"Pod",
                         "metadata":{"name":"many-%d","labels":{"app":"many"}},
                         "spec":{"nodeName":"node-1","terminationGracePeriodSeconds":0,
                          "containers":[{"name":"web","image":"registry.example/web",
                           "env":[%s]}]}}
                        """
                                .formatted(i, variables);
                answers.add(workers.submit(() -> api.post(PODS, pod)));
            }
            for (Future<LabKubeApi.Answer> answer : answers) {
                LabKubeApi.Answer said = answer.get();
                // 409: it is there already, from a request that was answered too late.
                if (!said.accepted() && said.code() != 409) {
                    throw new IOException("the API takes no pod: " + said);
                }
            }
        }
    }

    private static String variable(int number) {
        return "{\"name\":\"VARIABLE_%1$d\",\"value\":\"what a chart sets, %1$08d\"}"
                .formatted(number);
    }

    private static int running(LabKubeApi api) throws IOException {
        return api.get(
                        PODS
                                + "?labelSelector=app%3Dmany&fieldSelector=status.phase%3DRunning&limit=100")
                .body()
                .path("items")
                .size();
    }

    private static boolean deleted(LabKubeApi api) throws IOException {
        LabKubeApi.Answer answer =
                api.delete(PODS + "?labelSelector=app%3Dmany&gracePeriodSeconds=0");
        return answer.accepted()
                && api.get(PODS + "?labelSelector=app%3Dmany&limit=1")
                        .body()
                        .path("items")
                        .isEmpty();
    }

    /** Main process, restarts and resident memory of the agent of node-0. */
    private static String agent(ScenarioContext stage) {
        String pid =
                stage.must("node-0", "systemctl", "show", "-P", "MainPID", "tandem-agent").strip();
        String memory =
                stage.must("node-0", "sh", "-c", "grep VmRSS /proc/" + pid + "/status || true");
        return "pid " + pid + ", " + memory.replaceAll("\\s+", " ").strip();
    }

    private static String pid(String agent) {
        return agent.substring(0, agent.indexOf(','));
    }
}
