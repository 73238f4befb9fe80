package dev.tandem.cli.install;

import dev.tandem.cli.UsageException;
import dev.tandem.core.Failure;
import dev.tandem.host.yaml.KnownFile;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.rules.InstallConfigCheck;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The file a command is about, and how it is to be judged. */
final class ConfigFile {
    /** Larger than any file that is judged in earnest: reading stops here, refusing comes later. */
    private static final int READ_LIMIT = 1 << 20;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "The install-config, or - for standard input.")
    private String file = "";

    @Option(
            names = "--method",
            paramLabel = "METHOD",
            defaultValue = "installer",
            description =
                    "Which installer is used: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})."
                            + " Each has rules of its own.")
    private InstallMethod method = InstallMethod.INSTALLER;

    @Option(
            names = "--release",
            paramLabel = "RELEASE",
            defaultValue = "",
            description =
                    "The OpenShift release to be installed, such as 4.22 (default: the newest).")
    private String release = "";

    @Option(
            names = "--agent-config",
            paramLabel = "FILE",
            description = "The agent-based installer's second file.")
    private Optional<Path> agentConfig = Optional.empty();

    /** A file that has just been written. */
    static ConfigFile written(Path path) {
        ConfigFile written = new ConfigFile();
        written.file = path.toString();
        return written;
    }

    String name() {
        return file;
    }

    InstallMethod method() {
        return method;
    }

    Optional<Release> release() {
        Optional<Release> parsed = Release.parse(release);
        if (!release.isEmpty() && parsed.isEmpty()) {
            throw new UsageException(
                    "--release is not understood",
                    "it is not a number such as 4.22",
                    "write major and minor release with a dot between them");
        }
        parsed.filter(wanted -> !wanted.isKnown())
                .ifPresent(unknown -> {
                    throw new UsageException(
                            "--release %s is not known".formatted(unknown),
                            "the rules are those of the releases %s to %s"
                                    .formatted(Release.OLDEST_KNOWN, Release.NEWEST_KNOWN),
                            "give one of those, or leave the option out for the newest");
                });
        return parsed;
    }

    Optional<Path> agentConfig() {
        return agentConfig;
    }

    InstallConfigCheck.Result check() {
        Optional<Release> wanted = release();
        byte[] config = file.equals("-") ? standardInput() : bytes(Path.of(file));
        requireInstallConfig(config);
        return new InstallConfigCheck(method, wanted)
                .check(config, agentConfig.map(ConfigFile::bytes));
    }

    /**
     * Whoever has mixed two files up does not want to read what is wrong with each of its lines.
     */
    private void requireInstallConfig(byte[] config) {
        KnownFile.of(config)
                .filter(known -> known != KnownFile.INSTALL_CONFIG)
                .ifPresent(other -> {
                    throw new Failure(
                            file + " is not an install-config",
                            "it is %s, and this command takes an install-config of OpenShift"
                                    .formatted(other.what()),
                            other.remedy(Path.of(file)));
                });
    }

    static byte[] bytes(Path path) {
        try (InputStream in = Files.newInputStream(path)) {
            return in.readNBytes(READ_LIMIT);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read " + path,
                    Files.exists(path) ? "it is not readable" : "there is no such file",
                    "check the name; tandem install-config create writes a new one",
                    e);
        }
    }

    private static byte[] standardInput() {
        try {
            return System.in.readNBytes(READ_LIMIT);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read standard input", String.valueOf(e.getMessage()), "name a file", e);
        }
    }
}
