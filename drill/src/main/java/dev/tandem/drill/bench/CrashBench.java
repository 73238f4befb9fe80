package dev.tandem.drill.bench;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.drill.agents.AgentKiller;
import dev.tandem.drill.audit.Audit;
import dev.tandem.drill.audit.HealthWatch;
import dev.tandem.drill.audit.Moment;
import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.drill.client.KubeClients;
import dev.tandem.host.Deadline;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.TimelineEvent;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Lets the same happen to a pair again and again while a client writes, and measures each phase.
 */
public final class CrashBench {
    /** A length, not a moment: the longest time without a write once there had been one again. */
    static final String LATER_GAP = "later gap";

    public static final String FIRST_WRITE = "first write";

    /** What the survivor's status said before about the first write. */
    public static final String PREDICTED = "predicted";

    /** The same about the first write that the API accepts. */
    public static final String API_PREDICTED = "api predicted";

    /** In the order in which they come. */
    public static final List<String> PHASES =
            List.of(
                    "detected",
                    "fence ordered",
                    "fenced",
                    "decided",
                    "etcd up",
                    FIRST_WRITE,
                    PREDICTED,
                    KubeClients.API_WRITE,
                    API_PREDICTED,
                    "leases freed",
                    "node marked",
                    KubeClients.PODS_MOVED,
                    KubeClients.PODS_AFTER_FENCE,
                    "redundant",
                    KubeClients.IN_SERVICE,
                    LATER_GAP);

    private static final Duration WARM = Duration.ofSeconds(3);
    private static final Duration RECOVERY = Duration.ofMinutes(2);

    /** Two voters need both: what is acknowledged later than this after the incident is new. */
    private static final Duration UNDER_WAY = Duration.ofMillis(500);

    private static final Duration REDUNDANCY = Duration.ofMinutes(6);

    /** Who dies. */
    public enum Victim {
        LEADER,
        FOLLOWER,
        /** One after the other. */
        BOTH;

        /** As it is typed. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One incident: milliseconds from its beginning to each event.
     *
     * @param megabytes size of the database that was asked for
     * @param powerCuts how often the power of a node was cut, by whomever
     * @param agentKills how many agents were killed meanwhile: such a run has no time objective
     * @param failedKills attempts at that which failed, though the node had power
     * @param acknowledged writes of this run
     * @param lost acknowledged writes that were not found afterwards, on the node that lacks more
     * @param findings what did not hold, in words
     */
    public record Run(
            BenchIncident incident,
            long megabytes,
            String victim,
            boolean wasLeader,
            Map<String, Long> millis,
            long powerCuts,
            int agentKills,
            int failedKills,
            long acknowledged,
            long lost,
            List<String> findings) {
        public Run {
            findings = List.copyOf(findings);
        }
    }

    /**
     * One more death of etcd within this time, and the node stands down: that is another figure.
     */
    private static final Duration DEATHS_COUNT = Duration.ofMinutes(2);

    private static final int DEATHS = 4;

    private static final int AGENT_KILLS = 6;

    /** A recovery and the return of the victim. */
    private static final Duration AGENT_KILL_SPAN = Duration.ofSeconds(9);

    private final Pair pair;
    private final Map<String, Deque<Deadline>> kills = new HashMap<>();
    private final Optional<LabKube> kube;
    private final int parallel;
    private final Optional<RandomGenerator> agentKills;

    /**
     * @param agentKills when agents are killed during each run, by which luck
     */
    public CrashBench(
            Pair pair, Optional<LabKube> kube, int parallel, Optional<RandomGenerator> agentKills) {
        this.pair = pair;
        this.kube = kube;
        this.parallel = parallel;
        this.agentKills = agentKills;
    }

