package dev.tandem.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

class CommandTreeTest {
    /** What is to be typed has a line of its own or follows a colon, to the end of its sentence. */
    private static final Pattern COMMAND =
            Pattern.compile("(?:^  |: )(tandem [^;,()\\n]*[^;,().\\s])");

    private final ScreenTerminal screen = ScreenTerminal.unattended();

    @Test
    void theVersionIsOneLine() {
        assertThat(screen.run("--version")).isEqualTo(ExitCode.FINE);
        assertThat(screen.out()).startsWith("tandem ").contains("Java 25").hasLineCount(1);
    }

    @Test
    void anUnknownCommandIsWrongUsageAndSaysWhatThereIs() {
        assertThat(screen.run("nonsense")).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err().lines())
                .hasSize(3)
                .startsWith("tandem: 'nonsense' is not a command")
                .anyMatch(line ->
                        line.startsWith("cause: the commands are help, version, completion, "))
                .endsWith("fix: tandem help");
    }

    @Test
    void aSlipOfTheFingersIsRecognised() {
        assertThat(screen.run("verison")).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err()).contains("fix: did you mean: tandem version");
    }

    @Test
    void anUnknownOptionNamesTheNearestOne() {
        assertThat(screen.run("version", "--outptu", "json")).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err().lines())
                .containsExactly(
                        "tandem version: --outptu is not an option",
                        "cause: the options are --output, --debug, --no-color, --help",
                        "fix: did you mean: --output");
    }

    /** Only the named command is read at a start; it must not be a lesser one for that. */
    @Test
    void theTreeOfOneCommandHasAllOfThatCommand() {
        CommandSpec all = new CommandTree(screen.terminal()).spec();
        for (String name : all.subcommands().keySet()) {
            CommandSpec one = CommandTree.of(screen.terminal(), "--debug", name, "x").spec();
            assertThat(helpBelow(one, name)).as(name).isEqualTo(helpBelow(all, name));
        }
        assertThat(CommandTree.of(screen.terminal(), "status").spec().subcommands())
                .containsKey("status")
                .doesNotContainKey("cluster");
        for (String[] words : new String[][] {{}, {"help", "status"}, {"nonsense"}, {"--help"}}) {
            assertThat(CommandTree.of(screen.terminal(), words).spec().subcommands().keySet())
                    .isEqualTo(all.subcommands().keySet());
        }
    }

    /** The terminal breaks lines; where the source broke them too, every other line is a stump. */
    @Test
    void aDescriptionIsBrokenOnlyByTheTerminal() {
        assertParagraphs(new CommandTree(screen.terminal()).spec());
    }

    private static void assertParagraphs(CommandSpec command) {
        String[] lines = command.usageMessage().description();
        for (String line : List.of(lines).subList(0, Math.max(0, lines.length - 1))) {
            assertThat(line).as(command.qualifiedName()).matches("( .*)?|.*[.:]");
        }
        command.subcommands().values().forEach(sub -> assertParagraphs(sub.getCommandSpec()));
    }

    private static String helpBelow(CommandSpec root, String name) {
        CommandLine command = requireNonNull(root.subcommands().get(name), name);
        StringBuilder help = new StringBuilder(command.getUsageMessage(CommandLine.Help.Ansi.OFF));
        command.getSubcommands()
                .keySet()
                .forEach(sub -> help.append(helpBelow(command.getCommandSpec(), sub)));
        return help.toString();
    }

    @Test
    void noCommandIsWrongUsage() {
        assertThat(screen.run()).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err()).startsWith("tandem: a command is missing").hasLineCount(3);
    }

    @Test
    void aBadValueSaysWhichOnesAreGood() {
        assertThat(screen.run("version", "-o", "xml")).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err().lines())
                .containsExactly(
                        "tandem version: 'xml' is not a valid value of --output",
                        "cause: possible values: text, json, yaml",
                        "fix: tandem version --help");
    }

    /** Three lines in our words, whatever was typed; the first of them and the last. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    version -o ymal        | 'ymal' is not a valid value of --output | did you mean: --output yaml
                    version -x             | -x is not an option               | tandem version --help
                    version too            | 'too' is one argument too many    | tandem version --help
                    version -o             | the value of --output is missing  | tandem version --help
                    version -o json -o yaml| --output was given twice          | tandem version --help
                    completion             | SHELL is missing                  | tandem completion --help
                    cluster apply          | PLAN.yaml is missing              | tandem cluster apply --help
                    cluster aply           | 'aply' is not a command           | did you mean: tandem cluster apply
                    cluster                | a command is missing              | tandem cluster --help
                    explain --last many    | 'many' is not a valid value of --last   | tandem explain --help
                    install-config create  | --file FILE is missing            | tandem install-config create --help
                    """)
    void whatIsTypedWronglyIsToldInOurWords(String typed, String what, String fix) {
        assertThat(screen.run(typed.split(" ", -1))).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err().lines()).hasSize(3);
        assertThat(screen.err().lines().findFirst().orElseThrow()).endsWith(": " + what);
        assertThat(screen.err().lines().toList().get(1)).startsWith("cause: ");
        assertThat(screen.err()).endsWith("fix: " + fix + "\n").doesNotContain("parameter");
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void jsonCarriesItsVersionAndKindFirst() throws Exception {
        screen.run("version", "-o", "json");

        JsonNode answer = new ObjectMapper().readTree(screen.out());
        assertThat(answer.fieldNames()).toIterable().startsWith("apiVersion", "kind");
        assertThat(answer.get("kind").asText()).isEqualTo("Version");
    }

    @Test
    void yamlSaysTheSameAsJson() throws Exception {
        ScreenTerminal other = ScreenTerminal.unattended();
        screen.run("version", "-o", "json");
        other.run("version", "-o", "yaml");

        Object yaml = new Load(LoadSettings.builder().build()).loadFromString(other.out());
        assertThat(yaml).isEqualTo(new ObjectMapper().readValue(screen.out(), Map.class));
    }

    /** A writer keeps what does not end with the end of a line. */
    @Test
    void whatIsPrintedComesOutToItsLastLetter(@TempDir Path directory) throws IOException {
        Path plan = directory.resolve("plan.yaml");
        ScreenTerminal other = ScreenTerminal.unattended();
        assertThat(other.run("cluster", "plan", "example")).isEqualTo(ExitCode.FINE);
        Files.writeString(plan, other.out());

        assertThat(screen.run("cluster", "roles", plan.toString())).isEqualTo(ExitCode.FINE);
        assertThat(screen.out())
                .contains("name: tandem-agent")
                .contains("kind: ClusterRoleBinding")
                .contains("resourceNames: ['node-0', 'node-1']")
                .endsWith("\n");
    }

    @Test
    void aFailureIsWhatWhyAndWhatToDo() {
        assertThat(screen.run("fail")).isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err().lines())
                .containsExactly(
                        "tandem fail: cannot read the member list",
                        "cause: the certificate expired",
                        "fix: tandem certs renew");
        assertThat(screen.out()).isEmpty();
    }

    /** As well as the three lines, which are for people. */
    @ParameterizedTest
    @ValueSource(strings = {"-o json", "--output=json", "-ojson"})
    void aProgramGetsAFailureInTheFormThatItAskedFor(String option) throws Exception {
        String typed = "explain --since foo " + option;

        assertThat(screen.run(typed.split(" "))).isEqualTo(ExitCode.USAGE);

        JsonNode failure = new ObjectMapper().readTree(screen.out());
        assertThat(failure.fieldNames())
                .toIterable()
                .containsExactly("apiVersion", "kind", "what", "cause", "fix");
        assertThat(failure.get("kind").asText()).isEqualTo("Failure");
        assertThat(failure.get("what").asText()).isEqualTo("--since is not understood");
        assertThat(screen.err()).hasLineCount(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-o json", "--output=json", "-ojson"})
    void aProgramIsToldWhatIsTypedWrongly(String option) throws Exception {
        String typed = "explain --last many " + option;

        assertThat(screen.run(typed.split(" "))).isEqualTo(ExitCode.USAGE);

        JsonNode failure = new ObjectMapper().readTree(screen.out());
        assertThat(failure.get("kind").asText()).isEqualTo("Failure");
        assertThat(failure.get("cause").asText()).isEqualTo("expected a whole number");
    }

    @Test
    void aProgramIsToldOfAnythingUnexpected() throws Exception {
        assertThat(screen.run("replicas", "list", "--directory", "/none", "-o", "yaml"))
                .isEqualTo(ExitCode.COULD_NOT_ASK);

        Object yaml = new Load(LoadSettings.builder().build()).loadFromString(screen.out());
        assertThat(yaml).asInstanceOf(MAP).containsEntry("kind", "Failure").containsKey("fix");
    }

    /** A terminal of 80 columns breaks a longer one in the middle of its comment. */
    @Test
    void noExampleIsWiderThanATerminal() {
        assertNarrow(new CommandTree(screen.terminal()).spec());
    }

    private static void assertNarrow(CommandSpec command) {
        assertThat(command.usageMessage().footer())
                .as(command.qualifiedName())
                .allMatch(line -> line.length() <= 79 || !line.startsWith("  "));
        command.subcommands().values().forEach(sub -> assertNarrow(sub.getCommandSpec()));
    }

    /** A command that help shows can be copied. */
    @Test
    void noCommandInHelpIsTornByATerminal() {
        List<String> torn = new ArrayList<>();
        addTorn(new CommandTree(screen.terminal()).spec(), torn);
        assertThat(torn).isEmpty();
    }

    private static void addTorn(CommandSpec command, List<String> torn) {
        command.usageMessage().autoWidth(false).width(80);
        List<String> shown =
                new CommandLine.Help(command, CommandLine.Help.defaultColorScheme(Ansi.OFF))
                        .description()
                        .lines()
                        .toList();
        for (String paragraph : command.usageMessage().description()) {
            Matcher found = COMMAND.matcher(paragraph);
            while (found.find()) {
                String typed = found.group(1);
                if (shown.stream().noneMatch(line -> line.contains(typed))) {
                    torn.add(command.qualifiedName() + " --help: " + typed);
                }
            }
        }
        command.subcommands().values().forEach(sub -> addTorn(sub.getCommandSpec(), torn));
    }

    @Test
    void onlyDebugShowsTheStackTrace() {
        ScreenTerminal debugging = ScreenTerminal.unattended();
        screen.run("fail", "--unforeseen");
        debugging.run("fail", "--unforeseen", "--debug");

        assertThat(screen.err())
                .contains("cause: boom")
                .doesNotContain("Exception")
                .doesNotContain("\tat ");
        assertThat(debugging.err())
                .contains("java.lang.IllegalStateException: boom")
                .contains("\tat dev.tandem.cli.FailingCommand");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "version", "completion"})
    void helpOfEveryCommandEndsWithExamples(String command) {
        assertThat(
                        screen.run(
                                command.isEmpty()
                                        ? new String[] {"help"}
                                        : new String[] {"help", command}))
                .isEqualTo(ExitCode.FINE);
        assertThat(screen.out()).contains("Usage: tandem " + command).contains("Examples:");
    }

    @Test
    void helpGoesDownToTheCommandThatIsNamed() {
        assertThat(screen.run("help", "cluster", "plan", "validate")).isEqualTo(ExitCode.FINE);
        assertThat(screen.out()).contains("Usage: tandem cluster plan validate");

        ScreenTerminal lost = ScreenTerminal.unattended();
        assertThat(lost.run("help", "cluster", "plann")).isEqualTo(ExitCode.USAGE);
        assertThat(lost.err())
                .contains("'plann' is not a command")
                .contains("did you mean: tandem cluster plan");
        assertThat(lost.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "explain --since foo",
                "explain --last -3",
                "certs create --site= --dry-run",
                "certs create --site"
                        + " 0123456789-0123456789-0123456789-0123456789-0123456789-0123456789",
                "certs create --dir /etc/hostname --dry-run",
            })
    void aValueThatCannotBeMeantIsWrongUsage(String typed) {
        assertThat(screen.run(typed.split(" "))).as(screen.err()).isEqualTo(ExitCode.USAGE);
        assertThat(screen.err()).contains("cause: ").contains("fix: ");
    }

    @Test
    void aMachineThatIsNoNodeHasNoReplicasToList(@TempDir Path directory) {
        assertThat(screen.run("replicas", "list", "--directory", directory + "/none"))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err()).contains("this machine is not a node of a pair");
        assertThat(screen.out()).isEmpty();

        ScreenTerminal restoring = ScreenTerminal.unattended();
        assertThat(
                        restoring.run(
                                "replicas",
                                "restore",
                                "foo",
                                "--dry-run",
                                "--directory",
                                directory + "/none"))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(restoring.err())
                .contains("cannot restore foo", "this machine is not a node of a pair");

        assertThat(screen.run("replicas", "list", "--directory", directory.toString()))
                .isEqualTo(ExitCode.FINE);
    }

    @Test
    void colourIsForScreensOnly() {
        ScreenTerminal person = ScreenTerminal.attended("");
        ScreenTerminal plainPerson = ScreenTerminal.attended("");
        screen.run("help");
        person.run("help");
        plainPerson.run("--no-color", "version", "--help");

        assertThat(screen.out()).doesNotContain("\033[");
        assertThat(person.out()).contains("\033[");
        assertThat(plainPerson.out()).doesNotContain("\033[");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void completionKnowsTheCommands(String shell) {
        assertThat(screen.run("completion", shell)).isEqualTo(ExitCode.FINE);
        assertThat(screen.out()).contains("complete -F").contains("version").contains("completion");
    }

    @Test
    void helpIsNeverNarrowerThanItCanBeRead() {
        assertThat(CommandTree.width("40", 80)).isEqualTo(60);
        assertThat(CommandTree.width("100", 80)).isEqualTo(100);
        assertThat(CommandTree.width(null, 55)).isEqualTo(60);
        assertThat(CommandTree.width("wide", 80)).isEqualTo(80);
    }
}
