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
                .containsOnlyKeys(
                        "tandem.1",
                        "tandem-version.1",
                        "tandem-completion.1",
                        "tandem-certs.1",
                        "tandem-certs-create.1",
                        "tandem-certs-install.1",
                        "tandem-certs-issue.1",
                        "tandem-cluster.1",
                        "tandem-cluster-apply.1",
                        "tandem-cluster-identity.1",
                        "tandem-cluster-prepare.1",
                        "tandem-cluster-token.1",
                        "tandem-create.1",
                        "tandem-create-manifests.1",
                        "tandem-install-config.1",
                        "tandem-install-config-create.1",
                        "tandem-install-config-explain.1",
                        "tandem-install-config-schema.1",
                        "tandem-install-config-validate.1",
                        "tandem-fail.1");
    }

    @Test
    void aPageHasTheSectionsThatReadersExpectInTheirOrder() {
        assertThat(pages.get("tandem-version.1"))
                .startsWith(".TH \"TANDEM-VERSION\" 1")
                .containsSubsequence(
                        ".SH NAME",
                        "tandem\\-version \\- Tell which",
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
