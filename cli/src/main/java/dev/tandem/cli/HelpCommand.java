package dev.tandem.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Explains a command, however deep it stands: picocli's own goes down one step. */
@Command(
        name = "help",
        header = "Show what a command does, with its options.",
        helpCommand = true,
        footerHeading = "%nExamples:%n",
        footer = {"  tandem help status", "  tandem help cluster plan validate"})
final class HelpCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "The command, word by word (default: all commands).")
    private List<String> words = new ArrayList<>();

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        CommandLine described = root;
        for (String word : words) {
            CommandLine next = described.getSubcommands().get(word);
            if (next == null) {
                throw new UnmatchedArgumentException(described, List.of(word));
            }
            described = next;
        }
        described.usage(root.getOut(), root.getColorScheme());
    }
}
