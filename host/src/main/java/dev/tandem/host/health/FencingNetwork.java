package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Whether a node would lose its peer and the peer's BMC at once, because both are reached through
 * one of its interfaces. Neither node could fence the other then, and neither would serve.
 */
public final class FencingNetwork {
    /** Any port does: a datagram socket that is connected sends nothing. */
    private static final int DISCARD = 9;

    private FencingNetwork() {}

    /**
     * A warning, where it is so, for one look. Names are resolved, and what is not resolved in time
     * is not known.
     *
     * @param peerBmcs where the BMC of the peer is reached, by each of its ways
     */
    public static Impediments of(
            String self, String peer, List<IpAddress> peerAddresses, List<String> peerBmcs) {
        return of(
                self,
                peer,
                peerAddresses,
                peerBmcs.stream().map(new HostAddresses()::of).toList(),
                FencingNetwork::interfaceTowards);
    }

    /** The hosts by which the plan reaches the BMC of a node: that of the first, and the second. */
    public static List<String> hostsOf(ClusterPlan.Node node) {
        return Stream.concat(Stream.of(node), node.bySecond().stream())
                .map(way -> way.bmc().address().host())
                .toList();
    }

    /**
     * @param peerBmcs the addresses of each way; one that is not known may be another network
     */
    static Impediments of(
            String self,
            String peer,
            List<IpAddress> peerAddresses,
            List<List<IpAddress>> peerBmcs,
            Function<IpAddress, Optional<String>> route) {
        List<Optional<String>> ways =
                Stream.concat(
                                peerAddresses.stream().map(route),
                                peerBmcs.stream().flatMap(addresses -> ofHost(addresses, route)))
                        .distinct()
                        .toList();
        return new Impediments(
                List.of(),
                ways.size() == 1
                        ? ways.getFirst().stream()
                                .map(shared -> warning(self, peer, shared))
                                .toList()
                        : List.of());
    }

    /** A name may stand for an address of a family that this node has no way to. */
    private static Stream<Optional<String>> ofHost(
            List<IpAddress> addresses, Function<IpAddress, Optional<String>> route) {
        List<Optional<String>> known =
                addresses.stream().map(route).filter(Optional::isPresent).toList();
        return known.isEmpty() ? Stream.of(Optional.empty()) : known.stream();
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
