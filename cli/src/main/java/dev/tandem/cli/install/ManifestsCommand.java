package dev.tandem.cli.install;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.host.pki.Pem;
import dev.tandem.install.manifests.Manifest;
import dev.tandem.install.manifests.ManifestDirectory;
import dev.tandem.install.manifests.Manifests;
import dev.tandem.install.rules.InstallConfigCheck;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes everything that a cluster is told at birth. */
@Command(
        name = "manifests",
        header = "Write the manifests of the cluster an install-config describes.",
        description = {
            "For a cluster that OpenShift's own installer makes; nothing is installed here."
                    + " Writes all files or none; the same input always gives the same bytes.",
            "The nodes also need an image with Tandem's own programs, and there is none yet: the"
                    + " package is for Debian."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem create manifests site.yaml --method agent --dir cluster --dry-run",
            "  tandem create manifests site.yaml --method agent --dir cluster \\",
            "    --root-ca root-ca.crt"
        })
final class ManifestsCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private ConfigFile file = new ConfigFile();
    @Mixin private Output output = new Output();

    @Option(
            names = "--dir",
            required = true,
            paramLabel = "DIR",
            description = "Where to write; new or empty.")
    private Path directory = Path.of("");

    @Option(names = "--dry-run", description = "List the files without writing them.")
    private boolean dryRun;

    @Option(
            names = "--force",
            description =
                    "Replace a directory that has content; the previous one is kept beside it.")
    private boolean force;

    @Option(
            names = "--root-ca",
            paramLabel = "FILE",
            description =
                    "The authority that machines trust for their configuration (PEM). Without it no"
                            + " user data is written.")
    private Optional<Path> rootCa = Optional.empty();

    ManifestsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** What was written, or would be. */
    record Written(
            String directory, boolean written, List<Entry> files, String keptOld, String note) {
        record Entry(String path, String mode, int bytes) {}

        String asText() {
            StringBuilder text = new StringBuilder();
            files.forEach(file -> text.append("%s  %s%n".formatted(file.mode(), file.path())));
            text.append(
                    written
                            ? "%nWrote %d files to %s.%n".formatted(files.size(), directory)
                            : "%nWould write %d files to %s; wrote none.%n"
                                    .formatted(files.size(), directory));
            if (!keptOld.isEmpty()) {
                text.append("The previous content is in %s.%n".formatted(keptOld));
            }
            if (!note.isEmpty()) {
                text.append(note).append('\n');
            }
            return text.toString();
        }
    }

    /** The text of a file that has certificates in it. */
    private static String certificates(Path path) {
        String text = new String(InputFile.ROOT_CA.read(path), StandardCharsets.UTF_8);
        List<X509Certificate> _ = Pem.certificates(text, path.toString());
        return text;
    }

    @Override
    public Integer call() {
        InstallConfigCheck.Result result = file.check();
        if (!result.good()) {
            Verdict verdict = Verdict.of(file, result, List.of());
            output.print(terminal, "InstallConfigVerdict", verdict, Verdict::asText);
            return ExitCode.FINDING;
        }
        List<Manifest> manifests =
                Manifests.of(
                        result.config().orElseThrow(),
                        file.method(),
                        file.release(),
                        rootCa.map(ManifestsCommand::certificates));
        if (dryRun) {
            ManifestDirectory.check(directory, force);
        }
        Optional<Path> old =
                dryRun ? Optional.empty() : ManifestDirectory.write(directory, manifests, force);
        output.print(
                terminal,
                "ManifestsWritten",
                new Written(
                        directory.toString(),
                        !dryRun,
                        manifests.stream()
                                .map(manifest ->
                                        new Written.Entry(
                                                manifest.path(),
                                                manifest.secret() ? "0600" : "0644",
                                                manifest.content()
                                                        .getBytes(StandardCharsets.UTF_8)
                                                        .length))
                                .toList(),
                        old.map(Path::toString).orElse(""),
                        rootCa.isPresent()
                                ? ""
                                : "Ignition user data is not among them: it needs the machines'"
                                        + " root CA, --root-ca FILE."),
                Written::asText);
        return ExitCode.FINE;
    }
}
