package dev.tandem.lab.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The API of Kubernetes as its administrator sees it, over one address. */
public final class LabKubeApi {
    /** Longer than a request may wait for etcd; who measures gives a limit of their own. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient client;
    private final String server;

    /** What the server said to a request. */
    public record Answer(int code, JsonNode body) {
        public boolean accepted() {
            return code >= 200 && code < 300;
        }
    }

    private LabKubeApi(HttpClient client, String server) {
        this.client = client;
        this.server = server;
    }

    /**
     * The API on a port of this host.
     *
     * @param keys where the authority of the Kubernetes and its administrator's certificate lie
     */
    public static LabKubeApi at(int port, Path keys) {
        return new LabKubeApi(
                HttpClient.newBuilder()
                        .sslContext(
                                Tls.client(
                                        Pem.readCertificates(KubePki.certificate(keys, KubePki.CA)),
                                        Optional.of(
                                                Pem.readIdentity(
                                                        KubePki.certificate(keys, KubePki.ADMIN),
                                                        KubePki.key(keys, KubePki.ADMIN)))))
                        .connectTimeout(LIMIT)
                        // A connection of its own for every request that finds the others busy: one
                        // that hangs on a dead node must not hold up the next.
                        .version(HttpClient.Version.HTTP_1_1)
                        .build(),
                "https://127.0.0.1:" + port);
    }

    public Answer get(String path) throws IOException {
        return send("GET", path, "application/json", "", LIMIT);
    }

    public Answer post(String path, String body) throws IOException {
        return send("POST", path, "application/json", body, LIMIT);
    }

    /** A merge patch. */
    public Answer patch(String path, String body) throws IOException {
        return send("PATCH", path, "application/merge-patch+json", body, LIMIT);
    }

    public Answer delete(String path) throws IOException {
        return send("DELETE", path, "application/json", "", LIMIT);
    }

    /** Any request, with the time it may take from the connection to the end of the answer. */
    public Answer send(String method, String path, String type, String body, Duration limit)
            throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server + path))
                        .timeout(limit)
                        .header("Content-Type", type)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build();
        return send(client, request);
    }

    static Answer send(HttpClient client, HttpRequest request) throws IOException {
        try {
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            String text = response.body();
            return new Answer(
                    response.statusCode(),
                    text.startsWith("{") ? JSON.readTree(text) : JSON.createObjectNode());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + request.uri(), e);
        }
    }

    /** Whether it answers and has its etcd; false while nobody is there. */
    public boolean ready() {
        try {
            return get("/readyz").code() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Names of the nodes whose kubelets say that they are well. */
    public List<String> readyNodes() throws IOException {
        return get("/api/v1/nodes")
                .body()
                .path("items")
                .valueStream()
                .filter(LabKubeApi::isReady)
                .map(node -> node.path("metadata").path("name").asText())
                .toList();
    }

    private static boolean isReady(JsonNode node) {
        return node.path("status")
                .path("conditions")
                .valueStream()
                .anyMatch(condition ->
                        condition.path("type").asText().equals("Ready")
                                && condition.path("status").asText().equals("True"));
    }
}
