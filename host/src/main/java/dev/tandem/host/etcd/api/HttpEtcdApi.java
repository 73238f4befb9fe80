package dev.tandem.host.etcd.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * etcd over its own JSON gateway, with the JDK's HTTP client. The gateway writes 64-bit numbers as
 * text and leaves zeros and empty lists out.
 */
public final class HttpEtcdApi implements EtcdApi, AutoCloseable {
    /** No answer but a snapshot comes near it; a server gone mad must not fill our memory. */
    private static final long MOST_ANSWER_BYTES = 64L << 20;

    /** What the transport may add to a call's limit before we stop waiting for it. */
    private static final Duration GRACE = Duration.ofMillis(250);

    private static final int SHA256_BYTES = 32;
    private static final ObjectMapper JSON = new ObjectMapper();

    // gRPC's codes, as the gateway passes them on.
    private static final int CANCELLED = 1;
    private static final int UNKNOWN = 2;
    private static final int DEADLINE_EXCEEDED = 4;
    private static final int INTERNAL = 13;
    private static final int UNAVAILABLE = 14;

    /** "Unavailable" covers timeouts, whose outcome is open, and these, where nothing was done. */
    private static final List<String> CLEAR_REFUSALS =
            List.of("not supported for learner", "unhealthy cluster", "not capable");

    /**
     * etcd 3.5 gives some of its refusals no code ("unknown"), for example that of removing the
     * last voter. Its own words are then a plain no, unless they are one of these.
     */
    private static final List<String> OPEN_OUTCOMES =
            List.of("timed out", "leader changed", "stopped", "cancel", "deadline", "connection");

    private final URI endpoint;
    private final HttpClient client;

    /** A server reached over mutual TLS; the context holds our certificate and the site's CA. */
    public HttpEtcdApi(URI endpoint, SSLContext tls) {
        this(endpoint, HttpClient.newBuilder().sslContext(tls));
    }

    private HttpEtcdApi(URI endpoint, HttpClient.Builder client) {
        this.endpoint = endpoint;
        this.client = client.version(HttpClient.Version.HTTP_1_1).build();
    }

    /** A server on this machine without TLS: only for tests and experiments on the loopback. */
    public static HttpEtcdApi plain(URI endpoint) {
        return new HttpEtcdApi(endpoint, HttpClient.newBuilder());
    }

    @Override
    public URI endpoint() {
        return endpoint;
    }

    /** Gives connections and threads back at once, whatever is still under way. */
    @Override
    public void close() {
        client.shutdownNow();
    }

    @Override
    public EtcdAnswer<Status> status(Duration limit) {
        return call(
                "/v3/maintenance/status",
                object(),
                limit,
                answer ->
                        new Status(
                                id(answer.path("header").path("cluster_id")),
                                id(answer.path("header").path("member_id")),
                                id(answer.path("leader")),
                                number(answer.path("raftTerm")),
                                number(answer.path("raftIndex")),
                                number(answer.path("raftAppliedIndex")),
                                revision(answer),
                                number(answer.path("dbSize")),
                                number(answer.path("dbSizeInUse")),
                                answer.path("isLearner").asBoolean(false),
                                answer.path("version").asText(""),
                                texts(answer.path("errors"))));
    }

    @Override
    public EtcdAnswer<List<Member>> members(Consistency consistency, Duration limit) {
        return call(
                "/v3/cluster/member/list",
                object().put("linearizable", consistency == Consistency.LINEARIZABLE),
                limit,
                HttpEtcdApi::members);
    }

    @Override
    public EtcdAnswer<Member> addLearner(URI peerUrl, Duration limit) {
        ObjectNode request = object().put("isLearner", true);
        request.putArray("peerURLs").add(peerUrl.toString());
        return call(
                "/v3/cluster/member/add", request, limit, answer -> member(answer.path("member")));
    }

