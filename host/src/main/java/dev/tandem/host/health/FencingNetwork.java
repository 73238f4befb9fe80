package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Whether a node would lose its peer and the peer's BMC at once, because both are reached through
 * one of its interfaces. Neither node could fence the other then, and neither would serve.
 */
public final class FencingNetwork {
    /** Any port does: a datagram socket that is connected sends nothing. */
    private static final int DISCARD = 9;

    private FencingNetwork() {}

    /** A warning, where it is so. A BMC that is known by a name only is not looked for. */
    public static Impediments of(
            String self, String peer, List<IpAddress> peerAddresses, String peerBmc) {
        return of(self, peer, peerAddresses, peerBmc, FencingNetwork::interfaceTowards);
    }

    static Impediments of(
            String self,
            String peer,
            List<IpAddress> peerAddresses,
            String peerBmc,
            Function<IpAddress, Optional<String>> route) {
        Optional<String> shared = IpAddress.parse(peerBmc).flatMap(route);
        boolean all =
                shared.isPresent()
                        && peerAddresses.stream().map(route).allMatch(link -> link.equals(shared));
        return new Impediments(
                List.of(), all ? List.of(warning(self, peer, shared.orElseThrow())) : List.of());
    }

    private static Impediment warning(String self, String peer, String shared) {
        return new Impediment(
                Cause.BMC_BEHIND_CLUSTER_NETWORK,
                peer,
                Optional.empty(),
                "%1$s reaches both %2$s and the BMC of %2$s only through %3$s: if that network fails, %1$s cannot fence %2$s"
                        .formatted(self, peer, shared),
                "reach the BMCs through a network of their own, or give the nodes a second link",
                Optional.empty());
    }

    /** The kernel's choice; absent where it has none, or where no network is needed. */
    static Optional<String> interfaceTowards(IpAddress address) {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(
                    new InetSocketAddress(InetAddress.getByName(address.toString()), DISCARD));
            InetSocketAddress own = (InetSocketAddress) channel.getLocalAddress();
            NetworkInterface way =
                    NetworkInterface.getByInetAddress(Objects.requireNonNull(own).getAddress());
            return way == null || way.isLoopback() ? Optional.empty() : Optional.of(way.getName());
        } catch (IOException e) {
            // No route: that the BMC cannot be reached has a cause of its own.
            return Optional.empty();
        }
    }
}
