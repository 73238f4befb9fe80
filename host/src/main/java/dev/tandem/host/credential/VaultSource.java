package dev.tandem.host.credential;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.Failure;
import dev.tandem.host.BoundedHttp;
import dev.tandem.host.Deadline;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.credential.PasswordSource.Vault;
import dev.tandem.host.credential.SourceAnswer.Kind;
import dev.tandem.host.credential.SourceAnswer.Unread;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.pki.UntrustedCertificate;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * Reads one password from HashiCorp Vault or OpenBao: logs in, reads the secret, and gives the
 * token back. A login for each reading needs no renewal, survives any pause, and takes changed
 * files at once; a token that is given back does not wait for its end in the store, which may be a
 * month away.
 */
final class VaultSource implements AutoCloseable {
    /** For one request. */
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(5);

    /** For all of them; a fence does not wait for it, but a person at a prompt does. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** A secret has some hundred bytes, the answer to a login some thousand. */
    private static final int MOST_ANSWER_BYTES = 64 << 10;

    private static final int MOST_WORDS = 200;

    /** How Vault begins what a policy refuses. */
    private static final Pattern LIST_OF_ONE = Pattern.compile("^1 error occurred:\\s*\\*\\s*");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Vault vault;
    private final Deadline end = Deadline.in(LIMIT);
    private final HttpClient http;

    /** Why there is no password. Ends the reading; nobody outside sees it. */
    private static final class Stopped extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient Unread why;

