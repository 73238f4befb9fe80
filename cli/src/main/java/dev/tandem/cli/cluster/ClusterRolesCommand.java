package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.kube.AgentRbac;
import dev.tandem.host.kube.ControlPlane;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** What Kubernetes must allow. */
@Command(
        name = "roles",
        header =
                "Print the RBAC manifests and admission policy for tandem-agent and the API"
                        + " server.",
        footerHeading = "%nExamples:%n",
        footer = "  tandem cluster roles PLAN.yaml | kubectl apply -f -")
final class ClusterRolesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(
            paramLabel = "PLAN.yaml",
            arity = "0..1",
            description =
                    "The plan of the pair, to whose nodes the permissions are limited (default: the"
                            + " plan of this node).")
    private Path plan = ClusterPlan.INSTALLED;

    ClusterRolesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (plan.equals(ClusterPlan.INSTALLED) && Files.notExists(plan)) {
            throw new Failure(
                    "cannot print the roles",
                    plan + " does not exist, so this machine is not a node of a pair",
                    "name a plan: tandem cluster roles PLAN.yaml");
        }
        terminal.out()
                .print(
                        AgentRbac.manifest(ClusterPlan.readNew(plan))
                                + "---\n"
                                + ControlPlane.roles());
        return ExitCode.FINE;
    }
}
