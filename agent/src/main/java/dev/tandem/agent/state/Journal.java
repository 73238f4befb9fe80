package dev.tandem.agent.state;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.JournalLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
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

    private final RotatedLines file;
    private final InstantSource clock;

    /** What the disk did not take, the oldest first: written before whatever comes next. */
    private final Deque<String> unwritten = new ArrayDeque<>();

    public Journal(Path file, InstantSource clock) {
        this(file, clock, MOST_BYTES);
    }

    /**
     * @param mostBytes a new file is begun when there are more in this one
     */
    public Journal(Path file, InstantSource clock, long mostBytes) {
        this.file = new RotatedLines(file, mostBytes, RotatedLines.Sync.EACH_TIME);
        this.clock = clock;
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
            file.append(String.join("\n", unwritten) + "\n");
            unwritten.clear();
        } catch (IOException e) {
            System.err.println(
                    "the journal cannot be written: " + e + "; it would have said: " + lines);
            while (unwritten.size() > MOST_UNWRITTEN) {
                unwritten.removeFirst();
            }
        }
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
        return JournalTail.open(file.files(), unwritten);
    }
}
