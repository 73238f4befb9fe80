package dev.tandem.host.credential;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.IoErrors;
import dev.tandem.host.Secrets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A password that systemd encrypts with this machine's own key, so that the shell scripts of the
 * second fencing level can read it too, with no program of ours running. What that protects from,
 * and what not, is in ADR 31.
 *
 * @param node whose BMC it is for; what was made for one node is not taken for another
 */
public record SealedPassword(Commands commands, String node) {
    /** It takes some milliseconds. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** The longest password takes 2 KiB. */
    private static final int MOST_BYTES = 16 << 10;

    /** Where a node keeps it. Known to bmc-password, which prints it for stock fence agents. */
    public static Path file(Path etc, String node) {
        return etc.resolve("bmc").resolve(node + ".password.cred");
    }

    /** Known to bmc-password too. */
    private String name() {
        return "--name=tandem.bmc." + node;
    }

    public String seal(String password) {
        // The host's key and not the TPM's: a fence must not wait for a device that a firmware
        // update may close.
        Commands.Output output =
                commands.run(
                        LIMIT,
                        List.of("systemd-creds", "encrypt", "--with-key=host", name(), "-", "-"),
                        password + "\n");
        if (!output.ok() || output.out().isBlank()) {
            throw new Failure(
                    "cannot encrypt the password for the BMC of " + node,
                    said(output),
                    "see whether this makes a key: systemd-creds setup");
        }
        return output.out();
    }

    public String open(String sealed) {
        Commands.Output output =
                commands.run(LIMIT, List.of("systemd-creds", "decrypt", name(), "-", "-"), sealed);
        if (!output.ok()) {
            throw new Failure(
                    "cannot decrypt the password for the BMC of " + node,
                    said(output),
                    "it was encrypted on this machine with /var/lib/systemd/credential.secret; if"
                            + " that key is lost, have the password read again: tandem cluster"
                            + " prepare /etc/tandem/cluster.yaml");
        }
        return Secrets.read(
                new ByteArrayInputStream(output.out().getBytes(StandardCharsets.UTF_8)),
                "systemd-creds decrypt");
    }

    /** Without what it printed, which may be the password. */
    private static String said(Commands.Output output) {
        return output.err()
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .reduce((_, last) -> last)
                .orElse("systemd-creds ended with exit code " + output.exitCode());
    }

    public String read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return open(new String(in.readNBytes(MOST_BYTES), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the password that this node keeps for the BMC of " + node,
                    IoErrors.words(e),
                    "as root, have it read from its source again: tandem cluster prepare"
                            + " /etc/tandem/cluster.yaml",
                    e);
        }
    }

    /** What can be read there now. */
    public Optional<String> known(Path file) {
        try {
            return Optional.of(read(file));
        } catch (Failure e) {
            return Optional.empty();
        }
    }

    public void write(Path file, String password) {
        Secrets.write(file, seal(password));
    }
}
