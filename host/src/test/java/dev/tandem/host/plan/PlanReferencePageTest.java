package dev.tandem.host.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.plan.PlanField.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Keeps docs/guide/plan-reference.md equal to the code. {@code -Dgolden.update} rewrites it. */
class PlanReferencePageTest {
    private static final Path PAGE = Path.of("..", "docs", "guide", "plan-reference.md");

    @Test
    void thePageSaysWhatTheReaderTakes() throws IOException {
        String page = page();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String page() {
        StringBuilder page = new StringBuilder();
        page.append(
                """
                # Every field of a plan

                Made from the code by `mvn -pl host test -Dgolden.update`; a test keeps it equal. How a plan is used is told in [plan.md](plan.md).

                | command | prints |
                | --- | --- |
                | `tandem cluster plan example` | the plan at the end of this page |
                | `tandem cluster plan schema` | a JSON Schema (2020-12) of these tables, for editors that complete and underline |

                Times are written with their unit, such as `800ms` or `3s`. Paths count from the directory of the plan. Fields that are not listed
                here are refused.

                """);
        List<Kind.Mapping> mappings = new ArrayList<>();
        collect(PlanFields.PLAN, mappings);
        for (Kind.Mapping mapping : mappings) {
            page.append("## ")
                    .append(mapping.path().isEmpty() ? "The plan" : "`" + mapping.path() + "`")
                    .append("\n\n");
            page.append(
                    """
                    | field | default | meaning | allowed | example |
                    | --- | --- | --- | --- | --- |
                    """);
            for (PlanField field : mapping.fields()) {
                page.append("| ")
                        .append(
                                String.join(
                                        " | ",
                                        "`" + field.name() + "`",
                                        fallback(mapping, field),
                                        field.about(),
                                        field.kind().words(),
                                        field.example().isEmpty()
                                                ? "below"
                                                : "`" + field.example() + "`"))
                        .append(" |\n");
            }
            page.append('\n');
        }
        page.append("## Rules between fields\n\n");
        PlanFields.RULES.forEach(rule -> page.append("- ").append(rule).append('\n'));
        page.append("\n## Example\n\n```yaml\n").append(PlanExample.yaml()).append("```\n");
        return page.toString();
    }

    private static String fallback(Kind.Mapping within, PlanField field) {
        if (within.oneOf().contains(field.name())) {
            return "this or "
                    + within.oneOf().stream()
                            .filter(other -> !other.equals(field.name()))
                            .map(other -> "`" + other + "`")
                            .collect(Collectors.joining(" or "));
        }
        boolean inside =
                field.kind() instanceof Kind.Mapping mapping
                        && mapping.fields().stream()
                                .allMatch(inner -> inner.defaultValue().isPresent());
        return field.required()
                ? "required"
                : field.defaultValue()
                        .map(value -> "`" + value + "`")
                        .orElse(inside ? "below" : "none");
    }

    /** Depth first, in the order of the fields. */
    private static void collect(Kind.Mapping mapping, List<Kind.Mapping> mappings) {
        mappings.add(mapping);
        for (PlanField field : mapping.fields()) {
            field.kind().mapping().ifPresent(inner -> collect(inner, mappings));
        }
    }
}
