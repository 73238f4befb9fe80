package dev.tandem.install.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.host.yaml.YamlReader;
import dev.tandem.host.yaml.YamlSubject;
import dev.tandem.install.check.Code;
import dev.tandem.install.check.Finding;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.rules.Examples;
import dev.tandem.install.rules.InstallConfigCheck;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.YamlView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Everything generated from each example, side by side with what a reviewer agreed to; {@code
 * -Dgolden.update} rewrites.
 */
class GoldenManifestsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/manifests");
    private static final String ROOT_CA =
            "-----BEGIN CERTIFICATE-----\nZXhhbXBsZQ==\n-----END CERTIFICATE-----\n";

    static List<Examples.Example> examples() throws IOException {
        return Examples.all();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void isWhatWasAgreedTo(Examples.Example example) throws IOException {
        String text =
                manifests(example).stream()
                        .map(file ->
                                "#### %s%s%n%s"
                                        .formatted(
                                                file.path(),
                                                file.secret() ? " (0600)" : "",
                                                file.content()))
                        .collect(Collectors.joining("\n"));
        Path golden = GOLDEN.resolve(example.name() + ".txt");
        if (System.getProperty("golden.update") != null) {
            Files.createDirectories(GOLDEN);
            Files.writeString(golden, text);
        }

        assertThat(text).isEqualTo(Files.readString(golden));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void passesItsOwnCommandWithoutAWarningThatIsNotExplained(Examples.Example example) {
        InstallConfigCheck.Result result = check(example);

        assertThat(result.good()).isTrue();
        assertThat(result.findings()).extracting(Finding::code).isSubsetOf(Code.T6, Code.T9);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void holdsOneObjectAFileAndEachObjectOnce(Examples.Example example) {
        Set<String> seen = new HashSet<>();
        for (Manifest file : manifests(example)) {
            if (!file.path().matches("(manifests|openshift|after-provisioning)/.*")) {
                continue;
            }
            Object read = new Load(LoadSettings.builder().build()).loadFromString(file.content());
            assertThat(read).as(file.path()).isInstanceOf(Map.class);
            YamlView object = object(file);
            YamlView metadata = object.at("metadata");
            String name = metadata.at("name").text().value();
            String identity =
                    object.at("kind").text().value()
                            + " "
                            + metadata.at("namespace").text().value()
                            + " "
                            + name;
            assertThat(seen.add(identity)).as("first %s", identity).isTrue();
            assertThat(name).matches("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
        }
    }

    static YamlView object(Manifest file) {
        YamlReader.Outcome outcome =
                YamlReader.read(
                        file.content().getBytes(StandardCharsets.UTF_8),
                        new YamlSubject("a", "manifest", "apiVersion: v1", "kubectl explain"));
        assertThat(outcome).as(file.path()).isInstanceOf(YamlReader.Outcome.Read.class);
        return YamlView.of(((YamlReader.Outcome.Read) outcome).root(), Place.FILE);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void aPasswordStandsOnlyInFilesThatOthersCannotRead(Examples.Example example) {
        List<String> passwords = new ArrayList<>();
        InstallConfig config = check(example).config().orElseThrow();
        config.controlPlane()
                .fencing()
                .credentials()
                .forEach(c -> passwords.add(c.password().value().reveal()));
        config.platform()
                .baremetal()
                .hosts()
                .forEach(host -> passwords.add(host.bmcPassword().value().reveal()));
        for (Manifest file : manifests(example)) {
            for (String password : passwords) {
                boolean holds =
                        file.content().contains(password)
                                || file.content().contains(OpaqueSecret.base64(password));
                assertThat(holds && !file.secret()).as(file.path()).isFalse();
            }
        }
    }

    /** Manifests are written here, never sent. */
    @Test
    void theKubernetesModelComesWithoutAClient() {
        assertThatThrownBy(() -> Class.forName("io.fabric8.kubernetes.client.KubernetesClient"))
                .isInstanceOf(ClassNotFoundException.class);
    }

    @Test
    void everyTopologyHasAnExampleOnEveryPlatform() throws IOException {
        Set<String> covered =
                examples().stream()
                        .map(example -> check(example).config().orElseThrow())
                        .map(config ->
                                config.shape().controlPlaneTopology().apiValue()
                                        + " "
                                        + config.platform().kind())
                        .collect(Collectors.toSet());
        for (String platform : List.of("none", "baremetal", "external")) {
            assertThat(covered)
                    .contains(
                            "SingleReplica " + platform,
                            "DualReplica " + platform,
                            "HighlyAvailable " + platform,
                            "HighlyAvailableArbiter " + platform);
        }
    }

    static InstallConfigCheck.Result check(Examples.Example example) {
        return new InstallConfigCheck(example.method(), Optional.empty()).check(example.bytes());
    }

    static List<Manifest> manifests(Examples.Example example) {
        assertThat(example.name()).isEqualTo(example.name().toLowerCase(Locale.ROOT));
        return Manifests.of(
                check(example).config().orElseThrow(),
                example.method(),
                Optional.empty(),
                Optional.of(ROOT_CA));
    }
}
