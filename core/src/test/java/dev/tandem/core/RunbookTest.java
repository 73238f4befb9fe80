package dev.tandem.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.health.EtcdAlarm;
import dev.tandem.core.health.Impediment.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever is sent to a page finds it, and no page is there that nobody is sent to. */
class RunbookTest {
    private static final Path PAGES = Path.of("..", "docs", "runbooks");

    private static final String DIRECTORY =
            cut(Runbook.FORKED_HISTORIES.path(), "/" + Runbook.FORKED_HISTORIES.file());

    private static final Pattern PART = Pattern.compile("^\\*\\*([^*]+)\\*\\*", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("]\\(([^)]+)\\)");

    @Test
    void thePagesAreThoseThatTheProgramNames() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            assertThat(files.map(file -> String.valueOf(file.getFileName())))
                    .containsExactlyInAnyOrderElementsOf(
                            Arrays.stream(Runbook.values()).map(Runbook::file).toList());
        }
    }

    @Test
    void somethingSendsToEachPage() {
        Set<Runbook> named = EnumSet.noneOf(Runbook.class);
        for (Refusal refusal : Refusal.values()) {
            named.add(refusal.runbook());
        }
        for (WaitFor wait : WaitFor.values()) {
            named.add(wait.runbook());
        }
        for (EtcdAlarm alarm : EtcdAlarm.values()) {
            alarm.runbook().ifPresent(named::add);
        }
        Arrays.stream(Cause.values()).map(Cause::runbook).forEach(named::add);
        // By the first line of the status, while such a server is there.
        named.add(Runbook.ETCD_CANNOT_BE_ENDED);

        // By the failure of a jump, in the module host.
        named.add(Runbook.REVISION_DOES_NOT_JUMP);

        assertThat(EnumSet.complementOf(EnumSet.copyOf(named))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aPageHasItsPartsInOrder(Runbook runbook) throws IOException {
        String page = Files.readString(PAGES.resolve(runbook.file()));

        assertThat(page).startsWith("# ");
        assertThat(PART.matcher(page).results().map(part -> part.group(1)))
                .containsExactly("You see", "It means", "Check", "Do", "Do not", "It worked when");
    }

    /** Whoever reads a cause in the status finds on its page what is so. */
    @ParameterizedTest
    @EnumSource
    void eachCauseHasAPageThatIsShipped(Cause cause) throws IOException {
        assertThat(PAGES.resolve(cause.runbook().file())).isRegularFile();
        assertThat(Files.readString(Path.of("..", "packaging", "pom.xml")))
                .contains("../docs/runbooks</src>", "<prefix>" + DIRECTORY + "</prefix>");
    }

    /** The package holds the runbooks and none of the other pages. */
    @ParameterizedTest
    @EnumSource
    void aPageLinksOnlyToWhatIsBesideIt(Runbook runbook) throws IOException {
        Matcher links = LINK.matcher(Files.readString(PAGES.resolve(runbook.file())));
        List<String> files = Arrays.stream(Runbook.values()).map(Runbook::file).toList();

        assertThat(links.results().map(link -> link.group(1)).collect(Collectors.toSet()))
                .isSubsetOf(files);
    }

    private static String cut(String path, String end) {
        return path.substring(0, path.length() - end.length());
    }

    @Test
    void aNodeHasThemWhereThePackagePutsThem() {
        assertThat(Runbook.FORKED_HISTORIES.path())
                .isEqualTo("/usr/share/doc/tandem/runbooks/forked-histories.md");
    }
}
