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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Puts this node's certificates in place. */
@Command(
        name = "install",
        header = "Check this node's certificates and put them in place.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem certs install site/node-0"})
final class CertsInstallCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "DIR", description = "The node's directory, as issued.")
    private Path directory;

    CertsInstallCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        install(
                        directory,
                        ThisNode.name(),
                        SitePki.INSTALLED,
                        KubePki.INSTALLED,
                        InstantSource.system())
                .forEach(place -> terminal.out().println("Installed in " + place + "."));
        return ExitCode.FINE;
    }

    /**
     * Both sets are read, checked and written beside before the first takes its place: what is
     * unfit or does not fit on the disk changes nothing.
     *
     * @return where something was installed
     */
    static List<Path> install(
            Path from, String node, Path site, Path kubernetes, InstantSource clock) {
        Path kubernetesKeys = from.resolve(KubePki.DIRECTORY);
        SitePki.Issued ofSite = SitePki.Issued.read(from, node, clock);
        if (!Files.isDirectory(kubernetesKeys)) {
            ofSite.draft(site).install();
            return List.of(site);
        }
        KubePki.Issued ofKubernetes = KubePki.Issued.read(kubernetesKeys, node, clock);
        FileSet first = ofSite.draft(site);
        FileSet second = ofKubernetes.draft(kubernetes);
        first.install();
        second.install();
        return List.of(site, kubernetes);
    }
}
