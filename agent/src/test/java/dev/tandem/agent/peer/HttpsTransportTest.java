package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.NodeName;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.pki.Pem;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** North asks south on loopback. */
class HttpsTransportTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final PeerMessage NORTHS =
            new PeerMessage.Facts(Sketch.north("two 1:7 following"), Sketch.SOUTH_BOOT);
    private static final PeerMessage SOUTHS =
            new PeerMessage.Facts(Sketch.south("two 1:7 leading"), Sketch.NORTH_BOOT);

    @TempDir Path directory;

    private final List<PeerMessages.Received> heard = new ArrayList<>();
    private Optional<PeerMessage> answer = Optional.of(SOUTHS);
    private boolean cannotStore;

    private HttpsTransport north;
    private HttpsTransport south;

    @BeforeEach
    void begin() throws IOException {
        Path ca = directory.resolve("ca");
        SitePki.create(ca, "test", InstantSource.system());
        URI souths = URI.create("https://127.0.0.1:" + freePort());
        south = transport(Sketch.SOUTH, Sketch.NORTH, List.of(), souths.getPort());
        north = transport(Sketch.NORTH, Sketch.SOUTH, List.of(souths), freePort());
    }

    @AfterEach
    void end() {
        north.close();
        south.close();
    }

    private HttpsTransport transport(NodeName self, NodeName peer, List<URI> addresses, int port) {
        Path keys = directory.resolve(self.value());
        SitePki.load(directory.resolve("ca"), InstantSource.system())
                .issue(self.value(), List.of("127.0.0.1"), keys);
        TlsIdentity identity =
                Pem.readIdentity(
                        SitePki.Purpose.AGENT.certificate(keys), SitePki.Purpose.AGENT.key(keys));
        List<X509Certificate> authorities =
                Pem.readCertificates(keys.resolve(SitePki.CA_CERTIFICATE));
        return new HttpsTransport(
                peer,
                addresses,
                Tls.client(authorities, Optional.of(identity)),
                new InetSocketAddress(LOOPBACK, port),
                Tls.server(identity, authorities),
                (_, theirs) -> {
                    heard.add(theirs);
                    return answer;
                },
                () -> cannotStore);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, LOOPBACK)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void aQuestionAndItsAnswerArriveAsTheyWereSaid() {
        assertThat(north.ask(7, NORTHS))
                .isEqualTo(new PeerTransport.Reply.Answered(PeerMessages.Received.of(SOUTHS)));
        assertThat(heard).containsExactly(PeerMessages.Received.of(NORTHS));
    }

    @Test
    void eachIsToldThatTheOtherCannotStore() {
        cannotStore = true;

        assertThat(north.ask(7, NORTHS))
                .isInstanceOfSatisfying(
                        PeerTransport.Reply.Answered.class,
                        answered -> assertThat(answered.theirs().cannotStore()).isTrue());
        assertThat(heard).singleElement().matches(PeerMessages.Received::cannotStore);
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
}
