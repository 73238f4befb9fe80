package dev.tandem.drill.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.cli.CommandTree;
import dev.tandem.cli.Terminal;
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
import picocli.CommandLine.Model.CommandSpec;

/**
 * A remedy names a command, and somebody types it at three in the morning: it must exist. What is
 * looked at is every text of the program and of its documents.
 */
class MentionedCommandsTest {
    private static final Pattern MENTION =
            Pattern.compile("(?<![\\w./-])tandem((?: [a-z][a-z-]*\\b(?!\\.))+)((?: --[a-z-]+)?)");

    private static final CommandSpec ROOT = new CommandTree(Terminal.ofProcess()).spec();

    @Test
    void everyCommandThatIsMentionedExists() throws IOException {
        List<String> wrong = new ArrayList<>();
        int mentions = 0;
        for (Path file : texts()) {
            String text = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
            Matcher found = MENTION.matcher(text);
            while (found.find()) {
                mentions++;
                fault(found.group(1).strip(), found.group(2).strip())
                        .ifPresent(fault -> wrong.add(file + ": " + fault));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(mentions).as("the pattern still finds them").isGreaterThan(200);
    }

    @Test
    void whatDoesNotExistIsFound() {
        assertThat(fault("fencing check", "")).isEmpty();
        assertThat(fault("cluster identity", "--publish")).isEmpty();
        assertThat(fault("etcd replicas", "")).contains("tandem etcd");
        assertThat(fault("lab fly", "")).contains("tandem lab fly");
        assertThat(fault("status", "--replicas")).contains("tandem status --replicas");
    }

    /** Words after the command are its arguments, or the sentence goes on. */
    private static Optional<String> fault(String words, String option) {
        CommandSpec command = ROOT;
        StringBuilder path = new StringBuilder("tandem");
        for (String word : words.split(" ", -1)) {
            if (command.subcommands().isEmpty()) {
                break;
            }
            path.append(' ').append(word);
            CommandLine next = command.subcommands().get(word);
            if (next == null) {
                return Optional.of(path.toString());
            }
            command = next.getCommandSpec();
        }
        return option.isEmpty() || command.optionsMap().containsKey(option)
                ? Optional.empty()
                : Optional.of(path + " " + option);
    }

    private static List<Path> texts() throws IOException {
        Path project = Path.of("..").toAbsolutePath().normalize();
        List<Path> all = new ArrayList<>(List.of(project.resolve("README.md")));
        try (Stream<Path> modules = Files.list(project)) {
            for (Path module : modules.toList()) {
                Path sources =
                        module.endsWith("docs") ? module : module.resolve("src").resolve("main");
                if (Files.isDirectory(sources)) {
                    try (Stream<Path> files = Files.walk(sources)) {
                        files.filter(file -> file.toString().matches(".*\\.(java|md|sh|yaml)"))
                                .forEach(all::add);
                    }
                }
            }
        }
        return all;
    }
}
