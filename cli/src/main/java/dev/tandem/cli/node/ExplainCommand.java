package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells from the journal why things are as they are. */
@Command(
        name = "explain",
        header = "Show from this node's journal what happened and why each decision was taken.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem explain", "  tandem explain --last 100", "  tandem explain -o json"})
final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--last",
            paramLabel = "N",
            defaultValue = "40",
            description = "How many entries (default: ${DEFAULT-VALUE}).")
    private int last;

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    ExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<JsonNode> entries = new ArrayList<>();
        new AgentClient(socket).journal().path("lines").forEach(entries::add);
        List<JsonNode> shown = entries.subList(Math.max(0, entries.size() - last), entries.size());
        output.print(terminal, "NodeJournal", shown, JournalText::of);
        return ExitCode.FINE;
    }
}
