package dev.tandem.drill.audit;

import dev.tandem.lab.spec.Timeline;
import dev.tandem.redfishsim.BmcBehaviour;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the lab itself knows of its machines' power and of what it did to them, whatever anybody's
 * journal says. All moments are of {@link System#nanoTime}.
 *
 * @param dark when a node had no power
 * @param losses when a node stopped without having been asked to: its power went, or its kernel
 * @param faults what the lab did that may make a recovery impossible
 * @param feigned when a BMC read Off falsely
 */
record PowerRecord(List<Dark> dark, List<Event> losses, List<Event> faults, List<Event> feigned) {

    private static final Set<String> DARK_FROM = Set.of("power-off", "shut-down", "reboot");

    private static final Set<String> FAULTS =
            Set.of("fault-in-force", "frozen", "kill", "held", "disk-full", "corrupt");

    /** A node without power, until {@link Long#MAX_VALUE} where that has not ended. */
    record Dark(String node, long fromNanos, long toNanos) {}

    /** Something that happened to a node or network. */
    record Event(String subject, long nanos) {}

    PowerRecord {
        dark = List.copyOf(dark);
        losses = List.copyOf(losses);
        faults = List.copyOf(faults);
        feigned = List.copyOf(feigned);
    }

    /** Reads a whole timeline. */
    static PowerRecord of(List<Timeline.Entry> timeline, Moment clock) {
        List<Dark> dark = new ArrayList<>();
        List<Event> losses = new ArrayList<>();
        List<Event> faults = new ArrayList<>();
        List<Event> feigned = new ArrayList<>();
        Map<String, Long> off = new HashMap<>();
        for (Timeline.Entry entry : timeline) {
            String node = entry.subject();
            long at = clock.nanos(entry.instant());
            Event event = new Event(node, at);
            if (DARK_FROM.contains(entry.event())) {
                off.putIfAbsent(node, at);
            } else if (entry.event().equals("power-on")) {
                Long since = off.remove(node);
                if (since != null) {
                    dark.add(new Dark(node, since, at));
                }
            }
            if (isLoss(entry)) {
                losses.add(event);
            } else if (isFault(entry)) {
                faults.add(event);
            } else if (entry.event().equals("bmc-off-feigned")) {
                feigned.add(event);
            }
        }
        off.forEach((node, since) -> dark.add(new Dark(node, since, Long.MAX_VALUE)));
        return new PowerRecord(dark, losses, faults, feigned);
    }

    private static boolean isLoss(Timeline.Entry entry) {
        return entry.event().equals("power-off")
                || (entry.event().equals("crashed")
                        && "panic".equalsIgnoreCase(entry.detail().getOrDefault("how", "")));
    }

    private static boolean isFault(Timeline.Entry entry) {
        return FAULTS.contains(entry.event())
                || (entry.event().equals("bmc-behaviour-changed")
                        && !BmcBehaviour.FAULTLESS
                                .toString()
                                .equals(entry.detail().getOrDefault("detail", "")));
    }

    /** Whether a node was without power at some moment between the two. */
    boolean wasDark(String node, long fromNanos, long toNanos) {
        return dark.stream()
                .anyMatch(spell ->
                        spell.node().equals(node)
                                && spell.fromNanos() <= toNanos
                                && spell.toNanos() >= fromNanos);
    }
}