    /**
     * Lets it happen once and waits until either node can fail without an outage again.
     *
     * @param number of the run, for those that take turns
     * @param megabytes noted with the run
     */
    public Run run(BenchIncident incident, Victim who, int number, long megabytes)
            throws IOException, InterruptedException {
        pair.awaitEitherCanFail(REDUNDANCY);
        String leader = Pair.NODES.stream().filter(pair::leads).findFirst().orElse("node-0");
        boolean theLeader = who == Victim.LEADER || (who == Victim.BOTH && number % 2 == 0);
        String aimedAt = theLeader ? leader : Pair.peerOf(leader);
        if (incident == BenchIncident.ETCD) {
            pace(aimedAt);
        }
        try (OutageProbe kubernetes = probe();
                Writer writer = pair.write(parallel);
                HealthWatch watch = new HealthWatch(pair, writer);
                AgentKiller killer = new AgentKiller(pair, AGENT_KILLS, AGENT_KILL_SPAN)) {
            Audit audit = Audit.begin(pair, writer, watch, Moment.now());
            watch.awaitFirstLooks();
            Thread.sleep(WARM);
            Map<String, BenchIncident.Predicted> predicted = predicted(incident);
            Instant began = Instant.now();
            long cut = System.nanoTime();
            incident.happenTo(pair, aimedAt);
            agentKills.ifPresent(killer::begin);
            kubernetes.begin(incident, aimedAt);
            String survivor =
                    incident == BenchIncident.ETCD
                            ? Pair.peerOf(aimedAt)
                            : awaitSurvivor(incident, aimedAt, writer, cut);
            if (incident == BenchIncident.SPLIT) {
                // The network alone: BMCs stay as slow as they are.
                pair.lab().heal(BenchIncident.SPLIT_NETWORK);
            }
            if (incident == BenchIncident.ETCD) {
                awaitWriting(writer);
            }
            pair.awaitRedundant(REDUNDANCY);
            long redundant = System.nanoTime();
            Map<String, Long> millis = phases(survivor, cut);
            long written = writer.longestGapSince(cut).toNanos();
            millis.put(FIRST_WRITE, (written - cut) / 1_000_000);
            millis.put("redundant", (redundant - cut) / 1_000_000);
            millis.putAll(kubernetes.end(incident, cut, millis));
            Optional.ofNullable(predicted.get(survivor))
                    .ifPresent(said -> {
                        millis.put(PREDICTED, said.etcd());
                        said.api().ifPresent(time -> millis.put(API_PREDICTED, time));
                    });
            writer.stop();
            millis.put(LATER_GAP, writer.longestGapSince(written).length().toMillis());
            killer.end();
            Audit.Result found = audit.end(ScenarioActs.NONE.withKills(killer.kills()), REDUNDANCY);
            String victim = Pair.peerOf(survivor);
            return new Run(
                    incident,
                    megabytes,
                    victim,
                    victim.equals(leader),
                    millis,
                    powerCutsSince(began),
                    killer.kills().size(),
                    killer.failures().size(),
                    writer.acknowledgedSoFar(),
                    // Where that could not be asked there is a finding.
                    found.lost().orElse(0),
                    found.findings());
        }
    }

    /** What each node says of a failure of the other. */
    private Map<String, BenchIncident.Predicted> predicted(BenchIncident incident) {
        Map<String, BenchIncident.Predicted> predicted = new HashMap<>();
        for (String node : Pair.NODES) {
            pair.status(node)
                    .map(AgentStatus::prediction)
                    .flatMap(incident::predicted)
                    .ifPresent(said -> predicted.put(node, said));
        }
        return predicted;
    }

    private void pace(String victim) throws InterruptedException {
        Deque<Deadline> counted = kills.computeIfAbsent(victim, _ -> new ArrayDeque<>());
        if (counted.size() == DEATHS) {
            counted.removeFirst().pause(DEATHS_COUNT);
        }
        counted.addLast(Deadline.in(DEATHS_COUNT));
    }

    private OutageProbe probe() throws IOException {
        return kube.isPresent()
                ? new KubeOutageProbe(pair, KubeClients.start(pair.lab(), kube.get()))
                : OutageProbe.NOBODY;
    }

    /**
     * In a split it is for the pair to say who survives; else it is the one that was spared. Where
     * its agent was killed as well, the victim may be fenced and back before anybody takes over:
     * then both serve as before, and nobody was ever alone.
     */
    private String awaitSurvivor(BenchIncident incident, String aimedAt, Writer writer, long cut) {
        List<String> candidates =
                incident == BenchIncident.SPLIT ? Pair.NODES : List.of(Pair.peerOf(aimedAt));
        pair.lab()
                .await(
                        "a node serves without the other",
                        RECOVERY,
                        () ->
                                writer.firstAfter(cut + UNDER_WAY.toNanos()).isPresent()
                                        && (candidates.stream().anyMatch(this::alone)
                                                || (agentKills.isPresent() && pair.isRedundant())));
        return candidates.stream().filter(this::alone).findFirst().orElse(candidates.getFirst());
    }

    private boolean alone(String node) {
        return pair.is(node, NodeHealth.ALONE);
    }

    private void awaitWriting(Writer writer) {
        int before = writer.acknowledgedSoFar();
        pair.lab().await("writes go on", RECOVERY, () -> writer.acknowledgedSoFar() > before + 20);
    }

    private long powerCutsSince(Instant moment) {
        return pair.lab().timeline().stream()
                .filter(entry -> entry.event() instanceof TimelineEvent.PowerCut)
                .filter(entry -> entry.at().isAfter(moment))
                .count();
    }

    private Map<String, Long> phases(String survivor, long since) {
        Map<String, Long> millis = new LinkedHashMap<>();
        for (JournalLine line : pair.journalSince(survivor, since)) {
            phase(line.event())
                    .ifPresent(
                            phase -> millis.putIfAbsent(phase, (line.nanos() - since) / 1_000_000));
        }
        return millis;
    }

    private static Optional<String> phase(JournalEvent event) {
        return switch (event) {
            case JournalEvent.MembershipChanged change ->
                    change.peerPresent() ? Optional.empty() : Optional.of("detected");
            case JournalEvent.FenceOrdered _ -> Optional.of("fence ordered");
            case JournalEvent.Fenced _ -> Optional.of("fenced");
            case JournalEvent.TakeOver step ->
                    step.forces() ? Optional.of("decided") : Optional.empty();
            case JournalEvent.Serving _ -> Optional.of("etcd up");
            case JournalEvent.LeasesFreed _ -> Optional.of("leases freed");
            case JournalEvent.NodeMarked _ -> Optional.of("node marked");
            default -> Optional.empty();
        };
    }
}
