package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.host.kube.KubePki;
import dev.tandem.host.pki.SitePki;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a site's authority. */
@Command(
        name = "create",
        header = "Create the certificate authority of a site.",
        description =
                "An existing CA is never overwritten. With --kubernetes, a site that has its CA and"
                        + " no directory DIR/kubernetes gets that directory; an incomplete one is"
                        + " refused.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem certs create --dir site --site site-17",
            "  tandem certs create --dir site --site site-17 --kubernetes"
        })
final class CertsCreateCommand implements Callable<Integer> {
    /** Of a common name (RFC 5280, ub-common-name). */
    private static final int LONGEST_NAME = 64;

    private final Terminal terminal;

    @Mixin private Output output = new Output();

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Where ca.pem and ca.key are written (default: the current directory).")
    private Path directory = Path.of(".");

    @Option(
            names = "--site",
            paramLabel = "NAME",
            defaultValue = "Tandem site",
            description =
                    "Name of the site, written into the CA's certificate (default:"
                            + " ${DEFAULT-VALUE}).")
    private String site = "Tandem site";

    @Option(
            names = "--kubernetes",
            description =
                    "Also create the CAs and shared keys of a Kubernetes control plane, in"
                            + " DIR/kubernetes.")
    private boolean kubernetes;

    @Option(names = "--dry-run", description = "Show what would be created, and create nothing.")
    private boolean dryRun;

    CertsCreateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (site.isBlank()) {
            throw new UsageException(
                    "no certificate authority was created in " + directory,
                    "the name of the site is empty",
                    "give the site a name: --site site-17");
        }
        if (site.length() > LONGEST_NAME) {
            throw new UsageException(
                    "no certificate authority was created in " + directory,
                    "the name of the site has %d characters, and a certificate takes %d"
                            .formatted(site.length(), LONGEST_NAME),
                    "give the site a shorter name: --site site-17");
        }
        if (Files.isRegularFile(directory)) {
            throw new UsageException(
                    "no certificate authority was created",
                    directory + " is a file; name a directory",
                    "for example: tandem certs create --dir site");
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
        List<Made> made = new ArrayList<>();
        if (!add) {
            if (!dryRun) {
                SitePki.create(directory, site, InstantSource.system());
            }
            made.add(
                    new Made(
                            absolute(directory),
                            "ca.pem and ca.key",
                            "Whoever holds ca.key can issue certificates for this site: keep it off"
                                    + " the nodes."));
        }
        if (kubernetes) {
            if (!dryRun) {
                KubePki.create(own, site, InstantSource.system());
            }
            made.add(
                    new Made(
                            absolute(own),
                            "the CAs of Kubernetes",
                            "Keep their keys off the nodes too."));
        }
        output.print(terminal, "CertsCreated", new Created(dryRun, made), Created::text);
        return ExitCode.FINE;
    }

    /** Whoever reads "in ." later does not know where that was. */
    private static String absolute(Path path) {
        return path.toAbsolutePath().normalize().toString();
    }

    /** What came to lie in a directory, and how to treat it. */
    record Made(String directory, String what, String care) {}

    record Created(boolean dryRun, List<Made> made) {
        String text() {
            return made.stream()
                    .map(each ->
                            "%s %s in %s. %s%n"
                                    .formatted(
                                            dryRun ? "Would make" : "Made",
                                            each.what(),
                                            each.directory(),
                                            each.care()))
                    .collect(Collectors.joining());
        }
    }
}
