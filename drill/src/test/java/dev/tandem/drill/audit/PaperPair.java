package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdId;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** A pair on paper to which nothing happened, until a test changes what it answers. */
final class PaperPair implements AuditedPair {
    static final Lineage INSTALLED =
            Lineage.installed("site", new NodeName("node-0"), new BootId("the first"));

    private static final int ATTEMPTS = 3;

    final Map<String, AgentStatus> statuses = new HashMap<>();
    final Map<String, List<JournalLine>> journals = new HashMap<>();
    final Map<String, String> memories = new HashMap<>();
    final Map<String, List<EtcdApi.Member>> members = new HashMap<>();
    final Map<String, Lineage> lineages = new HashMap<>();
    final Map<String, Long> hashes = new HashMap<>();
    final Map<String, List<String>> missing = new HashMap<>();
    final List<Timeline.Entry> timeline = new ArrayList<>();
    final List<Writer.Acknowledgement> acknowledgements = new ArrayList<>();
    final List<String> backwards = new ArrayList<>();
    final List<HealthWatch.Sample> samples = new ArrayList<>();
    final List<String> lies = new ArrayList<>();
    final Set<String> leaksAtRest = new TreeSet<>();
    final Set<String> leaksOfProcesses = new TreeSet<>();
    boolean searched = true;

    PaperPair() {
        for (String node : Pair.NODES) {
            statuses.put(node, Samples.status(node, NodeHealth.REDUNDANT, true, 3900));
            journals.put(node, List.of());
            memories.put(node, stored("None"));
            members.put(node, List.of(member("node-0"), member("node-1")));
            hashes.put(node, 4711L);
            missing.put(node, List.of());
        }
    }

    static String stored(String abdication) {
        return """
        {"version":1,"abdication":{"is":"%s"},"claim":{"is":"None"},"proofs":[]}
        """
                .formatted(abdication);
    }

    static EtcdApi.Member member(String name) {
        URI url = URI.create("https://" + name + ":2380");
        return new EtcdApi.Member(
                new EtcdId(name.length()), name, List.of(url), List.of(url), false);
    }

    @Override
    public void await(String what, Duration limit, Callable<Boolean> condition) {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (ExpectationFailed e) {
                throw e;
            } catch (Exception e) {
                // Asked again.
            }
        }
        throw new ExpectationFailed("not within %d s: %s".formatted(limit.toSeconds(), what));
    }

    @Override
    public Optional<AgentStatus> status(String node) {
        return Optional.ofNullable(statuses.get(node));
    }

    @Override
    public List<JournalLine> journalSince(String node, long nanos) {
        return journals.getOrDefault(node, List.of()).stream()
                .filter(line -> line.nanos() == 0 || line.nanos() > nanos)
                .toList();
    }

    @Override
    public String memory(String node) {
        return memories.getOrDefault(node, "");
    }

    @Override
    public String boot(String node) {
        return "boot of " + node;
    }

    @Override
    public Lineage lineage(String node) {
        return lineages.getOrDefault(node, INSTALLED);
    }

    @Override
    public List<EtcdApi.Member> members(String node) {
        return members.getOrDefault(node, List.of());
    }

    /** Somebody goes on writing: nothing but a revision says of which moment it is. */
    @Override
    public EtcdApi.KeyHash hash(String node, long revision) {
        long hash = hashes.getOrDefault(node, 0L);
        return new EtcdApi.KeyHash(revision == 0 ? System.nanoTime() : hash, 1, 100 + revision);
    }

    @Override
    public List<Timeline.Entry> timeline() {
        return timeline;
    }

    @Override
    public void stopWriting() {}

    @Override
    public List<Writer.Acknowledgement> acknowledgements() {
        return acknowledgements;
    }

    @Override
    public List<String> backwards() {
        return backwards;
    }

    @Override
    public List<String> missingOn(String node) {
        return missing.getOrDefault(node, List.of());
    }

    @Override
    public List<HealthWatch.Sample> samples() {
        return samples;
    }

    @Override
    public Set<String> leaksOfProcesses() {
        return leaksOfProcesses;
    }

    @Override
    public Set<String> leaksAtRest() {
        if (!searched) {
            throw new IllegalStateException("cibadmin ended with exit code 105");
        }
        return leaksAtRest;
    }

    @Override
    public List<String> lies() {
        return lies;
    }
}
