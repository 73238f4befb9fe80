package dev.tandem.agent.state;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import dev.tandem.host.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What happened and why, a line of JSON each: read by {@code tandem explain}. Besides the time of
 * day a line carries the monotonic clock, by which durations within one boot are right whatever the
 * time of day does.
 */
public final class Journal {
    /** Some weeks of an eventful cluster; the file before it is kept too. */
    private static final long MOST_BYTES = 8L << 20;

    /** Hours of a node whose disk is full; what is older is lost. */
    private static final int MOST_UNWRITTEN = 500;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;
    private final InstantSource clock;
    private final long mostBytes;

    /** What the disk did not take, the oldest first: written before whatever comes next. */
    private final Deque<String> unwritten = new ArrayDeque<>();

    public Journal(Path file, InstantSource clock) {
        this(file, clock, MOST_BYTES);
    }

    /**
     * @param mostBytes a new file is begun when there are more in this one
     */
    public Journal(Path file, InstantSource clock, long mostBytes) {
        this.file = file;
        this.clock = clock;
        this.mostBytes = mostBytes;
    }

    /**
     * Writes a line and waits until it is on the disk: what is told here was decided, and is
     * carried out next.
     */
    public void record(JournalEvent event) {
        append(List.of(line(event)));
    }

    /** The line as of now, to be written by {@link #append}. */
    String line(JournalEvent event) {
        return JournalLine.now(clock.instant(), event).json();
    }

    /**
     * Writes lines and waits until they are on the disk. A full disk must not keep a node from
     * being recovered, nor anybody from reading afterwards why it was: what cannot be written is
     * kept for the next time.
     */
    synchronized void append(List<String> lines) {
        unwritten.addAll(lines);
        try {
            append(String.join("\n", unwritten) + "\n");
            unwritten.clear();
        } catch (IOException e) {
            System.err.println(
                    "the journal cannot be written: " + e + "; it would have said: " + lines);
            while (unwritten.size() > MOST_UNWRITTEN) {
                unwritten.removeFirst();
            }
        }
    }

    private void append(String text) throws IOException {
        if (Files.exists(file) && Files.size(file) > mostBytes) {
            DurableFiles.rename(file, before());
        }
        if (!Files.exists(file)) {
            Files.createFile(file, OWNER_ONLY);
            // What is synced to a file whose name is lost in a power cut is lost with it.
            DurableFiles.syncDirectory(DurableFiles.parent(file));
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
                out.force(false);
            } catch (IOException e) {
                // It is written again as a whole.
                out.truncate(end);
                throw e;
            }
        }
    }

    private static byte byteAt(FileChannel journal, long position) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        return journal.read(one, position) == 1 ? one.get(0) : 0;
    }

    /**
     * The last lines, oldest first: as many as were asked for, or fewer where they are long. A
     * reader keeps nobody from writing.
     */
    public List<String> last(int most) {
        try (JournalTail tail = open()) {
            return tail.last(most);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What there is now. Only this needs the lock: a file may be renamed by the next line. */
    synchronized JournalTail open() throws IOException {
        return JournalTail.open(List.of(before(), file), unwritten);
    }

    private Path before() {
        return file.resolveSibling(file.getFileName() + ".1");
    }
}
