package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.replica.Lineage;
import dev.tandem.drill.secret.SecretWatch;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import dev.tandem.lab.spec.Timeline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * A pair in a lab, the client that writes to it, and the watches over both.
 *
 * @param secrets absent where nobody looks for them: it costs what a bench measures
 */
record WatchedPair(Pair pair, Writer writer, HealthWatch watch, Optional<SecretWatch> secrets)
        implements AuditedPair {
    @Override
    public void await(String what, Duration limit, Callable<Boolean> condition) {
        pair.lab().await(what, limit, condition);
    }

    @Override
    public Optional<AgentStatus> status(String node) {
        return pair.status(node);
    }

    @Override
    public List<JournalLine> journalSince(String node, long nanos) {
        return pair.journalSince(node, nanos);
    }

    @Override
    public String memory(String node) {
        return pair.memory(node);
    }

    @Override
    public String boot(String node) {
        return pair.boot(node);
    }

    @Override
    public Lineage lineage(String node) {
        return pair.lineage(node);
    }

    @Override
    public List<EtcdApi.Member> members(String node) {
        return pair.members(node);
    }

    @Override
    public EtcdApi.KeyHash hash(String node, long revision) {
        return pair.hash(node, revision);
    }

    @Override
    public List<Timeline.Entry> timeline() {
        return pair.lab().timeline();
    }

    @Override
    public void stopWriting() {
        writer.stop();
    }

    @Override
    public List<Writer.Acknowledgement> acknowledgements() {
        return writer.acknowledgements();
    }

    @Override
    public List<String> backwards() {
        return writer.backwards();
    }

    @Override
    public List<String> missingOn(String node) {
        return writer.missingOn(Pair.NODES.indexOf(node));
    }

    @Override
    public List<HealthWatch.Sample> samples() {
        return watch.samples();
    }

    @Override
    public Set<String> leaksOfProcesses() {
        return secrets.map(SecretWatch::leaksOfProcesses).orElse(Set.of());
    }

    @Override
    public Set<String> leaksAtRest() {
        return secrets.map(SecretWatch::leaksAtRest).orElse(Set.of());
    }

    @Override
    public List<String> lies() {
        return watch.lies();
    }
}