        Stopped(Kind kind, String why, String remedy) {
            super(why);
            this.why = new Unread(kind, why, remedy);
        }
    }

    private record Reply(int status, JsonNode body) {
        boolean ok() {
            return status / 100 == 2;
        }
    }

    private VaultSource(Vault vault) {
        this.vault = vault;
        // Redirects could lead what is secret elsewhere.
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(REQUEST_LIMIT)
                        .sslContext(tls(vault))
                        .build();
    }

    /** Within the limit, whatever happens. */
    static SourceAnswer read(Vault vault) {
        try (VaultSource source = new VaultSource(vault)) {
            String token = source.token();
            try {
                return source.password(token);
            } finally {
                source.giveBack(token);
            }
        } catch (Stopped e) {
            return e.why;
        } catch (Failure e) {
            // A file of this node: a certificate, a key or the secret id.
            return SourceAnswer.faulty(e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    private static SSLContext tls(Vault vault) {
        Optional<TlsIdentity> identity =
                vault.login() instanceof Login.Certificate(_, _, Path certificate, Path key)
                        ? Optional.of(Pem.readIdentity(certificate, key))
                        : Optional.empty();
        return vault.caFile()
                .map(file -> Tls.client(Pem.readCertificates(file), identity))
                .orElseGet(() -> Tls.client(identity));
    }

    private String token() throws Stopped {
        ObjectNode body = JSON.createObjectNode();
        String mount;
        switch (vault.login()) {
            case Login.AppRole(String at, String roleId, Path secretIdFile) -> {
                mount = at;
                body.put("role_id", roleId);
                body.put("secret_id", Secrets.read(secretIdFile));
            }
            case Login.Certificate(String at, Optional<String> role, _, _) -> {
                mount = at;
                role.ifPresent(name -> body.put("name", name));
            }
        }
        Reply reply =
                exchange("POST", "auth/" + mount + "/login", Optional.of(body), Optional.empty());
        if (!reply.ok()) {
            throw refusal(reply, "the login at auth/" + mount, howToLogIn(reply.status()));
        }
        JsonNode token = reply.body().path("auth").path("client_token");
        // As a header it must not be able to be two.
        if (!token.isTextual() || !token.textValue().matches("[\\x21-\\x7e]{1,4096}")) {
            throw new Stopped(
                    Kind.FAULTY,
                    "its answer to the login has no token",
                    "check that the address is that of Vault or OpenBao: " + vault.address());
        }
        return token.textValue();
    }

    private String howToLogIn(int status) {
        return switch (vault.login()) {
            // Wrong ids are 400; this is a lock, or no AppRole at that place.
            case Login.AppRole _ when status == 403 ->
                    "check mount and roleId in the plan; from 1.13 on, Vault locks a role for 15"
                            + " min after five wrong secret ids (vault read sys/locked-users)";
            case Login.AppRole(_, _, Path secretIdFile) ->
                    "check roleId in the plan, and have a new secret id written to " + secretIdFile;
            case Login.Certificate(_, _, Path certFile, _) ->
                    "check in the store which certificates may log in; this node shows " + certFile;
        };
    }

    private SourceAnswer password(String token) throws Stopped {
        String path = vault.mount() + "/data/" + vault.path();
        Reply reply = exchange("GET", path, Optional.empty(), Optional.of(token));
        String check =
                "check mount and path in the plan, and that the policy of this login may read "
                        + path;
        if (reply.status() == 404) {
            throw new Stopped(
                    Kind.FAULTY,
                    "it has no secret at %s of a key-value engine of version 2".formatted(path),
                    check);
        }
        if (!reply.ok()) {
            throw refusal(reply, "reading " + path, check);
        }
        JsonNode value = reply.body().path("data").path("data").path(vault.field());
        if (!value.isTextual()) {
            throw new Stopped(
                    Kind.FAULTY,
                    "the secret at %s has no text in a field %s".formatted(path, vault.field()),
                    "check field in the plan, and that the engine is of version 2");
        }
        return new SourceAnswer.Read(
                Secrets.read(
                        new ByteArrayInputStream(
                                value.textValue().getBytes(StandardCharsets.UTF_8)),
                        "the field %s of %s".formatted(vault.field(), path)));
    }

    /** If that fails it ends by its own time, and the password has been read all the same. */
    private void giveBack(String token) {
        try {
            var _ =
                    exchange(
                            "POST",
                            "auth/token/revoke-self",
                            Optional.of(JSON.createObjectNode()),
                            Optional.of(token));
        } catch (Stopped e) {
            return;
        }
    }

    private Stopped refusal(Reply reply, String what, String remedy) {
        String said = said(reply);
        return switch (reply.status()) {
            case 400, 401, 403 ->
                    new Stopped(
                            Kind.REFUSED,
                            "it refuses %s (%d%s)".formatted(what, reply.status(), said),
                            remedy);
            case 301, 302, 303, 307, 308 ->
                    new Stopped(
                            Kind.FAULTY,
                            "it sends clients to another address, which is not followed",
                            "write the address of the active server into the plan");
            case 429 ->
                    new Stopped(
                            Kind.UNREACHABLE,
                            "it takes no more requests for now" + said,
                            "wait; if it lasts, raise its quota for this path");
            case 503 ->
                    new Stopped(
                            Kind.UNREACHABLE,
                            "it is sealed or in maintenance" + said,
                            "unseal it, or end its maintenance");
            default ->
                    new Stopped(
                            Kind.UNREACHABLE,
                            "it answers %s with status %d%s".formatted(what, reply.status(), said),
                            "look at the log of the store");
        };
    }

    /** In its words, unless they name the secret. */
    private String said(Reply reply) {
        String whole = reply.body().path("errors").path(0).asText("");
        if (mayRepeatSecret(whole)) {
            return "";
        }
        String line = LIST_OF_ONE.matcher(whole).replaceFirst("").replaceAll("\\s+", " ");
        String words = SourceWords.of(line, MOST_WORDS);
        return words.isEmpty() ? "" : ": " + words;
    }

    /**
     * Vault 1.14 repeats a secret id that is used up meanwhile, in quotes and with escapes; so
     * these are not compared. Words are cut only after this, or a part of it would pass.
     */
    private boolean mayRepeatSecret(String words) {
        try {
            return vault.login() instanceof Login.AppRole(_, _, Path file)
                    && lettersAndDigits(words).contains(lettersAndDigits(Secrets.read(file)));
        } catch (Failure e) {
            // It was changed since the login; what the store said is told by its status alone.
            return true;
        }
    }

    private static String lettersAndDigits(String text) {
        return text.replaceAll("[^\\p{L}\\p{N}]", "");
    }

    /** Any status is an answer here. */
    private Reply exchange(
            String method, String path, Optional<JsonNode> body, Optional<String> token)
            throws Stopped {
        Duration left = end.left();
        if (!left.isPositive()) {
            throw unreachable("it did not answer within %d s".formatted(LIMIT.toSeconds()));
        }
        Duration limit = left.compareTo(REQUEST_LIMIT) < 0 ? left : REQUEST_LIMIT;
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(vault.address() + "/v1/" + path))
                        .timeout(limit)
                        .header("Accept", "application/json")
                        // Asked for where a Vault proxy stands in between.
                        .header("X-Vault-Request", "true")
                        .method(
                                method,
                                body.map(json ->
                                                HttpRequest.BodyPublishers.ofString(
                                                        json.toString()))
                                        .orElseGet(HttpRequest.BodyPublishers::noBody));
        body.ifPresent(_ -> request.header("Content-Type", "application/json"));
        token.ifPresent(text -> request.header("X-Vault-Token", text));
        vault.namespace().ifPresent(name -> request.header("X-Vault-Namespace", name));
        try {
            HttpResponse<byte[]> response =
                    BoundedHttp.send(
                            http,
                            request.build(),
                            HttpResponse.BodyHandlers.limiting(
                                    HttpResponse.BodyHandlers.ofByteArray(), MOST_ANSWER_BYTES),
                            limit);
            return new Reply(response.statusCode(), json(response.body()));
        } catch (HttpTimeoutException e) {
            throw unreachable("no answer within %.1f s".formatted(limit.toMillis() / 1000.0));
        } catch (ConnectException e) {
            throw unreachable("no connection to " + vault.address().getAuthority());
        } catch (SSLException e) {
            throw new Stopped(
                    Kind.UNREACHABLE,
                    UntrustedCertificate.in(e)
                            .map(told -> "its certificate is not trusted: " + told.why())
                            .orElseGet(() ->
                                    "TLS: "
                                            + SourceWords.of(
                                                    String.valueOf(e.getMessage()), MOST_WORDS)),
                    "check its certificate, and caFile in the plan");
        } catch (IOException e) {
            throw unreachable(
                    "the connection broke: "
                            + SourceWords.of(String.valueOf(e.getMessage()), MOST_WORDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unreachable("asking was interrupted");
        }
    }

    private Stopped unreachable(String why) {
        return new Stopped(
                Kind.UNREACHABLE,
                why,
                "check address and network: curl %s/v1/sys/health".formatted(vault.address()));
    }

    private static JsonNode json(byte[] body) {
        if (body.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            // A web page instead of JSON has none of the fields asked for later. Its text stays
            // untold: it may hold the password.
            return MissingNode.getInstance();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory are always readable", e);
        }
    }
}
