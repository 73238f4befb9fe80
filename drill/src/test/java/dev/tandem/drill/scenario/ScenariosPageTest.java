package dev.tandem.drill.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Keeps docs/scenarios.md equal to the scenarios. {@code -Dgolden.update} rewrites it. */
class ScenariosPageTest {
    private static final Path PAGE = Path.of("..", "docs", "scenarios.md");

    @Test
    void thePageListsEveryScenario() throws IOException {
        String page = page();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String page() {
        StringBuilder page =
                new StringBuilder(
                        """
                        # Scenarios of a drill

                        Made from the code by `mvn -pl drill test -Dgolden.update`; a test keeps it equal. TL1 to TL47 are the [acceptance timelines](acceptance-timelines.md).
                        Quick ones run with every `mvn verify`, all of them by `tandem lab drill all`; [lab.md](lab.md#drills) tells how. The time
                        is estimated for two idle cores, audit included. Where a timeline asks for more rounds, longer
                        waits or a sweep, a scenario plays a few of them; its steps in the report say which.

                        | scenario | timelines | pace | about | what happens |
                        | --- | --- | --- | --- | --- |
                        """);
        for (Scenario scenario : Scenarios.all()) {
            page.append(
                    "| `%s` | %s | %s | %d s | %s |\n"
                            .formatted(
                                    scenario.name(),
                                    String.join(" ", scenario.covers()),
                                    scenario.isQuick() ? "quick" : "long",
                                    scenario.expected().toSeconds(),
                                    scenario.title()));
        }
        page.append(
                """

                ## Timelines without a scenario

                | timeline | why |
                | --- | --- |
                """);
        Timelines.notPlayed()
                .forEach((timeline, why) -> page.append("| %s | %s |\n".formatted(timeline, why)));
        return page.toString();
    }
}
