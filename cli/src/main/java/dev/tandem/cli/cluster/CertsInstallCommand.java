package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.FileSet;
import dev.tandem.host.pki.SitePki;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts this node's certificates in place. */
@Command(
        name = "install",
        header = "Check this node's certificates and put them in place.",
        description =
                "Refuses a directory whose CA is not the one that is installed: the peer would not"
                        + " trust this node any more.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem certs install site/node-0 --dry-run",
            "  tandem certs install site/node-0"
        })
final class CertsInstallCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "DIR", description = "The node's directory, as issued.")
    private Path directory;

    @Option(
            names = "--replace-ca",
            description =
                    "Install another CA than the one that is installed: for a node that becomes"
                            + " part of a new pair.")
    private boolean replaceAuthority;

    @Option(names = "--dry-run", description = "Check, and install nothing.")
    private boolean dryRun;

    CertsInstallCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        List<Path> places =
                new Places(SitePki.INSTALLED, KubePki.INSTALLED)
                        .install(
                                directory,
                                ThisNode.name(),
                                InstantSource.system(),
                                replaceAuthority,
                                dryRun);
        places.forEach(place ->
                terminal.out()
                        .println((dryRun ? "Would install in " : "Installed in ") + place + "."));
        if (!places.contains(KubePki.INSTALLED)) {
            terminal.out()
                    .println(
                            "No Kubernetes keys in %s; those in %s stay."
                                    .formatted(directory, KubePki.INSTALLED));
        }
        return ExitCode.FINE;
    }

    /** Where a node keeps its certificates. */
    record Places(Path site, Path kubernetes) {
        /**
         * Both sets are read, checked and written beside before the first takes its place: what is
         * unfit or does not fit on the disk changes nothing.
         *
         * @return where something was installed, or would be
         */
        List<Path> install(
                Path from,
                String node,
                InstantSource clock,
                boolean replaceAuthority,
                boolean dryRun) {
            Path kubernetesKeys = from.resolve(KubePki.DIRECTORY);
            SitePki.Issued ofSite = SitePki.Issued.read(from, node, clock);
            if (!replaceAuthority) {
                ofSite.requireSameAuthority(from, site);
            }
            Optional<KubePki.Issued> ofKubernetes =
                    Files.isDirectory(kubernetesKeys)
                            ? Optional.of(KubePki.Issued.read(kubernetesKeys, node, clock))
                            : Optional.empty();
            List<Path> places =
                    ofKubernetes.isPresent() ? List.of(site, kubernetes) : List.of(site);
            if (dryRun) {
                return places;
            }
            FileSet first = ofSite.draft(site);
            Optional<FileSet> second = ofKubernetes.map(issued -> issued.draft(kubernetes));
            first.install();
            second.ifPresent(FileSet::install);
            return places;
        }
    }
}
