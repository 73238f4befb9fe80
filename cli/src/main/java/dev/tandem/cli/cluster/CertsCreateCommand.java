package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.tls.SitePki;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a site's authority. */
@Command(
        name = "create",
        header = "Make the authority of a site.",
        description =
                "An authority that is there already is never overwritten; with --kubernetes, what"
                        + " is missing beside it is made.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem certs create --dir site --site site-17",
            "  tandem certs create --dir site --site site-17 --kubernetes"
        })
final class CertsCreateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Where ca.pem and ca.key come to lie (default: here).")
    private Path directory = Path.of(".");

    @Option(
            names = "--site",
            paramLabel = "NAME",
            defaultValue = "Tandem site",
            description = "Whom the authority names (default: ${DEFAULT-VALUE}).")
    private String site = "Tandem site";

    @Option(
            names = "--kubernetes",
            description =
                    "Make the authorities and shared keys of a Kubernetes control plane too, in"
                            + " DIR/kubernetes.")
    private boolean kubernetes;

    @Option(names = "--dry-run", description = "Name what would be made, and make nothing.")
    private boolean dryRun;

    CertsCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (site.isBlank()) {
            throw new Failure(
                    "not made: an authority in " + directory,
                    "it would name nobody",
                    "give the site a name: --site site-17");
        }
        Path own = directory.resolve(KubePki.DIRECTORY);
        // A site may get its Kubernetes later.
        boolean add = kubernetes && SitePki.isIn(directory);
        if (!add) {
            SitePki.requireNone(directory);
        }
        if (kubernetes) {
            KubePki.requireNone(own);
        }
        String made = dryRun ? "Would make " : "Made ";
        if (!add) {
            if (!dryRun) {
                SitePki.create(directory, site, InstantSource.system());
            }
            terminal.out()
                    .println(
                            made
                                    + "ca.pem and ca.key in "
                                    + directory
                                    + ". Whoever has the key is the site: keep it off the nodes.");
        }
        if (kubernetes) {
            if (!dryRun) {
                KubePki.create(own, site, InstantSource.system());
            }
            terminal.out()
                    .println(
                            made
                                    + "the authorities of Kubernetes in "
                                    + own
                                    + ". They stay off the nodes too.");
        }
        return ExitCode.FINE;
    }
}
