package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.SitePki;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
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
        SitePki.install(directory, ThisNode.name(), SitePki.INSTALLED, InstantSource.system());
        terminal.out().println("Installed in " + SitePki.INSTALLED + ".");
        Path kubernetes = directory.resolve(KubePki.DIRECTORY);
        if (Files.isDirectory(kubernetes)) {
            KubePki.install(kubernetes, ThisNode.name(), KubePki.INSTALLED, InstantSource.system());
            terminal.out().println("Installed in " + KubePki.INSTALLED + ".");
        }
        return ExitCode.FINE;
    }
}
