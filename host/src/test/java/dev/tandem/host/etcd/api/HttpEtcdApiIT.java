package dev.tandem.host.etcd.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.host.etcd.EtcdConfig;
import dev.tandem.host.etcd.EtcdConfig.Limits;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.EtcdConfig.TlsFiles;
import dev.tandem.host.etcd.EtcdPair;
import dev.tandem.host.etcd.EtcdServer;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway of a real etcd: what it answers, and what it does when it cannot. */
class HttpEtcdApiIT {
    private static final Duration LIMIT = EtcdServer.LIMIT;

    @TempDir private Path directory;

    @Test
    void aSoleServerAnswersEverythingOverMutualTls() throws IOException {
        CertificateAuthority site =
                CertificateAuthority.create("site", Duration.ofDays(1), InstantSource.system());
        TlsIdentity identity =
                site.issue(
                        LeafProfile.serverAndClient(
                                "north", List.of("127.0.0.1", "localhost"), Duration.ofHours(1)));
        TlsFiles files =
                new TlsFiles(
                        directory.resolve("north.crt"),
                        directory.resolve("north.key"),
                        directory.resolve("ca.crt"));
        Pem.writeIdentity(files.certificate(), files.key(), identity);
        Pem.writeCertificates(files.authority(), List.of(site.certificate()));
        EtcdConfig config =
                new EtcdConfig(
                        "north",
                        List.of(InetAddress.ofLiteral("127.0.0.1")),
                        EtcdServer.freePorts(),
                        directory.resolve("data"),
                        Optional.of(files),
                        Optional.of(files),
                        Limits.STANDARD);
        HttpEtcdApi trusted =
                new HttpEtcdApi(
                        config.clientUrl(),
                        Tls.client(List.of(site.certificate()), Optional.of(identity)));
        try (EtcdServer server = new EtcdServer(config, trusted)) {
            server.start(new EtcdConfig.Bootstrap("tls"), Timing.NORMAL).awaitLeader();
            everythingWorks(server.api());

            // Without a certificate of the site nobody gets in, and nothing was done.
            try (HttpEtcdApi stranger =
                    new HttpEtcdApi(
                            config.clientUrl(),
                            Tls.client(List.of(site.certificate()), Optional.empty()))) {
                assertThat(stranger.put(Bytes.of("s"), Bytes.of("v"), LIMIT).isOk()).isFalse();
            }
            assertThat(EtcdPair.keys(server.api(), "s")).isEmpty();
            // Nor do we talk to a server whose authority we do not know.
            try (HttpEtcdApi distrusting = new HttpEtcdApi(config.clientUrl(), Tls.client())) {
                assertThat(distrusting.status(LIMIT)).isInstanceOf(EtcdAnswer.Unreachable.class);
                assertThat(distrusting.status(LIMIT).timedOut()).isFalse();
            }
            silenceIsToldFromANo(server, config, site, identity);
        }
    }

    /**
     * The first question goes over a connection that exists, the later ones end in the handshake.
     */
    private static void silenceIsToldFromANo(
            EtcdServer server, EtcdConfig config, CertificateAuthority site, TlsIdentity identity) {
        Duration limit = Duration.ofSeconds(1);
        SSLContext tls = Tls.client(List.of(site.certificate()), Optional.of(identity));
        List<URI> twice = List.of(config.clientUrl(), config.clientUrl().resolve("/"));
        try (HttpEtcdApi own = HttpEtcdApi.ofThisMachine(twice, tls);
                HttpEtcdApi peer = new HttpEtcdApi(twice, tls)) {
            assertThat(own.status(LIMIT).isOk()).isTrue();
            // It gives a connection half a second, which this machine may exceed at first.
            await("a connection").atMost(LIMIT).until(() -> peer.status(LIMIT).isOk());
            server.freeze();
            try {
                for (int i = 0; i < 3; i++) {
                    assertThat(own.status(limit).timedOut()).isTrue();
                    assertThat(peer.status(limit).timedOut()).isTrue();
                }
            } finally {
                server.thaw();
            }
        }
    }

    private void everythingWorks(EtcdApi api) {
        EtcdApi.Status status = api.status(LIMIT).toOptional().orElseThrow();
        assertThat(status.isLeader()).isTrue();
        assertThat(status.learner()).isFalse();
        assertThat(status.version()).startsWith("3.");

        Bytes key = Bytes.of("k");
        long first = api.put(key, Bytes.of("one"), LIMIT).toOptional().orElseThrow().revision();
        assertThat(api.put(key, Bytes.of("two"), LIMIT).toOptional().orElseThrow().revision())
                .isEqualTo(first + 1);
        for (Consistency consistency : Consistency.values()) {
            EtcdApi.Found found =
                    api.range(key, Optional.empty(), 0, consistency, LIMIT)
                            .toOptional()
                            .orElseThrow();
            assertThat(found.keyValues())
                    .singleElement()
                    .satisfies(each -> assertThat(each.value().text()).isEqualTo("two"));
        }
        assertThat(api.members(Consistency.LINEARIZABLE, LIMIT).toOptional().orElseThrow())
                .singleElement()
                .satisfies(member -> assertThat(member.id()).isEqualTo(status.member()));
        assertThat(api.hashKeys(0, LIMIT).toOptional().orElseThrow().hash()).isPositive();
        // The last voter cannot be removed; etcd itself says so too.
        assertThat(api.remove(status.member(), LIMIT)).isInstanceOf(EtcdAnswer.Refused.class);
        assertThat(api.promote(new EtcdId(12345), LIMIT)).isInstanceOf(EtcdAnswer.Refused.class);
    }

    @Test
    void whoCannotAnswerIsToldApart() {
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            EtcdServer leader = pair.leader();
            EtcdServer follower = pair.follower();

            EtcdId target = follower.status().member();
            assertThat(new EtcdMembers(leader.api(), LIMIT).handOver(target))
                    .isInstanceOf(EtcdMembers.Achieved.class);
            assertThat(leader.api().moveLeader(target, LIMIT))
                    .isInstanceOf(EtcdAnswer.Refused.class);

            // The new leader stands still: no answer from it, and within the limit.
            follower.freeze();
            Duration limit = Duration.ofMillis(500);
            long before = System.nanoTime();
            assertThat(follower.api().status(limit)).isInstanceOf(EtcdAnswer.Unclear.class);
            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .as("what stands still would not answer at all")
                    .isLessThan(LIMIT);

            // Its peer has no leader, and says so, but still reads what it has.
            await("no leader").atMost(LIMIT).until(() -> leader.status().leader().isNone());
            assertThat(leader.status().errors()).anyMatch(error -> error.contains("no leader"));
            assertThat(leader.api().put(Bytes.of("k"), Bytes.of("v"), limit).isOk()).isFalse();
            assertThat(
                            leader.api()
                                    .range(
                                            Bytes.of("k"),
                                            Optional.empty(),
                                            0,
                                            Consistency.SERIALIZABLE,
                                            LIMIT)
                                    .isOk())
                    .isTrue();
            assertThat(leader.api().members(Consistency.SERIALIZABLE, LIMIT).toOptional())
                    .hasValueSatisfying(members -> assertThat(members).hasSize(2));
            follower.thaw();
        }
        try (HttpEtcdApi nobody = HttpEtcdApi.plain(URI.create("http://127.0.0.1:1"))) {
            assertThat(nobody.status(LIMIT)).isInstanceOf(EtcdAnswer.Unreachable.class);
        }
    }
}
