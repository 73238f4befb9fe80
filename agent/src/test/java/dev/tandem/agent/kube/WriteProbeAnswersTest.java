package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.host.pki.Tls;
import dev.tandem.host.pki.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the probe makes of each answer of an API server whose etcd serves, on the node that holds
 * the address, beside a peer that writes.
 */
class WriteProbeAnswersTest {
    /**
     * The server answers; how soon is the machine's matter, and the probe's clock is the test's.
     */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir private Path directory;

    private final List<Boolean> told = new ArrayList<>();
    private final List<JournalEvent> journal = new ArrayList<>();
    private final Node node = new Node();
    private volatile int answer = 200;
    private long now;
    private HttpsServer server;
    private WriteProbe probe;

    private final class Node implements WriteProbe.LocalNode {
        private boolean etcdServes = true;
        private boolean peerPresent = true;

        @Override
        public boolean peerPresent() {
            return peerPresent;
        }

        @Override
        public boolean holdsAddress() {
            return true;
        }

        @Override
        public boolean etcdServes() {
            return etcdServes;
        }

        @Override
        public boolean peerCanWrite() {
            return true;
        }

        @Override
        public boolean isOutOfReach() {
            return false;
        }

        @Override
        public void tell(boolean canWrite) {
            told.add(canWrite);
        }
    }

    @BeforeEach
    void begin() throws IOException {
        server =
                HttpsServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        TestAccess access = new TestAccess(directory);
        TlsIdentity identity = access.write(server.getAddress().getPort());
        server.setHttpsConfigurator(new HttpsConfigurator(Tls.server(identity)));
        server.createContext("/", this::answers);
        server.start();
        probe =
                new WriteProbe(
                        "north",
                        new KubeConnection(access.file(), LIMIT),
                        node,
                        journal::add,
                        InstantSource.system(),
                        () -> now,
                        LIMIT);
        looks(Duration.ofSeconds(2));
        assertThat(told).containsExactly(true);
        assertThat(probe.notTested()).isEmpty();
        told.clear();
        journal.clear();
    }

    @AfterEach
    void end() {
        probe.close();
        server.stop(0);
    }

    private void answers(HttpExchange request) throws IOException {
        try (request) {
            byte[] body =
                    "{\"kind\":\"Status\",\"message\":\"as the test says\"}"
                            .getBytes(StandardCharsets.UTF_8);
            request.getRequestBody().readAllBytes();
            request.getResponseHeaders().add("Content-Type", "application/json");
            request.sendResponseHeaders(answer, body.length);
            request.getResponseBody().write(body);
        }
    }

    private void looks(Duration time) {
        long end = now + time.toNanos();
        while (now < end) {
            probe.look();
            now += Duration.ofMillis(500).toNanos();
        }
    }

    /** Our own access is wrong: that says nothing of what others can write, and is said. */
    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void aServerThatRefusesTheAgentIsNotTested(int code) {
        answer = code;
        looks(Duration.ofSeconds(40));

        assertThat(told).as("etcd, which serves, stands for it").doesNotContain(false);
        assertThat(probe.notTested()).contains(code + " as the test says");
        assertThat(probe.cannotWrite()).isEmpty();
        assertThat(journal)
                .containsExactly(new JournalEvent.ApiNotTested(code + " as the test says"));

        node.etcdServes = false;
        looks(Duration.ofSeconds(5));
        assertThat(told).endsWith(false);
        assertThat(probe.notTested()).contains(code + " as the test says");
        assertThat(probe.cannotWrite()).contains("not tested; etcd does not serve");

        answer = 200;
        looks(Duration.ofSeconds(2));
        assertThat(probe.notTested()).as("tested again").isEmpty();
    }

    @Test
    void withoutAccessItIsNotTestedEither() throws IOException {
        Files.delete(new TestAccess(directory).file());
        looks(Duration.ofSeconds(2));

        assertThat(probe.notTested()).contains("no access to the API");
    }

    /** Whether it would write it did not say: its clients are not moved for a short rush. */
    @ParameterizedTest
    @CsvSource({"true, 29, false", "true, 32, true", "false, 29, false", "false, 32, true"})
    void aServerThatHasTooMuchToDoIsLeftOnlyIfThatLasts(
            boolean peerPresent, long seconds, boolean cannot) {
        node.peerPresent = peerPresent;
        answer = 429;
        looks(Duration.ofSeconds(seconds));

        assertThat(told.contains(false)).isEqualTo(cannot && peerPresent);
        assertThat(probe.cannotWrite().isPresent()).isEqualTo(cannot);
        assertThat(probe.notTested()).isEmpty();
        assertThat(probe.interval()).as("not asked more often").hasSeconds(1);
        assertThat(journal).doesNotHaveAnyElementsOfTypes(JournalEvent.ApiNotTested.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {409, 500, 503, 504})
    void whatIsNotAcceptedIsNotWritten(int code) {
        answer = code;
        looks(Duration.ofSeconds(3));
        assertThat(told).doesNotContain(false);

        looks(Duration.ofSeconds(2));
        assertThat(told).endsWith(false);
        assertThat(probe.cannotWrite()).contains(code + " as the test says");
    }

    /** Among refusals for the load one write that fails is part of the rush. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatFailsOnceInARushIsNotLeft(boolean peerPresent) {
        node.peerPresent = peerPresent;
        answer = 429;
        looks(Duration.ofSeconds(10));
        answer = 504;
        looks(Duration.ofMillis(500));
        answer = 429;
        looks(Duration.ofSeconds(10));

        assertThat(told).doesNotContain(false);
        assertThat(probe.cannotWrite()).isEmpty();
    }

    /** A rush gives no time to a server that then fails. */
    @Test
    void aServerThatFailsAfterARushIsLeftAtOnce() {
        answer = 429;
        looks(Duration.ofSeconds(10));
        assertThat(told).doesNotContain(false);

        answer = 500;
        looks(Duration.ofSeconds(1));
        assertThat(told).endsWith(false);
    }
}
