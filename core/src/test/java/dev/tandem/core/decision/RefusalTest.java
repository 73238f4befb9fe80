package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalTest {
    private static final Pattern RUNBOOK = Pattern.compile("docs/runbooks/\\S+\\.md");

    @ParameterizedTest
    @EnumSource
    void aRunbookThatIsNamedExists(Refusal refusal) {
        Matcher named =
                RUNBOOK.matcher(
                        refusal.remedy(
                                new NodeName("north"),
                                new NodeName("south"),
                                new Incident(new BootId("b1"), "unheard", 1)));

        while (named.find()) {
            assertThat(Path.of("..", named.group())).exists();
        }
    }
}
