package dev.tandem.lab.linux;

import dev.tandem.host.CLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The calls of the C library that only a lab needs: namespaces, signals by number, raw sockets and
 * TAP interfaces. All of them act on the calling thread.
 */
public final class LabSyscalls {
    static final int CLONE_NEWNET = 0x40000000;
    public static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;

    private static final int AF_PACKET = 17;
    private static final int SOCK_RAW = 3;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final long TUNSETIFF = 0x400454caL;
    private static final long FIFREEZE = 0xc0045877L;
    private static final long FITHAW = 0xc0045878L;

    /** ext4's and XFS's FS_IOC_SHUTDOWN: nothing reaches the device from here on. */
    private static final long SHUTDOWN = 0x8004587dL;

    /** What the log has not written out yet is lost too. */
    private static final int NO_LOG_FLUSH = 2;

    /** IFF_TAP and IFF_NO_PI: whole frames and nothing in front of them. */
    private static final short IFF_TAP_NO_HEADER = 0x0002 | 0x1000;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle OPEN =
            CLibrary.function(
                    "open",
                    FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle SETNS =
            CLibrary.function("setns", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle KILL =
            CLibrary.function("kill", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle BIND =
            CLibrary.function("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SETSOCKOPT =
            CLibrary.function(
                    "setsockopt",
                    FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle IF_NAMETOINDEX =
            CLibrary.function("if_nametoindex", FunctionDescriptor.of(INT, ValueLayout.ADDRESS));
    private static final MethodHandle IOCTL =
            CLibrary.function(
                    "ioctl",
                    FunctionDescriptor.of(INT, INT, LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle SYNCFS =
            CLibrary.function("syncfs", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle READ =
            CLibrary.function("read", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG));
    private static final MethodHandle WRITE =
            CLibrary.function("write", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG));

    private LabSyscalls() {}

    public static int open(String path, int flags) throws IOException {
        return CLibrary.checked(
                "open " + path,
                (arena, state) -> (int) OPEN.invokeExact(state, arena.allocateFrom(path), flags));
    }

    public static void close(int descriptor) throws IOException {
        CLibrary.close(descriptor);
    }

    static void setns(int descriptor, int kind) throws IOException {
        int _ =
                CLibrary.checked(
                        "setns", (_, state) -> (int) SETNS.invokeExact(state, descriptor, kind));
    }

    /** Sends a signal by number: Java itself knows only TERM and KILL. */
    public static void kill(long pid, int signal) throws IOException {
        int _ =
                CLibrary.checked(
                        "signal " + signal + " to " + pid,
                        (_, state) -> (int) KILL.invokeExact(state, Math.toIntExact(pid), signal));
    }

    /** A socket that sees every frame coming in on the interface, and sends frames as they are. */
    public static int openRawSocket(String link) throws IOException {
        short allProtocols = Short.reverseBytes((short) 0x0003);
        int descriptor =
                CLibrary.socket(AF_PACKET, SOCK_RAW | O_CLOEXEC, Short.toUnsignedInt(allProtocols));
        try {
            int index =
                    CLibrary.checked(
                            "index of " + link,
                            (arena, state) ->
                                    (int)
                                            IF_NAMETOINDEX.invokeExact(
                                                    state, arena.allocateFrom(link)));
            int _ =
                    CLibrary.checked(
                            "ignore own frames",
                            (arena, state) ->
                                    (int)
                                            SETSOCKOPT.invokeExact(
                                                    state,
                                                    descriptor,
                                                    SOL_PACKET,
                                                    PACKET_IGNORE_OUTGOING,
                                                    arena.allocateFrom(INT, 1),
                                                    Integer.BYTES));
            int _ =
                    CLibrary.checked(
                            "bind to " + link,
                            (arena, state) -> {
                                // struct sockaddr_ll: family, protocol, index, and 12 bytes unused.
                                MemorySegment address = arena.allocate(20);
                                address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_PACKET);
                                address.set(ValueLayout.JAVA_SHORT, 2, allProtocols);
                                address.set(INT, 4, index);
                                return (int) BIND.invokeExact(state, descriptor, address, 20);
                            });
            return descriptor;
        } catch (IOException e) {
            close(descriptor);
            throw e;
        }
    }

    /** A new TAP interface of that name in the calling thread's network namespace. */
    public static int openTap(String name) throws IOException {
        int descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
        try {
            int _ =
                    CLibrary.checked(
                            "make " + name,
                            (arena, state) -> {
                                // struct ifreq: 16 bytes of name, then the flags.
                                MemorySegment request = arena.allocate(40);
                                request.setString(0, name);
                                request.set(ValueLayout.JAVA_SHORT, 16, IFF_TAP_NO_HEADER);
                                return (int)
                                        IOCTL.invokeExact(state, descriptor, TUNSETIFF, request);
                            });
            return descriptor;
        } catch (IOException e) {
            close(descriptor);
            throw e;
        }
    }

    /** Has a file system stand still, by a descriptor of anything on it, or lets it go on. */
    public static void freeze(int descriptor, boolean frozen) throws IOException {
        int _ =
                CLibrary.checked(
                        frozen ? "freeze a file system" : "thaw a file system",
                        (arena, state) ->
                                (int)
                                        IOCTL.invokeExact(
                                                state,
                                                descriptor,
                                                frozen ? FIFREEZE : FITHAW,
                                                arena.allocate(INT)));
    }

    /**
     * Has a file system lose, at this moment, what has not reached its device: data, names and its
     * own log. It only answers with errors from then on, and is to be unmounted.
     */
    public static void shutDown(int descriptor) throws IOException {
        int _ =
                CLibrary.checked(
                        "shut a file system down",
                        (arena, state) ->
                                (int)
                                        IOCTL.invokeExact(
                                                state,
                                                descriptor,
                                                SHUTDOWN,
                                                arena.allocateFrom(INT, NO_LOG_FLUSH)));
    }

    /** Has everything of one file system reach its device. */
    public static void syncFileSystem(int descriptor) throws IOException {
        int _ =
                CLibrary.checked(
                        "sync a file system",
                        (_, state) -> (int) SYNCFS.invokeExact(state, descriptor));
    }

    /** Memory outside the heap for reading and writing descriptors. One thread's own. */
    public static final class Buffer implements AutoCloseable {
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment data;

        public Buffer(int size) {
            this.data = arena.allocate(size);
        }

        /** Reads what comes within the time, or returns 0. */
        public int read(int descriptor, int milliseconds) throws IOException {
            if (!CLibrary.awaitReadable(descriptor, milliseconds)) {
                return 0;
            }
            return CLibrary.checked(
                    "read",
                    (_, state) ->
                            (long) READ.invokeExact(state, descriptor, data, data.byteSize()));
        }

        public byte[] bytes(int length) {
            return data.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }

        public void write(int descriptor, byte[] bytes) throws IOException {
            MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, bytes.length);
            int _ =
                    CLibrary.checked(
                            "write",
                            (_, state) ->
                                    (long)
                                            WRITE.invokeExact(
                                                    state, descriptor, data, (long) bytes.length));
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
