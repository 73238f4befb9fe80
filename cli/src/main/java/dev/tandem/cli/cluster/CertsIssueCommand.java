package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.SitePki;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Issues the certificates of the nodes. */
@Command(
        name = "issue",
        header = "Issue the certificates of the nodes of a plan.",
        description =
                "Creates a directory with new keys for each node; an existing one is replaced. With"
                        + " the CAs of Kubernetes in DIR/kubernetes, its keys and an"
                        + " administrator's kubeconfig are created too.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem certs issue PLAN.yaml --dir site"})
final class CertsIssueCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "PLAN.yaml", description = "The plan of the pair.")
    private Path plan;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Where the CA is (default: the current directory).")
    private Path directory = Path.of(".");

    CertsIssueCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ClusterPlan wanted = ClusterPlan.readNew(plan);
        SitePki.Authority authority =
                SitePki.load(
                        directory, wanted.kubelet() ? " --kubernetes" : "", InstantSource.system());
        Path kubernetes = directory.resolve(KubePki.DIRECTORY);
        Optional<KubePki.Authority> kubernetesAuthority =
                Files.isDirectory(kubernetes)
                        ? Optional.of(KubePki.load(kubernetes, InstantSource.system()))
                        : Optional.empty();
        for (ClusterPlan.Node node : wanted.nodes()) {
            SitePki.requireNoAuthority(directory.resolve(node.name()));
        }
        if (wanted.kubelet() && kubernetesAuthority.isEmpty()) {
            terminal.err()
                    .println(
                            """
                            Warning: the plan has kubelet: true, and there are no CAs of Kubernetes\
                             in %s: the nodes get no keys of Kubernetes.
                              fix: tandem certs create --dir %s --kubernetes; then run this command again\
                            """
                                    .formatted(kubernetes, directory));
        }
        if (!wanted.kubelet() && kubernetesAuthority.isPresent()) {
            terminal.err()
                    .println(
                            """
                            Warning: there are CAs of Kubernetes in %s, and the plan does not have\
                             kubelet: true: the nodes get keys of Kubernetes, and nothing will start it.
                              fix: add kubelet: true and api to %s; then run this command again\
                            """
                                    .formatted(kubernetes, plan));
        }
        for (ClusterPlan.Node node : wanted.nodes()) {
            List<String> addresses =
                    node.addresses().stream().map(address -> address.toString()).toList();
            authority.issue(node.name(), addresses, directory.resolve(node.name()));
            kubernetesAuthority.ifPresent(issuer ->
                    issuer.issue(
                            wanted,
                            node,
                            directory.resolve(node.name()).resolve(KubePki.DIRECTORY)));
            terminal.out().println("Issued " + directory.resolve(node.name()));
        }
        kubernetesAuthority.ifPresent(issuer -> {
            Path kubeconfig = issuer.issueAdmin(wanted);
            terminal.out().println("Issued " + kubeconfig + ", for an administrator.");
        });
        return ExitCode.FINE;
    }
}
