package dev.tandem.host.bmc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tandem.host.BoundedHttp;
import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import dev.tandem.host.pki.UntrustedCertificate;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Sends a BMC one request at a time and reads its answer; knows nothing of sessions or systems. */
final class RedfishHttp implements AutoCloseable {
    /** Where Retry-After is missing or unreadable. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private static final int BODY_LIMIT = 1 << 20;
    private static final int WORDS_LIMIT = 200;
    private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final RedfishEndpoint endpoint;
    private final BmcCredentials credentials;
    private final Duration requestLimit;
    private final HttpClient http;
    private final Latencies latencies = new Latencies();
    private volatile Optional<Instant> certificateEnds = Optional.empty();

    /** What the BMC answered, whatever the status. */
    record Reply(int status, JsonNode body, HttpHeaders headers, Duration took) {
        boolean ok() {
            return status / 100 == 2;
        }

        /** The members of a collection. */
        List<String> members() {
            List<String> members = new ArrayList<>();
            body.path("Members")
                    .forEach(member -> {
                        String path = link(member);
                        if (!path.isEmpty()) {
                            members.add(path);
                        }
                    });
            return members;
        }
    }

    /** A header that proves who asks. */
    record Authorization(String header, String value) {
        @Override
        public String toString() {
            return "Authorization[" + header + "]";
        }
    }

    /** No single request takes longer than the limit, its connection and handshake included. */
    RedfishHttp(RedfishEndpoint endpoint, BmcCredentials credentials, Duration requestLimit) {
        this.endpoint = endpoint;
        this.credentials = credentials;
        this.requestLimit = requestLimit;
        // HTTP/2 would cost a negotiation that no BMC wins, and redirects could lead the
        // credentials elsewhere.
        this.http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(requestLimit)
                        .sslContext(endpoint.trust().context())
                        .build();
    }

    /** How long the last answers took; empty before the first. */
    Optional<LatencyFigures> latency() {
        return latencies.figures();
    }

    /** When the certificate that the BMC last showed expires. */
    Optional<Instant> certificateEnds() {
        return certificateEnds;
    }

    private static Optional<Instant> end(SSLSession session) {
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate shown
                    ? Optional.of(shown.getNotAfter().toInstant())
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            // It showed none, so there is none that ends.
            return Optional.empty();
        }
    }

    /** The user's own password instead of a session. */
    Authorization password() {
        return new Authorization("Authorization", credentials.basicAuthorization());
    }

    /** Unknown only where no answer came; any status is an answer here. */
    BmcAnswer<Reply> exchange(
            String method,
            String path,
            Optional<String> body,
            Optional<Authorization> authorization,
            Deadline end) {
        Duration left = end.left();
        if (!left.isPositive()) {
            return unreachable("no time was left to ask");
        }
        Duration limit = left.compareTo(requestLimit) < 0 ? left : requestLimit;
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint.at(path))
                        .timeout(limit)
                        .header("Accept", "application/json")
                        .header("Cache-Control", "no-cache")
                        .header("OData-Version", "4.0");
        body.ifPresent(_ -> request.header("Content-Type", "application/json"));
        request.method(
                method,
                body.map(HttpRequest.BodyPublishers::ofString)
                        .orElseGet(HttpRequest.BodyPublishers::noBody));
        authorization.ifPresent(proof -> request.header(proof.header(), proof.value()));
        long begin = System.nanoTime();
        try {
            HttpResponse<byte[]> response =
                    BoundedHttp.send(
                            http,
                            request.build(),
                            HttpResponse.BodyHandlers.limiting(
                                    HttpResponse.BodyHandlers.ofByteArray(), BODY_LIMIT),
                            limit);
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            latencies.add(took);
            certificateEnds = response.sslSession().flatMap(RedfishHttp::end);
            Reply reply =
                    new Reply(
                            response.statusCode(), json(response.body()), response.headers(), took);
            return new Read<>(reply, took);
        } catch (HttpTimeoutException e) {
            return unreachable("no answer within %.1f s".formatted(limit.toMillis() / 1000.0));
        } catch (ConnectException e) {
            return unreachable("no connection to " + endpoint.base().getAuthority());
        } catch (SSLException e) {
            return certificateIsAtFault(e)
                    ? new Unknown<>(untrusted(e))
                    : unreachable("TLS: " + e.getMessage());
        } catch (IOException e) {
            return unreachable("the connection broke: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unreachable("asking was interrupted");
        }
    }

    /**
     * A connection that is cut in the handshake is an SSLException as well, but no bad certificate.
     */
    private static boolean certificateIsAtFault(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof GeneralSecurityException) {
                return true;
            }
        }
        return false;
    }

    private BmcFault untrusted(SSLException thrown) {
        Optional<UntrustedCertificate> told = UntrustedCertificate.in(thrown);
        return new BmcFault.Untrusted(
                words(
                        told.map(UntrustedCertificate::why)
                                .orElseGet(() -> String.valueOf(thrown.getMessage()))),
                told.map(UntrustedCertificate::shown));
    }

    /** An answer with any status but 2xx becomes the fault that it tells of. */
    BmcAnswer<Reply> judge(BmcAnswer<Reply> answer) {
        return answer.then(reply ->
                reply.ok() ? new Read<>(reply, reply.took()) : new Unknown<>(fault(reply)));
    }

    private BmcFault fault(Reply reply) {
        String why = reason(reply);
        return switch (reply.status()) {
            case 401, 403 -> new BmcFault.Denied(reply.status(), why);
            case 429, 503 -> new BmcFault.Busy(retryAfter(reply), why);
            default -> new BmcFault.Rejected(reply.status(), why);
        };
    }

    private static Duration retryAfter(Reply reply) {
        return reply.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("[0-9]{1,6}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .orElse(RETRY_AFTER);
    }

    private String reason(Reply reply) {
        JsonNode error = reply.body().path("error");
        JsonNode info = error.path("@Message.ExtendedInfo").path(0);
        List<String> parts = new ArrayList<>();
        for (String part :
                List.of(info.path("MessageId").asText(""), info.path("Message").asText(""))) {
            if (!part.isBlank()) {
                parts.add(part);
            }
        }
        String text =
                parts.isEmpty()
                        ? error.path("message").asText("status " + reply.status())
                        : String.join(", ", parts);
        return words(text);
    }

    /** Foreign words, fit for a line of a log: one line, not long, and without our password. */
    String words(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        // Shorter ones stand in ordinary words, and would mark themselves by their absence.
        if (credentials.password().length() >= 4) {
            line = line.replace(credentials.password(), "(password)");
        }
        return line.length() <= WORDS_LIMIT ? line : line.substring(0, WORDS_LIMIT) + "…";
    }

    private static JsonNode json(byte[] body) {
        if (body.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            // A web page instead of JSON has none of the properties asked for later.
            return MissingNode.getInstance();
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory are always readable", e);
        }
    }

    /** Where a property of Redfish points to; empty if nowhere. */
    static String link(JsonNode node) {
        String path = node.path("@odata.id").asText("");
        return isPath(path) ? path : "";
    }

    static boolean isPath(String text) {
        return PATH.matcher(text).matches();
    }

    static <T> BmcAnswer<T> unintelligible(String why) {
        return new Unknown<>(new BmcFault.Unintelligible(why));
    }

    static <T> BmcAnswer<T> unreachable(String why) {
        return new Unknown<>(new BmcFault.Unreachable(why));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
