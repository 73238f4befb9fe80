package dev.tandem.host;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;

/**
 * Secrets in files that only their owner can read. No text of a secret leaves through a message.
 */
public final class Secrets {
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.complementOf(
                    EnumSet.of(
                            PosixFilePermission.OWNER_READ,
                            PosixFilePermission.OWNER_WRITE,
                            PosixFilePermission.OWNER_EXECUTE));

    private Secrets() {}

    /** The one line of a secret file, unless others can read it too: then it is none. */
    public static String read(Path file) {
        String text;
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(OTHERS::contains)) {
                throw new Failure(
                        "refusing the secret in " + file,
                        "others can read or change it: "
                                + PosixFilePermissions.toString(permissions),
                        "chmod 0600 " + file + ", and change the secret if it may have been read");
            }
            text = Files.readString(file);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the secret in " + file,
                    IoErrors.words(e),
                    "check that the file exists and that only its owner can read it",
                    e);
        }
        String secret = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        if (secret.isEmpty() || secret.chars().anyMatch(Character::isISOControl)) {
            throw new Failure(
                    "refusing the secret in " + file,
                    "it must be one line of text",
                    "write the secret, and nothing else, to the file");
        }
        return secret;
    }

    /** A token that cannot be guessed: 256 random bits, in characters that need no quoting. */
    public static String newToken() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** Replaces a file as a whole, readable for its owner only; durable when this returns. */
    public static void write(Path file, String text) {
        write(file, text, "rw-------");
    }

    /** The same for a file that others may see; the directories above it are the owner's alone. */
    public static void write(Path file, String text, String permissions) {
        Path directory = DurableFiles.parent(file);
        try {
            DurableFiles.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            DurableFiles.write(file, text, permissions);
        } catch (IOException e) {
            throw new Failure(
                    "cannot write " + file,
                    IoErrors.words(e),
                    "check free space and permissions of " + directory,
                    e);
        }
    }
}
