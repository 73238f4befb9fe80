package dev.tandem.host.net;

import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.FenceDelay.Link;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
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

    private final Carriers carriers;
    private final Interfaces interfaces;
    private final List<InetAddress> addresses;

    /**
     * @param addresses of this node by the plan, one a link
     */
    public OwnLinks(List<IpAddress> addresses) {
        this(
                Carriers.SYS,
                address ->
                        Optional.ofNullable(NetworkInterface.getByInetAddress(address))
                                .map(NetworkInterface::getName),
                addresses);
    }

    OwnLinks(Path sys, Interfaces interfaces, List<IpAddress> addresses) {
        this.carriers = new Carriers(sys);
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
        return name.map(carriers::of).orElse(Link.DOWN);
    }
}
