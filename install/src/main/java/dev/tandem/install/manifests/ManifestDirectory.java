package dev.tandem.install.manifests;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Writes manifests all or nothing: everything is written beside the place first and moved there
 * with one rename.
 */
public final class ManifestDirectory {
    private static final String SECRET = "rw-------";
    private static final String OPEN = "rw-r--r--";

    private ManifestDirectory() {}

    /**
     * Writes the files below {@code directory}.
     *
     * @param force replace a directory that has content; the old one is renamed, never deleted
     * @return where the old content went, if there was any
     */
    public static Optional<Path> write(Path directory, List<Manifest> files, boolean force) {
        check(directory, force);
        Path target = directory.toAbsolutePath().normalize();
        Path parent = Objects.requireNonNull(target.getParent(), "checked above");
        boolean occupied = occupied(target);
        Path staging = stage(target, parent, files);
        try {
            return replace(target, staging, occupied);
        } catch (IOException e) {
            remove(staging);
            throw new Failure(
                    "cannot put the manifests in place at " + target,
                    reason(e),
                    "check the permissions of " + parent,
                    e);
        }
    }

    /** Fails where {@link #write} would refuse the directory. */
    public static void check(Path directory, boolean force) {
        Path target = directory.toAbsolutePath().normalize();
        if (target.getParent() == null || target.equals(Path.of("").toAbsolutePath())) {
            throw failure(
                    target,
                    "the directory is replaced as a whole, and this one is in use",
                    "name a directory of its own, such as ./cluster");
        }
        if (occupied(target) && !force) {
            throw failure(
                    target,
                    "the directory is not empty",
                    "name another one, or add --force: the old content is then kept beside it");
        }
    }

    private static boolean occupied(Path target) {
        if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            throw failure(target, "it exists and is not a directory", "name another directory");
        }
        try (Stream<Path> entries = Files.list(target)) {
            return entries.findAny().isPresent();
        } catch (IOException e) {
            throw failure(target, reason(e), "check its permissions");
        }
    }

    private static Path stage(Path target, Path parent, List<Manifest> files) {
        Path staging = parent.resolve(target.getFileName() + ".being-written");
        try {
            Files.createDirectories(parent);
            staging = Files.createTempDirectory(parent, target.getFileName() + ".being-written-");
            for (Manifest file : files) {
                Path path = staging.resolve(file.path());
                Files.createDirectories(path.getParent());
                write(path, file);
            }
            Files.setPosixFilePermissions(staging, PosixFilePermissions.fromString("rwxr-x---"));
            return staging;
        } catch (IOException e) {
            remove(staging);
            throw new Failure(
                    "cannot write the manifests; nothing was changed",
                    reason(e),
                    "check free space and permissions of " + parent,
                    e);
        }
    }

    /** A secret is never readable by others, not even before its mode is set. */
    private static void write(Path path, Manifest file) throws IOException {
        Set<PosixFilePermission> mode =
                PosixFilePermissions.fromString(file.secret() ? SECRET : OPEN);
        FileAttribute<Set<PosixFilePermission>> attribute =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(SECRET));
        try (FileChannel channel =
                FileChannel.open(
                        path,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        attribute)) {
            ByteBuffer content = ByteBuffer.wrap(file.content().getBytes(StandardCharsets.UTF_8));
            while (content.hasRemaining()) {
                channel.write(content);
            }
            channel.force(true);
        }
        Files.setPosixFilePermissions(path, mode);
    }

    private static Optional<Path> replace(Path target, Path staging, boolean occupied)
            throws IOException {
        if (!occupied) {
            Files.deleteIfExists(target);
            Files.move(staging, target, StandardCopyOption.ATOMIC_MOVE);
            return Optional.empty();
        }
        Path old = free(target);
        Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
        try {
            Files.move(staging, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.move(old, target, StandardCopyOption.ATOMIC_MOVE);
            throw e;
        }
        return Optional.of(old);
    }

    private static Path free(Path target) {
        for (int n = 1; ; n++) {
            Path old = target.resolveSibling(target.getFileName() + ".old-" + n);
            if (!Files.exists(old, LinkOption.NOFOLLOW_LINKS)) {
                return old;
            }
        }
    }

    /** Takes the half-written copy away, so that no password is left lying in it. */
    private static void remove(Path staging) {
        if (!Files.exists(staging, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(staging)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new Failure(
                    "cannot remove the unfinished copy " + staging,
                    reason(e),
                    "delete it by hand: it may hold passwords",
                    e);
        }
    }

    private static Failure failure(Path target, String why, String remedy) {
        return new Failure("cannot write manifests to " + target, why, remedy);
    }

    private static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> missing.getFile() + " does not exist";
            case AccessDeniedException denied -> "permission denied: " + denied.getFile();
            case FileSystemException other when other.getReason() != null ->
                    other.getFile() + ": " + other.getReason();
            default -> e.getMessage() == null ? "input/output error" : e.getMessage();
        };
    }
}
