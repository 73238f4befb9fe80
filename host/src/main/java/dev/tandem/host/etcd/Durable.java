package dev.tandem.host.etcd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/** Files that are there in full, or not at all, after a power cut at any moment. */
final class Durable {
    private Durable() {}

    /** Writes a file beside its place, syncs it, and moves it there. Readable by its owner only. */
    static void write(Path file, String text) throws IOException {
        Path directory = parent(file);
        FileAttribute<?> ownerOnly =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Path partial = Files.createTempFile(directory, "." + file.getFileName(), ".tmp", ownerOnly);
        try {
            try (FileChannel out = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            rename(partial, file);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Renames within one file system and makes the new name durable. */
    static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(parent(to));
        if (!parent(from).equals(parent(to))) {
            syncDirectory(parent(from));
        }
    }

    static void delete(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            syncDirectory(parent(file));
        }
    }

    /** Only this directory: a general sync would wait for every hung mount of the machine. */
    static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static Path parent(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent(), "the root has no parent");
    }
}
