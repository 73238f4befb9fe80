package dev.tandem.host.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Ports of 127.0.0.1 for servers that must know theirs before they listen, and for addresses where
 * nobody listens.
 *
 * <p>A port that the kernel has handed out and got back may be the next one that it hands out, to
 * any connection of any process. These are below those, and another JVM takes others: each holds
 * the first port of its block for as long as it lives.
 */
public final class LoopbackPorts {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final Path KERNELS = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    /** Below are services; from 30000 on are those of Kubernetes. */
    private static final int FIRST = 12_000;

    private static final int LAST = 29_999;
    private static final int BLOCK = 100;

    private static @Nullable ServerSocket held;
    private static int next;

    private LoopbackPorts() {}

    /** One that nobody was given before. */
    public static synchronized int next() {
        try {
            while (true) {
                if (held == null || next >= held.getLocalPort() + BLOCK) {
                    // The block before is kept too: its ports may be in use.
                    held = hold();
                    next = held.getLocalPort() + 1;
                }
                int port = next++;
                if (isFree(port)) {
                    return port;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerSocket hold() throws IOException {
        int blocks = (last() - FIRST + 1) / BLOCK;
        int begin = (int) (ProcessHandle.current().pid() % blocks);
        for (int i = 0; i < blocks; i++) {
            ServerSocket first = new ServerSocket();
            try {
                first.bind(address(FIRST + (begin + i) % blocks * BLOCK));
                return first;
            } catch (IOException e) {
                // Another JVM has it.
                first.close();
            }
        }
        throw new IOException(
                "no %d ports between %d and %d are free".formatted(BLOCK, FIRST, last()));
    }

    /** Where the kernel hands out all of them, nothing is safe, and these are as good as others. */
    private static int last() throws IOException {
        int kernels = Integer.parseInt(Files.readString(KERNELS).strip().split("\\s+", -1)[0]);
        return kernels < FIRST + BLOCK ? LAST : Math.min(LAST, kernels - 1);
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(address(port));
            return true;
        } catch (BindException e) {
            return false;
        }
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(LOOPBACK, port);
    }
}
