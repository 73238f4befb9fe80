package dev.tandem.host.plan;

import dev.tandem.core.Nearest;
import dev.tandem.host.yaml.YamlNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** The fields of one mapping. Unknown ones are findings: a slip must not become a default. */
final class FieldReader {
    private final YamlNode element;
    private final PlanField.Kind.Mapping known;
    private final Map<String, YamlNode> values = new LinkedHashMap<>();
    private final Map<String, Integer> lines = new HashMap<>();
    private final PlanFindings findings;

    FieldReader(YamlNode element, PlanField.Kind.Mapping known, PlanFindings findings) {
        this.element = element;
        this.known = known;
        this.findings = findings;
        if (!(element instanceof YamlNode.Mapping mapping)) {
            findings.add(element, known.path(), known.what() + " must be fields with values");
            return;
        }
        for (YamlNode.Entry entry : mapping.entries()) {
            if (known.names().contains(entry.key())) {
                values.put(entry.key(), entry.value());
                lines.put(entry.key(), entry.line());
            } else {
                findings.add(entry.line(), known.path(), unknown(entry.key()));
            }
        }
        for (PlanField field : known.fields()) {
            if (field.required() && !values.containsKey(field.name())) {
                findings.add(
                        element,
                        path(field.name()),
                        field.name() + " is missing: " + field.about());
            }
        }
        requireOneOf();
    }

    private void requireOneOf() {
        if (known.oneOf().isEmpty()) {
            return;
        }
        List<String> given = known.oneOf().stream().filter(values::containsKey).toList();
        String choice = String.join(" or ", known.oneOf());
        if (given.isEmpty()) {
            findings.add(
                    element,
                    path(known.oneOf().getFirst()),
                    known.oneOf().size() == 2
                            ? "%s needs either %s".formatted(known.what(), choice)
                            : "%s needs %s".formatted(known.what(), choice));
        } else if (given.size() > 1) {
            findings.add(
                    line(given.getLast()),
                    path(given.getLast()),
                    "%s has both %s: keep one of them"
                            .formatted(known.what(), String.join(" and ", given)));
        }
    }

    private String unknown(String key) {
        if (key.equals("password")) {
            return "password: a plan holds no passwords; write it to a file and name that as"
                    + " passwordFile";
        }
        List<String> meant = Nearest.to(key, known.names());
        return known.what()
                + " has no field "
                + key
                + (meant.isEmpty()
                        ? "; it has " + String.join(", ", known.names())
                        : "; did you mean " + String.join(" or ", meant));
    }

    /** A field that is read here and not described there is a fault of ours. */
    private @Nullable YamlNode value(String field) {
        return values.get(known.field(field).name());
    }

    /** Where a field is, or its mapping begins if it is left out. */
    int line(String field) {
        return lines.getOrDefault(field, element.line());
    }

    void bad(String field, String what) {
        findings.add(
                line(field), path(field), lines.containsKey(field) ? field + ": " + what : what);
    }

    private String path(String field) {
        return known.path().isEmpty() ? field : known.path() + "." + field;
    }

    /** An item of a field that is a list. */
    void badItem(YamlNode.Scalar item, String field, String what) {
        findings.add(item, path(field), "%s: '%s': %s".formatted(field, item.text(), what));
    }

    Optional<YamlNode> node(String field) {
        return Optional.ofNullable(value(field));
    }

    Optional<String> text(String field) {
        @Nullable YamlNode node = value(field);
        if (node == null) {
            return Optional.empty();
        }
        if (node instanceof YamlNode.Scalar nothing && nothing.isNothing()) {
            findings.add(
                    node,
                    path(field),
                    field
                            + " has no value"
                            + (nothing.text().equals("~")
                                    ? ": in YAML ~ alone means nothing, not the home directory"
                                    : ""));
            return Optional.empty();
        }
        if (!(node instanceof YamlNode.Scalar scalar)
                || scalar.text().isBlank()
                || scalar.text().chars().anyMatch(Character::isISOControl)) {
            findings.add(node, path(field), field + " must be one line of text");
            return Optional.empty();
        }
        return Optional.of(scalar.text());
    }

    /** A path, relative to the plan or absolute; no shell expands it. */
    Optional<Path> file(String field, Path directory) {
        Optional<String> text = text(field);
        if (text.filter(path -> path.startsWith("~")).isPresent()) {
            bad(field, "~ is not expanded; write the whole path, or one relative to the plan");
            return Optional.empty();
        }
        return text.map(directory::resolve);
    }

    Optional<String> choice(String field) {
        if (!(known.field(field).kind() instanceof PlanField.Kind.Choice possible)) {
            throw new IllegalArgumentException(field + " is no choice");
        }
        Optional<String> text = text(field);
        if (text.isPresent() && !possible.choices().contains(text.get())) {
            bad(field, "must be " + possible.words());
            return Optional.empty();
        }
        return text;
    }

    boolean truth(String field) {
        Optional<String> text = text(field);
        if (text.isPresent() && !Set.of("true", "false").contains(text.get())) {
            bad(field, "must be true or false");
        }
        return text.filter("true"::equals).isPresent();
    }

    OptionalLong number(String field) {
        return number(field, Long.MAX_VALUE);
    }

    /** A number of the field's range, where another field may have narrowed that. */
    OptionalLong number(String field, long limit) {
        if (!(known.field(field).kind() instanceof PlanField.Kind.Whole range)) {
            throw new IllegalArgumentException(field + " is no number");
        }
        Optional<String> text = text(field);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        PlanField.Kind.Whole possible =
                new PlanField.Kind.Whole(range.least(), Math.min(range.most(), limit));
        if (text.get().matches("[0-9]{1,10}")) {
            long number = Long.parseLong(text.get());
            if (number >= possible.least() && number <= possible.most()) {
                return OptionalLong.of(number);
            }
        }
        bad(field, possible.words() + " is needed");
        return OptionalLong.empty();
    }

    Optional<Duration> duration(String field) {
        if (!(known.field(field).kind() instanceof PlanField.Kind.Time range)) {
            throw new IllegalArgumentException(field + " is no time");
        }
        Optional<String> text = text(field);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Matcher duration = PlanFields.DURATION.matcher(text.get());
        if (!duration.matches()) {
            bad(field, "a time with its unit is required, such as 1000ms or 3s");
            return Optional.empty();
        }
        long count = Long.parseLong(duration.group(1));
        Duration time =
                duration.group(2).equals("s")
                        ? Duration.ofSeconds(count)
                        : Duration.ofMillis(count);
        if (!range.contains(time)) {
            bad(field, range.range() + " are possible");
            return Optional.empty();
        }
        return Optional.of(time);
    }

    List<YamlNode.Scalar> list(String field) {
        @Nullable YamlNode node = value(field);
        if (node == null) {
            return List.of();
        }
        if (!(node instanceof YamlNode.Sequence sequence)
                || !sequence.items().stream().allMatch(YamlNode.Scalar.class::isInstance)) {
            findings.add(node, path(field), field + " must be a list of texts");
            return List.of();
        }
        return sequence.items().stream().map(YamlNode.Scalar.class::cast).toList();
    }
}
