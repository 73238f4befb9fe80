package dev.tandem.host.pki;

import dev.tandem.core.Failure;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Files that take their places in a directory together: whoever is interrupted leaves the set
 * before, or one that {@link #complete} puts in place.
 */
public final class FileSet {
    /** A set that is being written. */
    private static final String DRAFT = ".new";

    /** A set that is whole and about to take the place of the one before. */
    private static final String WHOLE = ".whole";

    private final Path directory;

    private FileSet(Path directory) {
        this.directory = directory;
    }

    /** Writes a set, which takes no place yet; what an interrupted one has left is dropped. */
    public static FileSet draft(Path directory, Consumer<Path> writer) {
        Path draft = directory.resolve(DRAFT);
        dropDraft(draft);
        writer.accept(draft);
        return new FileSet(directory);
    }

    /** Drops what was being written when somebody was interrupted. */
    public static void dropDraft(Path draft) {
        if (Files.isDirectory(draft)) {
            try {
                DurableFiles.deleteTree(draft);
            } catch (IOException e) {
                throw new Failure(
                        "cannot delete what an interrupted command has left in " + draft,
                        IoErrors.words(e),
                        "delete it by hand: rm -r " + draft,
                        e);
            }
        }
    }

    public void install() {
        complete(directory);
        try {
            DurableFiles.rename(directory.resolve(DRAFT), directory.resolve(WHOLE));
        } catch (IOException e) {
            throw notInstalled(directory, e);
        }
        complete(directory);
    }

    /** Whether a set is whole and not in place yet. */
    static boolean isWhole(Path directory) {
        return Files.isDirectory(directory.resolve(WHOLE));
    }

    /**
     * Puts the rest of a set in place that was whole when the power went. Without one there is
     * nothing to do. To be called before the files are read: half a set is none.
     */
    public static void complete(Path directory) {
        if (!isWhole(directory)) {
            return;
        }
        Path whole = directory.resolve(WHOLE);
        try (Stream<Path> files = Files.list(whole)) {
            for (Path file : files.toList()) {
                DurableFiles.rename(file, directory.resolve(file.getFileName()));
            }
            DurableFiles.delete(whole);
        } catch (NoSuchFileException e) {
            // The command and the agent met here, and the other has done it.
            complete(directory);
        } catch (IOException e) {
            throw notInstalled(directory, e);
        }
    }

    private static Failure notInstalled(Path directory, IOException e) {
        return new Failure(
                "the certificates are not all in place in " + directory,
                IoErrors.words(e),
                "check free space and permissions of that directory, then install them again",
                e);
    }
}
