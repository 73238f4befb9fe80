package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.health.NodeCertificate.Need;
import dev.tandem.host.health.NodeCertificate.Reading;
import dev.tandem.host.health.NodeCertificate.Renewal;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.SitePki.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates as they are issued and installed, read from their files. */
class CertificateWatchTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir Path directory;
    private Path authority;
    private Path node;
    private Path kubernetes;

    @BeforeEach
    void make() {
        authority = directory.resolve("ca");
        node = directory.resolve("pki");
        kubernetes = directory.resolve("kubernetes");
        SitePki.create(authority, "site-17", InstantSource.fixed(NOW));
        issue(NOW);
    }

    private void issue(Instant at) {
        SitePki.load(authority, InstantSource.fixed(at)).issue("node-0", List.of(), node);
    }

    private List<NodeCertificate> look(CertificateWatch watch) {
        watch.look();
        return watch.certificates();
    }

    private CertificateWatch watch(boolean servesApi, CertificateWatch.Held... held) {
        return new CertificateWatch(node, kubernetes, () -> servesApi, List.of(held));
    }

    private static NodeCertificate of(List<NodeCertificate> all, String file) {
        return all.stream()
                .filter(each -> each.file().endsWith(file))
                .findFirst()
                .orElseThrow(() -> new AssertionError(file + " is not among " + all));
    }

    @Test
    void aNodeWithoutKubernetesHasFour() {
        List<NodeCertificate> found = look(watch(false));

        assertThat(found)
                .extracting(each -> each.file().getFileName().toString())
                .containsExactlyInAnyOrder("ca.pem", "etcd.pem", "etcd-client.pem", "agent.pem");
        assertThat(of(found, "agent.pem").need()).isEqualTo(Need.AGENTS);
        assertThat(of(found, "ca.pem").renewal()).isEqualTo(Renewal.NONE);
        assertThat(of(found, "etcd.pem").reading())
                .isInstanceOfSatisfying(
                        Reading.Term.class,
                        term ->
                                assertThat(term.until())
                                        .isEqualTo(NOW.plus(Duration.ofDays(3 * 365))));
    }

    @Test
    void anApiServerIsAClientOfEtcd() {
        assertThat(of(look(watch(true)), "kube-apiserver-etcd.pem").need()).isEqualTo(Need.API);
    }

    @Test
    void whatIsDamagedOrGoneOrOfAnotherKeyCannotBeRead() throws IOException {
        Files.delete(Purpose.AGENT.certificate(node));
        Files.writeString(Purpose.ETCD_CLIENT.certificate(node), "nothing");
        Files.copy(
                Purpose.API_SERVER.key(node),
                Purpose.ETCD.key(node),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.COPY_ATTRIBUTES);

        List<NodeCertificate> found = look(watch(false));

        for (String file : List.of("agent.pem", "etcd-client.pem", "etcd.pem")) {
            assertThat(of(found, file).reading())
                    .isInstanceOfSatisfying(
                            Reading.Unreadable.class,
                            reading -> assertThat(reading.why()).contains(file));
        }
        assertThat(of(found, "ca.pem").reading()).isInstanceOf(Reading.Term.class);
    }

    /** The agent reads its keys once. */
    @Test
    void anAgentThatWasNotRestartedHoldsTheOneBefore() {
        CertificateWatch watch =
                watch(
                        false,
                        new CertificateWatch.Held(
                                Purpose.AGENT.certificate(node),
                                Need.AGENTS,
                                Pem.readCertificates(Purpose.AGENT.certificate(node)).getFirst()));
        assertThat(look(watch))
                .noneMatch(each -> each.renewal() == Renewal.AGENT_RESTART)
                .hasSize(4);

        issue(NOW.plus(Duration.ofDays(1000)));

        assertThat(look(watch))
                .filteredOn(each -> each.renewal() == Renewal.AGENT_RESTART)
                .singleElement()
                .satisfies(each ->
                        assertThat(each.reading())
                                .isEqualTo(
                                        new Reading.Term(
                                                NOW.minus(Duration.ofHours(1)),
                                                NOW.plus(Duration.ofDays(3 * 365)))));
    }

    @Test
    void ofKubernetesOnlyOursAreLookedAt() throws IOException {
        Files.createDirectories(kubernetes);
        Files.writeString(kubernetes.resolve("apiserver.crt"), "of kubeadm");
        assertThat(look(watch(false))).hasSize(4);

        Files.writeString(KubePki.certificate(kubernetes, KubePki.CA), "damaged");

        List<NodeCertificate> found = look(watch(false));
        assertThat(of(found, "apiserver.pem").need()).isEqualTo(Need.API);
        assertThat(of(found, "tandem-agent.pem").need()).isEqualTo(Need.API);
        assertThat(of(found, "kubernetes/ca.pem").renewal()).isEqualTo(Renewal.NONE);
        for (String file : List.of("scheduler", "controller-manager", "kubelet")) {
            assertThat(of(found, file + ".pem").need()).isEqualTo(Need.KUBERNETES);
        }
        assertThat(found).noneMatch(each -> each.file().endsWith("service-account.pem"));
    }
}
