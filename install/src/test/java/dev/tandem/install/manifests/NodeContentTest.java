package dev.tandem.install.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NodeContentTest {
    /** The rest of a node is an image; a file for it would stop the machine's first boot. */
    @Test
    void everyFileLiesWhereANodeCanBeWritten() {
        List<String> paths =
                Stream.of(NodeContent.fencedNode(), NodeContent.arbiterNode("none"))
                        .map(ManifestYaml::write)
                        .flatMap(String::lines)
                        .map(String::strip)
                        .filter(line -> line.startsWith("- path: "))
                        .map(line -> line.substring("- path: ".length()))
                        .toList();

        assertThat(paths)
                .isNotEmpty()
                .allMatch(path -> path.matches("/(etc|var|opt|usr/local)/.*"));
    }

    @Test
    void theAgentThatIsEnabledIsTheOneThatThePackageBrings() {
        String unit = "usr/lib/systemd/system/tandem-agent.service";

        assertThat(ManifestYaml.write(NodeContent.fencedNode()))
                .contains("ConditionPathExists=/" + unit)
                .contains(
                        "ExecStart=/usr/bin/systemctl enable --now --no-block"
                                + " tandem-agent.service");
        assertThat(Path.of("../packaging/src/root").resolve(unit)).isRegularFile();
    }
}
