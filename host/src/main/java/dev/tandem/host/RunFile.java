package dev.tandem.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * A small file that only its owner can read and that ends with the boot: no disk has to take it, so
 * a fence may wait for it. Whoever cannot be served goes on without it.
 */
public record RunFile(Path file) {
    private static final int LONGEST = 1 << 16;

    /** Empty where there is none, or none that can be read. */
    public Optional<String> read() {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LONGEST);
            return bytes.length == LONGEST
                    ? Optional.empty()
                    : Optional.of(new String(bytes, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            UnexpectedErrors.log("reading " + file, e);
            return Optional.empty();
        }
    }

    public void write(String text) {
        try {
            Files.createDirectories(DurableFiles.parent(file));
            Path draft = file.resolveSibling(file.getFileName() + ".new");
            Files.deleteIfExists(draft);
            Files.createFile(
                    draft,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(draft, text);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            UnexpectedErrors.log("writing " + file, e);
        }
    }

    public void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            UnexpectedErrors.log("deleting " + file, e);
        }
    }
}
