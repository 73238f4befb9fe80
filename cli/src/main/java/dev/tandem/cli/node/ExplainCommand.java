package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.agentapi.JournalReplay;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
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
            "With --replay, this version of Tandem makes every decision in the journal again, from"
                    + " what was recorded with it, and compares the two. After an upgrade that"
                    + " shows where the new version would have decided differently. Nothing is"
                    + " carried out.",
            "",
            "What is replayed: how etcd is to run on this node (start, take over, join, wait,"
                    + " refuse, stand down, leave), from this node's facts, the peer's facts, the"
                    + " proofs, the membership, the policy, the trigger and what this node's log"
                    + " held.",
            "What is not: when a decision was asked for and by which trigger, which fence or"
                    + " statement came to count as a proof, how messages of the peer were"
                    + " understood, the leader's changes of the member list, fencing itself, and"
                    + " what would have followed from a different decision. A decision that was"
                    + " taken again unchanged is in the journal once.",
            "",
            "Lines that cannot be replayed are counted and listed with the reason. With --replay"
                    + " the exit code is 0 only when every decision was replayed and is the same; 1"
                    + " when one differs or a line could not be replayed; 3 when the agent does not"
                    + " answer."
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
                    "Make every decision again, and show where this version decides differently.")
    private boolean replay;

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

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
            JournalReplay result = JournalReplay.of(shown.stream().map(JournalLine::of).toList());
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
