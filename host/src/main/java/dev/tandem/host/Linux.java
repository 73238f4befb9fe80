package dev.tandem.host;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * The few things of the kernel that a node needs and the JDK does not offer: a datagram to systemd,
 * and to be told when a process ends that is not a child. The JDK's own {@code
 * ProcessHandle.onExit} polls those at intervals of up to five seconds, which would be most of a
 * recovery.
 */
public final class Linux {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    private static final long SYS_PIDFD_OPEN = 434;
    private static final int WITHOUT_LIMIT = -1;

    private static final MethodHandle SENDTO =
            CLibrary.function(
                    "sendto",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_INT));
    private static final MethodHandle SYSCALL =
            CLibrary.function(
                    "syscall",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1));

    private Linux() {}

    /** Sends systemd a line such as READY=1; false if it was not sent. */
    public static boolean notifySystemd(String socketName, String text) {
        byte[] name = socketName.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > 107) {
            return false;
        }
        try {
            int socket = CLibrary.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
            try {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                return send(socket, bytes, name) == bytes.length;
            } finally {
                CLibrary.close(socket);
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static int send(int socket, byte[] bytes, byte[] name) throws IOException {
        return CLibrary.checked(
                "sendto",
                (arena, state) -> {
                    MemorySegment address = arena.allocate(2 + 108, 2);
                    address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
                    MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
                    if (name[0] == '@') {
                        // An abstract socket: its name begins with a zero byte.
                        address.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
                    }
                    MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
                    return (long)
                            SENDTO.invokeExact(
                                    state,
                                    socket,
                                    message,
                                    (long) bytes.length,
                                    0,
                                    address,
                                    2 + name.length);
                });
    }

    /**
     * Blocks the calling thread until that process has ended; returns at once if there is none.
     * Call it on a thread of its own: the wait is not interruptible.
     */
    public static void awaitEnd(long pid) {
        int descriptor;
        try {
            descriptor = openProcess(pid);
        } catch (IOException e) {
            return;
        }
        try {
            boolean ended = false;
            while (!ended) {
                ended = readable(descriptor);
            }
        } finally {
            close(descriptor);
        }
    }

    private static int openProcess(long pid) throws IOException {
        return CLibrary.checked(
                "pidfd_open",
                (_, state) -> (long) SYSCALL.invokeExact(state, SYS_PIDFD_OPEN, pid, 0L));
    }

    /**
     * Whether that process has ended with all its threads, or is not there. One that its parent has
     * not asked about yet has ended too: it has no files and no ports. The JDK takes it for alive.
     */
    public static boolean hasEnded(long pid) {
        int descriptor;
        try {
            descriptor = openProcess(pid);
        } catch (IOException e) {
            // Out of descriptors, say: then nothing is known of one that is listed.
            return ProcessHandle.of(pid).isEmpty();
        }
        try {
            return CLibrary.awaitReadable(descriptor, 0);
        } catch (IOException e) {
            return false;
        } finally {
            close(descriptor);
        }
    }

    /** A signal for the JVM may interrupt the wait; that is not the end of the process. */
    private static boolean readable(int descriptor) {
        try {
            return CLibrary.awaitReadable(descriptor, WITHOUT_LIMIT);
        } catch (IOException e) {
            return false;
        }
    }

    private static void close(int descriptor) {
        try {
            CLibrary.close(descriptor);
        } catch (IOException e) {
            // It is closed all the same.
        }
    }
}
