package dev.tandem.host.etcd.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.Deadline;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * etcd over its own JSON gateway, with the JDK's HTTP client.
 *
 * <p>A server may have several addresses, one a link. The one that answered last is asked first. A
 * request that was certainly not sent is tried at the next one; after one whose outcome is open,
 * the next request begins elsewhere.
 */
public final class HttpEtcdApi implements EtcdApi, AutoCloseable {
    /**
     * The largest value that etcd takes (1.5 MB) comes as 2 MB. An answer is held as bytes and as a
     * tree at the same time, and a server gone mad must not fill the agent's heap of 64 MB.
     */
    static final long MOST_ANSWER_BYTES = 8L << 20;

    /** What the transport may add to a call's limit before we stop waiting for it. */
    private static final Duration GRACE = Duration.ofMillis(250);

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * For an address that leads nowhere: an address of the same building answers within
     * milliseconds, and the limit of a request is to leave time for the other one.
     */
    private static final Duration CONNECT = Duration.ofMillis(500);

    private final List<URI> endpoints;
    private final HttpClient client;
    private volatile int preferred;

    /** A server reached over mutual TLS; the context holds our certificate and the site's CA. */
    public HttpEtcdApi(URI endpoint, SSLContext tls) {
        this(List.of(endpoint), tls);
    }

    /** The same for one with several addresses, some of which may lead nowhere. */
    public HttpEtcdApi(List<URI> endpoints, SSLContext tls) {
        this(
                endpoints,
                endpoints.size() > 1
                        ? HttpClient.newBuilder().sslContext(tls).connectTimeout(CONNECT)
                        : HttpClient.newBuilder().sslContext(tls));
    }

