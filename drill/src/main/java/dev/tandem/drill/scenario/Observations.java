package dev.tandem.drill.scenario;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.core.NodeName;
import dev.tandem.core.Runbook;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.Impediment;
import dev.tandem.drill.audit.Moment;
import dev.tandem.drill.audit.ScenarioActs;
import dev.tandem.host.Commands;
import dev.tandem.lab.Lab;
import dev.tandem.lab.NodeHandle;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a scenario can see of the pair: journals, statuses, BMCs and the timeline. */
interface Observations {
    /** Generous: the machine of a build may be busy. Figures hold the bounds, limits do not. */
    Duration RECOVERY = Duration.ofSeconds(90);

    Duration REDUNDANCY = Duration.ofMinutes(4);
    Duration SHORT = Duration.ofSeconds(20);

    /**
     * Within this after its cause a status tells what is in the way of a recovery: a promise, and
     * shorter than the time for which audits excuse a status that does not ({@link
     * ScenarioActs#TO_NOTICE}).
     */
    Duration WARNED = Duration.ofSeconds(15);

    Pair pair();

    /** When the scenario began. */
    Moment began();

    default Lab lab() {
        return pair().lab();
    }

    default NodeHandle node(String name) {
        return lab().node(name);
    }

    /** The node whose server leads. */
    default String leader() {
        List<String> found = new ArrayList<>();
        lab().await(
                        "one server leads",
                        SHORT,
                        () ->
                                Pair.NODES.stream()
                                        .filter(pair()::leads)
                                        .findFirst()
                                        .map(found::add)
                                        .isPresent());
        return found.getLast();
    }

    default String follower() {
        return Pair.peerOf(leader());
    }

    /** Whether a node's journal has such an event since the scenario began. */
    default boolean happened(String node, Class<? extends JournalEvent> event) {
        return happened(node, event, began().nanoTime());
    }

    /** Whether a node's journal has such an event since a moment of {@link System#nanoTime}. */
    default boolean happened(String node, Class<? extends JournalEvent> event, long sinceNanos) {
        return !journal(node, event, sinceNanos).isEmpty();
    }

    /** The events of one kind in a node's journal since a moment. */
    default <E extends JournalEvent> List<E> journal(String node, Class<E> event, long sinceNanos) {
        return pair().journalSince(node, sinceNanos).stream()
                .map(JournalLine::event)
                .filter(event::isInstance)
                .map(event::cast)
                .toList();
    }

    /** What the status of a node says in one sentence; empty while its agent is silent. */
    default String sentence(String node) {
        return pair().status(node).map(AgentStatus::sentence).orElse("");
    }

    /** Whether a node refuses to start etcd, for that reason. */
    default boolean refuses(String node, Refusal refusal) {
        return pair().status(node)
                .map(AgentStatus::pending)
                .filter(pending -> pending.refuses() == refusal)
                .isPresent();
    }

    /** Whether a node tells why it does not start etcd, whatever the reason is. */
    default boolean refuses(String node) {
        return pair().status(node)
                .map(AgentStatus::pending)
                .filter(pending -> pending.refuses() != null)
                .isPresent();
    }

    /** Whether the sentence that people read on a node says that it waits for this. */
    default boolean saysThatItWaits(String node, WaitFor what) {
        return sentence(node)
                .contains(
                        what.decision()
                                .sentence(new NodeName(node), new NodeName(Pair.peerOf(node))));
    }

    /** Machines that ran and were switched off by a node, not by the drill. */
    default int switchedOff() {
        return (int)
                atBmcs(BmcEvent.Kind.POWERED_OFF).stream().filter(event -> !event.byLab()).count();
    }

    /** What happened at the BMCs since the scenario began, of one kind. */
    default List<TimelineEvent.Bmc> atBmcs(BmcEvent.Kind kind) {
        return timeline().stream()
                .map(Timeline.Entry::event)
                .filter(TimelineEvent.Bmc.class::isInstance)
                .map(TimelineEvent.Bmc.class::cast)
                .filter(event -> event.kind() == kind)
                .toList();
    }

    default boolean runsEtcd(String node) {
        return !node(node).processes("etcd").isEmpty();
    }

    /** The boot that a node is in, by its own kernel. */
    default String boot(String node) {
        return pair().boot(node);
    }

    /** What a person reads who types {@code tandem status}, and its exit code. */
    record Told(int exitCode, AgentStatus status) {
        /**
         * All that a person or a program can take it from says that either node can fail without an
         * outage.
         */
        boolean promises() {
            return exitCode == 0 && status.promisesRecovery();
        }

        String words() {
            return "\"%s\", recovery %s, exit code %d"
                    .formatted(
                            status.sentence(),
                            status.recovery().automatic() ? "automatic" : "by a person",
                            exitCode);
        }

        private boolean namesACause() {
            return status.recovery().impediments().stream()
                    .anyMatch(each -> each.cause() != null && !each.sentence().isEmpty());
        }

        /** Somebody who reads it knows what to do. */
        boolean namesARemedy() {
            AgentStatus.PendingLine pending = status.pending();
            return (pending != null && pending.remedy() != null)
                    || status.recovery().impediments().stream()
                            .anyMatch(each -> !each.remedy().isEmpty());
        }

        /** A recovery would work, and something is to be repaired that this page is about. */
        boolean warnsToRead(Runbook page) {
            return status.recovery().warnings().stream()
                    .map(AgentStatus.ImpedimentLine::cause)
                    .anyMatch(cause -> cause != null && cause.runbook() == page);
        }

        /** None of it says so, and a reason is named. */
        boolean warns() {
            return exitCode != 0 && !status.promisesRecovery() && namesACause();
        }

        /** The same, and this is among the reasons. */
        boolean warnsOf(Impediment.Cause cause) {
            return warns() && impediments(cause).findAny().isPresent();
        }

        /** Its first line says that this is so, and what ends it. */
        boolean tellsFirst(Impediment.Cause cause) {
            return impediments(cause)
                    .anyMatch(line ->
                            !line.remedy().isEmpty()
                                    && status.sentence().contains(line.sentence())
                                    && status.sentence().contains(line.remedy()));
        }

        private Stream<AgentStatus.ImpedimentLine> impediments(Impediment.Cause cause) {
            return status.recovery().impediments().stream()
                    .filter(line -> line.cause() == cause && !line.sentence().isEmpty());
        }
    }

    /** Asks as a person would; fails where there is no answer. */
    default Told told(String node) {
        Commands.Output output = node(node).run(SHORT, "tandem", "status", "-o", "json");
        return new Told(output.exitCode(), AgentStatus.readExactly(output.out()));
    }

    /** The timeline of the lab since the scenario began. */
    default List<Timeline.Entry> timeline() {
        return lab().timeline().stream()
                .filter(entry -> !entry.at().isBefore(began().instant()))
                .toList();
    }

    /**
     * The failure that keeps a node from what it wants to do: the last one in its journal, where
     * the status tells people what failed and why.
     */
    default Optional<JournalEvent.ActionFailed> toldFailure(String node, long sinceNanos) {
        List<JournalEvent.ActionFailed> failed =
                journal(node, JournalEvent.ActionFailed.class, sinceNanos);
        String told = pair().status(node).map(AgentStatus::trouble).orElse("");
        return failed.stream()
                .reduce((_, last) -> last)
                .filter(last -> told.contains(last.what()) && told.contains(last.why()));
    }
}
