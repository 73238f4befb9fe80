package dev.tandem.lab;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a lab. */
@Command(
        name = "up",
        header = "Start a lab and wait until its nodes have booted.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab up",
            "  tandem lab up --name two --links 2 --addresses dual",
            "  tandem lab up --arbiter"
        })
final class LabUpCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Option(
            names = "--nodes",
            defaultValue = "2",
            description = "Control-plane nodes: 1 or 2 (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(names = "--arbiter", description = "A third, small node that only votes.")
    private boolean arbiter;

    @Option(
            names = "--addresses",
            defaultValue = "ipv4",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private LabSpec.AddressFamily addresses = LabSpec.AddressFamily.IPV4;

    @Option(
            names = "--links",
            defaultValue = "1",
            description = "Networks between the nodes: 1 or 2 (default: ${DEFAULT-VALUE}).")
    private int links;

    @Option(
            names = "--etcd-disk",
            paramLabel = "MIB",
            defaultValue = "" + LabSpec.DEFAULT_ETCD_DISK_MIB,
            description = "Size of etcd's own file system (default: ${DEFAULT-VALUE}).")
    private int etcdDisk;

    @Option(
            names = "--bind",
            paramLabel = "HOST[:NODE]",
            description = "Show a directory of this host in every node, read-only.")
    private List<String> binds = List.of();

    @Option(
            names = "--package",
            paramLabel = "DEB",
            description = "Install this build of Tandem's package in the nodes.")
    private @Nullable Path tandemPackage;

    @Option(names = "--plain", description = "Nodes without Tandem's package.")
    private boolean plain;

    LabUpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        LabSpec spec =
                new LabSpec(
                        name.value(),
                        nodes,
                        arbiter,
                        addresses,
                        links,
                        etcdDisk,
                        binds.stream().map(LabSpec.Bind::parse).toList());
        Optional<Path> deb = plain ? Optional.empty() : TandemPackage.find(tandemPackage);
        try (ShownSteps steps = new ShownSteps(terminal)) {
            LabStatus status =
                    new LabStarter(LabPaths.ofHost(), Programs.ofHost()).up(spec, deb, steps);
            steps.done();
            output.print(terminal, "LabStatus", status, StatusText::of);
            return ExitCode.FINE;
        }
    }
}
