package dev.tandem.agent.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The few requests that the agent makes, each with a limit. */
final class KubeApi implements AutoCloseable {
    static final JsonMapper JSON = new JsonMapper();

    /** The API server is on this machine: what takes longer waits for an etcd that is away. */
    private static final Duration CONNECT = Duration.ofMillis(500);

    private static final Duration ANSWER = Duration.ofSeconds(2);

    /** What the API server makes of a change that is sent to it. */
    enum Patch {
        /** Lists with a key are merged, those without are replaced. */
        STRATEGIC("application/strategic-merge-patch+json"),
        /** Operations in a row, all or none. */
        OPERATIONS("application/json-patch+json");

        private final String mediaType;

        Patch(String mediaType) {
            this.mediaType = mediaType;
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

    private final URI server;
    private final HttpClient client;

    KubeApi(KubeAccess access) {
        this.server = access.server();
        this.client =
                HttpClient.newBuilder()
                        .sslContext(access.tls())
                        .connectTimeout(CONNECT)
                        // A request that ran out of time takes its connection with it; over HTTP/2
                        // the next one would be sent into the same silence.
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send(path, "application/json", "GET", HttpRequest.BodyPublishers.noBody());
    }

    Answer put(String path, JsonNode object) throws IOException, InterruptedException {
        return send(path, "application/json", "PUT", body(object));
    }

    Answer patch(String path, Patch how, JsonNode change) throws IOException, InterruptedException {
        return send(path, how.mediaType, "PATCH", body(change));
    }

    private static HttpRequest.BodyPublisher body(JsonNode json) {
        return HttpRequest.BodyPublishers.ofString(json.toString());
    }

    private Answer send(
            String path, String mediaType, String method, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        HttpResponse<byte[]> response =
                answered(
                        HttpRequest.newBuilder(server.resolve(path))
                                .header("Accept", "application/json")
                                .header("Content-Type", mediaType)
                                .header("User-Agent", "tandem-agent")
                                .method(method, body)
                                .build());
        boolean json =
                response.headers()
                        .firstValue("Content-Type")
                        .filter(type -> type.startsWith("application/json"))
                        .isPresent();
        return new Answer(
                response.statusCode(),
                json ? JSON.readTree(response.body()) : JSON.createObjectNode());
    }

    /** The limit of a request covers its headers only; this one covers the body too. */
    private HttpResponse<byte[]> answered(HttpRequest request)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        try {
            return answer.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no answer within " + ANSWER.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failed
                    ? failed
                    : new IOException(e.getCause());
        } finally {
            // Whoever does not wait any more takes the connection with him.
            answer.cancel(true);
        }
    }

    /** Gives connections and threads back at once, whatever is still under way. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}
