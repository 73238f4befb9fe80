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
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
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
    private static final String NUMBER = "Tandem-Question";

    /** What one agent tells the other apart from its facts, each with a text for an answer. */
    public enum Request {
        /** Of the settings of a BMC; the text may hold a password. */
        BMC_SETTINGS("/bmc-settings"),
        /** By which plan the pair runs. */
        PLAN("/plan");

        private final String path;

        Request(String path) {
            this.path = path;
        }

        private static Optional<Request> at(String path) {
            return Stream.of(values()).filter(one -> one.path.equals(path)).findFirst();
        }
    }

    private final NodeName peer;
    private final Supplier<List<URI>> addresses;
    private final HttpClient client;
    private final PeerListener server;
    private final PeerCertificates certificates;
    private volatile int preferred;

    /**
     * @param addresses of the peer's agent, asked before each message
     * @param expected from where the peer calls; others are turned away sooner
     * @param requests what answers each of them
     */
    public HttpsTransport(
            NodeName peer,
            Supplier<List<URI>> addresses,
            Predicate<InetAddress> expected,
            InetSocketAddress listen,
            TlsIdentity identity,
            List<X509Certificate> authorities,
            PeerCertificates certificates,
            Inbox inbox,
            Map<Request, UnaryOperator<String>> requests) {
        this(
                peer,
                addresses,
                expected,
                listen,
                identity,
                authorities,
                certificates,
                inbox,
                requests,
                CONNECT_LIMIT);
    }

    /**
     * @param connect for how long a connection to the peer may take, with its handshake
     */
    HttpsTransport(
            NodeName peer,
            Supplier<List<URI>> addresses,
            Predicate<InetAddress> expected,
            InetSocketAddress listen,
            TlsIdentity identity,
            List<X509Certificate> authorities,
            PeerCertificates certificates,
            Inbox inbox,
            Map<Request, UnaryOperator<String>> requests,
            Duration connect) {
        this.peer = peer;
        this.certificates = certificates;
        this.addresses = addresses;
        this.client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(connect)
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
                        new Questions(peer, certificates, inbox, Map.copyOf(requests)));
    }

    /** Where it listens. */
    int port() {
        return server.port();
    }

    @Override
    public Reply ask(long number, PeerMessages.Envelope mine) {
        Reply reply = new Reply.Silent("not asked");
        List<URI> now = addresses.get();
        for (int i = 0; i < now.size(); i++) {
            int index = (preferred + i) % now.size();
            reply = ask(now.get(index).resolve(PATH), number, mine);
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

    /** Tells the peer something; empty where it does not answer. */
    public Optional<String> tell(Request request, String text) {
        List<URI> now = addresses.get();
        for (int i = 0; i < now.size(); i++) {
            URI address = now.get((preferred + i) % now.size());
            try {
                HttpResponse<byte[]> response =
                        BoundedHttp.send(
                                client,
                                HttpRequest.newBuilder(address.resolve(request.path))
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
            Map<Request, UnaryOperator<String>> requests)
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
                            && (request.path().equals(PATH)
                                    || Request.at(request.path())
                                            .filter(requests::containsKey)
                                            .isPresent())
                    ? Optional.empty()
                    : Optional.of(PeerListener.Answer.refused(404, "only questions are answered"));
        }

        @Override
        public PeerListener.Answer answer(BoundedRequest request, byte[] body) {
            Optional<UnaryOperator<String>> other =
                    Request.at(request.path())
                            .flatMap(one -> Optional.ofNullable(requests.get(one)));
            if (other.isPresent()) {
                return new PeerListener.Answer(
                        200, other.get().apply(new String(body, StandardCharsets.UTF_8)));
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
