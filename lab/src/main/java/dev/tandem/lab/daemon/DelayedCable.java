package dev.tandem.lab.daemon;

import dev.tandem.lab.linux.LabSyscalls;
import dev.tandem.lab.linux.NetworkNamespace;
import dev.tandem.lab.spec.NetworkFault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A cable that takes its time. The kernel may have no netem, so frames go through this process:
 * read from one interface, kept for a while, written to the other, in both directions and in order.
 * It works below IP and so holds for every protocol alike.
 *
 * <p>One end is a raw socket on the cable to the node, the other a TAP interface that takes the
 * cable's place at the switch.
 */
final class DelayedCable implements AutoCloseable {
    /** Ethernet header and VLAN tag on top of the usual MTU; offloads are off on this cable. */
    private static final int FRAME_BYTES = 2048;

    /**
     * As many frames as fit into a second of a busy etcd; a real line has an end to its buffer too.
     */
    private static final int QUEUE_FRAMES = 20_000;

    /** How long a reader waits for a frame before it looks whether the cable was taken out. */
    private static final int POLL_MILLISECONDS = 100;

    private static final class Frame {
        private final byte[] bytes;
        private final long dueNanos;

        Frame(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    private final int nodeEnd;
    private final int switchEnd;
    private final Thread[] threads;
    private volatile boolean closed;

    private DelayedCable(int nodeEnd, int switchEnd, NetworkFault.Delay delay) {
        this.nodeEnd = nodeEnd;
        this.switchEnd = switchEnd;
        BlockingQueue<Frame> up = new LinkedBlockingQueue<>(QUEUE_FRAMES);
        BlockingQueue<Frame> down = new LinkedBlockingQueue<>(QUEUE_FRAMES);
        this.threads =
                new Thread[] {
                    thread("reads " + delay.node(), () -> receive(nodeEnd, up, delay)),
                    thread("delays " + delay.node(), () -> send(switchEnd, up)),
                    thread("reads to " + delay.node(), () -> receive(switchEnd, down, delay)),
                    thread("delays to " + delay.node(), () -> send(nodeEnd, down)),
                };
    }

    /** Opens both ends in the switches' namespace; the TAP interface comes into being with it. */
    static DelayedCable open(Path namespace, String cable, String tap, NetworkFault.Delay delay)
            throws IOException {
        int[] ends =
                NetworkNamespace.call(
                        namespace,
                        () -> {
                            int nodeEnd = LabSyscalls.openRawSocket(cable);
                            try {
                                return new int[] {nodeEnd, LabSyscalls.openTap(tap)};
                            } catch (IOException e) {
                                LabSyscalls.close(nodeEnd);
                                throw e;
                            }
                        });
        return new DelayedCable(ends[0], ends[1], delay);
    }

    void start() {
        for (Thread thread : threads) {
            thread.start();
        }
    }

    private static Thread thread(String name, Runnable work) {
        // Platform threads: they sit in system calls that a virtual thread would pin anyway.
        return Thread.ofPlatform().daemon().name(name).unstarted(work);
    }

    private void receive(int from, BlockingQueue<Frame> into, NetworkFault.Delay delay) {
        long delayNanos = Duration.ofMillis(delay.milliseconds()).toNanos();
        long jitterNanos = Duration.ofMillis(delay.jitterMilliseconds()).toNanos();
        long lastDue = System.nanoTime();
        try (LabSyscalls.Buffer buffer = new LabSyscalls.Buffer(FRAME_BYTES)) {
            while (!closed) {
                int length = buffer.read(from, POLL_MILLISECONDS);
                if (length <= 0) {
                    continue;
                }
                long jitter =
                        jitterNanos == 0
                                ? 0
                                : ThreadLocalRandom.current().nextLong(-jitterNanos, jitterNanos);
                // Never earlier than the frame before it: a line does not reorder.
                lastDue = Math.max(lastDue, System.nanoTime() + delayNanos + jitter);
                // When the buffer of the line is full the frame is lost, as on a real one.
                boolean _ = into.offer(new Frame(buffer.bytes(length), lastDue));
            }
        } catch (IOException e) {
            lost(e);
        }
    }

    private void send(int to, BlockingQueue<Frame> from) {
        try (LabSyscalls.Buffer buffer = new LabSyscalls.Buffer(FRAME_BYTES)) {
            while (!closed) {
                Frame frame = from.take();
                for (long left = frame.dueNanos - System.nanoTime();
                        left > 0 && !closed;
                        left = frame.dueNanos - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                buffer.write(to, frame.bytes);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            lost(e);
        }
    }

    /** The interface is gone: the node was switched off, and the cable is about to be taken out. */
    private void lost(IOException why) {
        if (!closed) {
            System.err.println("delayed cable: " + why.getMessage());
        }
    }

    /** The TAP interface ends with its descriptor. */
    @Override
    public void close() throws IOException {
        closed = true;
        for (Thread thread : threads) {
            thread.interrupt();
        }
        try {
            for (Thread thread : threads) {
                thread.join(Duration.ofSeconds(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        LabSyscalls.close(nodeEnd);
        LabSyscalls.close(switchEnd);
    }
}
