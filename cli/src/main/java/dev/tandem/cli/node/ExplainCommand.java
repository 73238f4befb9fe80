package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentClient;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.WrongUsage;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells from the journal why things are as they are. */
@Command(
        name = "explain",
        header = "Show from this node's journal what happened and why each decision was taken.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem explain",
            "  tandem explain --since 10m",
            "  tandem explain --since 2026-11-17T03:00:00Z",
            "  tandem explain --last 100 -o json"
        })
final class ExplainCommand implements Callable<Integer> {
    private static final int DEFAULT_COUNT = 40;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--last",
            paramLabel = "N",
            description = "How many entries (default: 40; with --since, all since then).")
    private @Nullable Integer last;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Only entries newer than this: 30s, 10m, 2h or 1d, or a time in UTC such as"
                            + " 2026-11-17T03:00:00Z.")
    private @Nullable String since;

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    ExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (last != null && last < 1) {
            throw new WrongUsage(
                    "'" + last + "' is not a value of --last",
                    "needed is how many entries to show, at least 1",
                    "for example: tandem explain --last 100");
        }
        List<JsonNode> entries = new ArrayList<>();
        Optional<Instant> begin =
                Optional.ofNullable(since).map(text -> Since.parse(text, InstantSource.system()));
        new AgentClient(socket)
                .journal()
                .path("lines")
                .forEach(line -> {
                    if (begin.isEmpty() || !JournalLine.of(line).time().isBefore(begin.get())) {
                        entries.add(line);
                    }
                });
        int count = last != null ? last : begin.isPresent() ? entries.size() : DEFAULT_COUNT;
        List<JsonNode> shown = entries.subList(Math.max(0, entries.size() - count), entries.size());
        output.print(terminal, "NodeJournal", shown, JournalText::of);
        return ExitCode.FINE;
    }
}
