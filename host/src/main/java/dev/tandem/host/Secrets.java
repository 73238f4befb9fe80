package dev.tandem.host;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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

    /** More than any password or token has. */
    private static final int LONGEST = 1024;

    private static final String ONLY_THE_SECRET =
            "write the secret, one line of text and nothing else, to the file";

    private Secrets() {}

    /** The one line of a secret file, unless others can read it too: then it is none. */
    public static String read(Path file) {
        return read(file, ONLY_THE_SECRET);
    }

    /**
     * The same.
     *
     * @param howToMakeIt the remedy where the file is empty
     */
    public static String read(Path file, String howToMakeIt) {
        if (Files.isDirectory(file)) {
            throw refused(
                    file.toString(), "it is a directory", "name the file that holds the secret");
        }
        try (InputStream in = Files.newInputStream(file)) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(OTHERS::contains)) {
                throw refused(
                        file.toString(),
                        "others can read or change it: "
                                + PosixFilePermissions.toString(permissions),
                        "chmod 0600 " + file + ", and change the secret if it may have been read");
            }
            return line(in, file.toString(), howToMakeIt);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the secret in " + file,
                    IoErrors.words(e),
                    IoErrors.remedy(
                            e, "check that the file exists and that only its owner can read it"),
                    e);
        }
    }

    /**
     * The one line of a secret that somebody types or pipes.
     *
     * @param where it comes from, for messages
     */
    public static String read(InputStream in, String where) {
        try {
            return line(in, where, ONLY_THE_SECRET);
        } catch (IOException e) {
            throw new Failure(
                    "cannot read the secret from " + where,
                    IoErrors.words(e),
                    "give it as one line of text",
                    e);
        }
    }

    private static String line(InputStream in, String where, String howToMakeIt)
            throws IOException {
        byte[] bytes = in.readNBytes(LONGEST + 1);
        if (bytes.length > LONGEST) {
            throw refused(where, "it is longer than " + LONGEST + " bytes", ONLY_THE_SECRET);
        }
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        String secret = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        if (secret.isEmpty()) {
            throw refused(where, "it is empty", howToMakeIt);
        }
        requireOneLine(where, secret);
        return secret;
    }

    private static void requireOneLine(String file, String secret) {
        if (secret.endsWith("\r")) {
            throw refused(
                    file,
                    "its line ends as on Windows, with CR and LF",
                    "take the CR away: sed -i 's/\\r$//' " + file);
        }
        if (secret.indexOf('\n') >= 0) {
            throw refused(file, "it has more than one line", ONLY_THE_SECRET);
        }
        if (secret.chars().anyMatch(Character::isISOControl)) {
            throw refused(file, "it has a control character, such as a tab", ONLY_THE_SECRET);
        }
    }

    private static Failure refused(String file, String why, String remedy) {
        return new Failure("refusing the secret from " + file, why, remedy);
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
