package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.api.ClusterCondition;
import dev.tandem.api.NodeCondition;
import dev.tandem.api.ResourceCondition;
import dev.tandem.api.ShippedManifests;
import dev.tandem.lab.kube.RealApiServer.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Shows every example of every rule to a real API server that has our definitions and policies. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RulesIT {
    /** The API server reads policies and their parameters a moment after they are written. */
    private static final Duration IN_FORCE = Duration.ofSeconds(60);

    private static final String V1 = "etcd.openshift.io/v1";
    private static final String V1ALPHA1 = "etcd.openshift.io/v1alpha1";
    private static final JsonMapper JSON = new JsonMapper();

    /** Kinds that policies read as their parameter, and the name that asks what they have read. */
    private static final Map<String, String> PARAMETERS =
            Map.of("Infrastructure", "infrastructure-seen", "PacemakerCluster", "pacemaker-seen");

    private @Nullable RealApiServer started;

    private RealApiServer server() {
        return Objects.requireNonNull(started);
    }

    @BeforeAll
    void startWithDefinitionsAndPolicies(@TempDir Path directory)
            throws IOException, InterruptedException {
        started = RealApiServer.start(directory);
        for (String namespace :
                List.of(
                        "openshift-etcd",
                        "openshift-machine-api",
                        "openshift-operators",
                        "clusters")) {
            apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + namespace + "}}");
        }
        List<ShippedManifests.Manifest> definitions =
                Stream.of(
                                ShippedManifests.own(),
                                ShippedManifests.openshift(),
                                ShippedManifests.foreign())
                        .flatMap(List::stream)
                        .toList();
        definitions.forEach(definition -> apply(definition.yaml()));
        for (ShippedManifests.Manifest definition : definitions) {
            for (ObjectNode crd : RuleExample.objects(definition.yaml())) {
                for (JsonNode each : crd.at("/spec/versions")) {
                    String version = each.get("name").asText();
                    server().await(
                                    definition.name() + " is served as " + version,
                                    IN_FORCE,
                                    () -> server().serves(crd, version));
                }
            }
        }
        apply(Files.readString(Path.of("src/test/resources/parameters-seen.yaml")));
        ShippedManifests.policies().forEach(policy -> apply(policy.yaml()));
    }

    @AfterAll
    void stop() {
        if (started != null) {
            started.close();
        }
    }

    private void apply(String yaml) {
        for (ObjectNode object : RuleExample.objects(yaml)) {
            try {
                Answer answer = server().write(object);
                assertThat(answer.accepted()).as("%s: %s", object, answer.message()).isTrue();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> examples() {
        return RuleExample.all().stream()
                .map(example -> DynamicTest.dynamicTest(example.toString(), () -> check(example)));
    }

    @TestFactory
    Stream<DynamicTest> examplesOfV1InV1alpha1() {
        return RuleExample.all().stream()
                .filter(example ->
                        example.subject().get("apiVersion").asText().equals(V1)
                                // The one difference between them; v1alpha1 has files of its own.
                                && !example.toString().endsWith("accepted-empty"))
                .map(example -> example.in(V1, V1ALPHA1))
                .map(example ->
                        DynamicTest.dynamicTest(example + " in v1alpha1", () -> check(example)));
    }

    private void check(RuleExample example) throws IOException, InterruptedException {
        try {
            for (ObjectNode object : example.before()) {
                put(object);
            }
            Answer[] last = new Answer[1];
            try {
                server().await(
                                example.toString(),
                                IN_FORCE,
                                () -> {
                                    last[0] = ask(example);
                                    return example.accepted()
                                            ? last[0].accepted()
                                            : !last[0].accepted()
                                                    && last[0].message()
                                                            .contains(example.refusal());
                                });
            } catch (AssertionError e) {
                throw new AssertionError(example + ": the server says " + last[0], e);
            }
        } finally {
            for (ObjectNode object : example.objects()) {
                server().forget(object);
            }
        }
    }

    private Answer ask(RuleExample example) {
        try {
            return example.delete()
                    ? server().tryToDelete(example.subject())
                    : server().tryOut(example.subject());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes what is there before; a parameter of policies also waits until they have read it. */
    private void put(ObjectNode object) throws IOException, InterruptedException {
        Answer answer = server().write(object);
        assertThat(answer.accepted()).as("%s: %s", object, answer.message()).isTrue();
        String question = PARAMETERS.get(object.get("kind").asText());
        if (question != null && object.at("/metadata/name").asText().equals("cluster")) {
            ObjectNode asked =
                    RuleExample.objects(
                                    "{apiVersion: v1, kind: ConfigMap, metadata: {name: "
                                            + question
                                            + ", namespace: default}}")
                            .getFirst();
            server().await(
                            "policies have read " + object.get("kind"),
                            IN_FORCE,
                            () -> {
                                try {
                                    return server().tryOut(asked)
                                            .message()
                                            .contains("seen " + answer.resourceVersion() + ".");
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
        }
    }

    /** Every one of the 3 + 9 + 8 + 8: a set that lacks one is refused, and the lack is named. */
    @Test
    void everyConditionOfEverySetIsMissed() throws IOException {
        ObjectNode healthy =
                RuleExample.all().stream()
                        .filter(example ->
                                example.toString()
                                        .equals(
                                                "pacemaker-conditions-of-a-node-are-complete"
                                                        + " accepted"))
                        .findFirst()
                        .orElseThrow()
                        .subject();
        Map<String, List<String>> sets =
                Map.of(
                        "/status/conditions",
                        Arrays.stream(ClusterCondition.values())
                                .map(ClusterCondition::type)
                                .toList(),
                        "/status/nodes/0/conditions",
                        Arrays.stream(NodeCondition.values()).map(NodeCondition::type).toList(),
                        "/status/nodes/0/resources/1/conditions",
                        Arrays.stream(ResourceCondition.values())
                                .map(ResourceCondition::type)
                                .toList(),
                        "/status/nodes/0/fencingAgents/0/conditions",
                        Arrays.stream(ResourceCondition.values())
                                .map(ResourceCondition::type)
                                .toList());
        try {
            for (Map.Entry<String, List<String>> set : sets.entrySet()) {
                assertThat(healthy.at(set.getKey()))
                        .extracting(condition -> condition.get("type").asText())
                        .containsExactlyInAnyOrderElementsOf(set.getValue());
                for (String type : set.getValue()) {
                    ObjectNode lacking = JSON.readTree(healthy.toString()).deepCopy();
                    ArrayNode conditions = (ArrayNode) lacking.at(set.getKey());
                    for (int i = conditions.size() - 1; i >= 0; i--) {
                        if (conditions.get(i).get("type").asText().equals(type)) {
                            conditions.remove(i);
                        }
                    }

                    Answer answer = server().tryOut(lacking);

                    assertThat(answer.code())
                            .as("%s without %s", set.getKey(), type)
                            .isEqualTo(422);
                    assertThat(answer.message()).contains("are incomplete: add " + type + ",");
                }
            }
        } finally {
            server().forget(healthy);
        }
    }

    @Test
    void theProgramsAreTheReleaseTheyAreSaidToBe() throws IOException, InterruptedException {
        for (String program :
                List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
            assertThat(server().version(program)).isEqualTo("Kubernetes v" + KubePrograms.VERSION);
        }
    }
}
