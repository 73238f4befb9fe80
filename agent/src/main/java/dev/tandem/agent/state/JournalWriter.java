package dev.tandem.agent.state;

import dev.tandem.agentapi.JournalEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * Writes lines of the journal on a thread of its own, so that nobody who decides waits for a disk.
 * What has gathered while the disk was busy is written in one go.
 */
public final class JournalWriter implements Consumer<JournalEvent>, AutoCloseable {
    /** A disk that is this far behind is not going to catch up. */
    private static final int MOST_LINES = 2000;

    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(MOST_LINES);
    private final Journal journal;
    private final Thread thread;

    public JournalWriter(Journal journal) {
        this.journal = journal;
        this.thread = Thread.ofPlatform().daemon().name("journal").start(this::run);
    }

    @Override
    public void accept(JournalEvent event) {
        String line = journal.line(event);
        if (!lines.offer(line)) {
            System.err.println("the journal is too far behind for this line: " + line);
        }
    }

    private void run() {
        try {
            while (true) {
                List<String> next = new ArrayList<>();
                next.add(lines.take());
                lines.drainTo(next);
                journal.append(next);
            }
        } catch (InterruptedException e) {
            List<String> rest = new ArrayList<>();
            lines.drainTo(rest);
            if (!rest.isEmpty()) {
                journal.append(rest);
            }
        }
    }

    /** Asks for the rest to be written, and does not wait: the last lines may be lost. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
