package dev.tandem.lab.daemon;

import dev.tandem.lab.linux.NetworkNamespace;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Leads a port of the host's loopback to a port inside the lab. */
final class PortRelay implements AutoCloseable {
    private final String what;
    private final InetSocketAddress target;
    private final Path namespace;
    private final ServerSocketChannel listener;

    private PortRelay(
            String what, InetSocketAddress target, Path namespace, ServerSocketChannel listener) {
        this.what = what;
        this.target = target;
        this.namespace = namespace;
        this.listener = listener;
    }

    /** Listens on a free port of 127.0.0.1; connections go on from inside the namespace. */
    static PortRelay open(String what, LabLayout.Address address, int port, Path namespace)
            throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        PortRelay relay =
                new PortRelay(
                        what,
                        new InetSocketAddress(InetAddress.ofLiteral(address.ip()), port),
                        namespace,
                        listener);
        Thread.ofVirtual().name("relay " + what).start(relay::accept);
        return relay;
    }

    LabStatus.Relayed status() throws IOException {
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return new LabStatus.Relayed(
                what, port, target.getAddress().getHostAddress() + " port " + target.getPort());
    }

    private void accept() {
        while (true) {
            try {
                SocketChannel outside = listener.accept();
                Thread.ofVirtual().name("relay " + what).start(() -> join(outside));
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                System.err.println("relay " + what + ": " + e);
                return;
            }
        }
    }

    private void join(SocketChannel outside) {
        try (outside;
                SocketChannel inside =
                        NetworkNamespace.call(namespace, () -> SocketChannel.open(target))) {
            Thread back = Thread.ofVirtual().start(() -> pump(inside, outside));
            pump(outside, inside);
            back.join();
        } catch (IOException e) {
            // Nobody listens at the other end: the caller sees its connection closed.
            System.err.println("relay " + what + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pump(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // One side hung up; so does the other.
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            System.err.println("relay: " + e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
