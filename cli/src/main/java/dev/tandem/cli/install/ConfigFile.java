package dev.tandem.cli.install;

import dev.tandem.cli.UsageException;
import dev.tandem.core.Failure;
import dev.tandem.host.yaml.KnownFile;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.rules.InstallConfigCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The file a command is about, and how it is to be judged. */
final class ConfigFile {
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
        byte[] config =
                file.equals("-") ? standardInput() : InputFile.INSTALL_CONFIG.read(Path.of(file));
        requireInstallConfig(config);
        return new InstallConfigCheck(method, wanted)
                .check(config, agentConfig.map(ConfigFile::agentConfig));
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

    /** Likewise for the second file, which has a kind of its own. */
    private static byte[] agentConfig(Path path) {
        byte[] bytes = InputFile.AGENT_CONFIG.read(path);
        KnownFile.of(bytes)
                .filter(known -> known != KnownFile.AGENT_CONFIG)
                .ifPresent(other -> {
                    throw new Failure(
                            path + " is not an agent-config",
                            "it is %s, and --agent-config takes the agent-based installer's own file"
                                    .formatted(other.what()),
                            "name the file that has kind: AgentConfig, or leave --agent-config"
                                    + " out");
                });
        return bytes;
    }

    private static byte[] standardInput() {
        try {
            return System.in.readNBytes(InputFile.READ_LIMIT);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read standard input", String.valueOf(e.getMessage()), "name a file", e);
        }
    }
}
