package dev.tandem.lab.failover;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Cuts the power of one node again and again under a writing client, and measures each phase. */
public final class CrashBench {
    private static final Duration WARM = Duration.ofSeconds(3);

    /** Who dies. */
    public enum Victim {
        LEADER,
        FOLLOWER,
        /** One after the other. */
        BOTH
    }

    /**
     * One crash: milliseconds from the power cut to each event.
     *
     * @param acknowledged writes of this run
     * @param lost acknowledged writes that were not found afterwards
     */
    public record Run(
            String victim,
            boolean wasLeader,
            Map<String, Long> millis,
            long acknowledged,
            int lost) {}

    /** A phase over all runs, in milliseconds. */
    public record Figure(String phase, long p50, long p90, long p99, long max) {
        static Figure of(String phase, List<Long> values) {
            List<Long> sorted = values.stream().sorted().toList();
            return new Figure(
                    phase,
                    percentile(sorted, 50),
                    percentile(sorted, 90),
                    percentile(sorted, 99),
                    sorted.getLast());
        }

        private static long percentile(List<Long> sorted, int percent) {
            int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
            return sorted.get(Math.max(0, rank - 1));
        }
    }

    private final Pair pair;
    private final int parallel;

    public CrashBench(Pair pair, int parallel) {
        this.pair = pair;
        this.parallel = parallel;
    }

    public Run crash(Victim who, int number) throws InterruptedException {
        pair.awaitSettled(Duration.ofMinutes(4));
        String leader = Pair.NODES.stream().filter(pair::leads).findFirst().orElse("node-0");
        boolean theLeader = who == Victim.LEADER || (who == Victim.BOTH && number % 2 == 0);
        String victim = theLeader ? leader : Pair.peerOf(leader);
        String survivor = Pair.peerOf(victim);
        try (Writer writer = pair.write(parallel)) {
            Thread.sleep(WARM);
            long cut = System.nanoTime();
            pair.lab().node(victim).cutPower();
            pair.lab()
                    .await(
                            survivor + " serves alone",
                            Duration.ofMinutes(2),
                            () ->
                                    pair.health(survivor).equals("ALONE")
                                            && writer.firstAfter(System.nanoTime() - 500_000_000L)
                                                    .isPresent());
            long firstWrite = writer.longestGapSince(cut).toNanos();
            pair.awaitRedundant(Duration.ofMinutes(4));
            long redundant = System.nanoTime();
            Map<String, Long> millis = new LinkedHashMap<>();
            for (JsonNode line : pair.journalSince(survivor, cut)) {
                phase(line)
                        .ifPresent(phase ->
                                millis.putIfAbsent(
                                        phase,
                                        line.path("monotonicMicros").asLong() / 1000
                                                - cut / 1_000_000));
            }
            millis.put("first write", (firstWrite - cut) / 1_000_000);
            millis.put("redundant", (redundant - cut) / 1_000_000);
            writer.stop();
            pair.awaitSettled(Duration.ofMinutes(4));
            int lost = writer.missingOn(Pair.NODES.indexOf(survivor)).size();
            return new Run(victim, theLeader, millis, writer.acknowledgedSoFar(), lost);
        }
    }

    private static Optional<String> phase(JsonNode line) {
        return switch (line.path("event").asText()) {
            case "membership" ->
                    line.path("peerPresent").asBoolean()
                            ? Optional.empty()
                            : Optional.of("detected");
            case "fence-ordered" -> Optional.of("fence ordered");
            case "fenced" -> Optional.of("fenced");
            case "take-over" ->
                    line.path("phase").asText().equals("forcing")
                            ? Optional.of("decided")
                            : Optional.empty();
            case "serving" -> Optional.of("etcd up");
            default -> Optional.empty();
        };
    }

    /** The phases in their order, over all runs. */
    public static List<Figure> figures(List<Run> runs) {
        Map<String, List<Long>> phases = new LinkedHashMap<>();
        for (String phase :
                List.of(
                        "detected",
                        "fence ordered",
                        "fenced",
                        "decided",
                        "etcd up",
                        "first write",
                        "redundant")) {
            for (Run run : runs) {
                Long value = run.millis().get(phase);
                if (value != null) {
                    phases.computeIfAbsent(phase, _ -> new ArrayList<>()).add(value);
                }
            }
        }
        return phases.entrySet().stream()
                .map(entry -> Figure.of(entry.getKey(), entry.getValue()))
                .toList();
    }
}
