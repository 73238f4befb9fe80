package dev.tandem.agent.state;

import dev.tandem.agentapi.JournalLine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The end of a journal as it was at a moment: what is written or renamed since does not change it.
 *
 * <p>It is read from the end backwards. Two full files are a quarter of all the memory that the
 * agent has, before a line of them is told.
 */
final class JournalTail implements AutoCloseable {
    /**
     * Of the journal, the bytes that are told at most: lines have some hundreds, and a decision few
     * thousands. What is told is held in several forms at once.
     */
    static final int MOST_READ = 2 << 20;

    private static final int BLOCK = 4096;

    private record Part(FileChannel file, long size) {}

    /** The oldest first. */
    private final List<Part> parts = new ArrayList<>();

    private final List<String> unwritten;

    private JournalTail(Collection<String> unwritten) {
        this.unwritten = List.copyOf(unwritten);
    }

    /**
     * @param files the oldest first
     * @param unwritten what follows them
     */
    static JournalTail open(List<Path> files, Collection<String> unwritten) throws IOException {
        JournalTail tail = new JournalTail(unwritten);
        try {
            for (Path file : files) {
                if (Files.exists(file)) {
                    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                    tail.parts.add(new Part(channel, channel.size()));
                }
            }
            return tail;
        } catch (IOException e) {
            tail.close();
            throw e;
        }
    }

    /** The last lines, oldest first. */
    List<String> last(int most) throws IOException {
        List<String> lines = new ArrayList<>(unwritten);
        int room = MOST_READ;
        for (Part part : parts.reversed()) {
            if (lines.size() >= most || room <= 0) {
                break;
            }
            byte[] end = end(part, most - lines.size(), room);
            room -= end.length;
            lines.addAll(0, JournalLine.lines(end));
        }
        return List.copyOf(lines.subList(Math.max(0, lines.size() - most), lines.size()));
    }

    /** Whole lines, if no single one is longer than the room. */
    private static byte[] end(Part part, int most, int room) throws IOException {
        long end = endOfText(part.file, part.size);
        long least = Math.max(0, end - room);
        long start = end;
        int found = 0;
        ByteBuffer block = ByteBuffer.allocate(BLOCK);
        // The newline at the very end begins no line.
        for (long to = end - 1; to > least && found < most; ) {
            long from = Math.max(least, to - BLOCK);
            read(part.file, block.clear().limit((int) (to - from)), from);
            for (int at = block.limit(); at > 0 && found < most; at--) {
                if (block.get(at - 1) == '\n') {
                    found++;
                    start = from + at;
                }
            }
            to = from;
        }
        if (found < most && least == 0) {
            start = 0;
        }
        byte[] text = new byte[(int) (end - start)];
        read(part.file, ByteBuffer.wrap(text), start);
        return text;
    }

    private static void read(FileChannel file, ByteBuffer into, long from) throws IOException {
        while (into.hasRemaining()) {
            if (file.read(into, from + into.position()) < 0) {
                // Zero bytes, which are no text, take the place of what was cut off meanwhile.
                return;
            }
        }
    }

    /**
     * Before the zero bytes that stand there when a power cut came between a file's new length and
     * what was to be written in it: a line of which nothing was carried out.
     */
    static long endOfText(FileChannel journal, long size) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(BLOCK);
        for (long end = size; end > 0; ) {
            long start = Math.max(0, end - BLOCK);
            block.clear().limit((int) (end - start));
            journal.read(block, start);
            for (int at = block.position(); at > 0; at--) {
                if (block.get(at - 1) != 0) {
                    return start + at;
                }
            }
            end = start;
        }
        return 0;
    }

    @Override
    public void close() throws IOException {
        for (Part part : parts) {
            part.file.close();
        }
    }
}
