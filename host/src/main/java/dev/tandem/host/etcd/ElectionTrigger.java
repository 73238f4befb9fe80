package dev.tandem.host.etcd;

import dev.tandem.host.Deadline;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.host.etcd.wal.WalRecord;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Spares a forced start the wait for its election.
 *
 * <p>etcd lets a cluster of one elect itself at once, but goes by the list of members it finds at
 * the start, and after a take-over that still has the dead peer in it: the only voter then waits
 * out one to two election timeouts with nobody to wait for. Raft has a message for such a moment,
 * the one with which a leader hands over: "time out now". It is sent here, over the port that
 * members talk on, by the one who knows that there is no leader to disturb.
 *
 * <p>It cannot do harm. A server that gets it asks for votes as any voter may at any time, and
 * needs a majority of the members it has: with a second voter in the list it would not win alone.
 * While the removal of the peer is not applied yet raft refuses to stand, and a leader ignores the
 * message; therefore it may be, and is, sent again until the server is ready. A version of etcd
 * that did not understand it would elect itself when its time is up, as before.
 */
public final class ElectionTrigger implements AutoCloseable {
    /** From start to port takes etcd a few of these; it tells nobody when it listens. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private static final Duration ANSWER = Duration.ofSeconds(1);

    /** A database of many gigabytes is loaded by then. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private static final byte TIME_OUT_NOW = 14;

    private final List<URI> servers;
    private final HttpClient client;

    /**
     * @param peerUrls where the server listens for other members; all are the same server, and one
     *     whose link is down may be without its address
     * @param tls with a certificate of this site; empty for a server without TLS, in tests
     */
    public ElectionTrigger(List<URI> peerUrls, Optional<SSLContext> tls) {
        this.servers = peerUrls.stream().map(url -> url.resolve("/raft")).toList();
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        tls.ifPresent(builder::sslContext);
        this.client = builder.build();
    }

    /** Sends until this thread is interrupted, which it is when the server is ready or gone. */
    public void call(EtcdId cluster, EtcdId member) {
        List<HttpRequest> requests =
                servers.stream().map(server -> request(server, cluster, member)).toList();
        Deadline end = Deadline.in(LIMIT);
        try {
            while (!end.passed()) {
                for (HttpRequest request : requests) {
                    if (sent(request)) {
                        break;
                    }
                }
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException e) {
            // The server is ready or gone; nothing is left to be sent, and the thread ends here.
        }
    }

    private static HttpRequest request(URI server, EtcdId cluster, EtcdId member) {
        return HttpRequest.newBuilder(server)
                .timeout(ANSWER)
                .header("Content-Type", "application/protobuf")
                .header("X-Etcd-Cluster-ID", cluster.toString())
                .header("X-Server-From", member.toString())
                // Without these two it takes the sender for a server of version 2.
                .header("X-Server-Version", "3.5.0")
                .header("X-Min-Cluster-Version", "3.0.0")
                .POST(HttpRequest.BodyPublishers.ofByteArray(message(member)))
                .build();
    }

    private boolean sent(HttpRequest request) throws InterruptedException {
        try {
            HttpResponse<Void> _ = client.send(request, HttpResponse.BodyHandlers.discarding());
            return true;
        } catch (IOException e) {
            // Not listening yet, or ended; the interruption tells when to stop.
            return false;
        }
    }

    /** From the member to itself, and with no term, which raft takes for its own. */
    private static byte[] message(EtcdId member) {
        ByteBuffer out = ByteBuffer.allocate(32);
        out.put((byte) 0x08).put(TIME_OUT_NOW);
        WalRecord.putVarint(out.put((byte) 0x10), member.bits());
        WalRecord.putVarint(out.put((byte) 0x18), member.bits());
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
