package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
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
        description = "An authority that is there already is never overwritten.",
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

    CertsCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        SitePki.create(directory, site, InstantSource.system());
        terminal.out()
                .println(
                        "Made ca.pem and ca.key in "
                                + directory
                                + ". Whoever has the key is the site: keep it off the nodes.");
        if (kubernetes) {
            Path own = directory.resolve(KubePki.DIRECTORY);
            KubePki.create(own, site, InstantSource.system());
            terminal.out()
                    .println(
                            "Made the authorities of Kubernetes in "
                                    + own
                                    + ". They stay off the nodes too.");
        }
        return ExitCode.FINE;
    }
}