    private HttpEtcdApi(List<URI> endpoints, HttpClient.Builder client) {
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("a server has an address");
        }
        this.endpoints = List.copyOf(endpoints);
        this.client = client.version(HttpClient.Version.HTTP_1_1).build();
    }

    /**
     * A server of this machine. To its addresses a connection comes about at once, and the rest is
     * its own slowness: it gets the whole limit of a request at one address before the next request
     * goes to another.
     */
    public static HttpEtcdApi ofThisMachine(List<URI> endpoints, SSLContext tls) {
        return new HttpEtcdApi(endpoints, HttpClient.newBuilder().sslContext(tls));
    }

    /** A server on this machine without TLS: only for tests and experiments on the loopback. */
    public static HttpEtcdApi plain(URI endpoint) {
        return plain(List.of(endpoint));
    }

    static HttpEtcdApi plain(List<URI> endpoints) {
        return new HttpEtcdApi(endpoints, HttpClient.newBuilder());
    }

    @Override
    public URI endpoint() {
        return endpoints.get(preferred);
    }

    /** Gives connections and threads back at once, whatever is still under way. */
    @Override
    public void close() {
        client.shutdownNow();
    }

    @Override
    public EtcdAnswer<Status> status(Duration limit) {
        return call("/v3/maintenance/status", EtcdJson.object(), limit, EtcdJson::status);
    }

    @Override
    public EtcdAnswer<List<Member>> members(Consistency consistency, Duration limit) {
        return call(
                "/v3/cluster/member/list",
                EtcdJson.object().put("linearizable", consistency == Consistency.LINEARIZABLE),
                limit,
                EtcdJson::members);
    }

    @Override
    public EtcdAnswer<Member> addLearner(List<URI> peerUrls, Duration limit) {
        ObjectNode request = EtcdJson.object().put("isLearner", true);
        peerUrls.forEach(url -> request.withArray("peerURLs").add(url.toString()));
        return call(
                "/v3/cluster/member/add",
                request,
                limit,
                answer -> EtcdJson.member(answer.path("member")));
    }

    @Override
    public EtcdAnswer<List<Member>> update(EtcdId member, List<URI> peerUrls, Duration limit) {
        ObjectNode request = EtcdJson.of("ID", member);
        peerUrls.forEach(url -> request.withArray("peerURLs").add(url.toString()));
        return call("/v3/cluster/member/update", request, limit, EtcdJson::members);
    }

    @Override
    public EtcdAnswer<List<Member>> promote(EtcdId member, Duration limit) {
        return call(
                "/v3/cluster/member/promote", EtcdJson.of("ID", member), limit, EtcdJson::members);
    }

    @Override
    public EtcdAnswer<List<Member>> remove(EtcdId member, Duration limit) {
        return call(
                "/v3/cluster/member/remove", EtcdJson.of("ID", member), limit, EtcdJson::members);
    }

    @Override
    public EtcdAnswer<Done> moveLeader(EtcdId target, Duration limit) {
        return call(
                "/v3/maintenance/transfer-leadership",
                EtcdJson.of("targetID", target),
                limit,
                answer -> new Done());
    }

    @Override
    public EtcdAnswer<Written> put(Bytes key, Bytes value, Duration limit) {
        return call(
                "/v3/kv/put",
                EtcdJson.object().put("key", key.array()).put("value", value.array()),
                limit,
                answer -> new Written(EtcdJson.revision(answer)));
    }

    @Override
    public EtcdAnswer<Found> range(
            Bytes key, Optional<Bytes> end, long most, Consistency consistency, Duration limit) {
        ObjectNode request =
                EtcdJson.object()
                        .put("key", key.array())
                        .put("limit", Long.toString(most))
                        .put("serializable", consistency == Consistency.SERIALIZABLE);
        end.ifPresent(bytes -> request.put("range_end", bytes.array()));
        return call("/v3/kv/range", request, limit, EtcdJson::found);
    }

    @Override
    public EtcdAnswer<KeyHash> hashKeys(long revision, Duration limit) {
        return call(
                "/v3/maintenance/hashkv",
                EtcdJson.object().put("revision", Long.toString(revision)),
                limit,
                EtcdJson::keyHash);
    }

    @Override
    public EtcdAnswer<Done> compact(long revision, Duration limit) {
        return call(
                "/v3/kv/compaction",
                EtcdJson.object().put("revision", Long.toString(revision)).put("physical", true),
                limit,
                answer -> new Done());
    }

    private <T> EtcdAnswer<T> call(
            String path, ObjectNode body, Duration limit, Function<JsonNode, T> reader) {
        return exchange(path, body, limit).flatMap(response -> read(response, reader));
    }

    private EtcdAnswer<HttpResponse<byte[]>> exchange(
            String path, ObjectNode body, Duration limit) {
        Deadline end = Deadline.in(limit);
        int first = preferred;
        EtcdAnswer<HttpResponse<byte[]>> answer = exchange(first, path, body, limit);
        for (int i = 1;
                i < endpoints.size()
                        && answer instanceof EtcdAnswer.Unreachable
                        && end.left().isPositive();
                i++) {
            int next = (first + i) % endpoints.size();
            EtcdAnswer<HttpResponse<byte[]>> other = exchange(next, path, body, end.left());
            boolean reached = !(other instanceof EtcdAnswer.Unreachable);
            if (reached) {
                preferred = next;
            }
            // A no from one address says more than silence from another.
            if (reached || (answer.timedOut() && !other.timedOut())) {
                answer = other;
            }
        }
        if (answer instanceof EtcdAnswer.Unclear || answer.timedOut()) {
            preferred = (preferred + 1) % endpoints.size();
        }
        return answer;
    }

    private static <T> EtcdAnswer<T> read(
            HttpResponse<byte[]> response, Function<JsonNode, T> reader) {
        try {
            JsonNode answer = JSON.readTree(response.body());
            return response.statusCode() == 200
                    ? new EtcdAnswer.Ok<>(reader.apply(answer))
                    : EtcdErrors.answered(answer);
        } catch (IOException | IllegalArgumentException e) {
            return new EtcdAnswer.Unclear<>(
                    "HTTP %d with an answer that is not etcd's: %s"
                            .formatted(response.statusCode(), e.getMessage()));
        }
    }

    private static HttpRequest request(URI endpoint, String path, ObjectNode body, Duration limit) {
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

    private EtcdAnswer<HttpResponse<byte[]>> exchange(
            int index, String path, ObjectNode body, Duration limit) {
        URI endpoint = endpoints.get(index);
        CompletableFuture<HttpResponse<byte[]>> sent =
                client.sendAsync(
                        request(endpoint, path, body, limit),
                        HttpResponse.BodyHandlers.limiting(
                                HttpResponse.BodyHandlers.ofByteArray(), MOST_ANSWER_BYTES));
        try {
            return new EtcdAnswer.Ok<>(
                    sent.get(limit.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            return new EtcdAnswer.Unclear<>("interrupted while waiting for " + endpoint);
        } catch (TimeoutException e) {
            sent.cancel(true);
            return new EtcdAnswer.Unclear<>(endpoint + " did not answer within " + limit, true);
        } catch (ExecutionException e) {
            return EtcdErrors.onTheWay(endpoint, e.getCause() == null ? e : e.getCause());
        }
    }
}
