package dev.tandem.agent.peer;

import dev.tandem.agent.net.BoundedRequest;
import dev.tandem.core.NodeName;
import dev.tandem.host.BoundedHttp;
import dev.tandem.host.pki.SiteTrust;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLSession;

/**
 * Messages between the two agents, over HTTPS with certificates on both sides. A caller has to show
 * the certificate of the peer's agent, which the site has signed; see {@link PeerCertificates}.
 */
public final class HttpsTransport implements PeerTransport, AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(1);

    /** The peer answers between two of its own actions, and one of those may read a log. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    /** For people to read. */
    private static final int LONGEST_REFUSAL = 300;

    private static final String PATH = "/facts";
    private static final String SETTINGS = "/bmc-settings";
    private static final String NUMBER = "Tandem-Question";

    private final NodeName peer;
    private final List<URI> addresses;
    private final HttpClient client;
    private final PeerListener server;
    private final PeerCertificates certificates;
    private volatile int preferred;

    /**
     * @param expected from where the peer calls; others are turned away sooner
     * @param settings answers what the peer says of the settings of a BMC; the text may hold a
     *     password
     */
    public HttpsTransport(
            NodeName peer,
            List<URI> addresses,
            Set<InetAddress> expected,
            InetSocketAddress listen,
            TlsIdentity identity,
            List<X509Certificate> authorities,
            PeerCertificates certificates,
            Inbox inbox,
            UnaryOperator<String> settings) {
        this.peer = peer;
        this.certificates = certificates;
        this.addresses = addresses.stream().map(base -> base.resolve(PATH)).toList();
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_LIMIT)
                        .sslContext(
                                Tls.agent(
                                        identity,
                                        new SiteTrust(authorities, certificates::refusal)))
                        .build();
        // Whom the site has certified, but not as the peer's agent, is told so.
        this.server =
                PeerListener.open(
                        listen,
                        expected,
                        Tls.agent(identity, SiteTrust.anybody(authorities)),
                        new Questions(peer, certificates, inbox, settings));
    }

    /** Where it listens. */
    int port() {
        return server.port();
    }

    @Override
    public Reply ask(long number, PeerMessages.Envelope mine) {
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

    private Reply ask(URI address, long number, PeerMessages.Envelope mine) {
        HttpRequest request =
                HttpRequest.newBuilder(address)
                        .timeout(ANSWER_LIMIT)
                        .header(NUMBER, Long.toString(number))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        PeerMessages.json(mine).toString()))
                        .build();
        try {
            HttpResponse<byte[]> response =
                    BoundedHttp.send(
                            client,
                            request,
                            HttpResponse.BodyHandlers.limiting(
                                    HttpResponse.BodyHandlers.ofByteArray(),
                                    PeerListener.MOST_BODY),
                            ANSWER_LIMIT);
            if (response.statusCode() == 503) {
                return new Reply.Busy(address + " is busy");
            }
            if (response.statusCode() != 200) {
                // It understands nothing of the question, or takes this node for another.
                return new Reply.Silent(
                        "%s answers %d: %s"
                                .formatted(address, response.statusCode(), said(response.body())));
            }
            noteCertificate(response);
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

    /** Tells the peer something of the settings of a BMC; empty where it does not answer. */
    public Optional<String> tellSettings(String text) {
        for (int i = 0; i < addresses.size(); i++) {
            URI address = addresses.get((preferred + i) % addresses.size());
            try {
                HttpResponse<byte[]> response =
                        BoundedHttp.send(
                                client,
                                HttpRequest.newBuilder(address.resolve(SETTINGS))
                                        .timeout(PeerListener.REQUEST)
                                        .POST(HttpRequest.BodyPublishers.ofString(text))
                                        .build(),
                                HttpResponse.BodyHandlers.limiting(
                                        HttpResponse.BodyHandlers.ofByteArray(),
                                        PeerListener.MOST_BODY),
                                PeerListener.REQUEST);
                if (response.statusCode() == 200) {
                    return Optional.of(new String(response.body(), StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                // The next address may lead there.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private void noteCertificate(HttpResponse<byte[]> response) throws IOException {
        Optional<SSLSession> session = response.sslSession();
        if (session.isPresent()
                && session.get().getPeerCertificates()[0] instanceof X509Certificate theirs) {
            certificates.shown(theirs);
        }
    }

    private static String said(byte[] body) {
        return new String(body, 0, Math.min(body.length, LONGEST_REFUSAL), StandardCharsets.UTF_8)
                .strip();
    }

    /** What the peer asks, and who may ask. */
    private record Questions(
            NodeName peer,
            PeerCertificates certificates,
            Inbox inbox,
            UnaryOperator<String> settings)
            implements PeerListener.Handler {
        @Override
        public Optional<PeerListener.Answer> refusal(
                X509Certificate caller, BoundedRequest request) {
            Optional<String> why = certificates.refusal(caller);
            if (why.isPresent()) {
                return Optional.of(
                        PeerListener.Answer.refused(403, "the certificate: " + why.get()));
            }
            certificates.shown(caller);
            return request.method().equals("POST")
                            && (request.path().equals(PATH) || request.path().equals(SETTINGS))
                    ? Optional.empty()
                    : Optional.of(PeerListener.Answer.refused(404, "only questions are answered"));
        }

        @Override
        public PeerListener.Answer answer(BoundedRequest request, byte[] body) {
            if (request.path().equals(SETTINGS)) {
                return new PeerListener.Answer(
                        200, settings.apply(new String(body, StandardCharsets.UTF_8)));
            }
            Optional<PeerMessages.Received> theirs = PeerMessages.read(body);
            Optional<Long> number =
                    request.header(NUMBER)
                            .filter(text -> text.matches("[0-9]{1,18}"))
                            .map(Long::parseLong);
            if (theirs.isEmpty() || number.isEmpty()) {
                return PeerListener.Answer.refused(400, "the question is not understood");
            }
            if (!theirs.get().isOf(peer)) {
                return PeerListener.Answer.refused(409, "it is not about " + peer);
            }
            return inbox.asked(number.get(), theirs.get())
                    .map(mine -> new PeerListener.Answer(200, PeerMessages.json(mine).toString()))
                    .orElseGet(() -> PeerListener.Answer.refused(503, "busy, or overtaken"));
        }
    }

    @Override
    public void close() {
        server.close();
        client.shutdownNow();
    }
}
