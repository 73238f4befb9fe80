package dev.tandem.cli.cluster;

import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.kube.ControlPlane;
import dev.tandem.host.kube.ControlPlaneInstall;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** This node's part of a Kubernetes control plane. */
@Command(
        name = "kubernetes",
        header = "Put a Kubernetes control plane on this node, for Pacemaker to start.",
        description =
                "Writes settings below /etc/kubernetes and units for API server, controllers and"
                    + " scheduler that start with kubelet.service, which has to be there, and stop"
                    + " when Pacemaker stops etcd. Its keys come with 'tandem certs'. Nothing"
                    + " starts before 'tandem cluster apply' with 'kubelet: true' in the plan.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster kubernetes PLAN.yaml --dry-run",
            "  tandem cluster kubernetes PLAN.yaml --programs /usr/local/bin",
            "  tandem cluster roles PLAN.yaml | kubectl apply -f -    once the API answers"
        })
final class ClusterKubernetesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "PLAN.yaml", description = "The plan of the pair.")
    private Path plan;

    @Option(
            names = "--programs",
            paramLabel = "DIR",
            defaultValue = "/usr/local/bin",
            description =
                    "Where kube-apiserver, kube-controller-manager and kube-scheduler are"
                            + " (default: ${DEFAULT-VALUE}).")
    private Path programs = Path.of("/usr/local/bin");

    @Mixin private Consent consent = new Consent();
    @Mixin private Output output = new Output();

    ClusterKubernetesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Placed(
            String node,
            String plan,
            boolean dryRun,
            boolean startedByPacemaker,
            List<String> files) {

        String asText() {
            String list =
                    files.stream().map(file -> "  " + file + "\n").collect(Collectors.joining());
            String first =
                    files.isEmpty()
                            ? node + " has all files of its control plane.\n"
                            : dryRun
                                    ? node + " would create or change:\n" + list
                                    : node + " created or changed:\n" + list;
            String next =
                    startedByPacemaker
                            ? "Pacemaker starts the control plane together with kubelet.\n"
                            : "Nothing starts the control plane yet: the plan does not say"
                                    + " 'kubelet:"
                                    + " true'. Add that, then: tandem cluster apply %s\n"
                                            .formatted(plan);
            return first + next;
        }
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        ClusterPlan wanted = ClusterPlan.readNew(plan);
        ControlPlaneInstall install =
                new ControlPlaneInstall(
                        ControlPlane.of(
                                wanted, ThisNode.name(), programs.toAbsolutePath().normalize()),
                        new SystemCommands());
        install.check();
        Placed placed =
                new Placed(
                        ThisNode.name(),
                        plan.toString(),
                        consent.dryRun(),
                        wanted.kubelet(),
                        install.difference().stream().map(Path::toString).toList());
        if (consent.dryRun()) {
            output.print(terminal, "ControlPlanePlaced", placed, Placed::asText);
            return ExitCode.FINE;
        }
        if (!wanted.kubelet()) {
            terminal.err()
                    .println(
                            "Warning: %s does not have kubelet: true: nothing will start this control plane."
                                    .formatted(plan));
        }
        placed.files().forEach(file -> terminal.err().println("  " + file));
        if (!consent.given(
                terminal, "This node, " + ThisNode.name() + ", gets a Kubernetes control plane.")) {
            terminal.err().println("Nothing was changed.");
            return ExitCode.FINDING;
        }
        install.install();
        output.print(terminal, "ControlPlanePlaced", placed, Placed::asText);
        return ExitCode.FINE;
    }
}
