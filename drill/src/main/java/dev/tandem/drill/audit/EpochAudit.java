package dev.tandem.drill.audit;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Lineage;
import dev.tandem.lab.pair.Pair;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The epochs that a run added to the lineage on the disks, held against the take-overs that the
 * journals tell of. A take-over whose line is missing is judged all the same: by the epoch's own
 * record of who began it, by what the watch saw, and by the lab's record of the power.
 */
record EpochAudit(Lineage before, Lineage after, RunRecord run) {

    List<String> findings() {
        List<String> findings = new ArrayList<>();
        int shared = before.shared(after);
        if (shared < before.epochs().size() && run.acts().persons().isEmpty()) {
            findings.add(
                    "the lineage did not go on from what it was: %s, then %s"
                            .formatted(before, after));
        }
        Set<ScenarioActs.Act> used = new HashSet<>();
        for (Epoch epoch : after.epochs().subList(shared, after.epochs().size())) {
            String founder = epoch.founder().value();
            Optional<TakeOverAudit> those =
                    run.takeOvers().stream()
                            .filter(each -> each.node().equals(founder))
                            .findFirst();
            if (those.isEmpty()) {
                findings.add("epoch %s was begun by no node of the pair".formatted(epoch));
            } else if (!those.get().tellsOf(epoch)) {
                findings.addAll(unwritten(epoch, those.get(), used));
            }
        }
        return findings;
    }

    /**
     * @param used lies on which an earlier epoch rests
     */
    private List<String> unwritten(Epoch epoch, TakeOverAudit those, Set<ScenarioActs.Act> used) {
        List<String> findings = new ArrayList<>();
        if (!mayBeLost(those.node())) {
            findings.add(
                    "epoch %s has no take-over in the journal of %s, whose agent was not killed"
                            .formatted(epoch, those.node()));
        }
        if (!peerWasOut(epoch, those, used)) {
            findings.add(
                    "%s began epoch %s, and %s had neither lost its power nor given up its right"
                            .formatted(those.node(), epoch, Pair.peerOf(those.node())));
        }
        return findings;
    }

    /** Lines wait in the agent's memory for its disk: they are lost with either. */
    private boolean mayBeLost(String node) {
        long began = run.began().nanoTime();
        return run.acts().killedSince(node, began)
                || run.lab().wasDark(node, began, run.stopped())
                || run.lab().faults().stream()
                        .anyMatch(fault ->
                                fault.what() != PowerRecord.Need.BMC
                                        && fault.node().equals(node)
                                        && fault.nanos() - began > 0);
    }

    /** The moment is known only by what its founder said before and after, if it said anything. */
    private boolean peerWasOut(Epoch epoch, TakeOverAudit those, Set<ScenarioActs.Act> used) {
        String peer = Pair.peerOf(those.node());
        long began = run.began().nanoTime();
        long to =
                run.samples().stream()
                        .filter(sample -> says(sample, those.node(), epoch, true))
                        .mapToLong(HealthWatch.Sample::nanos)
                        .min()
                        .orElse(run.stopped());
        long from =
                run.samples().stream()
                        .filter(sample -> says(sample, those.node(), epoch, false))
                        .mapToLong(HealthWatch.Sample::nanos)
                        .filter(nanos -> nanos < to)
                        .max()
                        .orElse(began);
        long served =
                Math.max(began, those.peerLastServed(run.samples(), run.writesOf(peer), from));
        return run.lab().wasDark(peer, served, to)
                || those.peer().gaveUpBetween(from, to)
                || restsOnALie(those, to, used);
    }

    /** A BMC lies once: what a take-over in the journal rests on, or another epoch, is used up. */
    private boolean restsOnALie(TakeOverAudit those, long to, Set<ScenarioActs.Act> used) {
        String peer = Pair.peerOf(those.node());
        return those.unusedLies(run.lab(), run.acts()).stream()
                .filter(lie -> run.lab().feignedBetween(peer, lie.nanos(), to))
                .filter(lie -> !used.contains(lie))
                .findFirst()
                .map(used::add)
                .isPresent();
    }

    private static boolean says(
            HealthWatch.Sample sample, String node, Epoch epoch, boolean begun) {
        return sample.node().equals(node)
                && sample.said()
                        .flatMap(AgentStatus::own)
                        .filter(own -> own.epoch() > 0 && own.epoch() >= epoch.number() == begun)
                        .isPresent();
    }
}
