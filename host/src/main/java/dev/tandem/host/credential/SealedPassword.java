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
import java.nio.file.NoSuchFileException;
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

    /** How systemd-creds ends when it says no (systemd 252 to 257); a signal is no answer. */
    private static final int REFUSED = 1;

    private static final String SEALED = ".cred";

    private static final List<String> DECRYPTION = List.of("systemd-creds", "decrypt");

    /** The longest password takes 2 KiB. */
    private static final int MOST_BYTES = 16 << 10;

    /** Where a node keeps it. Known to bmc-password, which prints it for stock fence agents. */
    public static Path file(Path etc, String node) {
        return etc.resolve("bmc").resolve(node + ".password" + SEALED);
    }

    /** Whether it is called as such a file is. */
    public static boolean isSealed(Path file) {
        return file.toString().endsWith(SEALED);
    }

    static boolean isDecryption(List<String> command) {
        return command.size() > DECRYPTION.size()
                && command.subList(0, DECRYPTION.size()).equals(DECRYPTION);
    }

    /** It ran, and what it was given cannot be decrypted here. */
    static boolean isRefusal(Commands.Output output) {
        return output.exitCode() == REFUSED;
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

    /** What is kept, as far as that can be told now. */
    public sealed interface Contents {
        /** Its text appears in no text made by this class. */
        record Password(String password) implements Contents {
            @Override
            public String toString() {
                return "Password[]";
            }
        }

        /** There is none, or none that this machine can decrypt: asking again changes nothing. */
        record Lost(Failure why) implements Contents {}

        /** Nobody said so: a program that did not start or end tells nothing about a password. */
        record NotTold(Failure why) implements Contents {}
    }

    public String open(String sealed) {
        return password(opened(sealed, ""));
    }

    private static String password(Contents contents) {
        return switch (contents) {
            case Contents.Password(String password) -> password;
            case Contents.Lost(Failure why) -> throw why;
            case Contents.NotTold(Failure why) -> throw why;
        };
    }

    /**
     * @param where it lies, as words that follow
     */
    private Contents opened(String sealed, String where) {
        Commands.Output output =
                commands.run(
                        LIMIT,
                        List.of(DECRYPTION.get(0), DECRYPTION.get(1), name(), "-", "-"),
                        sealed);
        if (isRefusal(output)) {
            return new Contents.Lost(
                    new Failure(
                            "cannot decrypt the password for the BMC of " + node + where,
                            said(output),
                            "it was encrypted on this machine with"
                                    + " /var/lib/systemd/credential.secret; if that key is lost,"
                                    + " have the password read again: tandem cluster"
                                    + " prepare /etc/tandem/cluster.yaml"));
        }
        if (!output.ok()) {
            return new Contents.NotTold(
                    new Failure(
                            "cannot decrypt the password for the BMC of " + node + where,
                            said(output),
                            "see whether it answers: systemd-creds --version"));
        }
        try {
            return new Contents.Password(
                    Secrets.read(
                            new ByteArrayInputStream(output.out().getBytes(StandardCharsets.UTF_8)),
                            "systemd-creds decrypt"));
        } catch (Failure e) {
            return new Contents.Lost(e);
        }
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
        return password(contents(file));
    }

    public Contents contents(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return opened(
                    new String(in.readNBytes(MOST_BYTES), StandardCharsets.US_ASCII),
                    " in " + file);
        } catch (IOException e) {
            Failure why =
                    new Failure(
                            "cannot read the password that this node keeps for the BMC of " + node,
                            IoErrors.words(e),
                            "as root, have it read from its source again: tandem cluster prepare"
                                    + " /etc/tandem/cluster.yaml",
                            e);
            return e instanceof NoSuchFileException
                    ? new Contents.Lost(why)
                    : new Contents.NotTold(why);
        }
    }

    /** Whether nothing there can be used, now or later: only then another password may go there. */
    public boolean isLost(Path file) {
        return contents(file) instanceof Contents.Lost;
    }

    /** What can be read there now. */
    public Optional<String> known(Path file) {
        return contents(file) instanceof Contents.Password(String password)
                ? Optional.of(password)
                : Optional.empty();
    }

    public void write(Path file, String password) {
        Secrets.write(file, seal(password));
    }
}
