package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.ShippedManifests;
import dev.tandem.host.Commands;
import dev.tandem.lab.Lab;
import dev.tandem.lab.pair.KubePair;
import dev.tandem.lab.pair.Pair;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A real control plane on the pair, through the address that follows the serving node. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ControlPlaneIT {
    private static final Duration SHORT = Duration.ofSeconds(20);

    /** Generous: the machine of a build may be busy. The bench holds the objectives. */
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    /** A write that hangs on a node that is off must not hold up the next. */
    private static final Duration ONE_WRITE = Duration.ofSeconds(2);

    private static final String NAMESPACE = "/api/v1/namespaces/default";
    private static final String ETCD_KEYS = "/etc/tandem/pki/kube-apiserver-etcd";

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Lab lab;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static Pair pair;

    @SuppressWarnings("NullAway.Init") // set before the first test
    private static LabKube kube;

    @BeforeAll
    static void makeThePair() throws Exception {
        KubePair made = KubePair.start("it-kube");
        lab = made.lab();
        pair = made.pair();
        kube = made.kube();
    }

    @AfterAll
    static void endTheLab() throws Exception {
        lab.close();
    }

    @Test
    @Order(1)
    void bothNodesAreReadyAndOneOfThemHasTheAddress() throws IOException {
        assertThat(kube.api().readyNodes()).containsExactlyInAnyOrderElementsOf(Pair.NODES);
        assertThat(Pair.NODES).filteredOn(ControlPlaneIT::hasTheAddress).hasSize(1);
    }

    @Test
    @Order(2)
    void aSecretIsStoredEncryptedAndBothNodesReadIt() throws IOException {
        for (String kind : List.of("secrets", "configmaps")) {
            String data = kind.equals("secrets") ? "stringData" : "data";
            assertThat(
                            kube.api()
                                    .post(
                                            NAMESPACE + "/" + kind,
                                            """
                                            {"metadata":{"name":"kept"},"%s":{"word":"xyzzy-plugh"}}
                                            """
                                                    .formatted(data))
                                    .accepted())
                    .isTrue();
        }

        String node = Pair.NODES.getFirst();
        // What is not a secret shows that one looks in the right place.
        assertThat(stored(node, "/registry/configmaps/default/kept")).contains("xyzzy-plugh");
        assertThat(stored(node, "/registry/secrets/default/kept"))
                .startsWith("k8s:enc:secretbox:v1:")
                .doesNotContain("xyzzy-plugh");
        for (String other : Pair.NODES) {
            assertThat(
                            kube.apiOf(other)
                                    .get(NAMESPACE + "/secrets/kept")
                                    .body()
                                    .at("/data/word")
                                    .asText())
                    .isEqualTo("eHl6enktcGx1Z2g=");
        }
    }

    @Test
    @Order(3)
    void aKeyOfOneSideDoesNotOpenTheOther() {
        String node = Pair.NODES.getFirst();
        Commands.Output etcd =
                lab.node(node).run(SHORT, etcdctl("/etc/kubernetes/pki/scheduler", "get", "x"));
        assertThat(etcd.ok()).as("Kubernetes' scheduler at etcd: %s", etcd).isFalse();

        assertThat(http(node, "/api", "--cert", ETCD_KEYS + ".pem", "--key", ETCD_KEYS + ".key"))
                .as("a client of etcd at the API")
                .isEqualTo("401");
        assertThat(http(node, "/readyz")).as("anybody asks for health").isEqualTo("200");
        assertThat(http(node, "/version")).as("anybody asks for more").isEqualTo("401");
    }

    @Test
    @Order(4)
    void theApiKnowsTandemsKindsAndRefusesWhatItsPoliciesSay() {
        List<String> definitions =
                Stream.of(
                                ShippedManifests.own(),
                                ShippedManifests.openshift(),
                                ShippedManifests.foreign())
                        .flatMap(List::stream)
                        .map(ShippedManifests.Manifest::name)
                        .toList();
        assertThat(names("crd")).containsExactlyInAnyOrderElementsOf(definitions);
        // That of the agent's own writes comes with its permissions.
        List<String> policies =
                Stream.concat(
                                ShippedManifests.policies().stream()
                                        .map(ShippedManifests.Manifest::name),
                                Stream.of("agent-writes"))
                        .map(policy -> policy + ".tandem.dev")
                        .toList();
        for (String kind :
                List.of("validatingadmissionpolicies", "validatingadmissionpolicybindings")) {
            assertThat(names(kind)).containsExactlyInAnyOrderElementsOf(policies);
        }

        refuses(
                "a pool of no role",
                "/apis/machineconfiguration.openshift.io/v1/machineconfigpools",
                """
                {"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool",
                 "metadata":{"name":"mine"},"spec":{}}
                """,
                "a pool takes the role master, worker or arbiter");
        refuses(
                "a second party that reboots nodes, for this is a pair",
                "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks",
                """
                {"apiVersion":"remediation.medik8s.io/v1alpha1","kind":"NodeHealthCheck",
                 "metadata":{"name":"all"},"spec":{"selector":{}}}
                """,
                "control-plane nodes are fenced by Pacemaker and by nobody else");
    }

    private static List<String> names(String kind) {
        return kube.kubectl("", "get", kind, "--output=name")
                .lines()
                .map(line -> line.substring(line.indexOf('/') + 1))
                .toList();
    }

    /** The API server reads policies and what they judge by a moment after they are written. */
    private static void refuses(String what, String collection, String object, String why) {
        lab.await(
                "refused: " + what,
                RECOVERY,
                () -> {
                    LabKubeApi.Answer answer = kube.api().post(collection + "?dryRun=All", object);
                    return !answer.accepted()
                            && answer.body().path("message").asText().contains(why);
                });
    }

    @Test
    @Order(5)
    void theApiServerOutlivesItsEtcd() {
        String holder = holder();
        String before = apiServer(holder);
        assertThat(before).isNotEqualTo("0");

        assertThat(lab.node(holder).kill("etcd", "KILL")).isEqualTo(1);

        lab.await("writes are accepted again", RECOVERY, () -> accepted(kube.api()));
        assertThat(apiServer(holder)).isEqualTo(before);
        pair.awaitRedundant(RECOVERY);
    }

    @Test
    @Order(6)
    void theAddressFollowsTheServingNodeAfterTheFenceAndNotBefore() {
        String victim = holder();
        String survivor = Pair.peerOf(victim);
        String before = apiServer(survivor);
        LabKubeApi api = kube.api();

        lab.node(victim).cutPower();

        lab.await("writes are accepted again", RECOVERY, () -> accepted(api));
        assertThat(hasTheAddress(survivor)).isTrue();
        assertThat(apiServer(survivor)).isEqualTo(before);
        String journal =
                lab.node(survivor)
                        .must(SHORT, "journalctl", "--no-pager", "--unit=pacemaker", "--boot");
        // The fencer's verdict. The controller hears of it twice, as the answer that lets its plan
        // go on and as news for everybody, in either order.
        int fenced = lastMatch(journal, "Operation '\\w+' targeting " + victim + " by .*: OK");
        int started = journal.lastIndexOf("start operation tandem-api-address_start_0");
        assertThat(fenced).as("the fence is in the journal").isPositive();
        assertThat(started).as("the address came after the fence").isGreaterThan(fenced);

        pair.awaitRedundant(Duration.ofMinutes(4));
        assertThat(hasTheAddress(survivor)).as("who serves goes on serving").isTrue();
    }

    private static int lastMatch(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .mapToInt(MatchResult::start)
                .max()
                .orElse(-1);
    }

    private static boolean accepted(LabKubeApi api) throws IOException {
        return api.send(
                        "PATCH",
                        NAMESPACE,
                        "application/merge-patch+json",
                        """
                        {"metadata":{"annotations":{"written":"%d"}}}
                        """
                                .formatted(System.nanoTime()),
                        ONE_WRITE)
                .accepted();
    }

    private static String holder() {
        return Pair.NODES.stream().filter(ControlPlaneIT::hasTheAddress).findFirst().orElseThrow();
    }

    private static boolean hasTheAddress(String node) {
        return lab.node(node)
                .must(SHORT, "ip", "-oneline", "address")
                .contains(lab.layout().apiAddress().ip() + "/");
    }

    private static String apiServer(String node) {
        return lab.node(node)
                .must(SHORT, "systemctl", "show", "--property=MainPID", "--value", "kube-apiserver")
                .strip();
    }

    private static String stored(String node, String key) {
        return lab.node(node).must(SHORT, etcdctl(ETCD_KEYS, "get", key, "--print-value-only"));
    }

    private static String[] etcdctl(String identity, String... arguments) {
        return Stream.concat(
                        Stream.of(
                                "etcdctl",
                                "--endpoints=https://127.0.0.1:2379",
                                "--cacert=/etc/tandem/pki/ca.pem",
                                "--cert=" + identity + ".pem",
                                "--key=" + identity + ".key",
                                "--command-timeout=5s"),
                        Arrays.stream(arguments))
                .toArray(String[]::new);
    }

    /** The status with which the node's API server answers somebody on that node. */
    private static String http(String node, String path, String... identity) {
        return lab.node(node)
                .must(
                        SHORT,
                        Stream.concat(
                                        Stream.of(
                                                "curl",
                                                "--silent",
                                                "--output",
                                                "/dev/null",
                                                "--write-out",
                                                "%{http_code}",
                                                "--cacert",
                                                "/etc/kubernetes/pki/ca.pem",
                                                "https://127.0.0.1:6443" + path),
                                        Arrays.stream(identity))
                                .toArray(String[]::new));
    }
}
