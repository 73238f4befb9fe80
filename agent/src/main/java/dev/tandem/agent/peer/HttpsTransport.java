package dev.tandem.agent.peer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.PeerMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Messages between the two agents, over HTTPS with certificates on both sides. A caller has to show
 * a certificate of the site that names the peer.
 */
public final class HttpsTransport implements PeerTransport, AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(1);

    /** The peer answers between two of its own actions, and one of those may read a log. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private static final int MOST_BYTES = 4 << 20;
    private static final String PATH = "/facts";
    private static final String NUMBER = "Tandem-Question";

    private final NodeName peer;
    private final List<URI> addresses;
    private final HttpClient client;
    private final HttpsServer server;
    private final BooleanSupplier cannotStore;
    private volatile int preferred;

    /**
     * @param cannotStore whether this node's disk stores nothing, for the peer's status
     */
    public HttpsTransport(
            NodeName peer,
            List<URI> addresses,
            SSLContext clientTls,
            InetSocketAddress listen,
            SSLContext serverTls,
            Inbox inbox,
            BooleanSupplier cannotStore) {
        this.peer = peer;
        this.cannotStore = cannotStore;
        this.addresses = addresses.stream().map(base -> base.resolve(PATH)).toList();
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_LIMIT)
                        .sslContext(clientTls)
                        .build();
        try {
            this.server = HttpsServer.create(listen, 16);
        } catch (IOException e) {
            throw new Failure(
                    "cannot listen for the peer on " + listen,
                    String.valueOf(e.getMessage()),
                    "see which process listens there: ss -Hltnp; see the addresses: ip -br address",
                    e);
        }
        server.setHttpsConfigurator(
                new HttpsConfigurator(serverTls) {
                    @Override
                    public void configure(HttpsParameters parameters) {
                        SSLParameters tls = serverTls.getDefaultSSLParameters();
                        tls.setNeedClientAuth(true);
                        parameters.setSSLParameters(tls);
                    }
                });
        server.createContext(PATH, exchange -> serve(exchange, inbox));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    @Override
    public Reply ask(long number, PeerMessage mine) {
        Reply reply = new Reply.Silent("not asked");
        for (int i = 0; i < addresses.size(); i++) {
            int index = (preferred + i) % addresses.size();
            reply = ask(addresses.get(index), number, mine);
            if (!(reply instanceof Reply.Silent)) {
                preferred = index;
                return reply;
            }
        }
        return reply;
    }

    private Reply ask(URI address, long number, PeerMessage mine) {
        HttpRequest request =
                HttpRequest.newBuilder(address)
                        .timeout(ANSWER_LIMIT)
                        .header(NUMBER, Long.toString(number))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        PeerMessages.json(mine, cannotStore.getAsBoolean())
                                                .toString()))
                        .build();
        try {
            HttpResponse<byte[]> response =
                    client.send(
                            request,
                            HttpResponse.BodyHandlers.limiting(
                                    HttpResponse.BodyHandlers.ofByteArray(), MOST_BYTES));
            if (response.statusCode() == 503) {
                return new Reply.Busy(address + " is busy");
            }
            if (response.statusCode() != 200) {
                // It understands nothing of the question, or takes this node for another.
                return new Reply.Silent(address + " answers " + response.statusCode());
            }
            return PeerMessages.read(response.body())
                    .<Reply>map(theirs ->
                            theirs.isOf(peer)
                                    ? new Reply.Answered(theirs)
                                    : new Reply.Silent(address + " is not the agent of " + peer))
                    .orElseGet(() ->
                            new Reply.Silent(address + " gives an answer that is not understood"));
        } catch (IOException e) {
            return new Reply.Silent(address + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Reply.Silent("interrupted");
        }
    }

    private void serve(HttpExchange exchange, Inbox inbox) throws IOException {
        try (exchange) {
            if (!isPeer(exchange)) {
                exchange.sendResponseHeaders(403, -1);
                return;
            }
            Optional<PeerMessages.Received> theirs =
                    PeerMessages.read(exchange.getRequestBody().readNBytes(MOST_BYTES));
            if (theirs.isEmpty()) {
                exchange.sendResponseHeaders(400, -1);
                return;
            }
            if (!theirs.get().isOf(peer)) {
                exchange.sendResponseHeaders(409, -1);
                return;
            }
            String number = exchange.getRequestHeaders().getFirst(NUMBER);
            if (number == null || !number.matches("[0-9]{1,18}")) {
                exchange.sendResponseHeaders(400, -1);
                return;
            }
            Optional<PeerMessage> mine = inbox.asked(Long.parseLong(number), theirs.get());
            if (mine.isEmpty()) {
                exchange.sendResponseHeaders(503, -1);
                return;
            }
            byte[] body =
                    PeerMessages.json(mine.get(), cannotStore.getAsBoolean())
                            .toString()
                            .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private boolean isPeer(HttpExchange exchange) {
        if (!(exchange instanceof HttpsExchange secured)) {
            return false;
        }
        try {
            Principal who =
                    ((X509Certificate) secured.getSSLSession().getPeerCertificates()[0])
                            .getSubjectX500Principal();
            return Pattern.compile("(?:^|,)CN=" + Pattern.quote(peer.value()) + "(?:,|$)")
                    .matcher(who.getName())
                    .find();
        } catch (SSLPeerUnverifiedException e) {
            return false;
        }
    }

    @Override
    public void close() {
        server.stop(0);
        client.shutdownNow();
    }
}
