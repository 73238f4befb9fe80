package dev.tandem.host.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.core.Failure;
import dev.tandem.host.kube.KubePki.Client;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubePkiTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final InstantSource CLOCK = InstantSource.fixed(NOW);

    @TempDir Path directory;
    @TempDir Path node;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path site;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path issued;

    @SuppressWarnings("NullAway.Init") // set before each test
    private ClusterPlan plan;

    @BeforeEach
    void make() {
        site = directory.resolve("site");
        issued = directory.resolve("node-0");
        plan = PlanFile.read(directory);
        KubePki.create(site, "site-17", CLOCK);
        KubePki.load(site, CLOCK).issue(plan, plan.nodes().getFirst(), issued);
    }

    @Test
    void aNodeGetsItsKeysForItsOwnerOnlyAndNoAuthority() throws IOException {
        KubePki.install(issued, "node-0", node, CLOCK);

        try (Stream<Path> files = Files.list(node)) {
            for (Path file : files.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo("rw-------");
            }
        }
        assertThat(node.resolve("ca.pem")).exists();
        assertThat(node.resolve("ca.key")).doesNotExist();
        assertThat(node.resolve("front-proxy-ca.key")).doesNotExist();
    }

    /** Who a certificate is in Kubernetes; a group too many is a right too many. */
    @Test
    void everyClientIsWhoItShouldBeAndInNoOtherGroup() {
        assertThat(subject(issued, Client.CONTROLLER_MANAGER.file()))
                .isEqualTo("CN=system:kube-controller-manager");
        assertThat(subject(issued, Client.SCHEDULER.file())).isEqualTo("CN=system:kube-scheduler");
        assertThat(subject(issued, Client.KUBELET.file()))
                .isEqualTo("CN=system:node:node-0,O=system:nodes");
        assertThat(subject(issued, Client.AGENT.file())).isEqualTo("CN=tandem-agent");
        assertThat(subject(issued, Client.API_SERVER.file()))
                .isEqualTo("CN=kube-apiserver-kubelet-client");
    }

    @Test
    void theServerIsKnownUnderEveryNameAndAddressItIsCalledBy() throws CertificateParsingException {
        assertThat(
                        certificate(issued, ControlPlane.API_SERVER)
                                .getSubjectAlternativeNames()
                                .stream()
                                .map(name -> name.get(1).toString()))
                .contains(
                        "node-0",
                        "192.0.2.10",
                        "192.0.2.100",
                        "127.0.0.1",
                        "10.96.0.1",
                        "kubernetes",
                        "kubernetes.default",
                        "kubernetes.default.svc",
                        "kubernetes.default.svc.cluster.local")
                .doesNotContain("node-1", "192.0.2.11");
    }

    @Test
    void bothNodesShareTheKeyOfTokensAndOfSecrets() throws IOException {
        Path other = directory.resolve("node-1");
        KubePki.load(site, CLOCK).issue(plan, plan.nodes().getLast(), other);

        for (String shared : List.of("service-account.key", KubePki.ENCRYPTION)) {
            assertThat(other.resolve(shared)).hasSameTextualContentAs(issued.resolve(shared));
        }
        assertThat(Files.readString(other.resolve("apiserver.key")))
                .isNotEqualTo(Files.readString(issued.resolve("apiserver.key")));
    }

    @Test
    void anApiWithIpv6StandsInBrackets() {
        ClusterPlan ipv6 = PlanFile.readIpv6(directory);

        assertThat(KubePki.load(site, CLOCK).issueAdmin(ipv6))
                .content()
                .contains("server: https://[2001:db8::100]:6443");
        assertThat(KubePki.serverNames(ipv6, ipv6.nodes().getFirst()))
                .contains("2001:db8::10", "2001:db8::100", "fd96::1");
    }

    @Test
    void theAdministratorsKubeconfigLeadsToTheAddressOfTheApi() {
        Path kubeconfig = KubePki.load(site, CLOCK).issueAdmin(plan);

        assertThat(kubeconfig).content().contains("server: https://192.0.2.100:6443");
        assertThat(subject(site, KubePki.ADMIN)).isEqualTo("CN=kubernetes-admin,O=system:masters");
    }

    @Test
    void theKeysOfAnotherNodeAreRefusedAndNothingIsWritten() {
        assertThatThrownBy(() -> KubePki.install(issued, "node-1", node, CLOCK))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("not for system:node:node-1");
        assertThat(node).isEmptyDirectory();
    }

    @Test
    void whatAnotherAuthoritySignedIsRefused() throws IOException {
        Path foreign = directory.resolve("foreign");
        KubePki.create(foreign, "site-18", CLOCK);
        Files.copy(
                foreign.resolve("ca.pem"),
                issued.resolve("ca.pem"),
                StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(() -> KubePki.install(issued, "node-0", node, CLOCK))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("no authority in ca.pem");
        assertThat(node).isEmptyDirectory();
    }

    @Test
    void whatHasExpiredIsRefused() {
        InstantSource late = InstantSource.fixed(NOW.plus(Duration.ofDays(4 * 365)));

        assertThatThrownBy(() -> KubePki.install(issued, "node-0", node, late))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("expired");
    }

    /** Interrupted twice: by this version, and by one that wrote in place. */
    @Test
    void whoIsInterruptedCreatesThemWithTheNextRunOrIsToldWhatToDelete() throws IOException {
        Path later = directory.resolve("later");
        Path draft = Files.createDirectory(directory.resolve(".later.new"));
        Files.writeString(draft.resolve(".ca.key123.new"), "half a key");

        KubePki.create(later, "site-17", CLOCK);

        assertThat(draft).doesNotExist();
        try (Stream<Path> files = Files.list(later)) {
            assertThat(files).hasSize(7);
        }
        Files.delete(later.resolve(KubePki.ENCRYPTION));
        Failure half =
                catchThrowableOfType(Failure.class, () -> KubePki.create(later, "site-17", CLOCK));
        assertThat(half.why()).contains("lacks encryption.yaml");
        assertThat(half.remedy()).contains("rm -r " + later);
    }

    @Test
    void aSetThatLacksAFileIsRefusedAndNothingIsWritten() throws IOException {
        for (String file : List.of(KubePki.ENCRYPTION, "front-proxy-client.key")) {
            String text = Files.readString(issued.resolve(file));
            Files.delete(issued.resolve(file));

            assertThatThrownBy(() -> KubePki.install(issued, "node-0", node, CLOCK))
                    .isInstanceOf(Failure.class)
                    .hasMessageContaining("lacks " + file);
            assertThat(node).isEmptyDirectory();
            Files.writeString(issued.resolve(file), text);
        }
    }

    @Test
    void authoritiesAreNeverOverwritten() {
        assertThatThrownBy(() -> KubePki.create(site, "site-17", CLOCK))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("nodes may depend on what it holds");
    }

    private static String subject(Path directory, String name) {
        return certificate(directory, name).getSubjectX500Principal().getName();
    }

    private static X509Certificate certificate(Path directory, String name) {
        return Pem.readIdentity(KubePki.certificate(directory, name), KubePki.key(directory, name))
                .certificate();
    }
}
