package dev.tandem.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the script with which a shell completes tandem's commands. */
@Command(
        name = "completion",
        header = "Print the completion script for a shell.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  source <(tandem completion bash)",
            "  tandem completion zsh > ~/.zfunc/_tandem"
        })
final class CompletionCommand implements Callable<Integer> {
    enum Shell {
        BASH,
        ZSH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Terminal terminal;

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(script(spec.root(), shell));
        return ExitCode.FINE;
    }

    /**
     * Picocli writes for bash; zsh reads the same through its bashcompinit, which has to be loaded
     * first.
     */
    static String script(CommandSpec root, Shell shell) {
        String bash = AutoComplete.bash("tandem", root.commandLine());
        return switch (shell) {
            case BASH -> bash;
            case ZSH -> "#compdef tandem\nautoload -U +X compinit && compinit\n" + bash;
        };
    }
}
