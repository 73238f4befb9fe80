package dev.tandem.host.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * One setting that is not as it should be.
 *
 * @param subject what it belongs to, such as {@code clone etcd-clone} or {@code corosync.conf}
 * @param setting its name, such as {@code op monitor 10s timeout}
 * @param from absent when the setting is new
 * @param to absent when the setting goes
 */
public record Change(String subject, String setting, Optional<String> from, Optional<String> to) {

    /** The settings in which two maps differ, in the order of their names. */
    public static List<Change> between(
            String subject, Map<String, String> actual, Map<String, String> desired) {
        TreeSet<String> names = new TreeSet<>(actual.keySet());
        names.addAll(desired.keySet());
        List<Change> changes = new ArrayList<>();
        for (String name : names) {
            Optional<String> from = Optional.ofNullable(actual.get(name));
            Optional<String> to = Optional.ofNullable(desired.get(name));
            if (!from.equals(to)) {
                changes.add(new Change(subject, name, from, to));
            }
        }
        return changes;
    }

    @Override
    public String toString() {
        String what = setting.isEmpty() ? subject : subject + " " + setting;
        if (from.isEmpty()) {
            return "+ "
                    + what
                    + to.filter(value -> !value.isEmpty()).map(v -> " = " + v).orElse("");
        }
        if (to.isEmpty()) {
            return "- "
                    + what
                    + from.filter(v -> !v.isEmpty()).map(v -> " (was " + v + ")").orElse("");
        }
        return "~ " + what + " = " + to.get() + " (was " + from.get() + ")";
    }
}
