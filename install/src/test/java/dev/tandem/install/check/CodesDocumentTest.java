package dev.tandem.install.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class CodesDocumentTest {

    @Test
    void theDocumentListsEveryCodeAsTheProgramKnowsIt() throws IOException {
        List<String> rows =
                Files.readAllLines(Path.of("../docs/install-config.md")).stream()
                        .filter(line -> line.matches("\\| [A-Z][0-9]+ \\|.*"))
                        .toList();

        assertThat(rows)
                .containsExactlyElementsOf(
                        Arrays.stream(Code.values())
                                .map(code ->
                                        "| %s | %s | %s | %s |"
                                                .formatted(
                                                        code,
                                                        code.severity()
                                                                .name()
                                                                .toLowerCase(Locale.ROOT),
                                                        code.title(),
                                                        code.covers()))
                                .toList());
    }
}
