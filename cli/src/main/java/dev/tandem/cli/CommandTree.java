package dev.tandem.cli;

import dev.tandem.core.Failure;
import dev.tandem.core.Nearest;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** All commands, and how their failures are told. */
public final class CommandTree {
    private final Terminal terminal;
    private final Tandem root = new Tandem();
    private final CommandLine commandLine;

    public CommandTree(Terminal terminal) {
        this.terminal = terminal;
        this.commandLine = new CommandLine(root, new TerminalFactory(terminal));
        addCommands();
        prepare(commandLine.getCommandSpec());
        commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedOptionsAllowed(false)
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(28)
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setColorScheme(
                        Help.defaultColorScheme(terminal.colour() ? Help.Ansi.ON : Help.Ansi.OFF))
                .setExecutionStrategy(this::execute)
                .setParameterExceptionHandler(this::misunderstood)
                .setExecutionExceptionHandler((failure, line, _) -> failed(failure, line));
    }

    /** Parents before what stands below them. */
    private void addCommands() {
        List<CommandProvider> providers =
                ServiceLoader.load(CommandProvider.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .sorted(Comparator.comparing(provider -> !provider.parent().isEmpty()))
                        .toList();
        for (CommandProvider provider : providers) {
            CommandLine parent =
                    provider.parent().isEmpty()
                            ? commandLine
                            : Objects.requireNonNull(
                                    commandLine.getSubcommands().get(provider.parent()));
            provider.commands(terminal).forEach(parent::addSubcommand);
        }
    }

    /** Runs what the arguments say and returns the exit code. */
    public int run(String... arguments) {
        try {
            return commandLine.execute(arguments);
        } finally {
            // What was printed without the end of a line is still in the writer.
            terminal.out().flush();
            terminal.err().flush();
        }
    }

    public CommandSpec spec() {
        return commandLine.getCommandSpec();
    }

    /** Every command explains itself, and only the root has a version. */
    private static void prepare(CommandSpec spec) {
        if (!spec.optionsMap().containsKey("--help") && !spec.name().equals("help")) {
            spec.addOption(
                    OptionSpec.builder("-h", "--help")
                            .usageHelp(true)
                            .description("Show this help.")
                            .build());
        }
        if (spec.parent() == null) {
            spec.addOption(
                    OptionSpec.builder("-V", "--version")
                            .versionHelp(true)
                            .description("Print the version of Tandem.")
                            .build());
            spec.versionProvider(() -> new String[] {VersionCommand.Version.ofThis().asText()});
        }
        spec.subcommands().values().forEach(sub -> prepare(sub.getCommandSpec()));
    }

    private int execute(ParseResult parsed) {
        if (root.noColour()) {
            terminal.forbidColour();
            commandLine.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private int misunderstood(ParameterException e, String[] arguments) {
        CommandLine line = e.getCommandLine();
        CommandSpec spec = line.getCommandSpec();
        PrintWriter err = terminal.err();
        err.println(spec.qualifiedName() + ": " + complaint(e));
        List<String> meant = meant(e);
        if (!meant.isEmpty()) {
            err.println("did you mean: " + String.join(" or ", meant));
        } else if (!line.getSubcommands().isEmpty()) {
            err.println("commands: " + String.join(", ", visibleCommands(line)));
        } else {
            err.println("usage: " + line.getHelp().synopsis(0).strip());
        }
        err.println(
                "help: "
                        + (spec.parent() == null
                                ? "tandem help"
                                : spec.qualifiedName() + " --help"));
        return ExitCode.USAGE;
    }

    private static String complaint(ParameterException e) {
        if (unknownCommand(e)) {
            return "'"
                    + ((UnmatchedArgumentException) e).getUnmatched().getFirst()
                    + "' is not a command";
        }
        String message =
                String.valueOf(e.getMessage()).lines().findFirst().orElse("not understood");
        return Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }

    private static boolean unknownCommand(ParameterException e) {
        return e instanceof UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()
                && !e.getCommandLine().getSubcommands().isEmpty();
    }

    private static List<String> meant(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return List.of();
        }
        CommandLine line = e.getCommandLine();
        String typed = unmatched.getUnmatched().getFirst();
        return unmatched.isUnknownOption()
                ? Nearest.to(typed, line.getCommandSpec().optionsMap().keySet())
                : Nearest.to(typed, visibleCommands(line));
    }

    private static List<String> visibleCommands(CommandLine line) {
        return line.getSubcommands().entrySet().stream()
                .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    private int failed(Exception failure, CommandLine line) {
        if (Interruption.underWay() && !root.debug()) {
            return ExitCode.COULD_NOT_ASK;
        }
        PrintWriter err = terminal.err();
        String name = line.getCommandSpec().qualifiedName();
        if (failure instanceof Failure known) {
            err.println(name + ": " + known.what());
            err.println("cause: " + known.why());
            err.println("fix: " + known.remedy());
        } else {
            err.println(name + ": unexpected error");
            String message = failure.getMessage();
            err.println("cause: " + (message == null ? "not known" : message));
            err.println("fix: run it again with --debug and report what it prints");
        }
        if (root.debug()) {
            failure.printStackTrace(err);
        }
        err.flush();
        return ExitCode.COULD_NOT_ASK;
    }

    /** Commands that write get the terminal by constructor; picocli makes the rest. */
    private record TerminalFactory(Terminal terminal) implements CommandLine.IFactory {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            for (var constructor : type.getDeclaredConstructors()) {
                if (constructor.getParameterCount() == 1
                        && constructor.getParameterTypes()[0] == Terminal.class) {
                    constructor.setAccessible(true);
                    return type.cast(constructor.newInstance(terminal));
                }
            }
            return CommandLine.defaultFactory().create(type);
        }
    }
}
