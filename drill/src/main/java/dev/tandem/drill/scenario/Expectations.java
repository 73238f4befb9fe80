package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.health.Impediment;
import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.host.Deadline;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.pair.Pair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** What has to hold in a scenario: it ends with what does not, or keeps that as a finding. */
interface Expectations extends Waits {
    Duration POLL = Duration.ofMillis(500);

    /** Keeps by this name that it does not hold, and goes on: there is more to see. */
    boolean finds(boolean holds, String what);

    /** Keeps a measured time for the report, beside what the acceptance timeline asks for. */
    void figure(String what, Duration measured, Duration bound);

    /** The same, where the bound is a promise: beyond it is a finding. */
    default void judgedFigure(String what, Duration measured, Duration bound) {
        figure(what, measured, bound);
        finds(
                measured.compareTo(bound) <= 0,
                "%s within %d s (it was %d ms)"
                        .formatted(what, bound.toSeconds(), measured.toMillis()));
    }

    /** Fails by this name unless it holds. */
    default void expect(boolean holds, String what) {
        if (!holds) {
            throw new ExpectationFailed("expected, but not so: " + what);
        }
    }

    /** Watches for a while that something holds all the time. */
    default void holds(String what, Duration time, Callable<Boolean> condition) throws Exception {
        Deadline end = Deadline.in(time);
        while (!end.passed()) {
            expect(condition.call(), what);
            pause(POLL);
        }
    }

    /**
     * For a while this node, which has booted and not met its peer, runs no etcd and orders no
     * fence.
     */
    default void holdsInert(String node, Duration time) throws Exception {
        long since = System.nanoTime();
        holds(
                node + " is inert: no etcd, no fence, nothing served",
                time,
                () ->
                        !runsEtcd(node)
                                && !happened(node, JournalEvent.FenceOrdered.class, since)
                                && !pair().is(node, NodeHealth.ALONE));
    }

    /** Like {@link #await}, but what does not come is kept as a finding. */
    default boolean awaitOrFind(String what, Duration limit, Callable<Boolean> condition) {
        return finds(
                comesBefore(Deadline.in(limit), condition),
                "within %d s %s".formatted(limit.toSeconds(), what));
    }

    /** The same, with a limit that counts from an earlier moment. */
    default boolean awaitOrFind(
            String what, long sinceNanos, Duration limit, Callable<Boolean> condition) {
        return finds(
                comesBefore(Deadline.after(sinceNanos, limit), condition),
                "within %d s %s".formatted(limit.toSeconds(), what));
    }

