package dev.tandem.cli.node;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.JournalReplay;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.agentapi.replay.EventReplay;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.host.NodePaths;
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
        description = {
            "With --replay, this version of Tandem is given what happened again, and what it would"
                    + " do is compared with what was done. After an upgrade that shows where the"
                    + " new version would have acted differently. Nothing is carried out.",
            "",
            "What is replayed: first the events that the agent has recorded around everything that"
                    + " was done or decided here (what was seen of etcd, Corosync, Pacemaker and"
                    + " the BMC, messages of the peer, fences, statements, the results of its own"
                    + " actions), from the recorded state on, through all of its rules. Then every"
                    + " decision in the journal by itself, which goes back further.",
            "What is not: how the events came about, quiet times, in which no event is recorded,"
                    + " and what would have followed from a different action: after a difference"
                    + " the replay goes on at the next recorded state.",
            "",
            "What cannot be replayed is counted and listed with the reason. With --replay the exit"
                    + " code is 0 only when all of it was replayed and is the same; 1 when"
                    + " something differs or could not be replayed; 3 when the agent does not"
                    + " answer. --last does not limit the events."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem explain",
            "  tandem explain --since 10m",
            "  tandem explain --since 2026-11-17T03:00:00Z",
            "  tandem explain --last 100 -o json",
            "  tandem explain --replay",
            "  tandem explain --replay --since 30d -o json"
        })
final class ExplainCommand implements Callable<Integer> {
    private static final int DEFAULT_COUNT = 40;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--last",
            paramLabel = "N",
            description =
                    "How many entries (default: 40; with --since, all since then; with --replay,"
                            + " all that the agent tells: the last "
                            + JournalLine.MOST_TOLD
                            + ").")
    private @Nullable Integer last;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Only entries newer than this: 30s, 10m, 2h or 1d, or a time in UTC such as"
                            + " 2026-11-17T03:00:00Z.")
    private @Nullable String since;

    @Option(
            names = "--replay",
            description =
                    "Replay recorded events and decisions, and show where this version differs.")
    private boolean replay;

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    @Option(names = "--state", paramLabel = "PATH", hidden = true)
    private Path state = NodePaths.STATE;

    /** The decisions stay where programs have found them. */
    record Replayed(EventReplay events, @JsonUnwrapped JournalReplay decisions) {
        boolean agrees() {
            return events.agrees() && decisions.agrees();
        }
    }

    ExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (last != null && last < 1) {
            throw new UsageException(
                    "'" + last + "' is not a valid value of --last",
                    "it is the number of entries to show, at least 1",
                    "for example: tandem explain --last 100");
        }
        Optional<Instant> begin =
                Optional.ofNullable(since).map(text -> Since.parse(text, InstantSource.system()));
        List<JsonNode> journal = new AgentClient(socket).journal();
        List<JsonNode> entries = begin.map(time -> since(time, journal)).orElse(journal);
        int fallback = begin.isPresent() || replay ? entries.size() : DEFAULT_COUNT;
        int count = last != null ? last : fallback;
        List<JsonNode> shown = entries.subList(Math.max(0, entries.size() - count), entries.size());
        if (replay) {
            Replayed result =
                    new Replayed(
                            EventReplay.of(
                                    RecordedEvents.in(state),
                                    begin.orElse(Instant.MIN),
                                    Supervisor::on),
                            JournalReplay.of(shown.stream().map(JournalLine::of).toList()));
            output.print(terminal, "JournalReplay", result, ReplayText::of);
            return result.agrees() ? ExitCode.FINE : ExitCode.FINDING;
        }
        output.print(
                terminal,
                "NodeJournal",
                shown.stream().map(MemberIds::inHex).toList(),
                lines ->
                        lines.isEmpty() && begin.isPresent()
                                ? "no entries since " + begin.get() + "\n"
                                : JournalText.of(lines));
        return ExitCode.FINE;
    }

    /**
     * The entries from a time on. A torn one has no time of its own: it was written no later than
     * the next that has one, and is left out only where that is too old as well.
     */
    static List<JsonNode> since(Instant begin, List<JsonNode> journal) {
        List<JsonNode> newer = new ArrayList<>();
        boolean counts = true;
        for (JsonNode entry : journal.reversed()) {
            JournalLine line = JournalLine.of(entry);
            counts = line.isDated() ? !line.time().isBefore(begin) : counts;
            if (counts) {
                newer.add(entry);
            }
        }
        return newer.reversed();
    }
}
