package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.NodeName;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.SiteTrust;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import dev.tandem.host.testing.LoopbackPorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** North asks south on loopback. */
class HttpsTransportTest {
    /** A port of the kernel's choice. */
    private static final int ANY = 0;

    private static final Duration ENOUGH = Duration.ofSeconds(60);

    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final PeerMessages.Envelope NORTHS =
            new PeerMessages.Envelope(
                    new PeerMessage.Facts(Sketch.north("two 1:7 following"), Sketch.SOUTH_BOOT),
                    new RecoveryReadiness.Automatic(),
                    Optional.empty(),
                    Optional.empty(),
                    FenceDelay.Link.UNKNOWN);
    private static final PeerMessages.Envelope SOUTHS =
            new PeerMessages.Envelope(
                    new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT),
                    new RecoveryReadiness.Impeded(List.of(Impediment.Cause.BMC_UNREACHABLE)),
                    Optional.empty(),
                    Optional.empty(),
                    FenceDelay.Link.UNKNOWN);

    @TempDir Path directory;

    private final List<PeerMessages.Received> heard = new ArrayList<>();
    private final List<HttpsTransport> open = new ArrayList<>();
    private Optional<PeerMessages.Envelope> answer = Optional.of(SOUTHS);
    private TestSite site;
    private URI souths;
    private HttpsTransport north;

    @BeforeEach
    void begin() {
        site = new TestSite(directory);
        souths = address(transport(Sketch.NORTH, agent(Sketch.SOUTH), List.of(), ANY).port());
        north = askedBy(agent(Sketch.NORTH));
    }

    @AfterEach
    void end() {
        open.forEach(HttpsTransport::close);
    }

    private TlsIdentity agent(NodeName node) {
        return site.issued(node, SitePki.Purpose.AGENT);
    }

    private HttpsTransport askedBy(TlsIdentity identity) {
        return transport(Sketch.SOUTH, identity, List.of(souths), ANY);
    }

    private HttpsTransport transport(
            NodeName peer, TlsIdentity identity, List<URI> addresses, int port) {
        HttpsTransport made =
                new HttpsTransport(
                        peer,
                        () -> addresses,
                        LOOPBACK::equals,
                        new InetSocketAddress(LOOPBACK, port),
                        identity,
                        site.authorities(),
                        site.certificatesOf(peer),
                        (_, theirs) -> {
                            heard.add(theirs);
                            return answer;
                        },
                        Map.of(
                                HttpsTransport.Request.BMC_SETTINGS,
                                text -> "said: " + text,
                                HttpsTransport.Request.PLAN,
                                text -> "plan: " + text),
                        ENOUGH);
        open.add(made);
        return made;
    }

    @Test
    void settingsAreToldToThePeerAndToNobodyElse() throws Exception {
        HttpsTransport stranger = askedBy(site.issued(Sketch.NORTH, SitePki.Purpose.ETCD));
        assertThat(north.tell(HttpsTransport.Request.BMC_SETTINGS, "x")).contains("said: x");
        assertThat(north.tell(HttpsTransport.Request.PLAN, "x")).contains("plan: x");
        for (HttpsTransport.Request request : HttpsTransport.Request.values()) {
            assertThat(stranger.tell(request, "x")).isEmpty();
        }
    }

    private static URI address(int port) {
        return URI.create("https://127.0.0.1:" + port);
    }

    @Test
    void aQuestionAndItsAnswerArriveAsTheyWereSaid() {
        assertThat(north.ask(7, NORTHS))
                .isEqualTo(new PeerTransport.Reply.Answered(PeerMessages.Received.of(SOUTHS)));
        assertThat(heard).containsExactly(PeerMessages.Received.of(NORTHS));
    }

    /** The first of two links is cut, and later the second. */
    @Test
    void theAddressThatAnsweredLastIsAskedFirst() {
        URI nobody = address(LoopbackPorts.next());
        HttpsTransport withTwoLinks =
                transport(Sketch.SOUTH, agent(Sketch.NORTH), List.of(nobody, souths), ANY);
        assertThat(withTwoLinks.ask(1, NORTHS)).isInstanceOf(PeerTransport.Reply.Answered.class);

        // Whoever listens there now is not asked while the other answers.
        HttpsTransport other =
                transport(Sketch.NORTH, agent(Sketch.SOUTH), List.of(), nobody.getPort());
        answer = Optional.empty();
        assertThat(withTwoLinks.ask(2, NORTHS))
                .isEqualTo(new PeerTransport.Reply.Busy(souths.resolve("/facts") + " is busy"));

        open.getFirst().close();
        assertThat(withTwoLinks.ask(3, NORTHS))
                .isEqualTo(new PeerTransport.Reply.Busy(nobody.resolve("/facts") + " is busy"));
        other.close();
    }

    @Test
    void manyQuestionsGoOverOneConnection() {
        for (int i = 1; i <= 20; i++) {
            assertThat(north.ask(i, NORTHS)).isInstanceOf(PeerTransport.Reply.Answered.class);
        }
        assertThat(heard).hasSize(20);
    }

    @Test
    void aPeerWithoutTimeIsThere() {
        answer = Optional.empty();

        assertThat(north.ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Busy.class);
    }

    @Test
    void anAnswerAboutAnotherNodeIsNone() {
        answer = Optional.of(NORTHS);

        assertThat(north.ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Silent.class);
    }

    @Test
    void aQuestionAboutAnotherNodeIsNotTaken() {
        assertThat(north.ask(7, SOUTHS)).isInstanceOf(PeerTransport.Reply.Silent.class);
        assertThat(heard).isEmpty();
    }

    /** What leaks from one place does not open another. */
    @ParameterizedTest
    @EnumSource(
            value = SitePki.Purpose.class,
            names = {"ETCD_CLIENT", "API_SERVER"})
    void aClientOfEtcdGets403(SitePki.Purpose purpose) throws Exception {
        HttpResponse<String> said = facts(site.issued(Sketch.NORTH, purpose));

        assertThat(said.statusCode()).isEqualTo(403);
        assertThat(said.body()).contains("not for agents");
        assertThat(heard).isEmpty();
    }

    @Test
    void onceThePeerHasShownANewCertificateAnOlderOneOfItIsRefused() throws Exception {
        TlsIdentity etcds = site.issued(Sketch.NORTH, SitePki.Purpose.ETCD);
        // Nothing tells it from an agent's of the time before.
        assertThat(facts(etcds).statusCode()).isNotEqualTo(403);

        assertThat(north.ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Answered.class);

        assertThat(facts(etcds).statusCode()).isEqualTo(403);
        assertThat(facts(etcds).body()).contains("tandem certs issue");
        // An agent that is started again knows it still.
        assertThat(site.certificatesOf(Sketch.NORTH).refusal(etcds.certificate())).isPresent();
    }

    /** One node is renewed after the other, and they hear each other all the time. */
    @Test
    void anAgentWithAnOlderCertificateIsHeardUntilThen() throws Exception {
        assertThat(askedBy(site.older(Sketch.NORTH)).ask(7, NORTHS))
                .isInstanceOf(PeerTransport.Reply.Answered.class);
    }

    @Test
    void nobodyIsAskedWhoIsNotThePeersAgent() throws Exception {
        answer = Optional.of(NORTHS);
        // North's own agent listens where south's should.
        URI elsewhere =
                address(transport(Sketch.SOUTH, agent(Sketch.NORTH), List.of(), ANY).port());
        HttpsTransport asking =
                transport(Sketch.SOUTH, agent(Sketch.NORTH), List.of(elsewhere), ANY);

        assertThat(asking.ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Silent.class);
        assertThat(heard).isEmpty();
    }

    @Test
    void whoeverTheSiteDoesNotKnowIsNotHeard() throws Exception {
        TlsIdentity stranger = new TestSite(directory.resolve("other")).older(Sketch.NORTH);

        assertThat(askedBy(stranger).ask(7, NORTHS)).isInstanceOf(PeerTransport.Reply.Silent.class);
        assertThat(heard).isEmpty();
    }

    private HttpResponse<String> facts(TlsIdentity identity) throws Exception {
        try (HttpClient client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .sslContext(Tls.agent(identity, SiteTrust.anybody(site.authorities())))
                        .build()) {
            return client.send(
                    HttpRequest.newBuilder(souths.resolve("/facts"))
                            .timeout(ENOUGH)
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }
}
