package dev.tandem.drill.audit;

import dev.tandem.agentapi.JournalEvent.Decided;
import dev.tandem.agentapi.JournalEvent.TakeOver;
import dev.tandem.agentapi.JournalEvent.Unreadable;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Epoch;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The histories that a node began by force, by its own journal: each needs a proof that its peer
 * cannot act, and the peer's server must really have been down.
 *
 * @param peer what the peer's journal tells of its right to do the same
 */
record TakeOverAudit(String node, List<JournalLine> journal, AbdicationRecord peer) {
    /** An answer on its way when the power went, noted late by a busy client. */
    private static final Duration UNDER_WAY = Duration.ofSeconds(1);

    /**
     * A few looks: what was seen later says nothing of that moment. Nor does a node get anybody off
     * in less, so two forced starts this near are two histories.
     */
    private static final Duration SOON = Duration.ofSeconds(5);

    TakeOverAudit {
        journal = List.copyOf(journal);
    }

    /**
     * Those before which the node knew of nothing that let it go on alone, in words. A line that
     * cannot be read may be one of them, so it is a finding too.
     */
    List<String> withoutProof() {
        List<String> findings = new ArrayList<>();
        Optional<Decided> decision = Optional.empty();
        for (JournalLine line : journal) {
            switch (line.event()) {
                case Decided made -> decision = Optional.of(made);
                case TakeOver step when step.forces() -> {
                    if (decision.filter(TakeOverAudit::isProven).isEmpty()) {
                        findings.add(
                                "%s took over without proof: %s"
                                        .formatted(
                                                node,
                                                decision.map(Decided::said)
                                                        .orElse("no decision before it")));
                    }
                }
                case Unreadable unreadable -> {
                    decision = Optional.empty();
                    findings.add(
                            "the journal of %s has a line that cannot be read: %s (%s)"
                                    .formatted(node, unreadable.event(), unreadable.why()));
                }
                default -> {
                    // Nothing that allows or is a take-over.
                }
            }
        }
        return findings;
    }

    /** A proof that still holds for what is known of the peer, or a claim that came of one. */
    private static boolean isProven(Decided decision) {
        Situation situation = decision.situation();
        return situation.mine().claim() instanceof Claim.TakeOver
                || situation.proofs().stream().anyMatch(proof -> allows(proof, situation));
    }

    /** Written apart from the decision that it audits, and as strict. */
    private static boolean allows(PeerProof proof, Situation situation) {
        NodeName peer = situation.membership().peer();
        return switch (proof) {
            case PeerProof.Fenced fenced ->
                    fenced.target().equals(peer)
                            && fenced.observed() == PowerReading.OFF
                            && situation.peer().isIn(fenced.peerBoot());
            case PeerProof.HeldOff held ->
                    held.target().equals(peer) && held.observed() == PowerReading.OFF;
            case PeerProof.Yielded(Abdication abdication) ->
                    situation.peer() instanceof PeerView.FactsKnown(NodeFacts theirs)
                            && theirs.abdication().equals(abdication)
                            && abdication.number() > situation.mine().released();
            case PeerProof.Stated stated ->
                    stated.about().equals(peer)
                            && stated.incident()
                                    .equals(Incident.of(situation.mine(), situation.peer()))
                            && switch (stated.statement()) {
                                case PEER_IS_OFF, PEER_IS_OFF_LOSS_ACCEPTED -> true;
                                // It gives this node's own history up.
                                case KEEP_PEERS_HISTORY -> false;
                            };
        };
    }

    /**
     * Those at which the peer's server was seen alive, whatever the journals say: it was the same
     * process before and after, or its node was frozen before and after.
     */
    List<String> besideALiveServer(
            List<HealthWatch.Sample> samples, PowerRecord lab, ScenarioActs excuses) {
        String other = Pair.peerOf(node);
        List<HealthWatch.Sample> ofPeer = ofPeer(samples);
        Set<Long> excused = excused(lab, excuses);
        return moments().stream()
                .filter(at -> !excused.contains(at) && wasAlive(ofPeer, at))
                .map(_ -> "%s took over while the server of %s was alive".formatted(node, other))
                .toList();
    }

    /**
     * Those before which the peer had neither been without power since it last served, by the lab's
     * own record, nor given up its right and ended its server; and those beside which the peer did
     * the same.
     *
     * @param writes when the peer acknowledged something
     * @param began when the record begins; both served then
     */
    List<String> withoutPowerLoss(
            List<HealthWatch.Sample> samples,
            List<Long> writes,
            PowerRecord lab,
            ScenarioActs excuses,
            long began) {
        String other = Pair.peerOf(node);
        List<HealthWatch.Sample> ofPeer = ofPeer(samples);
        Set<Long> excused = excused(lab, excuses);
        List<String> findings = new ArrayList<>();
        for (long at : moments()) {
            long served = Math.max(began, lastServed(ofPeer, writes, at));
            if (excused.contains(at)) {
                continue;
            }
            if (peerForcedBeside(lab, at)) {
                findings.add("%s and %s took over at the same time".formatted(node, other));
            } else if (!lab.wasDark(other, served, at) && !hadLeft(ofPeer, lab, at)) {
                findings.add(
                        "%s took over, and since it last served %s had neither lost its power nor given up its right and ended its server"
                                .formatted(node, other));
            }
        }
        if (journal.stream().anyMatch(line -> isForced(line) && line.nanos() == 0)) {
            findings.add("%s took over at a moment that is not known".formatted(node));
        }
        return findings;
    }

