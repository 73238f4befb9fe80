package dev.tandem.redfishsim.ipmi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Where the program of ipmi_sim that stands for the chassis finds the power button. */
final class ChassisSocket implements AutoCloseable {
    /** A request is a line of words; its headers are curl's. */
    private static final int LONGEST_BODY = 200;

    private final ServerSocketChannel server;
    private final PowerButton button;

    ChassisSocket(Path place, PowerButton button) throws IOException {
        this.button = button;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(place));
        Thread.ofVirtual().name("ipmi-chassis").start(this::serve);
    }

    /** One after the other: the simulator asks in no other way. */
    private void serve() {
        while (server.isOpen()) {
            try (SocketChannel client = server.accept()) {
                String answer = answer(request(client));
                String reply =
                        "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                                .formatted(answer.length(), answer);
                client.write(ByteBuffer.wrap(reply.getBytes(StandardCharsets.US_ASCII)));
            } catch (IOException e) {
                // The end, or whoever asked went away: the simulator tells its caller so.
            }
        }
    }

    private static String request(SocketChannel client) throws IOException {
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                Channels.newInputStream(client), StandardCharsets.US_ASCII));
        int length = 0;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.startsWith("Content-Length: ")) {
                length = Integer.parseInt(line.substring("Content-Length: ".length()));
            }
        }
        char[] body = new char[Math.min(length, LONGEST_BODY)];
        int read = 0;
        while (read < body.length) {
            int more = in.read(body, read, body.length - read);
            if (more < 0) {
                throw new IOException("a chassis request ended too early");
            }
            read += more;
        }
        return new String(body);
    }

    private String answer(String request) {
        return switch (request) {
            case "get power" -> "power:" + (button.isOn() ? 1 : 0) + "\n";
            case "set power 0" -> {
                button.off();
                yield "";
            }
            case "set power 1" -> {
                button.on();
                yield "";
            }
            // Boot devices, identification lights: nothing that this machine has.
            default -> "";
        };
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
