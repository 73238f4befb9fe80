package dev.tandem.host.etcd;

import dev.tandem.host.BoundedHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Where etcd tells its figures, on the loopback and without keys. A second opinion on a server that
 * does not answer its clients' port: a firewall may stand before that one, and nothing before this.
 */
final class MetricsPort {
    /** A server that moves answers in a millisecond, from memory. */
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final URI health;

    MetricsPort(URI metrics) {
        this.health = metrics.resolve("/health?serializable=true");
    }

    /** Whether the server says anything at all there, be it that it is not well. */
    boolean answers() {
        // Seldom needed, so nothing is kept for it.
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            HttpResponse<Void> _ =
                    BoundedHttp.send(
                            client,
                            HttpRequest.newBuilder(health).timeout(ANSWER).build(),
                            HttpResponse.BodyHandlers.discarding(),
                            ANSWER);
            return true;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
