package dev.tandem.cli;

import dev.tandem.core.Nearest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What was typed wrongly, in our words and not in those of the library that reads the line. */
record UsageMessage(String what, String cause, String fix) {

    static UsageMessage of(ParameterException e) {
        return switch (e) {
            case UnmatchedArgumentException unmatched -> unmatched(unmatched);
            case MissingParameterException missing -> missing(missing);
            case OverwrittenOptionException twice ->
                    new UsageMessage(
                            name(twice.getOverwritten()) + " was given twice",
                            "it can be given only once",
                            help(e.getCommandLine()));
            default -> {
                ArgSpec argument = e.getArgSpec();
                yield argument == null ? other(e) : badValue(e, argument);
            }
        };
    }

    private static UsageMessage unmatched(UnmatchedArgumentException e) {
        CommandLine line = e.getCommandLine();
        String typed = e.getUnmatched().getFirst();
        if (e.isUnknownOption()) {
            List<String> options = options(line.getCommandSpec());
            return new UsageMessage(
                    typed + " is not an option",
                    "the options are " + String.join(", ", options),
                    // Any two letters are one slip apart.
                    meant("", typed.length() > 2 ? Nearest.to(typed, options) : List.of(), line));
        }
        if (!line.getSubcommands().isEmpty()) {
            List<String> commands = commands(line);
            return new UsageMessage(
                    "'" + typed + "' is not a command",
                    "the commands are " + String.join(", ", commands),
                    meant(
                            line.getCommandSpec().qualifiedName() + " ",
                            Nearest.to(typed, commands),
                            line));
        }
        return new UsageMessage(
                "'" + typed + "' is one argument too many",
                "needed: " + synopsis(line),
                help(line));
    }

    private static UsageMessage missing(MissingParameterException e) {
        CommandLine line = e.getCommandLine();
        List<ArgSpec> missing = e.getMissing();
        String names =
                missing.stream()
                        .map(UsageMessage::missingName)
                        .collect(Collectors.joining(" and "));
        return new UsageMessage(
                (names.isEmpty() ? "an argument" : names)
                        + (missing.size() > 1 ? " are missing" : " is missing"),
                "needed: " + synopsis(line),
                help(line));
    }

    /**
     * An option that stands there without its value is told by the library as missing, too; only of
     * one that must be there can that be either.
     */
    private static String missingName(ArgSpec argument) {
        return argument instanceof OptionSpec option
                ? option.required()
                        ? name(option) + " " + option.paramLabel()
                        : "the value of " + name(option)
                : name(argument);
    }

    private static UsageMessage badValue(ParameterException e, ArgSpec argument) {
        CommandLine line = e.getCommandLine();
        String value = e.getValue();
        Class<?> type =
                argument.type().isArray() || argument.auxiliaryTypes().length == 0
                        ? argument.type()
                        : argument.auxiliaryTypes()[0];
        String what =
                value == null
                        ? name(argument) + " has an invalid value"
                        : "'" + value + "' is not a valid value of " + name(argument);
        if (type.isEnum()) {
            List<String> possible = words(type);
            return new UsageMessage(
                    what,
                    "possible values: " + String.join(", ", possible),
                    meant(
                            argument.isOption() ? name(argument) + " " : "",
                            value == null
                                    ? List.of()
                                    : Nearest.to(value.toLowerCase(Locale.ROOT), possible),
                            line));
        }
        return new UsageMessage(what, "expected " + kind(type), help(line));
    }

    private static String kind(Class<?> type) {
        if (type == int.class
                || type == Integer.class
                || type == long.class
                || type == Long.class) {
            return "a whole number";
        }
        return type == double.class || type == Double.class
                ? "a number"
                : "a value as its help describes";
    }

    /** As they are typed and as the documents write them. */
    private static List<String> words(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(value -> value.toString().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static UsageMessage other(ParameterException e) {
        String message =
                String.valueOf(e.getMessage()).lines().findFirst().orElse("not understood");
        CommandLine line = e.getCommandLine();
        return new UsageMessage(
                Character.toLowerCase(message.charAt(0)) + message.substring(1),
                line.getSubcommands().isEmpty()
                        ? "needed: " + synopsis(line)
                        : "the commands are " + String.join(", ", commands(line)),
                help(line));
    }

    private static String meant(String before, List<String> nearest, CommandLine line) {
        return nearest.isEmpty()
                ? help(line)
                : "did you mean: "
                        + nearest.stream()
                                .limit(3)
                                .map(each -> before + each)
                                .collect(Collectors.joining(" or "));
    }

    private static String help(CommandLine line) {
        CommandSpec spec = line.getCommandSpec();
        return spec.parent() == null ? "tandem help" : spec.qualifiedName() + " --help";
    }

    private static String synopsis(CommandLine line) {
        return line.getHelp().synopsis(0).strip().replaceAll("\\s+", " ");
    }

    private static String name(ArgSpec argument) {
        return switch (argument) {
            case OptionSpec option -> option.longestName();
            case PositionalParamSpec positional -> positional.paramLabel();
            default -> argument.paramLabel();
        };
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Stream.of(option.names()))
                .filter(name -> name.startsWith("--"))
                .distinct()
                .toList();
    }

    private static List<String> commands(CommandLine line) {
        return line.getSubcommands().entrySet().stream()
                .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }
}
