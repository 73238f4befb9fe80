package dev.tandem.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files that are there in full, or as they were, after a power cut at any moment. Whoever reads one
 * meanwhile sees the old text or the new one, and a secret is at no moment readable by anybody but
 * its owner.
 */
public final class DurableFiles {
    private static final Set<PosixFilePermission> OWNER =
            PosixFilePermissions.fromString("rw-------");

    private DurableFiles() {}

    /** Replaces a file, readable by its owner only; the directory has to be there. */
    public static void write(Path file, String text) throws IOException {
        write(file, text, OWNER);
    }

    /** Replaces a file that others may see; {@code permissions} as in {@code rw-r--r--}. */
    public static void write(Path file, String text, String permissions) throws IOException {
        write(file, text, PosixFilePermissions.fromString(permissions));
    }

    private static void write(Path file, String text, Set<PosixFilePermission> permissions)
            throws IOException {
        Path partial = createPartial(file);
        try {
            try (FileChannel out = FileChannel.open(partial, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                if (!permissions.equals(OWNER)) {
                    // Before the sync, which then covers the mode too; the umask has no say here.
                    Files.setPosixFilePermissions(partial, permissions);
                }
                // Without it a power cut right after the rename can leave an empty file.
                out.force(true);
            }
            rename(partial, file);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** What fails here is told of the file that was to be written: nobody knows the other name. */
    private static Path createPartial(Path file) throws IOException {
        try {
            return Files.createTempFile(
                    parent(file),
                    "." + file.getFileName(),
                    ".new",
                    PosixFilePermissions.asFileAttribute(OWNER));
        } catch (NoSuchFileException e) {
            throw caused(new NoSuchFileException(file.toString()), e);
        } catch (AccessDeniedException e) {
            throw caused(new AccessDeniedException(file.toString()), e);
        } catch (FileSystemException e) {
            throw caused(new FileSystemException(file.toString(), null, e.getReason()), e);
        }
    }

    private static FileSystemException caused(FileSystemException told, IOException cause) {
        var _ = told.initCause(cause);
        return told;
    }

    /** Renames within one file system and makes the new name durable. */
    public static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(parent(to));
        if (!parent(from).equals(parent(to))) {
            syncDirectory(parent(from));
        }
    }

    /** Deletes a file, if it is there. */
    public static void delete(Path file) throws IOException {
        boolean _ = deleteIfThere(file);
    }

    /** The same; says whether there was one. */
    public static boolean deleteIfThere(Path file) throws IOException {
        boolean existed = Files.deleteIfExists(file);
        if (existed) {
            syncDirectory(parent(file));
        }
        return existed;
    }

    /** Deletes a directory with everything in it. After a crash, parts of it may be there. */
    public static void deleteTree(Path directory) throws IOException {
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path visited, @Nullable IOException failure) throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        Files.delete(visited);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /**
     * Makes a directory and those above it, as far as they are missing: a file is no more durable
     * than the names that lead to it.
     *
     * @param attributes of those that are made, such as their permissions
     */
    public static void createDirectories(Path directory, FileAttribute<?>... attributes)
            throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path up = directory.toAbsolutePath(); !Files.isDirectory(up); up = parent(up)) {
            missing.push(up);
        }
        Files.createDirectories(directory, attributes);
        for (Path made : missing) {
            syncDirectory(parent(made));
        }
    }

    /** Only this directory: a general sync would wait for every hung mount of the machine. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The directory that a file lies in. */
    public static Path parent(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent(), "the root has no parent");
    }
}
