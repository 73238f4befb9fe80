package dev.tandem.host.net;

import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.FenceDelay.Link;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The links of this node by its own interfaces, and by nothing that is sent: whether anybody
 * answers depends on others.
 */
public final class OwnLinks {
    /** Which interface has an address. */
    interface Interfaces {
        /** Empty where none has it. */
        Optional<String> with(InetAddress address) throws SocketException;
    }

    private final Path sys;
    private final Interfaces interfaces;
    private final List<InetAddress> addresses;

    /**
     * @param addresses of this node by the plan, one a link
     */
    public OwnLinks(List<IpAddress> addresses) {
        this(
                Path.of("/sys/class/net"),
                address ->
                        Optional.ofNullable(NetworkInterface.getByInetAddress(address))
                                .map(NetworkInterface::getName),
                addresses);
    }

    OwnLinks(Path sys, Interfaces interfaces, List<IpAddress> addresses) {
        this.sys = sys;
        this.interfaces = interfaces;
        this.addresses =
                addresses.stream()
                        .map(address -> InetAddress.ofLiteral(address.toString()))
                        .toList();
    }

    /** As they are now, in the order of the plan. */
    public List<Link> read() {
        return addresses.stream().map(this::read).toList();
    }

    private Link read(InetAddress address) {
        Optional<String> name;
        try {
            name = interfaces.with(address);
        } catch (SocketException e) {
            return Link.UNKNOWN;
        }
        // Some managers of networks take the addresses away with the carrier.
        return name.map(this::carrier).orElse(Link.DOWN);
    }

    private Link carrier(String name) {
        Path directory = sys.resolve(name);
        Optional<String> state = text(directory.resolve("operstate"));
        if (state.filter(word -> word.equals("down") || word.equals("lowerlayerdown"))
                .isPresent()) {
            // Of an interface that somebody has set down the kernel tells no carrier.
            return Link.DOWN;
        }
        return text(directory.resolve("carrier"))
                .map(carrier -> carrier.equals("0") ? Link.DOWN : Link.UP)
                .orElse(Link.UNKNOWN);
    }

    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
