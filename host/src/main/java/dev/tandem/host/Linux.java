package dev.tandem.host;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * The few things of the kernel that the JDK does not offer: a datagram to systemd, and to be told
 * when a process ends that is not a child. The JDK's own {@code ProcessHandle.onExit} polls those
 * at intervals of up to five seconds, which would be most of a recovery.
 */
@SuppressWarnings("restricted")
public final class Linux {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
    private static final long SYS_PIDFD_OPEN = 434;
    private static final short POLLIN = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle SOCKET =
            function("socket", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private static final MethodHandle SENDTO =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("sendto"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE = function("close", ValueLayout.JAVA_INT);
    private static final MethodHandle SYSCALL =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.firstVariadicArg(1));
    private static final MethodHandle POLL =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("poll"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT));

    private Linux() {}

    /** Sends systemd a line such as READY=1; false if it was not sent. */
    public static boolean notifySystemd(String socketName, String text) {
        byte[] name = socketName.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > 107) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(2 + 108);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
            if (name[0] == '@') {
                // An abstract socket: its name begins with a zero byte.
                address.set(ValueLayout.JAVA_BYTE, 2, (byte) 0);
            }
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            int socket = (int) SOCKET.invokeExact(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
            if (socket < 0) {
                return false;
            }
            try {
                return (long)
                                SENDTO.invokeExact(
                                        socket,
                                        message,
                                        (long) bytes.length,
                                        0,
                                        address,
                                        2 + name.length)
                        == bytes.length;
            } finally {
                close(socket);
            }
        } catch (Throwable e) {
            throw new IllegalStateException("the call of a C function failed", e);
        }
    }

    /**
     * Blocks the calling thread until that process has ended; returns at once if there is none.
     * Call it on a thread of its own: the wait is not interruptible.
     */
    public static void awaitEnd(long pid) {
        try (Arena arena = Arena.ofConfined()) {
            long descriptor = (long) SYSCALL.invokeExact(SYS_PIDFD_OPEN, pid, 0L);
            if (descriptor < 0) {
                return;
            }
            try {
                MemorySegment wanted = arena.allocate(8, 4);
                int ready;
                do {
                    wanted.set(ValueLayout.JAVA_INT, 0, (int) descriptor);
                    wanted.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
                    wanted.set(ValueLayout.JAVA_SHORT, 6, (short) 0);
                    // A signal for the JVM may interrupt it; that is not the end of the process.
                    ready = (int) POLL.invokeExact(wanted, 1L, -1);
                } while (ready < 1);
            } finally {
                close((int) descriptor);
            }
        } catch (Throwable e) {
            throw new IllegalStateException("the call of a C function failed", e);
        }
    }

    private static void close(int descriptor) throws Throwable {
        int _ = (int) CLOSE.invokeExact(descriptor);
    }

    private static MethodHandle function(String name, ValueLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }
}
