package dev.tandem.host.net;

import dev.tandem.core.decision.FenceDelay.Link;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Whether this node is connected to the network of an address that may be on either node, by the
 * carrier of its interfaces.
 */
public final class NetworkLink {
    /** An address of this node, and how many bits of it are its network's. */
    record Own(String name, InetAddress address, int prefix) {
        private boolean hasInItsNetwork(InetAddress other) {
            byte[] mine = address.getAddress();
            byte[] theirs = other.getAddress();
            if (mine.length != theirs.length || address.equals(other)) {
                // Its own entry would be there on one of the two nodes only.
                return false;
            }
            for (int bit = 0; bit < prefix; bit++) {
                int mask = 0x80 >> (bit % 8);
                if (((mine[bit / 8] ^ theirs[bit / 8]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** All addresses of this node. */
    interface Addresses {
        List<Own> all() throws SocketException;
    }

    private final Carriers carriers;
    private final Addresses addresses;

    public NetworkLink() {
        this(Carriers.SYS, NetworkLink::ofThisNode);
    }

    NetworkLink(Path sys, Addresses addresses) {
        this.carriers = new Carriers(sys);
        this.addresses = addresses;
    }

    private static List<Own> ofThisNode() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(network ->
                        network.getInterfaceAddresses().stream()
                                .map(own ->
                                        new Own(
                                                network.getName(),
                                                own.getAddress(),
                                                own.getNetworkPrefixLength())))
                .toList();
    }

    /**
     * As it is now. Unknown where no interface has an address in that network: then it is reached
     * by routes, if at all.
     *
     * @param named the interface, where it is known
     */
    public Link read(InetAddress address, Optional<String> named) {
        List<Link> links;
        try {
            links =
                    named
                            .map(List::of)
                            .orElse(
                                    addresses.all().stream()
                                            .filter(own -> own.hasInItsNetwork(address))
                                            .map(Own::name)
                                            .distinct()
                                            .toList())
                            .stream()
                            .map(carriers::of)
                            .toList();
        } catch (SocketException e) {
            return Link.UNKNOWN;
        }
        if (links.contains(Link.UP)) {
            return Link.UP;
        }
        return links.isEmpty() || links.contains(Link.UNKNOWN) ? Link.UNKNOWN : Link.DOWN;
    }
}