    @Override
    public EtcdAnswer<List<Member>> promote(EtcdId member, Duration limit) {
        return call("/v3/cluster/member/promote", of("ID", member), limit, HttpEtcdApi::members);
    }

    @Override
    public EtcdAnswer<List<Member>> remove(EtcdId member, Duration limit) {
        return call("/v3/cluster/member/remove", of("ID", member), limit, HttpEtcdApi::members);
    }

    @Override
    public EtcdAnswer<Done> moveLeader(EtcdId target, Duration limit) {
        return call(
                "/v3/maintenance/transfer-leadership",
                of("targetID", target),
                limit,
                answer -> new Done());
    }

    @Override
    public EtcdAnswer<Written> put(Bytes key, Bytes value, Duration limit) {
        return call(
                "/v3/kv/put",
                object().put("key", key.array()).put("value", value.array()),
                limit,
                answer -> new Written(revision(answer)));
    }

    @Override
    public EtcdAnswer<Found> range(
            Bytes key, Optional<Bytes> end, long most, Consistency consistency, Duration limit) {
        ObjectNode request =
                object().put("key", key.array())
                        .put("limit", Long.toString(most))
                        .put("serializable", consistency == Consistency.SERIALIZABLE);
        end.ifPresent(bytes -> request.put("range_end", bytes.array()));
        return call(
                "/v3/kv/range",
                request,
                limit,
                answer -> {
                    List<KeyValue> found = new ArrayList<>();
                    for (JsonNode each : answer.path("kvs")) {
                        found.add(
                                new KeyValue(
                                        bytes(each.path("key")),
                                        bytes(each.path("value")),
                                        number(each.path("create_revision")),
                                        number(each.path("mod_revision")),
                                        number(each.path("version"))));
                    }
                    return new Found(
                            found,
                            number(answer.path("count")),
                            answer.path("more").asBoolean(false),
                            revision(answer));
                });
    }

    @Override
    public EtcdAnswer<Swapped> putIfAt(Bytes key, long modRevision, Bytes value, Duration limit) {
        ObjectNode request = object();
        request.putArray("compare")
                .addObject()
                .put("key", key.array())
                .put("target", "MOD")
                .put("result", "EQUAL")
                .put("mod_revision", Long.toString(modRevision));
        request.putArray("success")
                .addObject()
                .putObject("request_put")
                .put("key", key.array())
                .put("value", value.array());
        return call(
                "/v3/kv/txn",
                request,
                limit,
                answer -> new Swapped(answer.path("succeeded").asBoolean(false), revision(answer)));
    }

    @Override
    public EtcdAnswer<List<Alarm>> alarms(Duration limit) {
        return call(
                "/v3/maintenance/alarm", object().put("action", "GET"), limit, HttpEtcdApi::alarms);
    }

    @Override
    public EtcdAnswer<List<Alarm>> disarm(Alarm alarm, Duration limit) {
        return call(
                "/v3/maintenance/alarm",
                object().put("action", "DEACTIVATE")
                        .put("memberID", alarm.member().decimal())
                        .put("alarm", alarm.kind()),
                limit,
                HttpEtcdApi::alarms);
    }

    @Override
    public EtcdAnswer<Done> defragment(Duration limit) {
        return call("/v3/maintenance/defragment", object(), limit, answer -> new Done());
    }

    @Override
    public EtcdAnswer<KeyHash> hashKeys(long revision, Duration limit) {
        return call(
                "/v3/maintenance/hashkv",
                object().put("revision", Long.toString(revision)),
                limit,
                answer ->
                        new KeyHash(
                                number(answer.path("hash")),
                                number(answer.path("compact_revision")),
                                revision(answer)));
    }

    @Override
    public EtcdAnswer<SavedSnapshot> saveSnapshot(Path file, Duration limit) {
        return exchange(
                        request("/v3/maintenance/snapshot", object(), limit),
                        HttpResponse.BodyHandlers.ofInputStream(),
                        limit)
                .flatMap(response -> receive(response, file, limit));
    }

