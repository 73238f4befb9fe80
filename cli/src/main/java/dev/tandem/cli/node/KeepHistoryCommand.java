package dev.tandem.cli.node;

import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.KeepHistoryRequest;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Person;
import dev.tandem.cli.Terminal;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A person's choice between two histories. */
@Command(
        name = "keep-history",
        header = "After a fork, keep the peer's history and set this node's aside.",
        description =
                "For when both nodes went on separately, and the peer serves again. What only this"
                        + " node holds is not served any more; its replica stays in"
                        + " /var/lib/etcd/kept. The choice is recorded and counts for this incident"
                        + " only.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem keep-history node-0 --dry-run",
            "  tandem keep-history node-0",
            "  tandem keep-history node-0 --incident 4f1c02aa --yes"
        })
final class KeepHistoryCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(index = "0", paramLabel = "NODE", description = "The peer, whose history is kept.")
    private String node = "";

    @Option(
            names = "--incident",
            paramLabel = "CODE",
            description =
                    "The incident it is about, from tandem status -o json; the current one"
                            + " otherwise.")
    private String incident = "";

    @Mixin private Consent consent = new Consent();
    @Mixin private Output output = new Output();

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    KeepHistoryCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        AgentClient agent = new AgentClient(socket);
        HistoryChoice choice = agent.keepHistory(question(incident, true));
        if (consent.dryRun()) {
            output.print(terminal, "HistoryChoice", choice, KeepHistoryCommand::text);
            return ExitCode.FINE;
        }
        terminal.err().print(text(choice));
        terminal.err().println();
        String given = choice.setsAside().node();
        if (!consent.given(
                terminal,
                "The history of %s is kept, and what only %s holds is given up."
                        .formatted(node, given))) {
            terminal.err().println("Nothing was stated.");
            return ExitCode.FINDING;
        }
        HistoryChoice stated = agent.keepHistory(question(choice.incident(), false));
        output.print(
                terminal,
                "HistoryChoice",
                stated,
                _ -> "Recorded. See what follows: tandem status");
        return ExitCode.FINE;
    }

    private KeepHistoryRequest question(String code, boolean dryRun) {
        return new KeepHistoryRequest(node, code, Person.name(), dryRun);
    }

    /** What it would mean. */
    static String text(HistoryChoice choice) {
        HistoryChoice.Side kept = choice.keeps();
        HistoryChoice.Side aside = choice.setsAside();
        long shared = choice.sharedUpTo();
        return """
          will keep:         the history of %s: epoch %d, index %d
          will set aside:    that of %s: epoch %d, index %d
          no longer served:  %s
          incident:          %s
        """
                .formatted(
                        kept.node(),
                        kept.epoch(),
                        kept.index(),
                        aside.node(),
                        aside.epoch(),
                        aside.index(),
                        shared == 0
                                ? "every write that only " + aside.node() + " holds"
                                : "what %s wrote after index %d".formatted(aside.node(), shared),
                        choice.incident());
    }
}
