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

    private static final String API_SERVER = "kube-apiserver";

    /** The program that is the lab's kubelet. */
    private static final String KUBELET = "kubemark";

    /** An address that is taken away and put back costs five seconds or more. */
    private static final Duration UNNOTICED = Duration.ofSeconds(4);

    /**
     * Of an API server that hangs, as a client sees it. The agent writes every second and waits 1.5
     * s for the answer; two such tries, half a second apart, make the holder say no (ADR 10). That
     * is up to 4.5 s, the move of the address takes up to 1.5 s, and the client, whose own tries
     * take half a second each, may begin one just before. Five seconds cannot hold with that.
     */
    private static final Duration HANG_LEFT = Duration.ofSeconds(7);

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
                                "api-server-hangs",
                                "The API server on the node with the API's address is suspended,"
                                    + " while etcd is healthy on both nodes; the address goes to"
                                    + " the node whose API server writes.",
                                "TL11",
                                120,
                                ApiScenarios::apiServerHangs)
                        .withKubernetes(),
                Scenario.slow(
                                "kubelet-restarts-beside-the-address",
                                "kubelet dies on the node with the API's address and is started"
                                        + " again; clients of the API notice nothing.",
                                "TL35",
                                120,
                                ApiScenarios::kubeletRestarts)
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

    private static void addressFollowsTheWriter(ScenarioContext drill) throws Exception {
        LabKube kube = LabKube.of(drill.lab()).orElseThrow();
        drill.step("the address goes to node-1");
        addressTo(drill, "node-1");
        try (ApiWriter client = new ApiWriter(kube.api(), "through-the-address");
                ApiWriter onFirst = new ApiWriter(kube.apiOf("node-0"), "on-node-0");
                ApiWriter onSecond = new ApiWriter(kube.apiOf("node-1"), "on-node-1")) {
            for (ApiWriter one : List.of(client, onFirst, onSecond)) {
                awaitAccepted(drill, one, System.nanoTime());
            }
            drill.step("kill etcd of node-1, which starts again in place");
            drill.node("node-1").kill("etcd", "KILL");
            drill.holds(
                    "the address stays on node-1",
                    Duration.ofSeconds(15),
                    () -> has(drill, "node-1"));
            drill.awaitSettled();
            awaitAccepted(drill, client, System.nanoTime());

            long cut = drill.step("cut etcd's ports between the nodes");
            drill.lab()
                    .inject(
                            new NetworkFault.Cut(
                                    "cluster0",
                                    "node-0",
                                    "node-1",
                                    true,
                                    List.of(
                                            NetworkFault.Port.parse("tcp/2379"),
                                            NetworkFault.Port.parse("tcp/2380"))));
            drill.await(
                    "one node serves alone",
                    ScenarioContext.RECOVERY,
                    () -> Pair.NODES.stream().anyMatch(n -> drill.pair().is(n, NodeHealth.ALONE)));
            String serving =
                    Pair.NODES.stream()
                            .filter(node -> drill.pair().is(node, NodeHealth.ALONE))
                            .findFirst()
                            .orElseThrow();
            ApiWriter there = serving.equals("node-0") ? onFirst : onSecond;
            drill.step(serving + " serves alone");
            // Before the cut both wrote; what counts is the first write after the long silence.
            awaitAccepted(drill, there, System.nanoTime());
            long canWrite = there.endOfLongestGapSince(cut);
            awaitAccepted(drill, client, canWrite);
            long follows = client.firstAfter(canWrite).orElseThrow();
            drill.judgedFigure(
                    "API of the serving node writes, to a write through the address",
                    Duration.ofNanos(follows - canWrite),
                    FOLLOWS);
            drill.expect(
                    has(drill, serving) && !has(drill, Pair.peerOf(serving)),
                    "the address is on " + serving);
            drill.holds(
                    "the address stays on " + serving,
                    Duration.ofSeconds(30),
                    () -> has(drill, serving));

            long healed = drill.step("the ports are open again");
            drill.lab().heal();
            drill.awaitSettled();
            drill.holds("the address stays on " + serving, AFTERWARDS, () -> has(drill, serving));
            Duration gap = client.longestGapSince(healed);
            drill.figure("longest gap of the address after the heal", gap, FOLLOWS);
            drill.expect(
                    gap.compareTo(FOLLOWS) <= 0,
                    "no client waits longer than %d s after the heal (it was %d ms)"
                            .formatted(FOLLOWS.toSeconds(), gap.toMillis()));
        }
        drill.expectNoFence();
    }

    private static void apiServerHangs(ScenarioContext drill) throws Exception {
        LabKube kube = LabKube.of(drill.lab()).orElseThrow();
        drill.step("the address goes to node-1");
        addressTo(drill, "node-1");
        try (ApiWriter client = new ApiWriter(kube.api(), "through-the-address")) {
            awaitAccepted(drill, client, System.nanoTime());
            long hangs = drill.step("the API server of node-1 is suspended");
            drill.node("node-1").kill(API_SERVER, "STOP");
            try {
                drill.await(
                        "the address is on node-0",
                        ScenarioContext.RECOVERY,
                        () -> has(drill, "node-0"));
                awaitAccepted(drill, client, System.nanoTime());
                drill.judgedFigure(
                        "longest gap of the address", client.longestGapSince(hangs), HANG_LEFT);
                drill.holds(
                        "the address stays on node-0",
                        Duration.ofSeconds(15),
                        () -> has(drill, "node-0"));
            } finally {
                drill.step("it moves again");
                drill.node("node-1").kill(API_SERVER, "CONT");
            }
            drill.awaitSettled();
            awaitAccepted(drill, client, System.nanoTime());
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    private static void kubeletRestarts(ScenarioContext drill) throws Exception {
        LabKube kube = LabKube.of(drill.lab()).orElseThrow();
        drill.step("the address goes to node-1");
        addressTo(drill, "node-1");
        try (ApiWriter client = new ApiWriter(kube.api(), "through-the-address")) {
            awaitAccepted(drill, client, System.nanoTime());
            String before = kubelet(drill);
            long killed = drill.step("kill kubelet of node-1");
            drill.node("node-1").kill(KUBELET, "KILL");
            drill.await(
                    "kubelet of node-1 runs again",
                    ScenarioContext.REDUNDANCY,
                    () -> !kubelet(drill).equals("0") && !kubelet(drill).equals(before));
            drill.awaitSettled();
            awaitAccepted(drill, client, System.nanoTime());
            Duration gap = client.longestGapSince(killed);
            drill.judgedFigure("longest gap of the address", gap, UNNOTICED);
            drill.expect(has(drill, "node-1"), "the address stays on node-1");
        }
        drill.expectNoFence();
        drill.expectNoTakeOver();
    }

    /** Main process of kubelet on node-1; 0 if there is none. */
    private static String kubelet(ScenarioContext drill) {
        return drill.must("node-1", "systemctl", "show", "-P", "MainPID", "kubelet").strip();
    }

    private static void awaitAccepted(ScenarioContext drill, ApiWriter writer, long since) {
        drill.await(
                "the API accepts writes",
                ScenarioContext.RECOVERY,
                () -> writer.firstAfter(since).isPresent());
    }

    /** As an administrator moves it, who then takes the constraint back that pcs leaves. */
    private static void addressTo(ScenarioContext drill, String node) {
        if (!has(drill, node)) {
            drill.must("node-0", "pcs", "resource", "move-with-constraint", ADDRESS, node);
            drill.await(
                    "the address is on " + node, ScenarioContext.RECOVERY, () -> has(drill, node));
            drill.must("node-0", "pcs", "resource", "clear", ADDRESS);
        }
        String constraints = drill.must("node-0", "pcs", "constraint", "location", "--full");
        drill.expect(!constraints.contains("cli-"), "no constraint is left: " + constraints);
    }

    private static boolean has(ScenarioContext drill, String node) {
        String address = drill.lab().layout().apiAddress().ip();
        return drill.node(node)
                .run(ScenarioContext.SHORT, "ip", "-o", "address", "show", "to", address)
                .out()
                .contains(address);
    }

    private static void manyPods(ScenarioContext drill) throws Exception {
        LabKube kube = LabKube.of(drill.lab()).orElseThrow();
        // Of node-0, so that the address may be anywhere.
        LabKubeApi api = kube.apiOf("node-0");
        try {
            drill.step("%d pods with %d variables each on node-1".formatted(MANY, VARIABLES));
            // A kubelet takes 110. These are ready before it is busy with refusing the others.
            create(api, 0, READY);
            drill.await(
                    READY + " pods run on node-1",
                    ScenarioContext.REDUNDANCY,
                    () -> running(api) >= READY);
            create(api, READY, MANY);
            drill.awaitSettled();
            String agent = agent(drill);
            long cut = drill.step("pull the plug of node-1");
            drill.plugOut("node-1");
            drill.awaitAlone("node-0");
            drill.awaitEvent(
                    "node-0", JournalEvent.NodeMarked.class, cut, ScenarioContext.RECOVERY);
            drill.awaitEvent(
                    "node-0", JournalEvent.PodsNotReady.class, cut, ScenarioContext.RECOVERY);
            long told = System.nanoTime();
            drill.figure(
                    "power cut to pods not ready",
                    Duration.ofNanos(told - cut),
                    ScenarioContext.RECOVERY);
            drill.await(
                    "the agent has told everything",
                    ScenarioContext.RECOVERY,
                    () -> drill.pair().status("node-0").isPresent());
            drill.step("agent afterwards: %s, before: %s".formatted(agent(drill), agent));
            drill.expect(
                    pid(agent(drill)).equals(pid(agent)),
                    "the agent of node-0 lives on (%s, before %s)".formatted(agent(drill), agent));
            drill.step("the plug is in again");
            drill.plugIn("node-1");
            drill.awaitSettled();
            drill.expect(
                    pid(agent(drill)).equals(pid(agent)),
                    "the agent of node-0 lives on (%s, before %s)".formatted(agent(drill), agent));
        } finally {
            drill.step("the pods go");
            drill.await("the pods are gone", ScenarioContext.REDUNDANCY, () -> deleted(api));
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
    private static String agent(ScenarioContext drill) {
        String pid =
                drill.must("node-0", "systemctl", "show", "-P", "MainPID", "tandem-agent").strip();
        String memory =
                drill.must("node-0", "sh", "-c", "grep VmRSS /proc/" + pid + "/status || true");
        return "pid " + pid + ", " + memory.replaceAll("\\s+", " ").strip();
    }

    private static String pid(String agent) {
        return agent.substring(0, agent.indexOf(','));
    }
}
