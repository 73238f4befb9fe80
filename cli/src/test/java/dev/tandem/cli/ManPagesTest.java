package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ManPagesTest {
    private final Map<String, String> pages =
            ManPages.pages(new CommandTree(ScreenTerminal.unattended().terminal()).spec());

    @Test
    void thereIsOnePageForEachCommand() {
        assertThat(pages)
                .containsKeys(
                        "tandem.1",
                        "tandem-version.1",
                        "tandem-install-config-validate.1",
                        "tandem-fail.1")
                .doesNotContainKey("tandem-help.1");
    }

    @Test
    void aPageHasTheSectionsThatReadersExpectInTheirOrder() {
        assertThat(pages.get("tandem-version.1"))
                .startsWith(".TH \"TANDEM-VERSION\" 1")
                .containsSubsequence(
                        ".SH NAME",
                        "tandem\\-version \\- Print the",
                        ".SH SYNOPSIS",
                        ".SH OPTIONS",
                        ".SH EXAMPLES",
                        ".SH EXIT STATUS");
    }

    @Test
    void noLineOfTextIsTakenForARoffRequest() {
        assertThat(pages.values())
                .allSatisfy(page ->
                        assertThat(page.lines().filter(line -> line.startsWith(".")))
                                .allMatch(line -> line.matches("\\.(TH|SH|TP|B|BR|nf|fi)( .*)?")));
    }

    @Test
    void defaultsAndChoicesAreSpelledOut() {
        assertThat(pages.get("tandem-version.1")).contains("text, json, yaml").doesNotContain("${");
    }
}
