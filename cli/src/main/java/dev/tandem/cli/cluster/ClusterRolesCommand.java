package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.kube.AgentRbac;
import dev.tandem.host.kube.ControlPlane;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** What Kubernetes must allow. */
@Command(
        name = "roles",
        header = "Print the manifests that let tandem-agent and the API server do their work.",
        footerHeading = "%nExamples:%n",
        footer = "  tandem cluster roles | kubectl apply -f -")
final class ClusterRolesCommand implements Callable<Integer> {
    private final Terminal terminal;

    ClusterRolesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(AgentRbac.manifest() + "---\n" + ControlPlane.roles());
        return ExitCode.FINE;
    }
}
