package dev.tandem.drill.audit;

import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the lab itself knows of its machines' power and of what it did to them, whatever anybody's
 * journal says. All moments are of {@link System#nanoTime}.
 *
 * @param dark when a node had no power
 * @param losses when a node stopped without having been asked to
 * @param faults what the lab did that may keep a node from going on without its peer
 * @param feigned when a BMC read Off falsely
 * @param unknown lines of the timeline that are not understood, in words: any of them may have been
 *     one of the above
 */
record PowerRecord(
        List<Dark> dark,
        List<Loss> losses,
        List<Fault> faults,
        List<Event> feigned,
        List<String> unknown) {

    /** A node without power, until {@link Long#MAX_VALUE} where that has not ended. */
    record Dark(String node, long fromNanos, long toNanos) {}

    /** The network on which nodes reach BMCs, as the lab names it. */
    private static final String FENCING = "fence0";

    /** Something that happened to a node. */
    record Event(String subject, long nanos) {}

    /** A node that is gone, as its peer sees it. */
    record Loss(String subject, long nanos, How how) {}

    /** What became of it. */
    enum How {
        POWER("lost its power"),
        KERNEL("stopped with its kernel"),
        FROZEN("was frozen");

        private final String words;

        How(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        /** Whether it has to be switched off before anybody may go on without it. */
        boolean hasPower() {
            return this != POWER;
        }
    }

    /**
     * Something that a node could need, had its peer failed, was broken.
     *
     * @param what what that is
     */
    record Fault(String node, long nanos, Need what) {}

    /** What was broken, as far as it matters to a recovery. */
    enum Need {
        /** The BMC of the peer. */
        BMC,
        /** The whole network between the nodes: to do without the peer needs none. */
        NETWORK_OF_THE_PAIR,
        OTHER
    }

    PowerRecord {
        dark = List.copyOf(dark);
        losses = List.copyOf(losses);
        faults = List.copyOf(faults);
        feigned = List.copyOf(feigned);
        unknown = List.copyOf(unknown);
    }

    /** Reads a whole timeline. */
    static PowerRecord of(List<Timeline.Entry> timeline, Moment clock) {
        Reader reader = new Reader(clock);
        timeline.forEach(reader::take);
        return reader.done();
    }

    /** Until when a node was without power that had lost it by that moment. */
    long darkUntil(String node, long nanos) {
        return dark.stream()
                .filter(spell ->
                        spell.node().equals(node)
                                && spell.fromNanos() <= nanos
                                && spell.toNanos() >= nanos)
                .mapToLong(Dark::toNanos)
                .max()
                .orElse(nanos);
    }

    /** Whether a node was without power at some moment between the two. */
    boolean wasDark(String node, long fromNanos, long toNanos) {
        return dark.stream()
                .anyMatch(spell ->
                        spell.node().equals(node)
                                && spell.fromNanos() <= toNanos
                                && spell.toNanos() >= fromNanos);
    }

    /** Whether the BMC of a node read Off falsely between the two. */
    boolean feignedBetween(String node, long fromNanos, long toNanos) {
        return feigned.stream()
                .anyMatch(event ->
                        event.subject().equals(node)
                                && event.nanos() - fromNanos > 0
                                && toNanos - event.nanos() > 0);
    }

    /** Takes one line after the other. */
    private static final class Reader {
        private final Moment clock;
        private final List<Dark> dark = new ArrayList<>();
        private final List<Loss> losses = new ArrayList<>();
        private final List<Fault> faults = new ArrayList<>();
        private final List<Event> feigned = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();
        private final Map<String, Long> off = new HashMap<>();

        Reader(Moment clock) {
            this.clock = clock;
        }

        /** Without a default: whoever adds an event has to say here what it means. */
        void take(Timeline.Entry entry) {
            String subject = entry.subject();
            Event event = new Event(subject, clock.nanos(entry.at()));
            switch (entry.event()) {
                case TimelineEvent.PowerOff() -> {
                    losses.add(new Loss(subject, event.nanos(), How.POWER));
                    off.putIfAbsent(subject, event.nanos());
                }
                case TimelineEvent.ShutDown _, TimelineEvent.Reboot _ ->
                        off.putIfAbsent(subject, event.nanos());
                case TimelineEvent.PowerOn() -> {
                    Long since = off.remove(subject);
                    if (since != null) {
                        dark.add(new Dark(subject, since, event.nanos()));
                    }
                }
                case TimelineEvent.Crashed(LabRequest.CrashKind how) -> {
                    // Of the others the power goes, which has a line of its own.
                    if (how == LabRequest.CrashKind.PANIC) {
                        losses.add(new Loss(subject, event.nanos(), How.KERNEL));
                    }
                }
                case TimelineEvent.FaultInForce(NetworkFault what) ->
                        Pair.NODES.stream()
                                .filter(what::concerns)
                                .forEach(node ->
                                        faults.add(new Fault(node, event.nanos(), need(what))));
                case TimelineEvent.Frozen _ -> {
                    losses.add(new Loss(subject, event.nanos(), How.FROZEN));
                    faults.add(new Fault(subject, event.nanos(), Need.OTHER));
                }
                case TimelineEvent.Kill _,
                        TimelineEvent.Held _,
                        TimelineEvent.DiskFull _,
                        TimelineEvent.DisksStall _,
                        TimelineEvent.RolledBack _,
                        TimelineEvent.Corrupt _ ->
                        faults.add(new Fault(subject, event.nanos(), Need.OTHER));
                case TimelineEvent.Bmc bmc -> take(bmc, event);
                case TimelineEvent.Unknown line ->
                        unknown.add(
                                "a line of the lab's timeline is not understood: %s (%s)"
                                        .formatted(line.name(), line.why()));
                case TimelineEvent.LabStarts _,
                        TimelineEvent.LabStarted _,
                        TimelineEvent.ScenarioBegins _,
                        TimelineEvent.Failed _,
                        TimelineEvent.PowerButton _,
                        TimelineEvent.PowerCut _,
                        TimelineEvent.Crash _,
                        TimelineEvent.FaultBegins _,
                        TimelineEvent.Healed _,
                        TimelineEvent.Freeze _,
                        TimelineEvent.Thaw _,
                        TimelineEvent.Thawed _,
                        TimelineEvent.Hold _,
                        TimelineEvent.FillDisk _,
                        TimelineEvent.DiskFreed _,
                        TimelineEvent.DisksMove _,
                        TimelineEvent.Snapshot _ -> {
                    // Neither the power nor what a recovery needs has changed by it.
                }
            }
        }

        private static Need need(NetworkFault what) {
            return what instanceof NetworkFault.Cut cut
                            && !cut.network().equals(FENCING)
                            && cut.from().equals(NetworkFault.ANYBODY)
                            && cut.to().equals(NetworkFault.ANYBODY)
                            && cut.ports().isEmpty()
                    ? Need.NETWORK_OF_THE_PAIR
                    : Need.OTHER;
        }

        private void take(TimelineEvent.Bmc bmc, Event event) {
            switch (bmc.kind()) {
                case OFF_FEIGNED -> feigned.add(event);
                // A BMC is of use to the peer of its node alone.
                case BEHAVIOUR_CHANGED ->
                        faults.add(
                                new Fault(Pair.peerOf(event.subject()), event.nanos(), Need.BMC));
                // The lab's own lines about the machine have its power.
                case RESET_REQUESTED,
                        POWERED_OFF,
                        POWERED_ON,
                        ANOTHER_POWERED_OFF,
                        ANOTHER_POWERED_ON,
                        BUTTON_PRESSED,
                        POWER_ACTION_FAILED,
                        LOGIN_REFUSED,
                        STRANGER_ASKED,
                        ACCOUNT_LOCKED,
                        SESSION_OPENED,
                        SESSION_CLOSED,
                        BEHAVIOUR_RESTORED,
                        // Nobody waits for the boot of a node that was fenced.
                        BOOT_DELAYED,
                        PASSWORD_CHANGED,
                        FEED_CUT,
                        FEED_RESTORED -> {}
            }
        }

        PowerRecord done() {
            off.forEach((node, since) -> dark.add(new Dark(node, since, Long.MAX_VALUE)));
            return new PowerRecord(dark, losses, faults, feigned, unknown);
        }
    }
}
