package dev.tandem.host.plan;

import dev.tandem.host.plan.PlanField.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A plan with every field, to begin with. What is required stands there; what is optional stands
 * behind a #, directly before the field, while comments have a space after theirs.
 */
public final class PlanExample {
    private static final int WIDTH = 96;

    private PlanExample() {}

    /** A plan that can be read as it is, and with its optional fields too. */
    public static String yaml() {
        List<String> lines = new ArrayList<>();
        lines.add("# The plan of a pair: replace names and addresses with your own.");
        lines.add("# Lines such as #profile are optional fields; remove the first # to use them.");
        lines.add("# For editors: tandem cluster plan schema");
        lines.addAll(fields(PlanFields.PLAN, true));
        return String.join("\n", lines) + "\n";
    }

    /** What the field is, what it may be, and what it is by default. */
    static String sentences(PlanField field) {
        String about =
                field.about().substring(0, 1).toUpperCase(Locale.ROOT) + field.about().substring(1);
        StringBuilder text = new StringBuilder(about).append('.');
        boolean nested =
                field.kind() instanceof Kind.Mapping
                        || field.kind() instanceof Kind.ListOf(Kind.Mapping _, _, _);
        if (nested || isConstant(field)) {
            return text.toString();
        }
        text.append(" Allowed: ").append(field.kind().words()).append('.');
        field.defaultValue()
                .ifPresent(value -> text.append(" Default: ").append(value).append('.'));
        return text.toString();
    }

    private static List<String> fields(Kind.Mapping mapping, boolean first) {
        List<String> lines = new ArrayList<>();
        // A mapping of optional fields only must not be left empty.
        boolean all = mapping.fields().stream().noneMatch(mapping::isUsual);
        for (PlanField field : mapping.fields()) {
            boolean shown = all || mapping.isUsual(field) || isConstant(field);
            if (mapping.isAlternative(field)) {
                // A comment, with a space: it would not do beside the usual one.
                if (first) {
                    lines.addAll(
                            comment(
                                    "Or, instead of %s, %s: %s"
                                            .formatted(
                                                    mapping.oneOf().getFirst(),
                                                    field.name(),
                                                    sentences(field))));
                    lines.add("# " + field.name() + ": " + field.inlineExample());
                }
                continue;
            }
            if (first) {
                if (mapping.path().isEmpty()) {
                    lines.add("");
                }
                lines.addAll(comment(sentences(field)));
            } else if (!shown) {
                continue;
            }
            value(field, first).forEach(line -> lines.add(shown ? line : "#" + line));
        }
        return lines;
    }

    private static boolean isConstant(PlanField field) {
        return field.kind() instanceof Kind.Choice(List<String> choices) && choices.size() == 1;
    }

    private static List<String> value(PlanField field, boolean first) {
        String example = first ? field.example() : field.peerExample();
        if (!example.isEmpty()) {
            return List.of(field.name() + ": " + example);
        }
        Optional<Kind.Mapping> mapping = field.kind().mapping();
        List<String> lines = new ArrayList<>(List.of(field.name() + ":"));
        if (field.kind() instanceof Kind.ListOf(_, int least, _)) {
            lines.addAll(item(fields(mapping.orElseThrow(), true)));
            if (least > 1) {
                lines.add("");
                lines.addAll(item(fields(mapping.orElseThrow(), false)));
            }
        } else {
            fields(mapping.orElseThrow(), first).forEach(line -> lines.add("  " + line));
        }
        return lines;
    }

    private static List<String> item(List<String> fields) {
        List<String> lines = new ArrayList<>();
        boolean begun = false;
        for (String line : fields) {
            boolean begins = !begun && !line.startsWith("#");
            lines.add((begins ? "  - " : "    ") + line);
            begun |= begins;
        }
        return lines;
    }

    private static List<String> comment(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder("#");
        for (String word : text.split(" ", -1)) {
            if (line.length() + word.length() >= WIDTH && line.length() > 1) {
                lines.add(line.toString());
                line = new StringBuilder("#");
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