    private static EtcdAnswer<SavedSnapshot> receive(
            HttpResponse<InputStream> response, Path file, Duration limit) {
        // The client's own limit ends with the headers. A stream that stalls is closed from here,
        // which makes the reader below fail instead of waiting.
        CountDownLatch finished = new CountDownLatch(1);
        Thread.startVirtualThread(() -> closeAt(limit, finished, response.body()));
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        try (InputStream body = response.body()) {
            if (response.statusCode() != 200) {
                return failed(JSON.readTree(body.readNBytes(1 << 16)));
            }
            EtcdAnswer<SavedSnapshot> saved = save(body, partial, file);
            if (saved.isOk()) {
                DurableFiles.rename(partial, file);
            }
            return saved;
        } catch (IOException e) {
            return new EtcdAnswer.Unclear<>("the snapshot broke off: " + e);
        } finally {
            finished.countDown();
            deleteQuietly(partial);
        }
    }

    private static EtcdAnswer<SavedSnapshot> save(InputStream body, Path partial, Path file)
            throws IOException {
        MessageDigest digest = sha256();
        byte[] trailer = new byte[0];
        long written = 0;
        try (FileChannel out =
                        FileChannel.open(
                                partial,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE);
                MappingIterator<JsonNode> messages =
                        JSON.readerFor(JsonNode.class).readValues(body)) {
            while (messages.hasNextValue()) {
                JsonNode message = messages.nextValue();
                if (message.has("error")) {
                    return failed(message.path("error"));
                }
                byte[] blob = message.path("result").path("blob").binaryValue();
                if (blob == null) {
                    continue;
                }
                // The last 32 bytes of the stream are the checksum of all before them, and nobody
                // says beforehand which message they come in.
                byte[] held = join(trailer, blob);
                int sure = Math.max(0, held.length - SHA256_BYTES);
                digest.update(held, 0, sure);
                ByteBuffer bytes = ByteBuffer.wrap(held, 0, sure);
                while (bytes.hasRemaining()) {
                    written += out.write(bytes);
                }
                trailer = Arrays.copyOfRange(held, sure, held.length);
            }
            byte[] actual = digest.digest();
            if (written == 0 || !Arrays.equals(trailer, actual)) {
                return new EtcdAnswer.Unclear<>(
                        "the snapshot's checksum is wrong after " + written + " bytes");
            }
            // The checksum stays at the end of the file: etcdutl's restore looks for it there.
            ByteBuffer bytes = ByteBuffer.wrap(trailer);
            while (bytes.hasRemaining()) {
                written += out.write(bytes);
            }
            out.force(true);
            return new EtcdAnswer.Ok<>(
                    new SavedSnapshot(file, written, HexFormat.of().formatHex(actual)));
        }
    }

    private <T> EtcdAnswer<T> call(
            String path, ObjectNode body, Duration limit, Function<JsonNode, T> reader) {
        return exchange(
                        request(path, body, limit),
                        HttpResponse.BodyHandlers.limiting(
                                HttpResponse.BodyHandlers.ofByteArray(), MOST_ANSWER_BYTES),
                        limit)
                .flatMap(response -> read(response, reader));
    }

    private static <T> EtcdAnswer<T> read(
            HttpResponse<byte[]> response, Function<JsonNode, T> reader) {
        try {
            JsonNode answer = JSON.readTree(response.body());
            return response.statusCode() == 200
                    ? new EtcdAnswer.Ok<>(reader.apply(answer))
                    : failed(answer);
        } catch (IOException | IllegalArgumentException e) {
            return new EtcdAnswer.Unclear<>(
                    "HTTP %d with an answer that is not etcd's: %s"
                            .formatted(response.statusCode(), e.getMessage()));
        }
    }

    private HttpRequest request(String path, ObjectNode body, Duration limit) {
        try {
            return HttpRequest.newBuilder(endpoint.resolve(path))
                    .timeout(limit)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
                    .build();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of our own making is always JSON", e);
        }
    }

