package dev.tandem.agent.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.host.BoundedHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The few requests that the agent makes, each with a limit. */
final class KubeApi implements AutoCloseable {
    static final JsonMapper JSON = new JsonMapper();

    /** The API server is on this machine: what takes longer waits for an etcd that is away. */
    static final Duration CONNECT = Duration.ofMillis(500);

    private static final Duration ANSWER = Duration.ofSeconds(2);

    /**
     * For one of many: pages of a list, and changes that are sent several at a time. A list that
     * has to be as new as etcd waits up to 3 s for the server's own cache before it is read
     * elsewhere.
     */
    static final Duration ONE_OF_MANY = Duration.ofSeconds(10);

    /**
     * More than the largest object that etcd takes (1.5 MB, as JSON a little more), and little
     * enough for a heap of 64 MB. What the agent asks for is some kilobytes otherwise.
     */
    static final int MOST_BYTES = 4 << 20;

    /** What the API server makes of a change that is sent to it. */
    enum Patch {
        /** Fields that are named replace those that are there. */
        MERGE("application/merge-patch+json"),
        /** Lists with a key are merged, those without are replaced. */
        STRATEGIC("application/strategic-merge-patch+json"),
        /** Operations in a row, all or none. */
        OPERATIONS("application/json-patch+json");

        private final String mediaType;

        Patch(String mediaType) {
            this.mediaType = mediaType;
        }
    }

    /** An answer with more bytes than anybody here wants to hold. */
    static final class TooLarge extends IOException {
        private static final long serialVersionUID = 1L;

        TooLarge(int limit) {
            super("the answer has more than " + (limit >> 20) + " MB");
        }
    }

    /** What the server said. */
    record Answer(int code, JsonNode body) {
        boolean accepted() {
            return code >= 200 && code < 300;
        }

        boolean missing() {
            return code == 404;
        }

        /** The body of an accepted request; otherwise the refusal, in the server's words. */
        JsonNode must() throws IOException {
            if (!accepted()) {
                throw new IOException(code + " " + body.path("message").asText());
            }
            return body;
        }
    }

    /** What the server said, as it came: for those who read it piece by piece. */
    static final class Raw {
        private final int code;
        private final boolean json;
        private final byte[] body;

        Raw(int code, boolean json, byte[] body) {
            this.code = code;
            this.json = json;
            this.body = body;
        }

        int code() {
            return code;
        }

        JsonParser parser() throws IOException {
            return JSON.createParser(body);
        }

        Answer read() throws IOException {
            return new Answer(code, json ? JSON.readTree(body) : JSON.createObjectNode());
        }
    }

    private static final HttpRequest.BodyPublisher NOTHING = HttpRequest.BodyPublishers.noBody();

    private final URI server;
    private final HttpClient client;

    KubeApi(KubeCredentials credentials, Duration connect) {
        this.server = credentials.server();
        this.client =
                HttpClient.newBuilder()
                        .sslContext(credentials.tls())
                        .connectTimeout(connect)
                        // A request that ran out of time takes its connection with it; over HTTP/2
                        // the next one would be sent into the same silence.
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send(path, "application/json", "GET", NOTHING, ANSWER).read();
    }

    /** A page of a list. */
    Raw page(String path) throws IOException, InterruptedException {
        return send(path, "application/json", "GET", NOTHING, ONE_OF_MANY);
    }

    Answer post(String path, JsonNode object, Duration limit)
            throws IOException, InterruptedException {
        return send(path, "application/json", "POST", body(object), limit).read();
    }

    Answer put(String path, JsonNode object) throws IOException, InterruptedException {
        return send(path, "application/json", "PUT", body(object), ANSWER).read();
    }

    Answer patch(String path, Patch how, JsonNode change) throws IOException, InterruptedException {
        return patch(path, how, change, ANSWER);
    }

    Answer patch(String path, Patch how, JsonNode change, Duration limit)
            throws IOException, InterruptedException {
        return send(path, how.mediaType, "PATCH", body(change), limit).read();
    }

    private static HttpRequest.BodyPublisher body(JsonNode json) {
        return HttpRequest.BodyPublishers.ofString(json.toString());
    }

    private Raw send(
            String path,
            String mediaType,
            String method,
            HttpRequest.BodyPublisher body,
            Duration limit)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                BoundedHttp.send(
                        client,
                        HttpRequest.newBuilder(server.resolve(path))
                                .header("Accept", "application/json")
                                .header("Content-Type", mediaType)
                                .header("User-Agent", "tandem-agent")
                                .method(method, body)
                                .build(),
                        _ -> new LimitedBody(MOST_BYTES),
                        limit);
        boolean json =
                response.headers()
                        .firstValue("Content-Type")
                        .filter(type -> type.startsWith("application/json"))
                        .isPresent();
        return new Raw(response.statusCode(), json, response.body());
    }

    /** Gives connections and threads back at once, whatever is still under way. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}
