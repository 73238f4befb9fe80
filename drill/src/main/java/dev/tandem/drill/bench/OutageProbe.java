package dev.tandem.drill.bench;

import java.io.IOException;
import java.util.Map;

/** Somebody who sees an incident from where users are, and says how long it was for them. */
interface OutageProbe extends AutoCloseable {
    /** It has just happened. */
    void begin(BenchIncident incident, String aimedAt);

    /**
     * The pair is well again; waits until its users see that too.
     *
     * @param cut when it happened, of {@link System#nanoTime}
     * @param phases what is known so far, in milliseconds from then
     */
    Map<String, Long> end(BenchIncident incident, long cut, Map<String, Long> phases)
            throws InterruptedException;

    @Override
    void close() throws IOException;

    /** Etcd alone is measured. */
    OutageProbe NOBODY =
            new OutageProbe() {
                @Override
                public void begin(BenchIncident incident, String aimedAt) {}

                @Override
                public Map<String, Long> end(
                        BenchIncident incident, long cut, Map<String, Long> phases) {
                    return Map.of();
                }

                @Override
                public void close() {}
            };
}
