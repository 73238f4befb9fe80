package dev.tandem.drill.audit;

import dev.tandem.lab.Unmet;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Watches a pair through whatever happens to it and judges by what the lab knows, not by what the
 * pair says of itself: no proof kept on a disk is about the boot its peer lives in, no take-over
 * happened while the peer had power and its right, and no status promised what did not come. What
 * cannot be read is a finding.
 */
public final class RunAudit implements AutoCloseable {
    private static final Duration ANSWERS = Duration.ofSeconds(60);

    private final Pair pair;
    private final Writer writer;
    private final Moment began = Moment.now();
    private final HealthWatch watch;

    /** Begins to watch; returns when both nodes have been looked at. */
    public RunAudit(Pair pair, Writer writer) {
        this.pair = pair;
        this.writer = writer;
        this.watch = new HealthWatch(pair, writer);
        watch.awaitFirstLooks();
    }

    /** What did not hold; to be asked when the writer has ended and the pair is settled. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        List<String> proofs = new ArrayList<>();
        try {
            pair.lab()
                    .await(
                            "the nodes answer the audit",
                            ANSWERS,
                            () -> {
                                proofs.clear();
                                proofs.addAll(durableProofs(pair));
                                return true;
                            });
        } catch (Unmet e) {
            findings.add("the audit could not be finished: " + e.getMessage());
        }
        findings.addAll(proofs);
        Seen record =
                Seen.of(pair, writer, watch.samples(), ScenarioActs.NONE, began, System.nanoTime());
        findings.addAll(record.lab().unknown());
        record.takeOvers().forEach(those -> findings.addAll(those.withoutProof()));
        findings.addAll(record.takeOversWithoutPowerLoss());
        findings.addAll(record.promises().broken());
        return findings;
    }

    @Override
    public void close() {
        watch.close();
    }

    /** Proofs that should not be on the disks now, in words. Fails where a node cannot be asked. */
    public static List<String> durableProofs(Pair pair) {
        List<String> findings = new ArrayList<>();
        for (String node : Pair.NODES) {
            try {
                findings.addAll(
                        new DurableProofAudit(node, pair.memory(node), pair.boot(Pair.peerOf(node)))
                                .aboutALivingBoot());
            } catch (Unmet e) {
                // A node that went off under the question is asked again.
                throw new IllegalStateException(node + " cannot be asked", e);
            }
        }
        return findings;
    }

    /**
     * All that was seen of a run.
     *
     * @param takeOvers those of each node
     * @param stopped when the client stopped to write
     */
    record Seen(
            List<TakeOverAudit> takeOvers,
            List<HealthWatch.Sample> samples,
            List<Writer.Acknowledgement> acknowledgements,
            PowerRecord lab,
            ScenarioActs excuses,
            Moment began,
            long stopped) {
        Seen {
            takeOvers = List.copyOf(takeOvers);
            samples = List.copyOf(samples);
            acknowledgements = List.copyOf(acknowledgements);
        }

        static Seen of(
                Pair pair,
                Writer writer,
                List<HealthWatch.Sample> samples,
                ScenarioActs excuses,
                Moment began,
                long stopped) {
            return new Seen(
                    Pair.NODES.stream()
                            .map(node ->
                                    new TakeOverAudit(
                                            node,
                                            pair.journalSince(node, began.nanoTime()),
                                            new AbdicationRecord(
                                                    pair.journalSince(
                                                            Pair.peerOf(node), began.nanoTime()))))
                            .toList(),
                    samples,
                    writer.acknowledgements(),
                    PowerRecord.of(pair.lab().timeline(), began),
                    excuses,
                    began,
                    stopped);
        }

        List<String> takeOversWithoutPowerLoss() {
            List<String> findings = new ArrayList<>();
            for (TakeOverAudit those : takeOvers) {
                int peer = Pair.NODES.indexOf(Pair.peerOf(those.node()));
                findings.addAll(
                        those.withoutPowerLoss(
                                samples,
                                acknowledgements.stream()
                                        .filter(each -> each.node() == peer)
                                        .map(Writer.Acknowledgement::nanos)
                                        .toList(),
                                lab,
                                excuses,
                                began.nanoTime()));
            }
            return findings;
        }

        RecoveryPromiseAudit promises() {
            return new RecoveryPromiseAudit(
                    lab,
                    excuses,
                    samples,
                    acknowledgements.stream().map(Writer.Acknowledgement::nanos).toList(),
                    began.nanoTime(),
                    stopped);
        }
    }
}
