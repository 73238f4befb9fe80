package dev.tandem.agent.state;

import dev.tandem.host.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A file of lines that only its owner reads. When it is full it is kept beside a new one, and the
 * one that was kept before is gone. One thread writes at a time.
 *
 * @param mostBytes a new file is begun when there are more in this one
 */
public record RotatedLines(Path file, long mostBytes, Sync sync) {
    /** What a power cut may take away. */
    public enum Sync {
        /** Nothing that {@link #append} has returned from. */
        EACH_TIME,
        /** What the kernel has not written yet: nobody waits for a disk. */
        NEVER
    }

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /**
     * Adds a line.
     *
     * @param text whole lines
     */
    public void append(String text) throws IOException {
        if (Files.exists(file) && Files.size(file) > mostBytes) {
            DurableFiles.rename(file, before());
        }
        if (!Files.exists(file)) {
            Files.createFile(file, OWNER_ONLY);
            if (sync == Sync.EACH_TIME) {
                // What is synced to a file whose name is lost in a power cut is lost with it.
                DurableFiles.syncDirectory(DurableFiles.parent(file));
            }
        }
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // A line that a power cut tore must not take the next one with it.
            long end = JournalTail.endOfText(out, out.size());
            String whole = end > 0 && byteAt(out, end - 1) != '\n' ? "\n" + text : text;
            try {
                ByteBuffer bytes = ByteBuffer.wrap(whole.getBytes(StandardCharsets.UTF_8));
                out.position(end);
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                if (out.size() > out.position()) {
                    out.truncate(out.position());
                }
                if (sync == Sync.EACH_TIME) {
                    out.force(false);
                }
            } catch (IOException e) {
                // It is written again as a whole.
                out.truncate(end);
                throw e;
            }
        }
    }

    private static byte byteAt(FileChannel lines, long position) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        return lines.read(one, position) == 1 ? one.get(0) : 0;
    }

    /** The oldest first; either may be missing. */
    List<Path> files() {
        return List.of(before(), file);
    }

    private Path before() {
        return file.resolveSibling(file.getFileName() + ".1");
    }
}
