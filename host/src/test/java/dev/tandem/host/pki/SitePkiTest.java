package dev.tandem.host.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.core.Failure;
import dev.tandem.host.pki.SitePki.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SitePkiTest {
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final InstantSource CLOCK = InstantSource.fixed(NOW);

    @TempDir Path site;
    @TempDir Path node;

    @BeforeEach
    void make() {
        SitePki.create(site, "site-17", CLOCK);
        SitePki.load(site, CLOCK)
                .issue("node-0", List.of("192.0.2.10", "fd00::10"), site.resolve("node-0"));
    }

    @Test
    void whatIsNotADirectoryOfANodeIsRefusedWithTheWayToOne(@TempDir Path empty) {
        for (Path from : List.of(empty, empty.resolve("none"))) {
            Failure failure =
                    catchThrowableOfType(
                            Failure.class,
                            () ->
                                    SitePki.install(
                                            from,
                                            "node-0",
                                            empty.resolve("to"),
                                            InstantSource.system()));

            assertThat(failure.what()).isEqualTo("no certificates were installed");
            assertThat(failure.remedy())
                    .contains("tandem certs issue PLAN.yaml --dir SITE")
                    .endsWith("tandem certs install /root/node-0");
            assertThat(empty.resolve("to")).doesNotExist();
        }
    }

    @Test
    void aNodeGetsAKeyForEachPurposeThatOnlyItsOwnerReads() throws IOException {
        SitePki.install(site.resolve("node-0"), "node-0", node, CLOCK);

        for (Purpose purpose : Purpose.values()) {
            TlsIdentity leaf = Pem.readIdentity(purpose.certificate(node), purpose.key(node));
            assertThat(leaf.certificate().getSubjectX500Principal().getName())
                    .isEqualTo("CN=node-0");
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(purpose.key(node))))
                    .isEqualTo("rw-------");
        }
        assertThat(node.resolve(SitePki.CA_CERTIFICATE)).exists();
        assertThat(node.resolve("ca.key")).doesNotExist();
    }

    @Test
    void eachCertificateSaysWhatItIsFor() {
        Map<Purpose, CertificateUse> uses = new EnumMap<>(Purpose.class);
        for (Purpose purpose : Purpose.values()) {
            uses.put(
                    purpose,
                    CertificateUse.of(
                            Pem.readCertificates(purpose.certificate(site.resolve("node-0")))
                                    .getFirst()));
        }

        assertThat(uses)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                Purpose.ETCD, CertificateUse.ANY_SERVER_AND_CLIENT,
                                Purpose.ETCD_CLIENT, CertificateUse.OTHER,
                                Purpose.API_SERVER, CertificateUse.OTHER,
                                Purpose.AGENT, CertificateUse.AGENT));
    }

    @Test
    void anInstallationThatAPowerCutInterruptedIsCompletedFromTheWholeSet() throws IOException {
        SitePki.install(site.resolve("node-0"), "node-0", node, CLOCK);
        SitePki.load(site, CLOCK).issue("node-0", List.of(), node.resolve(".whole"));
        Path key = Purpose.AGENT.key(node.resolve(".whole"));
        Files.move(key, Purpose.AGENT.key(node), StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() ->
                        Pem.readIdentity(Purpose.AGENT.certificate(node), Purpose.AGENT.key(node)))
                .isInstanceOf(Failure.class);

        SitePki.completeInstallation(node);

        for (Purpose purpose : Purpose.values()) {
            assertThat(Pem.readIdentity(purpose.certificate(node), purpose.key(node))).isNotNull();
        }
        assertThat(node.resolve(".whole")).doesNotExist();
        SitePki.completeInstallation(node);
    }

    /** It completes an installation too, and systemd gives it what its unit names. */
    @Test
    void theAgentMayWriteWhereTheKeysLie() {
        assertThat(Path.of("../packaging/src/root/usr/lib/systemd/system/tandem-agent.service"))
                .content()
                .containsPattern("(?m)^ReadWritePaths=.* -" + SitePki.INSTALLED.getParent() + " ");
    }

    @Test
    void theKeysOfAnotherNodeAreRefusedAndNothingIsWritten() {
        assertThatThrownBy(() -> SitePki.install(site.resolve("node-0"), "node-1", node, CLOCK))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("it is for CN=node-0, not for node-1");
        assertThat(node).isEmptyDirectory();
    }

    @Test
    void whatAnotherAuthoritySignedIsRefused(@TempDir Path elsewhere) throws IOException {
        SitePki.create(elsewhere, "site-18", CLOCK);
        Files.delete(site.resolve("node-0/ca.pem"));
        Files.copy(elsewhere.resolve("ca.pem"), site.resolve("node-0/ca.pem"));

        assertThatThrownBy(() -> SitePki.install(site.resolve("node-0"), "node-0", node, CLOCK))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("no authority in ca.pem");
    }

    @Test
    void whatHasExpiredIsRefused() {
        InstantSource later = InstantSource.fixed(NOW.plus(Duration.ofDays(4 * 365)));

        assertThatThrownBy(() -> SitePki.install(site.resolve("node-0"), "node-0", node, later))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("expired");
    }

    /** As an interruption between the two files leaves it. */
    @Test
    void anAuthorityThatWasWholeWhenSomebodyInterruptedIsCompleted(@TempDir Path other)
            throws IOException {
        Path whole = Files.createDirectory(other.resolve(".whole"));
        Files.copy(site.resolve("ca.key"), other.resolve("ca.key"));
        Files.copy(site.resolve("ca.pem"), whole.resolve("ca.pem"));

        assertThat(SitePki.isIn(other)).isTrue();
        SitePki.load(other, CLOCK).issue("node-0", List.of(), other.resolve("node-0"));

        assertThat(other.resolve("ca.pem")).hasSameTextualContentAs(site.resolve("ca.pem"));
        assertThat(whole).doesNotExist();
    }

    @Test
    void whatWasBeingWrittenWhenSomebodyInterruptedIsDropped(@TempDir Path other)
            throws IOException {
        Path draft = Files.createDirectory(other.resolve(".new"));
        Files.writeString(draft.resolve(".ca.key123.new"), "half a key");

        SitePki.create(other, "site-17", CLOCK);

        try (Stream<Path> files = Files.list(other)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("ca.pem", "ca.key");
        }
    }

    @Test
    void aKeyWithoutItsCertificateIsToldAlikeWhoeverAsks() throws IOException {
        Files.delete(site.resolve("ca.pem"));

        for (ThrowingCallable command :
                List.<ThrowingCallable>of(
                        () -> SitePki.create(site, "again", CLOCK),
                        () -> SitePki.load(site, CLOCK))) {
            Failure failure = catchThrowableOfType(Failure.class, command);
            assertThat(failure.why()).contains("but not its certificate, ca.pem");
            assertThat(failure.remedy())
                    .contains("/etc/tandem/pki/ca.pem")
                    .contains("rm " + site.resolve("ca.key"));
        }
        assertThat(site.resolve("ca.key")).exists();
    }

    @Test
    void anAuthorityIsNeverOverwritten() {
        assertThatThrownBy(() -> SitePki.create(site, "again", CLOCK))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("is there already");
    }
}
