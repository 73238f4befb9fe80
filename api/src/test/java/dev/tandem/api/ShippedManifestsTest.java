package dev.tandem.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShippedManifestsTest {

    @ParameterizedTest
    @ValueSource(strings = {"own", "openshift", "foreign", "policies"})
    void everyFileIsListed(String directory) throws IOException, URISyntaxException {
        List<ShippedManifests.Manifest> listed =
                switch (directory) {
                    case "own" -> ShippedManifests.own();
                    case "openshift" -> ShippedManifests.openshift();
                    case "foreign" -> ShippedManifests.foreign();
                    default -> ShippedManifests.policies();
                };
        Path place =
                Path.of(
                        Objects.requireNonNull(ShippedManifests.class.getResource(directory))
                                .toURI());
        try (Stream<Path> files = Files.list(place)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            listed.stream().map(manifest -> manifest.name() + ".yaml").toList());
        }
    }

    @Test
    void aPolicyAndItsBindingAreNamedAfterTheFile() {
        assertThat(ShippedManifests.policies())
                .allSatisfy(policy ->
                        assertThat(policy.yaml().lines())
                                .filteredOn(line -> line.startsWith("  name: "))
                                .containsExactly(
                                        "  name: " + policy.name() + ".tandem.dev",
                                        "  name: " + policy.name() + ".tandem.dev"));
    }

    @Test
    void theDefinitionIsTheOneThatWasReviewed() throws IOException {
        Path golden = Path.of("src/test/resources/pacemakerclusters.etcd.openshift.io.yaml");
        String generated = ShippedManifests.own().getFirst().yaml();
        if (Boolean.getBoolean("golden.update")) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, generated);
        }
        assertThat(generated).isEqualTo(Files.readString(golden));
    }

    @Test
    void theSmallestSetsAreTheWholeSets() {
        assertThat(ClusterCondition.values()).hasSize(ClusterCondition.COUNT);
        assertThat(NodeCondition.values()).hasSize(NodeCondition.COUNT);
        assertThat(ResourceCondition.values()).hasSize(ResourceCondition.COUNT);
    }
}
