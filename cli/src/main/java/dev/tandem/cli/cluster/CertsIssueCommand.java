package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.pacemaker.ClusterPlan;
import dev.tandem.host.tls.SitePki;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Issues the certificates of the nodes. */
@Command(
        name = "issue",
        header = "Issue the certificates of the nodes of a plan.",
        description = "Makes a directory for each node with new keys; what lies there is replaced.",
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
            description = "Where the authority lies (default: here).")
    private Path directory = Path.of(".");

    CertsIssueCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        SitePki.Authority authority = SitePki.load(directory, InstantSource.system());
        for (ClusterPlan.Node node : ClusterPlan.read(plan).nodes()) {
            List<String> addresses =
                    node.addresses().stream().map(address -> address.toString()).toList();
            authority.issue(node.name(), addresses, directory.resolve(node.name()));
            terminal.out().println("Issued " + directory.resolve(node.name()));
        }
        return ExitCode.FINE;
    }
}