    /** Both histories lived, unless the power of the one went before the other began. */
    private boolean peerForcedBeside(PowerRecord lab, long at) {
        return peer.forcedWithin(SOON, at)
                .anyMatch(theirs ->
                        theirs - at < 0
                                ? !lab.wasDark(Pair.peerOf(node), theirs, at)
                                : !lab.wasDark(node, at, theirs));
    }

    private static long lastServed(List<HealthWatch.Sample> ofPeer, List<Long> writes, long at) {
        long seen =
                ofPeer.stream()
                        .filter(HealthWatch.Sample::isWell)
                        .mapToLong(HealthWatch.Sample::nanos)
                        .filter(nanos -> nanos < at)
                        .max()
                        .orElse(Long.MIN_VALUE);
        long wrote =
                writes.stream()
                        .mapToLong(nanos -> nanos - UNDER_WAY.toNanos())
                        .filter(nanos -> nanos < at)
                        .max()
                        .orElse(Long.MIN_VALUE);
        return Math.max(seen, wrote);
    }

    /**
     * By its own journal, and by what was seen just before and just after: who left or stood down
     * has no process, or another one. A process that is gone is no departure: a server that crashed
     * or was killed is started again. One that lost its power only after the take-over had ended
     * nothing before it.
     */
    private boolean hadLeft(List<HealthWatch.Sample> ofPeer, PowerRecord lab, long at) {
        Optional<HealthWatch.Sample> before =
                lastBefore(ofPeer, at).filter(s -> at - s.nanos() < SOON.toNanos());
        Optional<HealthWatch.Sample> after =
                firstAfter(ofPeer, at)
                        .filter(s -> s.nanos() - at < SOON.toNanos())
                        .filter(s -> !lab.wasDark(Pair.peerOf(node), at, s.nanos()));
        boolean another =
                before.isPresent()
                        && after.isPresent()
                        && before.get().process() != 0
                        && after.get().process() != 0
                        && before.get().process() != after.get().process();
        boolean ended =
                another
                        || before.filter(s -> !s.runs()).isPresent()
                        || after.filter(s -> !s.runs()).isPresent();
        return ended && peer.stands(at);
    }

    /** The moments of take-overs that rested on a BMC's false Off alone, one for each lie. */
    private Set<Long> excused(PowerRecord lab, ScenarioActs excuses) {
        return Set.copyOf(excusedBy(lab, excuses).values());
    }

    /** Which of the lies about the peer no take-over in the journal may rest on. */
    List<ScenarioActs.Act> unusedLies(PowerRecord lab, ScenarioActs excuses) {
        Set<ScenarioActs.Act> used = excusedBy(lab, excuses).keySet();
        return excuses.lies().stream()
                .filter(lie -> lie.what().equals(Pair.peerOf(node)) && !used.contains(lie))
                .toList();
    }

    private Map<ScenarioActs.Act, Long> excusedBy(PowerRecord lab, ScenarioActs excuses) {
        String other = Pair.peerOf(node);
        Map<ScenarioActs.Act, Long> excused = new HashMap<>();
        for (ScenarioActs.Act lie : excuses.lies()) {
            moments().stream()
                    .filter(at -> lie.what().equals(other) && at - lie.nanos() > 0)
                    .findFirst()
                    .filter(at -> lab.feignedBetween(other, lie.nanos(), at))
                    .ifPresent(at -> excused.put(lie, at));
        }
        return excused;
    }

    /** Whether its journal says that it began this very epoch. */
    boolean tellsOf(Epoch epoch) {
        return journal.stream()
                .anyMatch(line ->
                        line.event() instanceof TakeOver step
                                && step.forces()
                                && step.epoch().equals(epoch));
    }

    /** When the peer was last known to serve before a moment. */
    long peerLastServed(List<HealthWatch.Sample> samples, List<Long> writes, long at) {
        return lastServed(ofPeer(samples), writes, at);
    }

    private static boolean isForced(JournalLine line) {
        return line.event() instanceof TakeOver step && step.forces();
    }

    private List<Long> moments() {
        return journal.stream().filter(TakeOverAudit::isForced).map(JournalLine::nanos).toList();
    }

    private List<HealthWatch.Sample> ofPeer(List<HealthWatch.Sample> samples) {
        String other = Pair.peerOf(node);
        return samples.stream().filter(sample -> sample.node().equals(other)).toList();
    }

    private static Optional<HealthWatch.Sample> lastBefore(
            List<HealthWatch.Sample> ofPeer, long at) {
        return ofPeer.stream().filter(s -> s.nanos() - at < 0).reduce((_, later) -> later);
    }

    private static Optional<HealthWatch.Sample> firstAfter(
            List<HealthWatch.Sample> ofPeer, long at) {
        return ofPeer.stream().filter(s -> s.nanos() - at > 0).findFirst();
    }

    private static boolean wasAlive(List<HealthWatch.Sample> ofPeer, long at) {
        Optional<HealthWatch.Sample> before = lastBefore(ofPeer, at);
        Optional<HealthWatch.Sample> after = firstAfter(ofPeer, at);
        return before.isPresent() && after.isPresent() && oneLife(before.get(), after.get());
    }

    private static boolean oneLife(HealthWatch.Sample before, HealthWatch.Sample after) {
        return before.power() == LabStatus.State.FROZEN
                ? after.power() == LabStatus.State.FROZEN
                : before.process() != 0 && before.process() == after.process();
    }
}
