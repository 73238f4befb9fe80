package dev.tandem.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerdictTest {
    @Test
    void aSilentBmcDoesNotMakeTheFileInvalid() {
        Verdict verdict =
                new Verdict(
                        "site.yaml",
                        false,
                        0,
                        1,
                        0,
                        List.of(),
                        List.of(silent("node-0"), silent("node-1")));

        assertThat(verdict.asText())
                .contains("BMC of node-0 (redfish): the BMC cannot be reached: no route")
                .endsWith(
                        "site.yaml is valid (0 errors, 1 warning, 0 notes). What failed is the"
                                + " check of the BMC of node-0 and that of node-1: see above.");
    }

    private static CredentialCheck.Report silent(String node) {
        return new CredentialCheck.Report(
                node,
                "redfish",
                false,
                "",
                Optional.empty(),
                Optional.empty(),
                "the BMC cannot be reached: no route",
                "check the network");
    }
}
