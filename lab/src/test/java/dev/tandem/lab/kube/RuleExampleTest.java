package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.api.ShippedManifests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** That no rule goes without its examples; {@link RulesIT} then shows them to an API server. */
class RuleExampleTest {
    private static final List<RuleExample> EXAMPLES = RuleExample.all();

    @Test
    void everyRuleHasSomethingItAcceptsAndSomethingItRefuses() {
        Map<String, List<Boolean>> verdicts =
                EXAMPLES.stream()
                        .collect(
                                Collectors.groupingBy(
                                        RuleExample::rule,
                                        Collectors.mapping(
                                                RuleExample::accepted, Collectors.toList())));

        assertThat(verdicts)
                .isNotEmpty()
                .allSatisfy((rule, seen) -> assertThat(seen).as(rule).contains(true, false));
    }

    @Test
    void everyRefusalSaysWhatItExpectsToHear() {
        assertThat(EXAMPLES)
                .allSatisfy(example ->
                        assertThat(example.refusal().isEmpty())
                                .as(example.toString())
                                .isEqualTo(example.accepted()));
    }

    @Test
    void everyMessageOfARuleIsProvoked() {
        List<String> messages = new ArrayList<>();
        Stream.of(
                        ShippedManifests.own(),
                        ShippedManifests.openshift(),
                        ShippedManifests.foreign(),
                        ShippedManifests.policies())
                .flatMap(List::stream)
                .flatMap(manifest -> RuleExample.objects(manifest.yaml()).stream())
                .forEach(object -> {
                    collect(object, "x-kubernetes-validations", messages);
                    collect(object, "validations", messages);
                });

        assertThat(messages.stream().distinct())
                .hasSizeGreaterThan(20)
                .allSatisfy(message ->
                        assertThat(EXAMPLES)
                                .as("a refused example for the rule that says: %s", message)
                                .anyMatch(example ->
                                        !example.refusal().isEmpty()
                                                && (message.startsWith(example.refusal())
                                                        || example.refusal().startsWith(message))));
    }

    private static void collect(JsonNode node, String list, List<String> messages) {
        for (JsonNode rule : node.path(list)) {
            assertThat(rule.path("message").asText()).as("message of %s", rule).isNotEmpty();
            messages.add(rule.get("message").asText());
        }
        node.forEach(child -> collect(child, list, messages));
    }
}
