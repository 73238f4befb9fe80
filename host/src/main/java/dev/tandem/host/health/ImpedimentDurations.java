package dev.tandem.host.health;

import dev.tandem.core.health.Impediment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Since when each impediment has been there without a break; on one thread. */
public final class ImpedimentDurations {
    private final LongSupplier nanos;
    private Map<Key, Long> since = Map.of();

    private record Key(Impediment.Cause cause, String node) {}

    public ImpedimentDurations(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Takes in all that is found now; what is gone counts from zero if it returns. */
    public void note(List<Impediment> found) {
        long now = nanos.getAsLong();
        Map<Key, Long> next = new HashMap<>();
        for (Impediment impediment : found) {
            Key key = key(impediment);
            next.put(key, since.getOrDefault(key, now));
        }
        since = next;
    }

    /** For how long it has been so; by the cause itself where that is known. */
    public Duration lasts(Impediment impediment) {
        long now = nanos.getAsLong();
        return impediment
                .known()
                .orElseGet(() -> Duration.ofNanos(now - since.getOrDefault(key(impediment), now)));
    }

    private static Key key(Impediment impediment) {
        return new Key(impediment.cause(), impediment.node());
    }
}
