package dev.tandem.cli.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.agent.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A person's word that the peer is off, for when its BMC cannot be asked. */
@Command(
        name = "confirm-peer-off",
        header = "State that you have seen the peer switched off.",
        description = {
            "For when fencing fails because the BMC cannot be reached. The statement is recorded,"
                    + " counts",
            "for this incident only, and lets this node go on alone. If the peer runs after all,"
                    + " there",
            "will be two histories, and the writes of one of them are lost."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem confirm-peer-off node-1",
            "  tandem confirm-peer-off node-1 --incident 4f1c02aa --typed node-1"
        })
final class ConfirmPeerOffCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(index = "0", paramLabel = "NODE", description = "The node you have seen off.")
    private String node = "";

    @Option(
            names = "--incident",
            paramLabel = "CODE",
            description =
                    "The incident it is about, from tandem status -o json; asked for otherwise.")
    private String incident = "";

    @Option(
            names = "--typed",
            paramLabel = "NODE",
            description = "The node's name once more, in place of typing it when asked.")
    private String typed = "";

    @Option(
            names = "--accept-loss",
            description = "What the peer may have written alone is given up.")
    private boolean acceptLoss;

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    ConfirmPeerOffCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        AgentClient agent = new AgentClient(socket);
        JsonNode status = agent.get("/status");
        String peer = status.path("peer").asText();
        if (!node.equals(peer)) {
            throw new Failure(
                    "not taken as a statement about " + node,
                    "the peer of this node is " + peer,
                    "tandem confirm-peer-off " + peer);
        }
        String code = status.path("incident").asText();
        if (!incident.isEmpty() && !incident.equals(code)) {
            throw new Failure(
                    "not taken as a statement about " + node,
                    "incident " + incident + " is over; it is " + code + " now",
                    "look again: tandem status");
        }
        if (typed.isEmpty()) {
            terminal.err().println(status.path("sentence").asText());
            terminal.err()
                    .println(
                            "Going on alone while %s runs would make two histories; one of them would be lost."
                                    .formatted(peer));
            terminal.err().println();
            terminal.err().println("  will start:  etcd here as the only voter");
            terminal.err().println("  will drop:   " + peer + " from the member list");
            terminal.err().println("  incident:    " + code);
            terminal.err().println();
            if (!terminal.interactive()) {
                throw new Failure(
                        "not stated",
                        "nobody is at a terminal to type the name",
                        "add --incident " + code + " --typed " + peer);
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
        agent.post(
                "/confirm-peer-off",
                Map.of(
                        "node", peer,
                        "incident", code,
                        "person", System.getenv().getOrDefault("SUDO_USER", "root"),
                        "acceptLoss", acceptLoss));
        terminal.out().println("Recorded. See what follows: tandem status");
        return ExitCode.FINE;
    }
}
