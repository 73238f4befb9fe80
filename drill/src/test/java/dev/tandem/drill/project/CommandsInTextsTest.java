package dev.tandem.drill.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.cli.CommandTree;
import dev.tandem.cli.Terminal;
import dev.tandem.core.testing.PrintedCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Every command that a message, a remedy or a help text prints works as it is printed: no full stop
 * belongs to it, and no argument is missing that it needs. What is looked at are the texts in the
 * program; what they become with their values is tested where they are made.
 */
class CommandsInTextsTest {
    /** A text and a text, or a text, a value and a text. */
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");

    private static final Pattern JOINED_BY_VALUE =
            Pattern.compile("\"\\s*\\+\\s*[\\w.]+(?:\\([\\w.]*\\))?\\s*\\+\\s*\"");
    private static final Pattern ENDED_BY_VALUE =
            Pattern.compile("\"\\s*\\+\\s*[\\w.]+(?:\\([\\w.]*\\))?");

    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

    /** What is to be typed begins a text or follows a colon; examples are indented by two. */
    private static final Pattern COMMAND =
            Pattern.compile("(?:^(?:  )?|: )tandem ([a-z](?:[^;,()'\\n|>&\\\\]| -- )*)");

    private static final Pattern VALUE = Pattern.compile("%(?:\\d\\$)?[sd]");

    @Test
    void noneEndsWithAFullStop() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path file : sources()) {
            for (String text : texts(file)) {
                PrintedCommands.withFullStop(text)
                        .forEach(fault -> wrong.add(file.getFileName() + ": " + fault));
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void noneLacksWhatItNeeds() throws IOException {
        CommandLine tandem = new CommandTree(Terminal.ofProcess()).spec().commandLine();
        List<String> wrong = new ArrayList<>();
        int looked = 0;
        for (Path file : sources()) {
            for (String text : texts(file)) {
                Matcher found = COMMAND.matcher(text);
                while (found.find()) {
                    looked++;
                    fault(tandem, found.group(1))
                            .ifPresent(fault ->
                                    wrong.add(
                                            file.getFileName()
                                                    + ": tandem "
                                                    + found.group(1)
                                                    + ": "
                                                    + fault));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(looked).as("the pattern still finds them").isGreaterThan(150);
    }

    @Test
    void whatDoesNotWorkIsFound() {
        CommandLine tandem = new CommandTree(Terminal.ofProcess()).spec().commandLine();

        assertThat(fault(tandem, "cluster apply")).isPresent();
        assertThat(fault(tandem, "cluster apply PLAN.yaml    on one")).isEmpty();
        assertThat(fault(tandem, "confirm-peer-off %s --incident %s")).isEmpty();
        assertThat(fault(tandem, "status --loud")).isPresent();
    }

    /** Words after a wider gap explain an example. */
    private static Optional<String> fault(CommandLine tandem, String words) {
        String command = VALUE.matcher(words.split(" {2,}", -1)[0]).replaceAll("1").strip();
        try {
            tandem.parseArgs(command.split(" ", -1));
            return Optional.empty();
        } catch (CommandLine.ParameterException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private static List<String> texts(Path file) throws IOException {
        String source = Files.readString(file).replaceAll("(?m)^\\s*(//|\\*|/\\*).*$", "");
        String joined =
                ENDED_BY_VALUE
                        .matcher(
                                JOINED_BY_VALUE
                                        .matcher(JOINED.matcher(source).replaceAll(""))
                                        .replaceAll("1"))
                        .replaceAll("1\"");
        return TEXT.matcher(joined).results().map(text -> text.group(1)).toList();
    }

    private static List<Path> sources() throws IOException {
        List<Path> all = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of("..").toAbsolutePath().normalize())) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src").resolve("main").resolve("java");
                if (Files.isDirectory(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(all::add);
                    }
                }
            }
        }
        return all;
    }
}
