package dev.tandem.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Writes the manual pages from the same command classes as the help texts, one page a command.
 * Picocli's own generator goes by way of AsciiDoc and needs a second tool chain for it; roff is
 * simple enough to write directly.
 */
public final class ManPages {
    private static final String EXIT_STATUS =
            """
            .TP
            .B 0
            Done, and nothing is wrong.
            .TP
            .B 1
            Something was found wrong.
            .TP
            .B 2
            The command was not understood; nothing was done.
            .TP
            .B 3
            The question could not be asked, or the change could not be made.
            """;

    private ManPages() {}

    /** Writes all pages and both completion scripts below the directory given, for the package. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Path.of(arguments[0]);
        CommandSpec root = new CommandTree(Terminal.ofProcess()).spec();
        Files.createDirectories(directory.resolve("man"));
        for (Map.Entry<String, String> page : pages(root).entrySet()) {
            Files.writeString(directory.resolve("man").resolve(page.getKey()), page.getValue());
        }
        Files.createDirectories(directory.resolve("completion"));
        for (CompletionCommand.Shell shell : CompletionCommand.Shell.values()) {
            Files.writeString(
                    directory.resolve("completion").resolve(shell.toString()),
                    CompletionCommand.script(root, shell));
        }
    }

    /** File name to page, for the command and everything below it that is not hidden. */
    static Map<String, String> pages(CommandSpec root) {
        Map<String, String> pages = new TreeMap<>();
        collect(root, pages);
        return pages;
    }

    private static void collect(CommandSpec spec, Map<String, String> pages) {
        if (spec.usageMessage().hidden() || spec.name().equals("help")) {
            return;
        }
        pages.put(pageName(spec) + ".1", page(spec));
        spec.subcommands().values().forEach(sub -> collect(sub.getCommandSpec(), pages));
    }

    private static String pageName(CommandSpec spec) {
        return spec.qualifiedName("-");
    }

    private static String page(CommandSpec spec) {
        Help help = new Help(spec, Help.defaultColorScheme(Help.Ansi.OFF));
        StringBuilder page = new StringBuilder();
        page.append(
                ".TH \"%s\" 1 \"\" \"Tandem %s\" \"Tandem\"\n"
                        .formatted(
                                pageName(spec).toUpperCase(java.util.Locale.ROOT),
                                BuildInfo.version()));
        page.append(".SH NAME\n")
                .append(escape(pageName(spec) + " - " + line(spec.usageMessage().header())))
                .append('\n');
        page.append(".SH SYNOPSIS\n").append(escape(help.synopsis(0).strip())).append('\n');
        if (spec.usageMessage().description().length > 0) {
            page.append(".SH DESCRIPTION\n")
                    .append(escape(text(spec.usageMessage().description())))
                    .append('\n');
        }
        String options =
                Stream.concat(
                                spec.positionalParameters().stream(),
                                spec.options().stream().map(ArgSpec.class::cast))
                        .filter(arg -> !arg.hidden())
                        .map(ManPages::argument)
                        .collect(Collectors.joining());
        if (!options.isEmpty()) {
            page.append(".SH OPTIONS\n").append(options);
        }
        String commands =
                spec.subcommands().values().stream()
                        .map(CommandLine::getCommandSpec)
                        .filter(sub -> !sub.usageMessage().hidden() && !sub.name().equals("help"))
                        .map(sub ->
                                ".TP\n.BR "
                                        + escape(pageName(sub))
                                        + " (1)\n"
                                        + escape(line(sub.usageMessage().header()))
                                        + "\n")
                        .collect(Collectors.joining());
        if (!commands.isEmpty()) {
            page.append(".SH COMMANDS\n").append(commands);
        }
        if (spec.usageMessage().footer().length > 0) {
            page.append(".SH EXAMPLES\n.nf\n")
                    .append(escape(text(spec.usageMessage().footer())))
                    .append("\n.fi\n");
        }
        return page.append(".SH EXIT STATUS\n").append(EXIT_STATUS).toString();
    }

    private static String argument(ArgSpec arg) {
        String label = arg.isOption() ? String.join(", ", ((OptionSpec) arg).names()) : "";
        boolean takesValue = !arg.isOption() || arg.arity().max() > 0;
        String value = takesValue ? arg.paramLabel() : "";
        String head = (label + " " + value).strip();
        return ".TP\n.B " + escape(head) + "\n" + escape(line(resolved(arg))) + "\n";
    }

    private static String[] resolved(ArgSpec arg) {
        return arg.isOption() ? ((OptionSpec) arg).description() : arg.description();
    }

    private static String line(String... lines) {
        return String.join(" ", lines).replace("%n", " ").strip();
    }

    private static String text(String... lines) {
        return String.join("\n", lines).replace("%n", "\n").stripTrailing();
    }

    /**
     * A leading dot or quote would be taken for a request, a backslash for an escape, a plain minus
     * for a hyphen.
     */
    private static String escape(String text) {
        return text.replace("\\", "\\e")
                .replace("-", "\\-")
                .lines()
                .map(line -> line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line)
                .collect(Collectors.joining("\n"));
    }
}
