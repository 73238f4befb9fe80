package dev.tandem.drill.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The list of scenarios as people meet it. */
class ScenariosTest {
    @Test
    void noNameStandsForTwoScenarios() {
        assertThat(Scenarios.all()).extracting(Scenario::name).doesNotHaveDuplicates();
    }

    @Test
    void everyScenarioPlaysTimelinesThatExist() {
        for (Scenario scenario : Scenarios.all()) {
            assertThat(scenario.covers())
                    .as(scenario.name())
                    .allMatch(timeline -> timeline.matches("TL([1-9]|[1-3][0-9]|4[0-7]|31b)"));
        }
    }

    @Test
    void everyTimelineIsPlayedOrHasAReasonWhyNot() {
        Set<String> played =
                Scenarios.all().stream()
                        .flatMap(scenario -> scenario.covers().stream())
                        .collect(Collectors.toSet());

        for (String timeline : Timelines.all()) {
            assertThat(played.contains(timeline))
                    .as(timeline + " is either played or not")
                    .isNotEqualTo(Timelines.notPlayed().containsKey(timeline));
        }
    }

    @Test
    void theQuickOnesTogetherTakeAFewMinutes() {
        Duration all =
                Scenarios.quick().stream()
                        .map(Scenario::expected)
                        .reduce(Duration.ZERO, Duration::plus);
        assertThat(all).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(6));
    }

    @Test
    void aSlipOfTheFingersIsAnsweredWithTheNameMeant() {
        assertThatThrownBy(() -> Scenarios.byName("leader-looses-power"))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> assertThat(failure.remedy()).contains("leader-loses-power"));
    }
}
