package dev.tandem.cli.node;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.PeerOffRequest;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Person;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.core.Failure;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A person's word that the peer is off, for when its BMC cannot be asked. */
@Command(
        name = "confirm-peer-off",
        header = "State that you have seen the peer switched off.",
        description =
                "Use this when the peer's BMC cannot prove it: the BMC cannot be reached, or the"
                    + " machine is lost. The statement is recorded, counts for this incident only,"
                    + " and lets this node go on alone. If the peer is running after all, there"
                    + " will be two histories, and the writes of one of them are lost.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem confirm-peer-off node-1 --dry-run",
            "  tandem confirm-peer-off node-1",
            "  tandem confirm-peer-off node-1 --incident 4f1c02aa --typed node-1"
        })
final class ConfirmPeerOffCommand implements Callable<Integer> {
    private static final String KIND = "PeerOffStatement";

    private final Terminal terminal;

    @Parameters(index = "0", paramLabel = "NODE", description = "The node you have seen off.")
    private String node = "";

    @Option(
            names = "--incident",
            paramLabel = "CODE",
            description =
                    "The incident it is about, from tandem status -o json (default: the current"
                            + " one).")
    private String incident = "";

    @Option(
            names = "--typed",
            paramLabel = "NODE",
            description = "The node's name once more, in place of typing it when asked.")
    private String typed = "";

    @Option(
            names = "--accept-loss",
            description =
                    "Accept the loss of what the peer wrote alone and of entries missing from this"
                            + " node's log.")
    private boolean acceptLoss;

    @Option(
            names = "--dry-run",
            description =
                    "Show what it would mean and whether it would be accepted; state nothing.")
    private boolean dryRun;

    @Mixin private Output output = new Output();

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    ConfirmPeerOffCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        AgentClient agent = new AgentClient(socket);
        AgentStatus status = agent.status();
        String peer = status.peer();
        if (!node.equals(peer)) {
            throw new Failure(
                    "statement about " + node + " rejected",
                    "the peer of this node is " + peer,
                    "tandem confirm-peer-off " + peer);
        }
        String code = status.incident();
        if (!incident.isEmpty() && !incident.equals(code)) {
            throw new Failure(
                    "statement about " + node + " rejected",
                    "incident " + incident + " is over; the current one is " + code,
                    "see the current state: tandem status");
        }
        if (!typed.isEmpty() && !typed.equals(peer)) {
            throw new UsageException(
                    "nothing was stated",
                    "'%s' was typed, the node is %s".formatted(typed, peer),
                    "tandem confirm-peer-off " + peer);
        }
        if (dryRun) {
            PeerOffStatement checked = agent.confirmPeerOff(statement(peer, code, true));
            output.print(terminal, KIND, checked, answer -> text(status.node(), answer));
            return ExitCode.FINE;
        }
        if (typed.isEmpty()) {
            // What is refused anyway need not be typed.
            PeerOffStatement checked = agent.confirmPeerOff(statement(peer, code, true));
            if (checked.notNeeded()) {
                output.print(terminal, KIND, checked, answer -> text(status.node(), answer));
                return ExitCode.FINE;
            }
            terminal.err().println(status.sentence());
            terminal.err()
                    .println(
                            "Going on alone while %s runs would make two histories; one of them would be lost."
                                    .formatted(peer));
            terminal.err().println();
            terminal.err().print(text(status.node(), checked));
            terminal.err().println();
            if (!terminal.interactive()) {
                throw new Failure(
                        "nothing was stated",
                        "there is no terminal to type the name",
                        "tandem confirm-peer-off "
                                + peer
                                + " --incident "
                                + code
                                + (acceptLoss ? " --accept-loss" : "")
                                + " --typed "
                                + peer);
            }
        }
        Optional<String> answer =
                typed.isEmpty()
                        ? terminal.ask(
                                "Is %s switched off, and did you see it? Type its name to go on:"
                                        .formatted(peer))
                        : Optional.of(typed);
        if (!answer.equals(Optional.of(peer))) {
            terminal.err().println("Nothing was stated.");
            return ExitCode.FINDING;
        }
        PeerOffStatement taken = agent.confirmPeerOff(statement(peer, code, false));
        output.print(
                terminal,
                KIND,
                taken,
                answered ->
                        answered.notNeeded()
                                ? text(status.node(), answered)
                                : "Recorded. See what follows: tandem status");
        return ExitCode.FINE;
    }

    private PeerOffRequest statement(String peer, String code, boolean withoutEffect) {
        return new PeerOffRequest(peer, code, Person.name(), acceptLoss, withoutEffect);
    }

    /** What it would mean. */
    static String text(String self, PeerOffStatement checked) {
        String peer = checked.node();
        if (checked.notNeeded()) {
            return "not needed: %s already serves alone; nothing was recorded%n".formatted(self);
        }
        return """
          will start:  etcd here as the only voter
          will drop:   %s from the member list
          will lose:   %s
          its BMC:     reads %s
          incident:    %s
        """
                .formatted(
                        peer,
                        checked.acceptLoss()
                                ? "what "
                                        + peer
                                        + " may have written alone, and committed entries that this"
                                        + " node's log lacks"
                                : "nothing; the statement is refused if "
                                        + peer
                                        + " may hold newer writes",
                        checked.bmc().name().toLowerCase(Locale.ROOT),
                        checked.incident());
    }
}
