package dev.tandem.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/** Files that are there in full, or as they were, after a power cut at any moment. */
final class Durably {
    private Durably() {}

    /** Replaces the file; readable by its owner only. Returns when a power cut cannot undo it. */
    static void write(Path file, String text) throws IOException {
        Path directory =
                Objects.requireNonNull(file.toAbsolutePath().getParent(), "the root is no file");
        Files.createDirectories(directory);
        Path partial =
                Files.createTempFile(
                        directory,
                        "." + file.getFileName(),
                        ".tmp",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            try (FileChannel out = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        } finally {
            Files.deleteIfExists(partial);
        }
    }
}