    private <B> EtcdAnswer<HttpResponse<B>> exchange(
            HttpRequest request, HttpResponse.BodyHandler<B> handler, Duration limit) {
        CompletableFuture<HttpResponse<B>> sent = client.sendAsync(request, handler);
        try {
            return new EtcdAnswer.Ok<>(
                    sent.get(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            return new EtcdAnswer.Unclear<>("interrupted while waiting for " + endpoint);
        } catch (TimeoutException e) {
            sent.cancel(true);
            return new EtcdAnswer.Unclear<>(endpoint + " did not answer within " + limit);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String why = cause.getMessage() == null ? cause.toString() : cause.getMessage();
            // Without a connection, and before the end of the handshake, no request was sent.
            boolean neverSent =
                    cause instanceof ConnectException
                            || cause instanceof HttpConnectTimeoutException
                            || cause instanceof SSLException;
            return neverSent
                    ? new EtcdAnswer.Unreachable<>(endpoint + ": " + why)
                    : new EtcdAnswer.Unclear<>(endpoint + ": " + why);
        }
    }

    private static <T> EtcdAnswer<T> failed(JsonNode answer) {
        int code = answer.has("code") ? answer.path("code").asInt() : UNKNOWN;
        if (answer.has("grpc_code")) {
            code = answer.path("grpc_code").asInt();
        }
        String said = answer.path("message").asText(answer.path("error").asText("no reason"));
        if (code == UNAVAILABLE && said.contains("no leader")) {
            return new EtcdAnswer.NoLeader<>(said);
        }
        boolean plainNo =
                code == UNKNOWN
                        ? said.startsWith("etcdserver: ")
                                && OPEN_OUTCOMES.stream().noneMatch(said::contains)
                        : CLEAR_REFUSALS.stream().anyMatch(said::contains);
        return switch (code) {
            case CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE ->
                    plainNo ? new EtcdAnswer.Refused<>(code, said) : new EtcdAnswer.Unclear<>(said);
            default -> new EtcdAnswer.Refused<>(code, said);
        };
    }

    private static void closeAt(Duration limit, CountDownLatch finished, InputStream stream) {
        try {
            if (!finished.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                stream.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Member> members(JsonNode answer) {
        List<Member> members = new ArrayList<>();
        answer.path("members").forEach(each -> members.add(member(each)));
        return List.copyOf(members);
    }

    private static Member member(JsonNode node) {
        return new Member(
                id(node.path("ID")),
                node.path("name").asText(""),
                texts(node.path("peerURLs")).stream().map(URI::create).toList(),
                texts(node.path("clientURLs")).stream().map(URI::create).toList(),
                node.path("isLearner").asBoolean(false));
    }

    private static List<Alarm> alarms(JsonNode answer) {
        List<Alarm> alarms = new ArrayList<>();
        answer.path("alarms")
                .forEach(each ->
                        alarms.add(
                                new Alarm(id(each.path("memberID")), each.path("alarm").asText())));
        return List.copyOf(alarms);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return List.copyOf(texts);
    }

    private static EtcdId id(JsonNode node) {
        return node.isMissingNode() ? EtcdId.NONE : EtcdId.ofDecimal(node.asText());
    }

    private static long number(JsonNode node) {
        return node.isMissingNode() ? 0 : Long.parseLong(node.asText());
    }

    private static long revision(JsonNode answer) {
        return number(answer.path("header").path("revision"));
    }

    private static Bytes bytes(JsonNode node) {
        try {
            byte[] value = node.isMissingNode() ? new byte[0] : node.binaryValue();
            return Bytes.of(value);
        } catch (IOException e) {
            throw new IllegalArgumentException("not base64: " + node, e);
        }
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ObjectNode of(String name, EtcdId id) {
        return object().put(name, id.decimal());
    }
}
