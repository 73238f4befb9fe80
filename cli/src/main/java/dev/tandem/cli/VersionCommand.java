package dev.tandem.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells which Tandem this is, and on which Java it runs. */
@Command(
        name = "version",
        header = "Print the version of Tandem.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem version", "  tandem version -o json"})
final class VersionCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private Output output = new Output();

    VersionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Version(String version, String java, String os) {
        static Version ofThis() {
            return new Version(
                    BuildInfo.version(),
                    System.getProperty("java.version"),
                    System.getProperty("os.name") + " " + System.getProperty("os.version"));
        }

        String asText() {
            return "tandem %s (Java %s, %s)".formatted(version, java, os);
        }
    }

    @Override
    public Integer call() {
        output.print(terminal, "Version", Version.ofThis(), Version::asText);
        return ExitCode.FINE;
    }
}
