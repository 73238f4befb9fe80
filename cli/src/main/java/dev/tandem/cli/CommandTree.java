package dev.tandem.cli;

import dev.tandem.core.Failure;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** All commands, and how their failures are told. */
public final class CommandTree {
    /** Columns; below it the terminal breaks the lines itself. */
    private static final int LEAST_WIDTH = 60;

    private static final int WIDE_OPTIONS = 28;

    /** The least that picocli 4.7 takes. */
    private static final int NARROW_OPTIONS = 20;

    private final Terminal terminal;
    private final Tandem root = new Tandem();
    private final CommandLine commandLine;

    /** With every command. */
    public CommandTree(Terminal terminal) {
        this(terminal, _ -> true);
    }

    private CommandTree(Terminal terminal, Predicate<String> wanted) {
        this.terminal = terminal;
        this.commandLine = new CommandLine(root, new TerminalFactory(terminal));
        addCommands(wanted);
        prepare(commandLine.getCommandSpec());
        commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedOptionsAllowed(false)
                .setUsageHelpAutoWidth(true)
                .setUsageHelpLongOptionsMaxWidth(WIDE_OPTIONS)
                .setHelpFactory(CommandTree::help)
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setColorScheme(
                        Help.defaultColorScheme(terminal.colour() ? Help.Ansi.ON : Help.Ansi.OFF))
                .setExecutionStrategy(this::execute)
                .setParameterExceptionHandler(this::misunderstood)
                .setExecutionExceptionHandler((failure, line, _) -> failed(failure, line));
    }

    /**
     * With the one command that these arguments name, or with every command where they name none:
     * to read the annotations of all of them takes longer than most of them run.
     */
    static CommandTree of(Terminal terminal, String... arguments) {
        String first =
                Stream.of(arguments)
                        .takeWhile(argument -> !argument.equals("--"))
                        .filter(argument -> !argument.startsWith("-"))
                        .findFirst()
                        .orElse("");
        boolean named = providers().anyMatch(provider -> isTop(provider, terminal, first));
        return named ? new CommandTree(terminal, first::equals) : new CommandTree(terminal);
    }

    private static boolean isTop(CommandProvider provider, Terminal terminal, String name) {
        return provider.parent().isEmpty()
                && provider.commands(terminal).stream()
                        .anyMatch(command -> nameOf(command).equals(name));
    }

    private static Stream<CommandProvider> providers() {
        return ServiceLoader.load(CommandProvider.class).stream().map(ServiceLoader.Provider::get);
    }

    private static String nameOf(Object command) {
        Class<?> type = command instanceof Class<?> itself ? itself : command.getClass();
        return Objects.requireNonNull(type.getAnnotation(Command.class)).name();
    }

