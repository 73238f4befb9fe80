package dev.tandem.agent.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.core.decision.FenceDelay;
import dev.tandem.core.health.RecoveryReadiness;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.testing.Sketch;
import dev.tandem.host.pki.SitePki;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real listener, in a JVM with the agent's heap, while strangers connect and do not go on. They
 * come from addresses of the loopback that are not the peer's.
 */
class PeerListenerStrangersTest {
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
                    new RecoveryReadiness.Automatic(),
                    Optional.empty(),
                    Optional.empty(),
                    FenceDelay.Link.UNKNOWN);

    /** The beginning of a handshake, whose rest never comes. */
    private static final byte[] HALF_A_HELLO =
            HexFormat.of().parseHex("16030102000100" + "01fc0303" + "00".repeat(200));

    private static final Duration ENOUGH = Duration.ofSeconds(60);

    /** Between two bytes of a handshake that does not end: with all of them it takes 20 s. */
    private static final int SLOWLY = 100;

    @TempDir Path directory;

    private final List<Socket> strangers = new ArrayList<>();
    private TestSite site;
    private Process south;
    private int port;
    private long questions;
    private HttpsTransport north;

    /** In the other JVM: south listens until its input ends. */
    public static final class South {
        private South() {}

        public static void main(String[] arguments) throws IOException {
            TestSite site = new TestSite(Path.of(arguments[0]));
            try (HttpsTransport south =
                    new HttpsTransport(
                            Sketch.NORTH,
                            List::of,
                            InetAddress.ofLiteral("127.0.0.1")::equals,
                            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                            site.issued(Sketch.SOUTH, SitePki.Purpose.AGENT),
                            site.authorities(),
                            site.certificatesOf(Sketch.NORTH),
                            (_, _) -> Optional.of(SOUTHS),
                            Map.of())) {
                System.out.println(south.port());
                // Until the test is over.
                System.in.transferTo(OutputStream.nullOutputStream());
            }
        }
    }

    @BeforeEach
    void begin() throws IOException {
        site = new TestSite(directory);
        site.issued(Sketch.SOUTH, SitePki.Purpose.AGENT);
        south =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx64m",
                                "-XX:+UseSerialGC",
                                "-Xss512k",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-cp",
                                System.getProperty("java.class.path"),
                                South.class.getName(),
                                directory.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        port =
                Integer.parseInt(
                        new BufferedReader(
                                        new InputStreamReader(
                                                south.getInputStream(), StandardCharsets.US_ASCII))
                                .readLine());
        north =
                new HttpsTransport(
                        Sketch.SOUTH,
                        () -> List.of(URI.create("https://127.0.0.1:" + port)),
                        _ -> false,
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                        site.issued(Sketch.NORTH, SitePki.Purpose.AGENT),
                        site.authorities(),
                        site.certificatesOf(Sketch.SOUTH),
                        (_, _) -> Optional.empty(),
                        Map.of());
    }

    @AfterEach
    void end() throws Exception {
        for (Socket stranger : strangers) {
            stranger.close();
        }
        north.close();
        south.getOutputStream().close();
        if (!south.waitFor(ENOUGH.toSeconds(), TimeUnit.SECONDS)) {
            south.destroyForcibly();
        }
    }

    private void stranger(int number, byte[] says) throws IOException {
        Socket socket = new Socket();
        // 127.0.0.1 is the peer's; each of these has a few.
        socket.bind(new InetSocketAddress("127.0.%d.2".formatted(number % 250 + 1), 0));
        strangers.add(socket);
        try {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 10_000);
            socket.getOutputStream().write(says);
        } catch (IOException e) {
            // Turned away, perhaps before it has noticed that it is connected.
            return;
        }
    }

    @Test
    @Timeout(600)
    void aThousandStrangersLeaveItAnsweringItsPeer() throws IOException {
        for (int i = 0; i < 1000; i++) {
            stranger(i, i % 2 == 0 ? new byte[0] : HALF_A_HELLO);
            if (i % 100 == 99) {
                awaitAnswer();
            }
        }

        assertThat(south.isAlive()).isTrue();
        // Nobody stays who does not go on; the rest is for a machine that is busy.
        await().atMost(PeerListener.HANDSHAKE.plus(ENOUGH))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> strangers.stream().noneMatch(PeerListenerStrangersTest::isConnected));
        awaitAnswer();
    }

    /** The limit for a connection is a second, which a machine that runs other tests may take. */
    private void awaitAnswer() {
        await().atMost(ENOUGH)
                .pollInterval(Duration.ofMillis(100))
                .until(() ->
                        north.ask(++questions, NORTHS) instanceof PeerTransport.Reply.Answered);
    }

    private static boolean isConnected(Socket stranger) {
        try {
            stranger.setSoTimeout(1);
            return stranger.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A handshake that goes on for ever, byte by byte, ends nevertheless. */
    @Test
    @Timeout(300)
    void aHandshakeHasALimit() throws IOException {
        long begun = System.nanoTime();
        stranger(1, new byte[0]);
        Socket stranger = strangers.getFirst();
        int said = 0;
        try {
            while (said < HALF_A_HELLO.length) {
                stranger.getOutputStream().write(HALF_A_HELLO, said++, 1);
                stranger.setSoTimeout(SLOWLY);
                try {
                    if (stranger.getInputStream().read() < 0) {
                        break;
                    }
                } catch (SocketTimeoutException e) {
                    // Nothing was said yet.
                }
            }
        } catch (IOException e) {
            // Hung up.
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isGreaterThan(Duration.ofSeconds(1));
        assertThat(said).as("it did not wait for the last byte").isLessThan(HALF_A_HELLO.length);
        assertThat(PeerListener.HANDSHAKE)
                .isLessThan(Duration.ofMillis((long) SLOWLY * HALF_A_HELLO.length / 2));
    }
}
