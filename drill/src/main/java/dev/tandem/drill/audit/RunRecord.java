package dev.tandem.drill.audit;

import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.pair.Writer;
import java.util.ArrayList;
import java.util.List;

/**
 * All that was seen of a run, and what of it should not have been.
 *
 * @param takeOvers those of each node
 * @param stopped when the client stopped to write
 */
record RunRecord(
        List<TakeOverAudit> takeOvers,
        List<HealthWatch.Sample> samples,
        List<Writer.Acknowledgement> acknowledgements,
        PowerRecord lab,
        ScenarioActs acts,
        Moment began,
        long stopped) {
    RunRecord {
        takeOvers = List.copyOf(takeOvers);
        samples = List.copyOf(samples);
        acknowledgements = List.copyOf(acknowledgements);
    }

    static RunRecord of(AuditedPair pair, ScenarioActs acts, Moment began, long stopped) {
        return new RunRecord(
                Pair.NODES.stream()
                        .map(node ->
                                new TakeOverAudit(
                                        node,
                                        pair.journalSince(node, began.nanoTime()),
                                        new AbdicationRecord(
                                                pair.journalSince(
                                                        Pair.peerOf(node), began.nanoTime()))))
                        .toList(),
                pair.samples(),
                pair.acknowledgements(),
                PowerRecord.of(pair.timeline(), began),
                acts,
                began,
                stopped);
    }

    List<String> takeOversWithoutProof() {
        return takeOvers.stream().flatMap(those -> those.withoutProof().stream()).toList();
    }

    List<String> takeOversBesideALiveServer() {
        return takeOvers.stream()
                .flatMap(those -> those.besideALiveServer(samples, lab, acts).stream())
                .toList();
    }

    List<String> takeOversWithoutPowerLoss() {
        List<String> findings = new ArrayList<>();
        for (TakeOverAudit those : takeOvers) {
            findings.addAll(
                    those.withoutPowerLoss(
                            samples,
                            writesOf(Pair.peerOf(those.node())),
                            lab,
                            acts,
                            began.nanoTime()));
        }
        return findings;
    }

    /** When a node acknowledged something. */
    List<Long> writesOf(String node) {
        int index = Pair.NODES.indexOf(node);
        return acknowledgements.stream()
                .filter(each -> each.node() == index)
                .map(Writer.Acknowledgement::nanos)
                .toList();
    }

    RecoveryPromiseAudit promises() {
        return new RecoveryPromiseAudit(
                lab,
                acts,
                samples,
                acknowledgements.stream().map(Writer.Acknowledgement::nanos).toList(),
                began.nanoTime(),
                stopped);
    }
}
