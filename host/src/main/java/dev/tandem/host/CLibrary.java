package dev.tandem.host;

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

/** Functions of the C library that Java does not offer: how they are found, called and checked. */
public final class CLibrary {
    private static final short POLLIN = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_FIELD =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle SOCKET =
            function("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle POLL =
            function(
                    "poll",
                    FunctionDescriptor.of(INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, INT));

    private CLibrary() {}

    /**
     * A function that leaves its error number behind: the first argument of the handle is the place
     * that {@link Call} is given for it.
     */
    @SuppressWarnings(
            "restricted") // Loading functions of the C library is the point of this class.
    public static MethodHandle function(
            String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = ERRNO;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, all);
    }

    /** A call with the place where its error number goes. */
    public interface Call {
        long make(Arena arena, MemorySegment state) throws Throwable;
    }

    /** Makes a call; what is below zero is a failure. */
    public static int checked(String what, Call call) throws IOException {
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

    public static void close(int descriptor) throws IOException {
        int _ = checked("close", (_, state) -> (int) CLOSE.invokeExact(state, descriptor));
    }

    public static int socket(int family, int type, int protocol) throws IOException {
        return checked(
                "socket", (_, state) -> (int) SOCKET.invokeExact(state, family, type, protocol));
    }

    /**
     * Waits until there is something to read; false at the limit. A signal for the JVM may end the
     * wait with an error.
     *
     * @param milliseconds below zero without a limit
     */
    public static boolean awaitReadable(int descriptor, int milliseconds) throws IOException {
        return checked(
                        "poll",
                        (arena, state) -> {
                            // struct pollfd: descriptor, events asked for, events seen.
                            MemorySegment request = arena.allocate(8, 4);
                            request.set(INT, 0, descriptor);
                            request.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
                            return (int) POLL.invokeExact(state, request, 1L, milliseconds);
                        })
                > 0;
    }
}
