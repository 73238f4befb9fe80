package dev.tandem.drill.project;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.cli.CommandTree;
import dev.tandem.cli.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;

/** A command that help shows can be copied: a terminal of 80 columns does not tear it. */
class HelpAtEightyColumnsTest {
    /** What is to be typed follows a colon, to the end of its sentence. */
    private static final Pattern COMMAND = Pattern.compile(": (tandem [^;,()\\n]*[^;,().\\s])");

    private static final CommandSpec ROOT = new CommandTree(Terminal.ofProcess()).spec();

    @Test
    void noCommandIsTorn() {
        List<String> torn = new ArrayList<>();
        look(ROOT, torn);
        assertThat(torn).isEmpty();
    }

    private static void look(CommandSpec command, List<String> torn) {
        command.usageMessage().autoWidth(false).width(80);
        Help help = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF));
        List<String> footer = help.footer().lines().toList();
        for (String example : command.usageMessage().footer()) {
            if (example.startsWith("  ") && !footer.contains(formatted(example))) {
                torn.add(command.qualifiedName() + ": " + example);
            }
        }
        List<String> description = help.description().lines().toList();
        for (String paragraph : command.usageMessage().description()) {
            if (paragraph.startsWith("  ") && !description.contains(formatted(paragraph))) {
                torn.add(command.qualifiedName() + ": " + paragraph);
            }
            Matcher found = COMMAND.matcher(paragraph);
            while (found.find()) {
                if (description.stream().noneMatch(line -> line.contains(found.group(1)))) {
                    torn.add(command.qualifiedName() + ": " + found.group(1));
                }
            }
        }
        command.subcommands().values().forEach(sub -> look(sub.getCommandSpec(), torn));
    }

    /** As picocli prints it. */
    private static String formatted(String line) {
        return line.replace("%%", "%").replace("$$", "$").stripTrailing();
    }

    @Test
    void valuesAreShownAsTheyAreTyped() {
        CommandLine lab = requireNonNull(ROOT.subcommands().get("lab"));
        CommandLine bench = requireNonNull(lab.getSubcommands().get("bench"));
        CommandLine crash = requireNonNull(bench.getSubcommands().get("crash"));

        assertThat(crash.getUsageMessage(Help.Ansi.OFF))
                .contains("leader, follower, both")
                .contains("--runs=N")
                .doesNotContain("=<");
    }
}