    /** Asks at least once, and until the deadline. */
    private boolean comesBefore(Deadline deadline, Callable<Boolean> condition) {
        do {
            try {
                if (condition.call()) {
                    return true;
                }
                pause(POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting", e);
            } catch (ExpectationFailed e) {
                throw e;
            } catch (Exception e) {
                // What cannot be asked yet may be asked later: the deadline decides.
            }
        } while (!deadline.passed());
        return false;
    }

    /**
     * Within the limit the status of a node no longer promises a recovery, exits as it should, and
     * names a cause; a finding otherwise.
     */
    default boolean awaitWarning(String node, long sinceNanos, Duration limit) {
        return awaitTold(
                node, "promises no recovery and names a cause", sinceNanos, limit, Told::warns);
    }

    /** The same, and the cause is this one. */
    default boolean awaitWarning(
            String node, Impediment.Cause cause, long sinceNanos, Duration limit) {
        return awaitTold(
                node,
                "promises no recovery and names the cause " + cause,
                sinceNanos,
                limit,
                told -> told.warnsOf(cause));
    }

    /**
     * Within the limit the first line of a node's status names this cause, and the command that
     * ends it; a finding otherwise.
     */
    default boolean awaitFirstLine(
            String node, Impediment.Cause cause, long sinceNanos, Duration limit) {
        return awaitTold(
                node,
                "names the cause %s and its end in the first line".formatted(cause),
                sinceNanos,
                limit,
                told -> !told.promises() && told.tellsFirst(cause));
    }

    /** What comes late is waited for all the same, and is a finding: there is more to see. */
    private boolean awaitTold(
            String node, String what, long sinceNanos, Duration limit, Predicate<Told> which) {
        List<String> answers = new ArrayList<>(List.of("nothing"));
        Duration patience = limit.plus(ScenarioActs.TO_NOTICE);
        boolean late = System.nanoTime() - sinceNanos > limit.toNanos();
        boolean comes =
                comesBefore(
                        Deadline.after(sinceNanos, patience),
                        () -> {
                            Told told = told(node);
                            answers.add(told.words());
                            return which.test(told);
                        });
        // Who begins to look when the time is over cannot tell when it came.
        if (comes && !late) {
            judgedFigure(
                    "fault to warning on " + node,
                    Duration.ofNanos(System.nanoTime() - sinceNanos),
                    limit);
        }
        return finds(
                comes,
                "within %d s of the fault the status of %s %s, not: %s"
                        .formatted(patience.toSeconds(), node, what, answers.getLast()));
    }

    /**
     * Once a cause has been there for as long as it may take to be known, and for a while after
     * that, no status says that either node can fail; a finding otherwise. What happens then is no
     * longer excused by the cause.
     */
    default void findsNoPromise(long sinceNanos) throws InterruptedException {
        Deadline known = Deadline.after(sinceNanos, ScenarioActs.TO_NOTICE);
        while (!known.passed()) {
            pause(POLL);
        }
        Deadline end = Deadline.in(Duration.ofSeconds(5));
        boolean none = true;
        while (none && !end.passed()) {
            for (String node : Pair.NODES) {
                Told told = told(node);
                none &=
                        finds(
                                !told.status().eitherNodeCanFail(),
                                "the status of %s does not say that either node can fail, as in: %s"
                                        .formatted(node, told.words()));
            }
            pause(POLL);
        }
    }

    /** Within the limit the status of a node promises a recovery again; a finding otherwise. */
    default boolean awaitPromise(String node, Duration limit) {
        return awaitOrFind(
                "the status of %s promises a recovery again".formatted(node),
                limit,
                () -> told(node).promises());
    }

    /** Nobody's power was touched, not even that of a machine that was off. */
    default void expectNoFence() {
        expectFences(0);
        expectSwitchedOff(0);
    }

    /** Expects this many receipts of a peer that was read Off, on both nodes together. */
    default void expectFences(int count) {
        int found = count(JournalEvent.Fenced.class);
        expect(found == count, "%d fences (there were %d)".formatted(count, found));
    }

    /** Expects that this many running machines were switched off by a node. */
    default void expectSwitchedOff(int count) {
        int found = switchedOff();
        expect(
                found == count,
                "%d running machines switched off (there were %d)".formatted(count, found));
    }

    /** No history was begun by force. */
    default void expectNoTakeOver() {
        expectNoTakeOver(began().nanoTime());
    }

    /** No history was begun by force since a moment. */
    default void expectNoTakeOver(long sinceNanos) {
        for (String node : Pair.NODES) {
            expect(
                    journal(node, JournalEvent.TakeOver.class, sinceNanos).isEmpty(),
                    "no take-over by %s".formatted(node));
        }
    }

    /** For a while nobody begins a history by force. */
    default void holdsNoTakeOver(long sinceNanos, Duration time) throws Exception {
        Deadline end = Deadline.in(time);
        while (!end.passed()) {
            expectNoTakeOver(sinceNanos);
            pause(POLL);
        }
    }

    /** At most this many times etcd ended or was stopped, on both nodes together. */
    default void expectRestartsAtMost(int most) {
        int found = count(JournalEvent.EtcdExited.class) + count(JournalEvent.EtcdStopped.class);
        expect(found <= most, "at most %d restarts (there were %d)".formatted(most, found));
    }

    /** At most this many receipts of a peer that was read Off, on both nodes together. */
    default void expectFencesAtMost(int most) {
        int found = count(JournalEvent.Fenced.class);
        expect(found <= most, "at most %d fences (there were %d)".formatted(most, found));
    }

    /** No data was moved out of the way. */
    default void expectNothingSetAside(long sinceNanos) {
        for (String node : Pair.NODES) {
            List<JournalEvent.Decided> joins =
                    journal(node, JournalEvent.Decided.class, sinceNanos).stream()
                            .filter(made -> made.decision() instanceof Decision.JoinAsLearner)
                            .toList();
            expect(
                    joins.isEmpty(),
                    "no data set aside on %s, but %s"
                            .formatted(
                                    node, joins.stream().map(JournalEvent.Decided::said).toList()));
        }
    }

    /**
     * A node that stood down joins the one that took over as soon as that serves, and sets its data
     * aside then; before that, its data may be the only data there is.
     */
    default void expectSetAsideOnlyWhileThePeerServes(long sinceNanos) {
        for (String node : Pair.NODES) {
            List<String> early =
                    joinsWithoutAServer(
                            pair().journalSince(node, sinceNanos),
                            pair().journalSince(Pair.peerOf(node), sinceNanos));
            expect(
                    early.isEmpty(),
                    "%s sets its data aside only while its peer serves, but: %s"
                            .formatted(node, early));
        }
    }

    /**
     * The decisions to join that were made while etcd of the peer did not serve, as far as both
     * journals tell.
     */
    static List<String> joinsWithoutAServer(List<JournalLine> joiner, List<JournalLine> peer) {
        return joiner.stream()
                .filter(line ->
                        line.event() instanceof JournalEvent.Decided made
                                && made.decision() instanceof Decision.JoinAsLearner
                                && !servesAt(line.nanos(), peer))
                .map(line -> line.event().sentence())
                .toList();
    }

    private static boolean servesAt(long nanos, List<JournalLine> journal) {
        boolean serves = false;
        for (JournalLine line : journal) {
            if (line.nanos() <= nanos) {
                serves =
                        switch (line.event()) {
                            case JournalEvent.Serving _ -> true;
                            case JournalEvent.EtcdStopped _, JournalEvent.EtcdExited _ -> false;
                            case JournalEvent.TakeOver begun
                                    when begun.phase() == JournalEvent.TakeOver.Phase.STOPPING ->
                                    false;
                            default -> serves;
                        };
            }
        }
        return serves;
    }

    private int count(Class<? extends JournalEvent> event) {
        return Pair.NODES.stream()
                .mapToInt(node -> journal(node, event, began().nanoTime()).size())
                .sum();
    }
}
