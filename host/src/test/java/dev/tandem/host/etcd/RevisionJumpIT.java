package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Failure;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.EtcdConfig.TlsFiles;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Bytes;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.SitePki.Purpose;
import dev.tandem.host.pki.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jump of the revision, on replicas that a real etcd wrote and was killed over. */
class RevisionJumpIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long JUMP = OfflineRevisionJump.JUMP;

    @TempDir private Path directory;

    private ReplicaDirectory replicas() {
        return new ReplicaDirectory(directory.resolve("etcd"), InstantSource.system());
    }

    private OfflineRevisionJump jump(EtcdServer server) {
        return new OfflineRevisionJump(
                server.config(),
                RealEtcd.program(),
                directory.resolve("run"),
                replicas(),
                Optional.empty());
    }

    /** A server on the replica of the directory. */
    private EtcdServer here(EtcdConfig.Ports ports) {
        return EtcdServer.plain(replicas().current(), "south", ports, 10_000);
    }

    private void owes() {
        replicas().oweRevisionJump("a test");
    }

    @Test
    void afterTheJumpEveryKeyIsThereAndEveryWatcherIsTold() throws Exception {
        Set<String> acknowledged;
        EtcdConfig.Ports ports;
        long counter;
        EtcdApi.Status before;
        try (EtcdPair pair = EtcdPair.form(directory, 10_000)) {
            // A database may lag behind its log by what was written since it was last synced: here
            // by all that follows.
            EtcdServer survivor = pair.south;
            EtcdApi leader = pair.leader().api();
            assertThat(leader.compact(put(leader, "first"), EtcdServer.LIMIT).isOk()).isTrue();
            await("the survivor has it")
                    .atMost(EtcdServer.LIMIT)
                    .until(() -> survivor.status().applied() >= pair.leader().status().committed());
            survivor.stopGracefully();
            Path synced = directory.resolve("synced");
            Files.copy(survivor.data().resolve("member/snap/db"), synced);
            survivor.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();
            pair.north.awaitLeader();
            EtcdPair.Load load = new EtcdPair.Load(pair.leader().api(), "k/", 8, 2000);
            await("load").atMost(EtcdServer.LIMIT).until(() -> load.count() >= 300);
            acknowledged = load.acknowledged();
            // Each of these holds only on top of the one before, by its revision.
            counter = count(pair.leader().config(), 200);
            before = pair.leader().status();
            pair.north.kill();
            survivor.kill();
            ports = survivor.config().ports();
            Files.createDirectory(directory.resolve("etcd"));
            EtcdPair.copy(survivor.data(), replicas().current());
            Files.copy(synced, database(), StandardCopyOption.REPLACE_EXISTING);
        }
        owes();
        assertThat(databaseIndex() + 500)
                .isLessThan(WriteAheadLog.read(replicas().current()).lastIndex());
        try (EtcdServer south = here(ports)) {

            jump(south).carryOut();

            assertThat(replicas().owesRevisionJump()).isFalse();
            assertThat(databaseIndex()).isEqualTo(WriteAheadLog.read(south.data()).lastIndex());
            south.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();
            EtcdApi.Status after = south.status();
            assertThat(after.revision())
                    .isBetween(before.revision() + JUMP, before.revision() + JUMP + 10);
            assertThat(after.cluster()).isEqualTo(before.cluster());
            assertThat(after.committed()).isGreaterThan(before.committed());
            // A put that was not acknowledged may be there as well.
            assertThat(EtcdPair.keys(south.api(), "k/")).containsAll(acknowledged);
            assertThat(value(south.api(), "counter")).isEqualTo(Long.toString(counter));
            for (long seen : List.of(2L, before.revision(), before.revision() + 5_000)) {
                assertThat(watch(south.config(), seen + 1).path("compact_revision").asLong())
                        .as("a watch that goes on after %d", seen)
                        .isEqualTo(after.revision());
            }
            assertThat(put(south.api(), "new")).isEqualTo(after.revision() + 1);
            EtcdApi.Status serving = south.status();
            assertThat(put(south.api(), "newer")).isEqualTo(serving.revision() + 1);
            JsonNode told = watch(south.config(), serving.revision() + 1);
            assertThat(told.path("canceled").asBoolean())
                    .as("a watch that begins after a new list")
                    .isFalse();
            assertThat(told.path("events")).hasSize(1);

            // Whoever joins gets the same store, and by no other way.
            try (EtcdServer joiner =
                    EtcdServer.plain(
                            directory.resolve("joiner"), "north", EtcdServer.freePorts(), 10_000)) {
                EtcdPair.join(south, joiner);
                long revision = put(south.api(), "both");
                await("both have it")
                        .atMost(EtcdServer.LIMIT)
                        .until(() -> joiner.status().revision() == revision);
                assertThat(hash(joiner, revision)).isEqualTo(hash(south, revision));
            }
        }
    }

    /** As a crash leaves them: each is gone on from, and ends in a jump. */
    @Test
    void aCrashBetweenAnyTwoStepsIsGoneOnFrom() throws Exception {
        EtcdConfig.Ports ports = EtcdServer.freePorts();
        long seen = seeded(ports);
        try (EtcdServer server = here(ports)) {
            OfflineRevisionJump jump = jump(server);
            owes();
            // In the middle of the private server's run.
            server.start(new EtcdConfig.TakeOver(), Timing.NORMAL).awaitLeader().kill();
            seen = assertJumps(server, jump, seen);

            // After it, with nothing written.
            owes();
            seen = assertJumps(server, jump, seen);

            // With one number written, and with a part of it.
            for (boolean torn : List.of(false, true)) {
                owes();
                writeFirstNumber(torn);
                seen = assertJumps(server, jump, seen);
            }
        }
    }

    /** What a member that has voted alone left of the peer it was teaching. */
    @Test
    void alsoOneThatVotesAloneGoesOnWithoutItsLearner() throws Exception {
        EtcdConfig.Ports ports = EtcdServer.freePorts();
        long seen = seeded(ports);
        try (EtcdServer server = here(ports);
                EtcdServer learner =
                        EtcdServer.plain(
                                directory.resolve("learner"),
                                "north",
                                EtcdServer.freePorts(),
                                10_000)) {
            server.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();
            EtcdPair.startLearner(server, learner);
            await("it learns")
                    .atMost(EtcdServer.LIMIT)
                    .until(() ->
                            learner.api()
                                    .status(EtcdServer.GLANCE)
                                    .toOptional()
                                    .filter(status -> status.revision() >= seen)
                                    .isPresent());
            server.kill();
            owes();

            long _ = assertJumps(server, jump(server), seen);

            // It ends where it hears that it was removed.
            assertThat(learner.api().status(EtcdServer.LIMIT).toOptional().stream())
                    .allSatisfy(status -> assertThat(status.revision()).isLessThan(JUMP));
        }
    }

    @Test
    void anOrderThatIsCancelledLeavesNoServerAndIsStillOwed() throws Exception {
        EtcdConfig.Ports ports = EtcdServer.freePorts();
        long seen = seeded(ports);
        owes();
        try (EtcdServer server = here(ports)) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread order =
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    jump(server).carryOut();
                                } catch (Failure e) {
                                    thrown.set(e);
                                }
                            });
            await("the private server runs")
                    .atMost(EtcdServer.LIMIT)
                    .until(() -> privateServers() == 1);
            order.interrupt();
            assertThat(order.join(EtcdServer.LIMIT)).isTrue();

            assertThat(thrown.get()).hasMessageContaining("cancelled");
            assertThat(privateServers()).isZero();
            assertThat(replicas().owesRevisionJump()).isTrue();
            long _ = assertJumps(server, jump(server), seen);
        }
    }

    /** What does not look like a database of etcd is not written to. */
    @Test
    void aDamagedDatabaseIsRefusedAndLeftAsItWas() throws Exception {
        EtcdConfig.Ports ports = EtcdServer.freePorts();
        long _ = seeded(ports);
        owes();
        byte[] garbage = new byte[64 << 10];
        Files.write(database(), garbage);
        try (EtcdServer server = here(ports)) {
            assertThatThrownBy(() -> jump(server).carryOut()).isInstanceOf(Failure.class);
            assertThat(replicas().owesRevisionJump()).isTrue();
        }
        assertThatThrownBy(() -> BoltFile.open(database()).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a database");
    }

    /** Its port takes nobody without a certificate, as the ordinary one does not. */
    @Test
    void withCertificatesNobodyElseIsLetIn() throws Exception {
        Path keys = directory.resolve("north");
        SitePki.create(directory, "site", InstantSource.system());
        SitePki.load(directory, InstantSource.system()).issue("north", List.of("127.0.0.1"), keys);
        TlsFiles files =
                new TlsFiles(
                        Purpose.ETCD.certificate(keys),
                        Purpose.ETCD.key(keys),
                        keys.resolve(SitePki.CA_CERTIFICATE));
        EtcdConfig config =
                new EtcdConfig(
                        "north",
                        List.of(InetAddress.ofLiteral("127.0.0.1")),
                        EtcdServer.freePorts(),
                        replicas().current(),
                        Optional.of(files.onlyFor(List.of("north", "south"))),
                        Optional.of(files),
                        EtcdConfig.Limits.STANDARD);
        SSLContext client =
                Tls.client(
                        Pem.readCertificates(keys.resolve(SitePki.CA_CERTIFICATE)),
                        Optional.of(
                                Pem.readIdentity(
                                        Purpose.ETCD_CLIENT.certificate(keys),
                                        Purpose.ETCD_CLIENT.key(keys))));
        Files.createDirectory(directory.resolve("etcd"));
        try (EtcdServer server =
                new EtcdServer(config, new HttpEtcdApi(config.clientUrl(), client))) {
            server.start(new EtcdConfig.Bootstrap("pair"), Timing.NORMAL).awaitLeader();
            long seen = put(server.api(), "k");
            server.kill();
            owes();

            new OfflineRevisionJump(
                            config,
                            RealEtcd.program(),
                            directory.resolve("run"),
                            replicas(),
                            Optional.of(client))
                    .carryOut();

            server.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();
            assertThat(server.status().revision()).isGreaterThanOrEqualTo(seen + JUMP);
            JsonNode file = JSON.readTree(config.renderPrivate(4001, 4002, 7));
            assertThat(file.path("listen-client-urls").asText())
                    .isEqualTo("https://127.0.0.1:4001");
            assertThat(file.path("listen-peer-urls").asText()).isEqualTo("https://127.0.0.1:4002");
            assertThat(file.path("client-transport-security").path("client-cert-auth").asBoolean())
                    .isTrue();
        }
    }

    @Test
    void aValueIsFoundInALargeTreeToo() throws Exception {
        EtcdConfig.Ports ports = EtcdServer.freePorts();
        long last = seeded(ports);
        long first = last;
        try (EtcdServer server = here(ports)) {
            server.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();
            EtcdPair.Load load = new EtcdPair.Load(server.api(), "many/", 16, 100);
            await("load").atMost(Duration.ofMinutes(2)).until(() -> load.count() >= 1600);
            load.close();
            last = server.status().revision();
            server.stopGracefully();
        }
        try (BoltFile database = BoltFile.open(database())) {
            for (long revision = first + 1; revision <= last; revision++) {
                assertThat(database.find("key", key(revision)))
                        .as("revision %d", revision)
                        .hasValueSatisfying(value ->
                                assertThat(new String(value.bytes(), StandardCharsets.ISO_8859_1))
                                        .contains("many/"));
            }
            assertThat(database.find("key", key(last + 1))).isEmpty();
            assertThat(database.find("no such bucket", key(last))).isEmpty();
            assertThat(database.find("meta", "no such key".getBytes(StandardCharsets.UTF_8)))
                    .isEmpty();
        }
    }

    private static byte[] key(long revision) {
        return ByteBuffer.allocate(17).putLong(revision).put((byte) '_').putLong(0).array();
    }

    /** A replica that votes alone, of a server that was killed; its revision. */
    private long seeded(EtcdConfig.Ports ports) throws IOException {
        Files.createDirectory(directory.resolve("etcd"));
        try (EtcdServer server = here(ports)) {
            server.start(new EtcdConfig.Bootstrap("pair"), Timing.NORMAL).awaitLeader();
            long revision = 0;
            for (int i = 0; i < 20; i++) {
                revision = put(server.api(), "k/" + i);
            }
            return revision;
        }
    }

    /** Jumps, and looks at the server that is then started; its revision. */
    private long assertJumps(EtcdServer server, OfflineRevisionJump jump, long seen)
            throws Exception {
        jump.carryOut();
        assertThat(replicas().owesRevisionJump()).isFalse();
        server.start(new EtcdConfig.InPlace(), Timing.NORMAL).awaitLeader();
        long revision = server.status().revision();
        assertThat(revision).isGreaterThanOrEqualTo(seen + JUMP);
        assertThat(EtcdPair.keys(server.api(), "k/")).hasSize(20);
        assertThat(watch(server.config(), seen + 1).path("compact_revision").asLong())
                .isEqualTo(revision);
        assertThat(
                        server.api()
                                .members(EtcdApi.Consistency.LINEARIZABLE, EtcdServer.LIMIT)
                                .toOptional()
                                .orElseThrow())
                .hasSize(1);
        server.kill();
        return revision;
    }

    /** A number as a crash may leave it: raised, or with the upper half of the raised one. */
    private void writeFirstNumber(boolean torn) throws IOException {
        try (BoltFile database = BoltFile.open(database())) {
            BoltFile.Value old =
                    database.find("meta", "finishedCompactRev".getBytes(StandardCharsets.UTF_8))
                            .orElseThrow();
            byte[] raised = old.bytes();
            ByteBuffer.wrap(raised).putLong(ByteBuffer.wrap(raised).getLong() + JUMP);
            byte[] half = old.bytes();
            System.arraycopy(raised, 0, half, 0, torn ? 6 : raised.length);
            database.overwrite(old, half);
        }
    }

    private long databaseIndex() throws IOException {
        try (BoltFile database = BoltFile.open(database())) {
            byte[] index =
                    database.find("meta", "consistent_index".getBytes(StandardCharsets.UTF_8))
                            .orElseThrow()
                            .bytes();
            return ByteBuffer.wrap(index).getLong();
        }
    }

    private Path database() {
        return replicas().current().resolve("member/snap/db");
    }

    private long privateServers() {
        String file = directory.resolve("run").toString();
        return ProcessHandle.current()
                .children()
                .filter(child ->
                        child.info().arguments().stream()
                                .flatMap(Arrays::stream)
                                .anyMatch(argument -> argument.contains(file)))
                .filter(ProcessHandle::isAlive)
                .count();
    }

    private static long put(EtcdApi api, String key) {
        return api.put(Bytes.of(key), Bytes.of("v"), EtcdServer.LIMIT)
                .toOptional()
                .orElseThrow()
                .revision();
    }

    private static String value(EtcdApi api, String key) {
        return api.range(
                        Bytes.of(key),
                        Optional.empty(),
                        1,
                        EtcdApi.Consistency.LINEARIZABLE,
                        EtcdServer.LIMIT)
                .toOptional()
                .orElseThrow()
                .keyValues()
                .getFirst()
                .value()
                .text();
    }

    private static long hash(EtcdServer server, long revision) {
        return server.api().hashKeys(revision, EtcdServer.LIMIT).toOptional().orElseThrow().hash();
    }

    /** Counts as a Kubernetes client changes an object: only if nobody else did since. */
    private static long count(EtcdConfig server, int times) throws Exception {
        String key = base64("counter");
        long revision = 0;
        for (int i = 1; i <= times; i++) {
            JsonNode answer =
                    post(
                            server,
                            "/v3/kv/txn",
                            """
                            {"compare":[{"target":"MOD","key":"%s","mod_revision":"%d"}],
                             "success":[{"requestPut":{"key":"%s","value":"%s"}}]}\
                            """
                                    .formatted(key, revision, key, base64(Integer.toString(i))));
            assertThat(answer.path("succeeded").asBoolean()).isTrue();
            revision = answer.path("header").path("revision").asLong();
        }
        return times;
    }

    /**
     * What a watch from this revision on is told first, but that it was made: that it cannot go on
     * there, or what happened.
     */
    private static JsonNode watch(EtcdConfig server, long from) throws Exception {
        HttpRequest request =
                request(
                        server,
                        "/v3/watch",
                        "{\"create_request\":{\"key\":\"AA==\",\"range_end\":\"AA==\",\"start_revision\":\"%d\"}}"
                                .formatted(from));
        try (HttpClient client = HttpClient.newHttpClient();
                ExecutorService reader = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<JsonNode> told =
                    reader.submit(() -> {
                        try (Stream<String> lines =
                                client.send(request, HttpResponse.BodyHandlers.ofLines()).body()) {
                            return lines.map(RevisionJumpIT::result)
                                    .filter(result ->
                                            result.path("canceled").asBoolean()
                                                    || !result.path("events").isEmpty())
                                    .findFirst()
                                    .orElseThrow();
                        }
                    });
            try {
                return told.get(EtcdServer.LIMIT.toSeconds(), TimeUnit.SECONDS);
            } finally {
                client.shutdownNow();
            }
        }
    }

    private static JsonNode result(String line) {
        try {
            return JSON.readTree(line).path("result");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode post(EtcdConfig server, String path, String body) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return JSON.readTree(
                    client.send(request(server, path, body), HttpResponse.BodyHandlers.ofString())
                            .body());
        }
    }

    private static HttpRequest request(EtcdConfig server, String path, String body) {
        return HttpRequest.newBuilder(server.clientUrl().resolve(path))
                .timeout(EtcdServer.LIMIT)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
