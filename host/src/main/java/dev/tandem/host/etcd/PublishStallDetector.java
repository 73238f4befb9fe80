package dev.tandem.host.etcd;

import dev.tandem.host.Deadline;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Notices that a new member's own announcement does not come back to it.
 *
 * <p>etcd serves clients once it has announced its name through raft and met that entry in its log.
 * A member that joins an older cluster is sent a snapshot, and its announcement is mostly in it
 * already: the leader committed it while it made the snapshot. So the entry never comes, and etcd
 * waits five seconds and two election timeouts before it announces itself again. Restarted, which
 * its data is made for, it is ready at once.
 */
public final class PublishStallDetector implements AutoCloseable {
    /** All figures of a server have some hundred kilobytes. */
    private static final long MOST_BYTES = 8L << 20;

    private static final Duration PAUSE = Duration.ofMillis(100);

    /** An announcement that came after the snapshot is met within milliseconds. */
    private static final Duration GRACE = Duration.ofMillis(300);

    private static final Duration ANSWER = Duration.ofSeconds(1);

    /** The largest database has arrived by then. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    /** Named by term and index, in sixteen digits each. */
    private static final Pattern SNAPSHOT = Pattern.compile("[0-9a-f]{16}-([0-9a-f]{16})\\.snap");

    private static final Pattern APPLIED =
            Pattern.compile("(?m)^etcd_server_proposals_applied_total ([0-9.e+]+)$");

    private static final Pattern RESTORING =
            Pattern.compile("(?m)^etcd_server_snapshot_apply_in_progress_total ([0-9.e+]+)$");

    private final HttpRequest metrics;
    private final Path snapshots;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(ANSWER)
                    .build();

    /**
     * @param config of a server that was started with an empty directory
     */
    public PublishStallDetector(EtcdConfig config) {
        this.metrics =
                HttpRequest.newBuilder(config.metricsUrl().resolve("/metrics"))
                        .timeout(ANSWER)
                        .build();
        this.snapshots = config.dataDirectory().resolve("member").resolve("snap");
    }

    /**
     * Waits until the announcement is lost. Whoever calls it interrupts it when the server is ready
     * or gone: there is nobody else who could tell, so this asks.
     *
     * @return false when nothing was noticed for half an hour
     */
    public boolean await() throws InterruptedException {
        Deadline end = Deadline.in(LIMIT);
        while (!end.passed()) {
            if (restored()) {
                Thread.sleep(GRACE);
                return true;
            }
            Thread.sleep(PAUSE);
        }
        return false;
    }

    /** Whether a snapshot came and everything in it is in place. */
    private boolean restored() throws InterruptedException {
        try {
            OptionalLong index = newestSnapshot();
            if (index.isEmpty()) {
                return false;
            }
            String text =
                    client.send(
                                    metrics,
                                    HttpResponse.BodyHandlers.limiting(
                                            HttpResponse.BodyHandlers.ofString(), MOST_BYTES))
                            .body();
            return figure(APPLIED, text) >= index.getAsLong() && figure(RESTORING, text) == 0;
        } catch (IOException e) {
            // Not there yet, or gone: the interruption tells which.
            return false;
        }
    }

    private OptionalLong newestSnapshot() throws IOException {
        try (Stream<Path> files = Files.list(snapshots)) {
            return files.map(file -> SNAPSHOT.matcher(String.valueOf(file.getFileName())))
                    .filter(Matcher::matches)
                    .mapToLong(match -> Long.parseUnsignedLong(match.group(1), 16))
                    .max();
        }
    }

    private static double figure(Pattern metric, String text) {
        Matcher match = metric.matcher(text);
        return match.find() ? Double.parseDouble(match.group(1)) : -1;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
