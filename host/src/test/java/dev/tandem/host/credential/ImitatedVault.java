package dev.tandem.host.credential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * A server of ours that answers as Vault does: AppRole and TLS certificate logins, key-value engine
 * version 2, revoke-self. Written from the documentation of its HTTP API, and the errors from the
 * source of Vault 1.14. It is no Vault, and no test shows that a real one answers like this.
 */
public final class ImitatedVault implements AutoCloseable {
    public static final String ROLE = "tandem";
    public static final String SECRET_ID = "84896a0c-1347-aa90-a4f6-aca8b7558780";

    private static final Duration DAY = Duration.ofDays(1);
    private static final ObjectMapper JSON = new ObjectMapper();

    public final CertificateAuthority authority =
            CertificateAuthority.create("vault", DAY, InstantSource.system());
    private final HttpsServer server;
    private final Map<String, String> secrets = new ConcurrentHashMap<>();
    private final Map<String, String> tokens = new ConcurrentHashMap<>();

    /** Method, path and namespace of each request. */
    public final List<String> requests = new CopyOnWriteArrayList<>();

    /** How the next answers are spoiled. */
    public volatile Spoiled spoiled = Spoiled.NOT;

    /** What happens before an answer. */
    public volatile Runnable meanwhile = () -> {};

    /** What may be wrong with a server. */
    public enum Spoiled {
        NOT,
        SEALED,
        LOCKED,
        REDIRECTS,
        NO_JSON,
        ENDLESS,
        SILENT,
        REPEATS_THE_SECRET
    }

    public ImitatedVault() throws IOException {
        server =
                HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        server.setHttpsConfigurator(
                new HttpsConfigurator(
                        Tls.server(
                                authority.issue(
                                        LeafProfile.server("vault", List.of("127.0.0.1"), DAY)),
                                List.of(authority.certificate()))) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        SSLParameters tls = getSSLContext().getDefaultSSLParameters();
                        tls.setWantClientAuth(true);
                        parameters.setSSLParameters(tls);
                    }
                });
        server.createContext("/", this::answer);
        server.setExecutor(command -> Thread.ofVirtual().start(command));
        server.start();
    }

    public URI address() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Its authority, in a file. */
    public Path caFile(Path directory) {
        Path file = directory.resolve("vault-ca.pem");
        Pem.writeCertificates(file, List.of(authority.certificate()));
        return file;
    }

    /** As kv put does. */
    public void put(String path, String field, String value) {
        secrets.put("/v1/" + path, "{\"%s\": %s}".formatted(field, JSON.valueToTree(value)));
    }

    public boolean tokensAreLeft() {
        return !tokens.isEmpty();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String namespace = exchange.getRequestHeaders().getFirst("X-Vault-Namespace");
        requests.add(
                exchange.getRequestMethod()
                        + " "
                        + path
                        + (namespace == null ? "" : " in " + namespace));
        JsonNode body = JSON.readTree(exchange.getRequestBody().readAllBytes());
        meanwhile.run();
        switch (spoiled) {
            case NOT -> answer(exchange, path, body);
            case SEALED -> send(exchange, 503, "{\"errors\":[\"Vault is sealed\"]}");
            case LOCKED -> send(exchange, 403, "{\"errors\":[\"permission denied\"]}");
            case REDIRECTS -> {
                exchange.getResponseHeaders().add("Location", address() + "/elsewhere");
                send(exchange, 307, "");
            }
            case NO_JSON -> send(exchange, 200, "<html>Log in here</html>");
            case ENDLESS -> endless(exchange);
            case SILENT -> {
                // Neither an answer nor an end, until the client gives up.
            }
            case REPEATS_THE_SECRET ->
                    send(
                            exchange,
                            400,
                            JSON.createObjectNode()
                                    .set(
                                            "errors",
                                            JSON.createArrayNode()
                                                    .add(
                                                            "invalid secret_id "
                                                                    + body.path("secret_id")))
                                    .toString());
        }
    }

    private void answer(HttpExchange exchange, String path, JsonNode body) throws IOException {
        String token = exchange.getRequestHeaders().getFirst("X-Vault-Token");
        if (path.equals("/v1/auth/approle/login")) {
            boolean known =
                    body.path("role_id").asText().equals(ROLE)
                            && body.path("secret_id").asText().equals(SECRET_ID);
            logIn(exchange, known, "invalid role or secret ID");
        } else if (path.equals("/v1/auth/cert/login")) {
            logIn(
                    exchange,
                    showsCertificate(exchange)
                            && body.path("name").asText("fencers").equals("fencers"),
                    "invalid certificate or no client certificate supplied");
        } else if (token == null || !tokens.containsKey(token)) {
            send(exchange, 403, "{\"errors\":[\"permission denied\"]}");
        } else if (path.equals("/v1/auth/token/revoke-self")) {
            tokens.remove(token);
            send(exchange, 204, "");
        } else if (!path.startsWith("/v1/secret/data/bmc/")) {
            send(
                    exchange,
                    403,
                    "{\"errors\":[\"1 error occurred:\\n\\t* permission denied\\n\\n\"]}");
        } else if (secrets.containsKey(path)) {
            send(
                    exchange,
                    200,
                    """
                    {"request_id":"3a2b","lease_id":"","renewable":false,"lease_duration":0,
                     "data":{"data":%s,"metadata":{"created_time":"2026-03-01T00:00:00Z",
                     "custom_metadata":null,"deletion_time":"","destroyed":false,"version":7}},
                     "wrap_info":null,"warnings":null,"auth":null}
                    """
                            .formatted(secrets.get(path)));
        } else {
            send(exchange, 404, "{\"errors\":[]}");
        }
    }

    private void logIn(HttpExchange exchange, boolean known, String why) throws IOException {
        if (!known) {
            send(exchange, 400, "{\"errors\":[\"%s\"]}".formatted(why));
            return;
        }
        String token = "hvs." + Long.toHexString(System.nanoTime());
        tokens.put(token, "");
        send(
                exchange,
                200,
                """
                {"request_id":"11","lease_id":"","renewable":false,"lease_duration":0,"data":null,
                 "wrap_info":null,"warnings":null,"auth":{"client_token":"%s","accessor":"9b",
                 "policies":["default","tandem"],"lease_duration":2764800,"renewable":true}}
                """
                        .formatted(token));
    }

    private static boolean showsCertificate(HttpExchange exchange) {
        try {
            return ((HttpsExchange) exchange).getSSLSession().getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    /** More than anybody takes. */
    private static void endless(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 1 << 16; i++) {
                out.write(new byte[1 << 10]);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
