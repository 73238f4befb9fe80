package dev.tandem.lab.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The few calls of the C library that Java does not offer. All of them act on the calling thread.
 */
public final class Libc {
    static final int CLONE_NEWNET = 0x40000000;
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;

    private static final int AF_PACKET = 17;
    private static final int SOCK_RAW = 3;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final long TUNSETIFF = 0x400454caL;

    /** IFF_TAP and IFF_NO_PI: whole frames and nothing in front of them. */
    private static final short IFF_TAP_NO_HEADER = 0x0002 | 0x1000;

    private static final short POLLIN = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_FIELD =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final MethodHandle OPEN =
            handle(
                    "open",
                    FunctionDescriptor.of(INT, ValueLayout.ADDRESS, INT),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle SETNS = handle("setns", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle KILL = handle("kill", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle SOCKET =
            handle("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle BIND =
            handle("bind", FunctionDescriptor.of(INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle SETSOCKOPT =
            handle(
                    "setsockopt",
                    FunctionDescriptor.of(INT, INT, INT, INT, ValueLayout.ADDRESS, INT));
    private static final MethodHandle IF_NAMETOINDEX =
            handle("if_nametoindex", FunctionDescriptor.of(INT, ValueLayout.ADDRESS));
    private static final MethodHandle IOCTL =
            handle(
                    "ioctl",
                    FunctionDescriptor.of(INT, INT, LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle POLL =
            handle("poll", FunctionDescriptor.of(INT, ValueLayout.ADDRESS, LONG, INT));
    private static final MethodHandle READ =
            handle("read", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG));
    private static final MethodHandle WRITE =
            handle("write", FunctionDescriptor.of(LONG, INT, ValueLayout.ADDRESS, LONG));

    private Libc() {}

    @SuppressWarnings(
            "restricted") // Loading functions of the C library is the point of this class.
    private static MethodHandle handle(
            String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = ERRNO;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, all);
    }

    /** A call with the place where its error number goes. */
    private interface Call {
        long make(Arena arena, MemorySegment state) throws Throwable;
    }

    private static int checked(String what, Call call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = call.make(arena, state);
            if (result < 0) {
                throw new IOException(what + ": errno " + (int) ERRNO_FIELD.get(state, 0L));
            }
            return Math.toIntExact(result);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    public static int open(String path, int flags) throws IOException {
        return checked(
                "open " + path,
                (arena, state) -> (int) OPEN.invokeExact(state, arena.allocateFrom(path), flags));
    }

    public static void close(int descriptor) throws IOException {
        int _ = checked("close", (_, state) -> (int) CLOSE.invokeExact(state, descriptor));
    }

    static void setns(int descriptor, int kind) throws IOException {
        int _ = checked("setns", (_, state) -> (int) SETNS.invokeExact(state, descriptor, kind));
    }

    /** Sends a signal by number: Java itself knows only TERM and KILL. */
    public static void kill(long pid, int signal) throws IOException {
        int _ =
                checked(
                        "signal " + signal + " to " + pid,
                        (_, state) -> (int) KILL.invokeExact(state, Math.toIntExact(pid), signal));
    }

    /** A socket that sees every frame coming in on the interface, and sends frames as they are. */
    public static int openRawSocket(String link) throws IOException {
        short allProtocols = Short.reverseBytes((short) 0x0003);
        int descriptor =
                checked(
                        "socket",
                        (_, state) ->
                                (int)
                                        SOCKET.invokeExact(
                                                state,
                                                AF_PACKET,
                                                SOCK_RAW | O_CLOEXEC,
                                                Short.toUnsignedInt(allProtocols)));
        try {
            int index =
                    checked(
                            "index of " + link,
                            (arena, state) ->
                                    (int)
                                            IF_NAMETOINDEX.invokeExact(
                                                    state, arena.allocateFrom(link)));
            int _ =
                    checked(
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
                    checked(
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
                    checked(
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

    /** Memory outside the heap for reading and writing descriptors. One thread's own. */
    public static final class Buffer implements AutoCloseable {
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment data;
        private final MemorySegment request;

        public Buffer(int size) {
            this.data = arena.allocate(size);
            this.request = arena.allocate(8);
        }

        /** Reads what comes within the time, or returns 0. */
        public int read(int descriptor, int milliseconds) throws IOException {
            // struct pollfd: descriptor, events asked for, events seen.
            request.set(INT, 0, descriptor);
            request.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
            request.set(ValueLayout.JAVA_SHORT, 6, (short) 0);
            int ready =
                    checked(
                            "poll",
                            (_, state) -> (int) POLL.invokeExact(state, request, 1L, milliseconds));
            if (ready == 0) {
                return 0;
            }
            return checked(
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
                    checked(
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
