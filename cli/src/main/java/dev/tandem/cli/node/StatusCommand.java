package dev.tandem.cli.node;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells how the control plane's data are, from this node. */
@Command(
        name = "status",
        header = "Show what is served, what is pending and what to do.",
        description =
                "Asks the agent of this node, so it works even when Kubernetes does not. Exits with"
                    + " 0 only when either node can fail without an outage and would be recovered"
                    + " without a person; with 3 when the agent does not answer; otherwise with 1.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem status", "  tandem status --watch", "  tandem status -o json"})
final class StatusCommand implements Callable<Integer> {
    private static final Duration BEAT = Duration.ofSeconds(1);

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--watch",
            description = "Print the status again every second, until interrupted.")
    private boolean watch;

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            hidden = true,
            description = "Where the agent listens.")
    private Path socket = AgentClient.SOCKET;

    StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        AgentClient agent = new AgentClient(socket);
        AgentStatus status = agent.status();
        output.print(terminal, "NodeStatus", status, StatusText::of);
        while (watch) {
            Thread.sleep(BEAT);
            status = agent.status();
            if (output.isText()) {
                terminal.out().println();
            }
            output.print(terminal, "NodeStatus", status, StatusText::of);
        }
        return isWell(status) ? ExitCode.FINE : ExitCode.FINDING;
    }

    /** All three say so: an answer that lacks one of them is not a good one. */
    static boolean isWell(AgentStatus status) {
        return status.eitherNodeCanFail()
                && status.health() == NodeHealth.REDUNDANT
                && status.recovery().automatic();
    }
}
