package dev.tandem.host.pacemaker;

import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Corosync's membership on this node: who is in it, and whether it counts. */
public sealed interface Quorum {

    /** Corosync did not answer; it may be stopped, starting or stuck. */
    record Unknown(String why) implements Quorum {}

    /**
     * A membership.
     *
     * @param ring changes with each membership
     * @param quorate whether this partition may act
     * @param twoNode each of two nodes keeps quorum without the other
     * @param waitsForAll a cold start in which not all nodes have met yet: never quorate
     * @param members node ids with their names
     */
    record Known(
            String ring,
            boolean quorate,
            boolean twoNode,
            boolean waitsForAll,
            int expectedVotes,
            Map<Integer, String> members)
            implements Quorum {

        public Known {
            members = Map.copyOf(members);
        }

        /**
         * Whether one of the two nodes stays quorate when the other is gone. Corosync says that
         * two_node is set with any number of nodes, and heeds it with two of them only.
         */
        public boolean keptByOneNode() {
            return twoNode && expectedVotes == 2;
        }

        public boolean has(String node) {
            return members.containsValue(node);
        }
    }

    /** Asks corosync-quorumtool, whose exit code is 2 for a membership without quorum. */
    static Quorum read(Commands commands) {
        Commands.Output output =
                commands.run(Duration.ofSeconds(5), List.of("corosync-quorumtool", "-s"));
        return output.out().isBlank()
                ? new Unknown(Pacemaker.said(output))
                : Text.parse(output.out());
    }

    /** The tool has no machine form; its lines are {@code Key: value}. */
    final class Text {
        private static final Pattern FIELD = Pattern.compile("(?m)^([A-Z][A-Za-z ]*):[ \\t]*(.*)$");
        private static final Pattern MEMBER =
                Pattern.compile(
                        "(?m)^[ \\t]+(\\d+)[ \\t]+(?:\\d+[ \\t]+)+(?:\\S+[ \\t]+)*?(\\S+)(?:"
                                + " \\(local\\))?[ \\t]*$");

        private Text() {}

        public static Quorum parse(String text) {
            Map<String, String> fields =
                    FIELD.matcher(text)
                            .results()
                            .collect(
                                    Collectors.toMap(
                                            field -> field.group(1),
                                            field -> field.group(2).strip(),
                                            (first, _) -> first));
            Optional<String> ring = Optional.ofNullable(fields.get("Ring ID"));
            Optional<String> quorate = Optional.ofNullable(fields.get("Quorate"));
            if (ring.isEmpty() || quorate.isEmpty()) {
                return new Unknown("corosync-quorumtool answers: " + text.strip());
            }
            Set<String> flags =
                    new TreeSet<>(List.of(fields.getOrDefault("Flags", "").split("\\s+")));
            Map<Integer, String> members = new TreeMap<>();
            Matcher member = MEMBER.matcher(text);
            while (member.find()) {
                members.put(Integer.valueOf(member.group(1)), member.group(2));
            }
            return new Known(
                    ring.get(),
                    quorate.get().equals("Yes"),
                    flags.contains("2Node"),
                    flags.contains("WaitForAll") && !quorate.get().equals("Yes"),
                    Integer.parseInt(fields.getOrDefault("Expected votes", "0").strip()),
                    members);
        }
    }
}
