package dev.tandem.host.bmc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** How long the last answers took. */
public final class Latencies {
    /** Enough for a 90th percentile; at a check every 10 s the last ten minutes. */
    private static final int KEPT = 64;

    private final Deque<Duration> last = new ArrayDeque<>();

    public synchronized void add(Duration took) {
        if (last.size() == KEPT) {
            last.removeFirst();
        }
        last.addLast(took);
    }

    public synchronized Optional<LatencyFigures> figures() {
        if (last.isEmpty()) {
            return Optional.empty();
        }
        List<Duration> sorted = last.stream().sorted().toList();
        return Optional.of(
                new LatencyFigures(
                        sorted.size(),
                        last.getLast(),
                        sorted.get((sorted.size() - 1) / 2),
                        sorted.get((sorted.size() - 1) * 9 / 10),
                        sorted.getLast()));
    }
}