    /** Parents before what stands below them. */
    private void addCommands(Predicate<String> wanted) {
        List<CommandProvider> providers =
                providers()
                        .sorted(Comparator.comparing(provider -> !provider.parent().isEmpty()))
                        .toList();
        for (CommandProvider provider : providers) {
            if (provider.parent().isEmpty()) {
                provider.commands(terminal).stream()
                        .filter(command -> wanted.test(nameOf(command)))
                        .forEach(commandLine::addSubcommand);
            } else if (wanted.test(provider.parent())) {
                CommandLine parent =
                        Objects.requireNonNull(commandLine.getSubcommands().get(provider.parent()));
                provider.commands(terminal).forEach(parent::addSubcommand);
            }
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
        spec.usageMessage().description(paragraphs(spec.usageMessage().description()));
        if (!spec.optionsMap().containsKey("--help")) {
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

    /**
     * Lines that the source had to break become one line each, which the terminal's width breaks
     * once. The end of a sentence or a colon at the end of a line ends a paragraph; a line with a
     * margin is shown as it is written.
     */
    private static String[] paragraphs(String... lines) {
        List<String> whole = new ArrayList<>();
        boolean open = false;
        for (String line : lines) {
            boolean flows = !line.isBlank() && !Character.isWhitespace(line.charAt(0));
            if (flows && open) {
                whole.add(whole.removeLast() + " " + line);
            } else {
                whole.add(line);
            }
            open = flows && !line.endsWith(".") && !line.endsWith(":");
        }
        return whole.toArray(String[]::new);
    }

    /**
     * As wide as the terminal, but never so narrow that a column of options leaves no room for what
     * they do. The width is found out only when somebody reads help: that runs a program.
     */
    private static Help help(CommandSpec spec, Help.ColorScheme scheme) {
        UsageMessageSpec usage = spec.usageMessage();
        int width = width(System.getenv("COLUMNS"), usage.width());
        usage.autoWidth(false).width(width);
        usage.longOptionsMaxWidth(width < 80 ? NARROW_OPTIONS : WIDE_OPTIONS);
        return new Help(spec, scheme);
    }

    /** What COLUMNS says, as in every other program, and else what the terminal does. */
    static int width(@Nullable String columns, int terminal) {
        boolean said = columns != null && columns.matches("[1-9][0-9]{0,3}");
        return Math.max(LEAST_WIDTH, said ? Integer.parseInt(columns) : terminal);
    }

    private int execute(ParseResult parsed) {
        if (root.noColour()) {
            terminal.forbidColour();
            commandLine.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private int misunderstood(ParameterException e, String[] arguments) {
        UsageMessage error = UsageMessage.of(e);
        print(
                e.getCommandLine(),
                askedIn(arguments, e.getCommandLine().getCommandSpec()),
                new Told(error.what(), error.cause(), error.fix()));
        return ExitCode.USAGE;
    }

    /** A failure as programs read it. */
    private record Told(String what, String cause, String fix) {
        static Told of(Failure failure) {
            return new Told(failure.what(), failure.why(), failure.remedy());
        }
    }

    /**
     * Every error has these three lines, whoever is to blame for it. A program that asked for a
     * machine form gets one, in place of the answer.
     */
    private void print(CommandLine line, Output.Format format, Told told) {
        PrintWriter err = terminal.err();
        err.println(line.getCommandSpec().qualifiedName() + ": " + told.what());
        err.println("cause: " + told.cause());
        err.println("fix: " + told.fix());
        if (format != Output.Format.TEXT) {
            Output.print(terminal, format, "Failure", told, _ -> "");
        }
    }

    /** The form that a command was asked for, by what was understood of the line. */
    private static Output.Format asked(CommandSpec spec) {
        OptionSpec option = spec.findOption(Output.OPTION);
        return option != null && option.getValue() instanceof Output.Format format
                ? format
                : Output.Format.TEXT;
    }

    /** The same for a line that was not understood; the plainest where it is not plain. */
    private static Output.Format askedIn(String[] arguments, CommandSpec spec) {
        if (spec.findOption(Output.OPTION) == null) {
            return Output.Format.TEXT;
        }
        List<String> named = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            if (argument.equals("-o") || argument.equals(Output.OPTION)) {
                named.add(i + 1 < arguments.length ? arguments[i + 1] : "");
            } else if (argument.startsWith(Output.OPTION + "=")) {
                named.add(argument.substring(Output.OPTION.length() + 1));
            } else if (argument.startsWith("-o")) {
                named.add(argument.substring(2).replaceFirst("^=", ""));
            }
        }
        return named.size() == 1
                ? Stream.of(Output.Format.values())
                        .filter(format -> format.toString().equalsIgnoreCase(named.getFirst()))
                        .findFirst()
                        .orElse(Output.Format.TEXT)
                : Output.Format.TEXT;
    }

    private int failed(Exception failure, CommandLine line) {
        if (Interruption.underWay() && !root.debug()) {
            return ExitCode.COULD_NOT_ASK;
        }
        PrintWriter err = terminal.err();
        if (failure instanceof UsageException wrong) {
            print(line, asked(line.getCommandSpec()), Told.of(wrong.failure()));
            return ExitCode.USAGE;
        }
        if (failure instanceof Failure known) {
            print(line, asked(line.getCommandSpec()), Told.of(known));
        } else {
            String message = failure.getMessage();
            print(
                    line,
                    asked(line.getCommandSpec()),
                    new Told(
                            "unexpected error",
                            message == null ? "not known" : message,
                            "run it again with --debug and report what it prints"));
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
