package dev.tandem.host.health;

import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a file system has left.
 *
 * @param keptBytes of it, what a join may give up for the room
 */
public record DiskRoom(Path directory, long freeBytes, long keptBytes) {

    /** Of the file system that a directory lies on. */
    public static DiskRoom of(Path directory) {
        try {
            return new DiskRoom(directory, Files.getFileStore(directory).getUsableSpace(), 0);
        } catch (IOException e) {
            throw new Failure(
                    "cannot see how much is free in " + directory,
                    IoErrors.words(e),
                    "check the disk and the permissions of that directory",
                    e);
        }
    }
}
