package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Looks now and then at the ways to the peer and to its BMC: a name may take its time. */
public final class FencingNetworkWatch {
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Supplier<ClusterPlan> plan;
    private final String self;
    private final String peer;
    private final Function<String, List<IpAddress>> resolver;
    private final Function<IpAddress, Optional<String>> route;

    /** A server of names that is silent for a while makes nothing better or worse. */
    private final Map<String, List<IpAddress>> lastResolved = new HashMap<>();

    private volatile Impediments found = new Impediments(List.of(), List.of());

    /** Looks at nothing before the first {@link #look}. */
    public FencingNetworkWatch(Supplier<ClusterPlan> plan, String self, String peer) {
        this(plan, self, peer, new HostAddresses()::of, FencingNetwork::interfaceTowards);
    }

    FencingNetworkWatch(
            Supplier<ClusterPlan> plan,
            String self,
            String peer,
            Function<String, List<IpAddress>> resolver,
            Function<IpAddress, Optional<String>> route) {
        this.plan = plan;
        this.self = self;
        this.peer = peer;
        this.resolver = resolver;
        this.route = route;
    }

    /** One thread looks. */
    public void look() {
        ClusterPlan.Node node = plan.get().node(peer).orElseThrow();
        List<String> hosts = FencingNetwork.hostsOf(node);
        lastResolved.keySet().retainAll(hosts);
        found =
                FencingNetwork.of(
                        self,
                        peer,
                        node.addresses(),
                        hosts.stream().map(this::addresses).toList(),
                        route);
    }

    private List<IpAddress> addresses(String host) {
        List<IpAddress> now = resolver.apply(host);
        if (!now.isEmpty()) {
            lastResolved.put(host, now);
        }
        return lastResolved.getOrDefault(host, List.of());
    }

    /** As of the last look. */
    public Impediments found() {
        return found;
    }
}
