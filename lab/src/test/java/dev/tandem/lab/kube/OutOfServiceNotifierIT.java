package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.agent.kube.OutOfServiceNotifier;
import dev.tandem.agent.kube.WriteProbe;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import dev.tandem.host.kube.AgentRbac;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the agent of node-0 tells a real API server about node-1, with the rights that an agent has
 * and no others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutOfServiceNotifierIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final BootId OWN = new BootId("7c1d7f0e-0000-4000-8000-000000000000");
    private static final BootId FENCED = new BootId("0f3c8a52-6c0f-4c3e-9f0e-3a7c56a1b2c3");
    private static final BootId NEXT = new BootId("5b0e2a77-1111-4222-8333-444455556666");

    private static final String OBJECTS =
            """
            apiVersion: v1
            kind: Node
            metadata: {name: node-1}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-0}
            ---
            {apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: default}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: logs-1, namespace: default}
            spec:
              nodeName: node-1
              tolerations: [{operator: Exists}]
              containers: [{name: logs, image: registry.example/logs}]
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: kube-scheduler, namespace: kube-system}
            spec: {holderIdentity: node-1_4711, leaseDurationSeconds: 15, leaseTransitions: 2}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: kube-controller-manager, namespace: kube-system}
            spec: {holderIdentity: node-0_4711, leaseDurationSeconds: 15}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: logs, namespace: default}
            spec: {holderIdentity: logs-1_0815, leaseDurationSeconds: 137}
            """;

    private static final String GPU = "example.com/gpu=:NoSchedule";
    private static final String OURS =
            "node.kubernetes.io/out-of-service=fenced-by-tandem." + FENCED + ":NoExecute";

    private @Nullable RealApiServer started;
    private @Nullable Path access;
    private static final PeerState FENCED_IS_OFF = new PeerState.Off(FENCED);
    private static final PeerState NEXT_LIVES = new PeerState.Alive(NEXT);

    private final List<Thread> agents = new ArrayList<>();
    private @Nullable OutOfServiceNotifier latest;
    private final List<JournalEvent> journal = new CopyOnWriteArrayList<>();
    private Knowledge knowledge = new Knowledge();

    @BeforeAll
    void start(@TempDir Path directory) throws IOException, InterruptedException {
        started = RealApiServer.start(directory);
        access = server().kubeconfigOf(AgentRbac.USER);
        server().kubectl(AgentRbac.manifest(List.of("node-0", "node-1")), "apply", "-f", "-");
    }

    @AfterAll
    void stop() {
        if (started != null) {
            started.close();
        }
    }

    @BeforeEach
    void aPairInService() throws InterruptedException {
        knowledge = new Knowledge();
        journal.clear();
        objects();
        startAgent();
    }

    @AfterEach
    void tidyUp() throws InterruptedException {
        for (Thread agent : agents) {
            agent.interrupt();
            agent.join();
        }
        agents.clear();
        server().kubectl(OBJECTS, "delete", "--force", "--ignore-not-found", "-f", "-");
    }

    @Test
    void aFencedNodeIsOutOfServiceUntilItIsBackAndOtherTaintsStay() throws InterruptedException {
        knowledge.say(new PeerState.Off(FENCED));

        await("node-1 is marked", () -> taints("node-1").equals(List.of(GPU, OURS)));
        await("its pod is not ready", () -> podReady().equals("False"));
        await("the pod's lease is free", () -> holder("default", "logs").isEmpty());
        assertThat(ready("node-1")).isEqualTo("Unknown NodeFencedOff");
        assertThat(holder("kube-system", "kube-scheduler")).isEmpty();
        assertThat(holder("kube-system", "kube-controller-manager")).isEqualTo("node-0_4711");
        assertThat(journal.stream().<Class<?>>map(JournalEvent::getClass))
                .containsSubsequence(
                        JournalEvent.LeasesFreed.class,
                        JournalEvent.NodeMarked.class,
                        JournalEvent.PodsNotReady.class);
        await("it is said", () -> status(FENCED_IS_OFF).equals("PEER_OUT_OF_SERVICE"));
        assertThat(status(NEXT_LIVES)).as("what has just become known").isEqualTo("WAITS_FOR_API");
        assertThat(status(new PeerState.Unsure())).isEmpty();

        server().kubectl("", "taint", "node", "node-1", "example.com/while-off=:NoSchedule");
        knowledge.say(new PeerState.Alive(NEXT));
        await(
                "the agent waits for the kubelet",
                () -> status(NEXT_LIVES).equals("WAITS_FOR_KUBELET"));
        assertThat(taints("node-1")).contains(OURS);

        ready("node-1", "True", "KubeletReady");
        await("the mark is gone", () -> !taints("node-1").contains(OURS));
        assertThat(taints("node-1"))
                .containsExactlyInAnyOrder(GPU, "example.com/while-off=:NoSchedule");
        await(
                "it is written down",
                () -> journal.stream().anyMatch(JournalEvent.NodeCleared.class::isInstance));
        await("it is said", () -> status(NEXT_LIVES).equals("IN_SERVICE"));
    }

    /** The pod that is ready and has a lease is on the third page. */
    @Test
    void aPodOnALaterPageIsNotForgotten() throws IOException, InterruptedException {
        JsonMapper json = new JsonMapper();
        for (int i = 0; i < 250; i++) {
            server().write(
                            (ObjectNode)
                                    json.readTree(
                                            """
                                            {"apiVersion":"v1","kind":"Pod",
                                             "metadata":{"name":"before-%03d","namespace":"default",
                                              "labels":{"app":"before"}},
                                             "spec":{"nodeName":"node-1",
                                              "terminationGracePeriodSeconds":0,
                                              "containers":[{"name":"c","image":"example/c"}]}}
                                            """
                                                    .formatted(i)));
        }
        try {
            knowledge.say(new PeerState.Off(FENCED));

            await("the pod is not ready", () -> podReady().equals("False"));
            await("its lease is free", () -> holder("default", "logs").isEmpty());
        } finally {
            server().kubectl(
                            "",
                            "delete",
                            "--raw",
                            "/api/v1/namespaces/default/pods?labelSelector=app%3Dbefore");
        }
    }

    @Test
    void theProbeSaysThatTheApiWritesAsLongAsItDoes() throws InterruptedException {
        ProbedNode around = new ProbedNode();
        try (WriteProbe probe = probe(Objects.requireNonNull(access), around)) {
            looksUntilTold(probe, around, 1);
            assertThat(around.told).containsExactly(true);
            assertThat(
                            read(
                                    "{.spec.renewTime}",
                                    "lease",
                                    "tandem-agent-node-0",
                                    "-n",
                                    "kube-system"))
                    .isNotEmpty();
            probe.look();
            assertThat(around.told).as("the same is not told again").containsExactly(true);

            server().signal("etcd", "STOP");
            try {
                await("the probe says no", () -> says(probe, around, false));
            } finally {
                server().signal("etcd", "CONT");
            }
            await("the probe says yes", () -> says(probe, around, true));
            assertThat(around.told).containsExactly(true, false, true);
            assertThat(journal).hasAtLeastOneElementOfType(JournalEvent.ApiWritability.class);

            around.peerPresent = false;
            probe.look();
            around.peerPresent = true;
            looksUntilTold(probe, around, 4);
            assertThat(around.told)
                    .as("a peer that is back hears it again")
                    .containsExactly(true, false, true, true);
        }
    }

    @Test
    void aProbeWithoutRightsSaysWhatEtcdDoes() throws InterruptedException {
        ProbedNode around = new ProbedNode();
        try (WriteProbe probe = probe(server().kubeconfigOf("nobody-in-particular"), around)) {
            looksUntilTold(probe, around, 1);
        }
        assertThat(around.told).containsExactly(true);
        assertThat(journal).hasAtLeastOneElementOfType(JournalEvent.ApiNotTested.class);
    }

    private WriteProbe probe(Path config, ProbedNode around) {
        return new WriteProbe(
                "node-0", config, around, journal::add, InstantSource.system(), System::nanoTime);
    }

    /** A look whose time is over before the server has answered tells nothing. */
    private void looksUntilTold(WriteProbe probe, ProbedNode around, int times)
            throws InterruptedException {
        await(
                "the probe says something",
                () -> {
                    probe.look();
                    return around.told.size() >= times;
                });
    }

    private static boolean says(WriteProbe probe, ProbedNode around, boolean writes) {
        probe.look();
        return around.told.getLast() == writes;
    }

    /** Around the probe: the address is here, etcd serves, and the cluster listens. */
    private static final class ProbedNode implements WriteProbe.LocalNode {
        private final List<Boolean> told = new ArrayList<>();
        private boolean peerPresent = true;

        @Override
        public boolean peerPresent() {
            return peerPresent;
        }

        @Override
        public boolean holdsAddress() {
            return true;
        }

        @Override
        public boolean etcdServes() {
            return true;
        }

        @Override
        public boolean peerCanWrite() {
            return false;
        }

        @Override
        public boolean isOutOfReach() {
            return false;
        }

        @Override
        public void tell(boolean canWrite) {
            told.add(canWrite);
        }
    }

    @Test
    void anAgentThatWasRestartedInBetweenRemovesTheMarkOfTheOneBefore()
            throws InterruptedException {
        knowledge.say(new PeerState.Off(FENCED));
        await("node-1 is marked", () -> taints("node-1").contains(OURS));
        agents.getFirst().interrupt();
        agents.getFirst().join();
        knowledge = new Knowledge();
        knowledge.say(new PeerState.Alive(NEXT));
        ready("node-1", "True", "KubeletReady");

        startAgent();

        await("the mark is gone", () -> taints("node-1").equals(List.of(GPU)));
    }

    @Test
    void aNodeThatCameBackRemovesItsOwnMarkWhenThePeerCannot() throws InterruptedException {
        String ours = OURS.replace(FENCED.value(), NEXT.value());
        server().kubectl("", "taint", "node", "node-0", ours);
        ready("node-0", "True", "KubeletReady");

        knowledge.say(new PeerState.Off(FENCED));

        await("the mark is gone", () -> taints("node-0").isEmpty());
        await("node-1 is marked", () -> taints("node-1").contains(OURS));
    }

    @Test
    void aNodeThatAnAdministratorTookOutOfServiceIsLeftAlone() throws InterruptedException {
        String theirs = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
        server().kubectl("", "taint", "node", "node-1", theirs);
        String before = ready("node-1");

        knowledge.say(new PeerState.Off(FENCED));
        await("the leases are free", () -> holder("default", "logs").isEmpty());
        knowledge.say(new PeerState.Alive(NEXT));
        ready("node-1", "True", "KubeletReady");
        // The answer to this shows that the one before has been dealt with.
        server().kubectl("", "taint", "node", "node-0", OURS);
        ready("node-0", "True", "KubeletReady");
        knowledge.say(new PeerState.Unsure());
        await("node-0 is cleared", () -> taints("node-0").isEmpty());

        assertThat(taints("node-1")).containsExactlyInAnyOrder(GPU, theirs);
        assertThat(before).isNotEqualTo("Unknown NodeFencedOff");
        assertThat(journal).doesNotHaveAnyElementsOfTypes(JournalEvent.NodeMarked.class);
    }

    @Test
    void withoutAccessNothingIsToldAndWithItWhatIsTrueThen()
            throws IOException, InterruptedException {
        Path config = Objects.requireNonNull(access);
        Path aside = config.resolveSibling("aside");
        Files.move(config, aside);
        knowledge.say(new PeerState.Off(FENCED));
        await("the agent has tried", () -> knowledge.asked() > 5);
        assertThat(taints("node-1")).containsExactly(GPU);
        assertThat(status(FENCED_IS_OFF)).isEmpty();

        Files.writeString(config, "no kubeconfig");
        await("the reason is said", () -> status(FENCED_IS_OFF).equals("WAITS_FOR_API"));
        Files.delete(config);
        Files.move(aside, config);

        await("node-1 is marked", () -> taints("node-1").contains(OURS));
    }

    /** What the agent knows, as the test tells it. */
    private static final class Knowledge implements OutOfServiceNotifier.Source {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private long changes;
        private long asked;
        private PeerState peer = new PeerState.Unsure();

        void say(PeerState fate) {
            lock.lock();
            try {
                peer = fate;
                asked = 0;
                changes++;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** How often the agent has looked since the last news. */
        long asked() {
            lock.lock();
            try {
                return asked;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public long changes() {
            lock.lock();
            try {
                return changes;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public Optional<KubernetesReport> known() {
            lock.lock();
            try {
                asked++;
                return Optional.of(new KubernetesReport(true, OWN, peer));
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void awaitChange(long seen, Duration limit) throws InterruptedException {
            lock.lock();
            try {
                long left = limit.toNanos();
                while (changes == seen && left > 0) {
                    left = changed.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void startAgent() {
        OutOfServiceNotifier failover =
                new OutOfServiceNotifier(
                        "node-0",
                        "node-1",
                        Objects.requireNonNull(access),
                        knowledge,
                        journal::add,
                        InstantSource.system());
        latest = failover;
        agents.add(Thread.ofVirtual().start(failover));
    }

    /** What the agent would say of the API, knowing this of the peer; empty where nothing. */
    private String status(PeerState peer) {
        return Objects.requireNonNull(latest)
                .status(new KubernetesReport(true, OWN, peer))
                .map(standing -> standing.state().name())
                .orElse("");
    }

    private RealApiServer server() {
        return Objects.requireNonNull(started);
    }

    private void await(String what, BooleanSupplier holds) throws InterruptedException {
        server().await(what, LIMIT, holds);
    }

    private void objects() {
        server().kubectl(OBJECTS, "apply", "-f", "-");
        // The API server itself gives a new node a taint, which its controllers remove in time.
        server().kubectl("", "patch", "node", "node-0", "-p", "{\"spec\":{\"taints\":null}}");
        server().kubectl(
                        "",
                        "patch",
                        "node",
                        "node-1",
                        "-p",
                        "{\"spec\":{\"taints\":[{\"key\":\"example.com/gpu\",\"effect\":\"NoSchedule\"}]}}");
        ready("node-1", "True", "KubeletReady");
        server().kubectl(
                        "",
                        "patch",
                        "pod",
                        "logs-1",
                        "--subresource=status",
                        "-p",
                        "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    }

    private void ready(String node, String status, String reason) {
        server().kubectl(
                        "",
                        "patch",
                        "node",
                        node,
                        "--subresource=status",
                        "-p",
                        "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"%s\"}]}}"
                                .formatted(status, reason));
    }

    private String read(String path, String... what) {
        List<String> arguments = new ArrayList<>(List.of("get"));
        arguments.addAll(List.of(what));
        arguments.addAll(List.of("-o", "jsonpath=" + path));
        return server().kubectl("", arguments.toArray(String[]::new));
    }

    private List<String> taints(String node) {
        return read("{range .spec.taints[*]}{.key}={.value}:{.effect}{\"\\n\"}{end}", "node", node)
                .lines()
                .toList();
    }

    private String ready(String node) {
        return read(
                "{range .status.conditions[?(@.type==\"Ready\")]}{.status} {.reason}{end}",
                "node",
                node);
    }

    private String podReady() {
        return read(
                "{range .status.conditions[?(@.type==\"Ready\")]}{.status}{end}", "pod", "logs-1");
    }

    private String holder(String namespace, String lease) {
        return read("{.spec.holderIdentity}", "lease", lease, "-n", namespace);
    }
}
