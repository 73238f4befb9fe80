package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.lab.ExpectationFailed;
import dev.tandem.lab.Lab;
import dev.tandem.lab.LabStarter;
import dev.tandem.lab.image.TandemPackage;
import dev.tandem.lab.kube.KubePrograms;
import dev.tandem.lab.kube.LabKube;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.LabPaths;
import dev.tandem.lab.spec.LabSpec;
import dev.tandem.lab.spec.LabStatus;
import java.io.IOException;
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
        header = "Start a lab: two nodes, a Tandem pair of them, and Kubernetes on it.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab up",
            "  tandem lab up --no-kube",
            "  tandem lab up --nodes-only",
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
            names = "--bmc",
            defaultValue = "redfish",
            description =
                    "What the pair fences with: ${COMPLETION-CANDIDATES} (default:"
                            + " ${DEFAULT-VALUE}). With both, IPMI is the second level.")
    private LabSpec.BmcProtocol bmc = LabSpec.BmcProtocol.REDFISH;

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

    @Option(
            names = "--nodes-only",
            description = "Stop when the nodes have booted: no Pacemaker, no fencing, no etcd yet.")
    private boolean nodesOnly;

    @Option(names = "--no-kube", description = "A pair without Kubernetes.")
    private boolean noKube;

    @Option(
            names = "--kube-programs",
            paramLabel = "DIR",
            description =
                    "Where kube-apiserver, kube-controller-manager, kube-scheduler, kubectl and"
                            + " kubemark are (default: built once from source and kept).")
    private @Nullable Path kubePrograms;

    @Option(
            names = "--profile",
            defaultValue = "default",
            description = "How quickly a silent peer is noticed: fast, default or tolerant.")
    private String profile = "default";

    @Mixin private KeepCache cache = new KeepCache();

    LabUpCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        LabName.requireProfile(profile);
        LabSpec spec = LabName.typed(this::spec);
        Optional<Path> deb = plain ? Optional.empty() : TandemPackage.find(tandemPackage);
        try (ConsoleProgressListener steps = new ConsoleProgressListener(terminal)) {
            LabStarter starter = new LabStarter(LabPaths.ofHost(), Programs.ofHost());
            boolean pair = deb.isPresent() && makesAPair();
            if (kubePrograms != null && (noKube || !pair)) {
                throw new Failure(
                        "cannot start lab " + name.value(),
                        "--kube-programs is for a lab with Kubernetes, which this would not have",
                        "leave it out, or the option that excludes Kubernetes: --no-kube,"
                                + " --nodes-only, --plain, --arbiter, one node");
            }
            if (pair && !noKube) {
                spec =
                        LabKube.with(
                                spec,
                                KubePrograms.ofHost()
                                        .ensure(Optional.ofNullable(kubePrograms), steps));
            }
            LabStatus status = starter.up(spec, deb, steps);
            if (pair) {
                steps.step(
                        noKube
                                ? "making the pair: Pacemaker, fencing and etcd with two voters"
                                : "making the pair: Pacemaker, fencing, etcd and Kubernetes");
                starter.undoneByInterrupt(spec.name(), steps, this::makePair);
            }
            steps.done();
            output.print(terminal, "LabStatus", status, LabStatusText::of);
            return ExitCode.FINE;
        }
    }

    private LabSpec spec() {
        return new LabSpec(
                name.value(),
                nodes,
                arbiter,
                addresses,
                links,
                bmc,
                etcdDisk,
                binds.stream().map(LabSpec.Bind::parse).toList(),
                cache.kept());
    }

    /** A single node or three members are no pair. */
    private boolean makesAPair() {
        return !nodesOnly && nodes == 2 && !arbiter;
    }

    private Pair makePair() throws IOException {
        try {
            return Pair.setUp(Lab.attach(name.value()), profile);
        } catch (ExpectationFailed e) {
            throw new Failure(
                    "the nodes are up, but the pair could not be set up",
                    String.valueOf(e.getMessage()),
                    "look: tandem lab shell --name %1$s node-0 -- tandem status; end it: tandem lab down --name %1$s"
                            .formatted(name.value()),
                    e);
        }
    }
}
