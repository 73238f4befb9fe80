package dev.tandem.lab.image;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One build at a time in a directory, whether by another process or by another thread of this one:
 * a lock on a file keeps only other processes out.
 */
public final class BuildLock implements AutoCloseable {
    private static final Map<Path, ReentrantLock> OF_THIS_PROCESS = new ConcurrentHashMap<>();

    private final ReentrantLock thread;
    private final FileChannel channel;
    private final FileLock process;

    private BuildLock(ReentrantLock thread, FileChannel channel, FileLock process) {
        this.thread = thread;
        this.channel = channel;
        this.process = process;
    }

    /**
     * Waits until nobody else builds there.
     *
     * @param what is built, for those who wait
     */
    public static BuildLock take(Path directory, String what, ProgressListener steps)
            throws IOException, InterruptedException {
        ReentrantLock thread =
                OF_THIS_PROCESS.computeIfAbsent(
                        directory.toAbsolutePath().normalize(), _ -> new ReentrantLock());
        thread.lockInterruptibly();
        try {
            FileChannel channel =
                    FileChannel.open(
                            directory.resolve("lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            try {
                return new BuildLock(thread, channel, await(channel, what, steps));
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            thread.unlock();
            throw e;
        }
    }

    private static FileLock await(FileChannel channel, String what, ProgressListener steps)
            throws IOException {
        FileLock free = channel.tryLock();
        if (free != null) {
            return free;
        }
        steps.step("waiting for another build of " + what);
        return channel.lock();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            process.release();
        } finally {
            thread.unlock();
        }
    }
}
