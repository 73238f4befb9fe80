package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.etcd.EtcdConfig.Limits;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.EtcdConfig.TlsFiles;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.SitePki.Purpose;
import dev.tandem.host.pki.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each certificate of a node opens at a real etcd, at the port of clients and of members. */
class CertificatePurposesIT {
    private static final Duration LIMIT = EtcdServer.LIMIT;

    @TempDir private Path directory;

    private SSLContext tls(Purpose purpose) {
        Path keys = directory.resolve("node-0");
        return Tls.client(
                Pem.readCertificates(keys.resolve(SitePki.CA_CERTIFICATE)),
                Optional.of(Pem.readIdentity(purpose.certificate(keys), purpose.key(keys))));
    }

    @Test
    void aCertificateOpensWhatItIsForAndNothingElse() {
        SitePki.create(directory, "site", InstantSource.system());
        SitePki.load(directory, InstantSource.system())
                .issue("node-0", List.of("127.0.0.1"), directory.resolve("node-0"));
        TlsFiles files =
                new TlsFiles(
                        Purpose.ETCD.certificate(directory.resolve("node-0")),
                        Purpose.ETCD.key(directory.resolve("node-0")),
                        directory.resolve("node-0").resolve(SitePki.CA_CERTIFICATE));
        EtcdConfig config =
                new EtcdConfig(
                        "node-0",
                        List.of(InetAddress.ofLiteral("127.0.0.1")),
                        EtcdServer.freePorts(),
                        directory.resolve("data"),
                        Optional.of(files.onlyFor(List.of("node-0", "node-1"))),
                        Optional.of(files),
                        Limits.STANDARD);
        Map<Purpose, String> opens = new EnumMap<>(Purpose.class);
        try (EtcdServer server =
                new EtcdServer(
                        config, new HttpEtcdApi(config.clientUrl(), tls(Purpose.ETCD_CLIENT)))) {
            server.start(new EtcdConfig.Bootstrap("purposes"), Timing.NORMAL).awaitLeader();
            for (Purpose purpose : Purpose.values()) {
                opens.put(
                        purpose,
                        (asClient(config, purpose) ? "clients " : "")
                                + (asMember(config, purpose) ? "members" : ""));
            }
        }

        assertThat(opens)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of(
                                Purpose.ETCD, "clients members",
                                Purpose.ETCD_CLIENT, "clients ",
                                Purpose.API_SERVER, "clients ",
                                Purpose.AGENT, ""));
    }

    private boolean asClient(EtcdConfig config, Purpose purpose) {
        try (HttpEtcdApi api = new HttpEtcdApi(config.clientUrl(), tls(purpose))) {
            EtcdAnswer<EtcdApi.Status> status = api.status(LIMIT);
            return status.isOk();
        }
    }

    private boolean asMember(EtcdConfig config, Purpose purpose) {
        try (HttpClient client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .sslContext(tls(purpose))
                        .build()) {
            return client.send(
                                    HttpRequest.newBuilder(
                                                    config.peerUrls()
                                                            .getFirst()
                                                            .resolve("/version"))
                                            .timeout(LIMIT)
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
