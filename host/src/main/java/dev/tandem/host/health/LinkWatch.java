package dev.tandem.host.health;

import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.host.pacemaker.CorosyncLinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The links of this node, where the plan has several: with one of them lost everything goes on over
 * the other, and nobody would notice before that one is lost too.
 */
public final class LinkWatch {
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Supplier<List<IpAddress>> planned;
    private final Function<List<IpAddress>, List<Link>> links;
    private final Supplier<List<CorosyncLinks.Lost>> lost;
    private final BooleanSupplier etcdServes;
    private final LongSupplier etcdGeneration;
    private final Predicate<IpAddress> etcdAccepts;
    private volatile Seen seen = Seen.NOTHING;

    /** Where the present server was seen to listen. It stays so until it ends. */
    private final Set<IpAddress> heardAt = new HashSet<>();

    private long heardGeneration;

    /**
     * What was last seen.
     *
     * @param down addresses of the plan whose interface has no carrier, or that no interface has
     * @param lost links that do not reach the peer, although this node's end of them is not down
     * @param withoutEtcd others of this node at which its etcd, which serves, does not listen
     */
    public record Seen(
            List<IpAddress> down, List<CorosyncLinks.Lost> lost, List<IpAddress> withoutEtcd) {
        public static final Seen NOTHING = new Seen(List.of(), List.of(), List.of());

        public Seen {
            down = List.copyOf(down);
            lost = List.copyOf(lost);
            withoutEtcd = List.copyOf(withoutEtcd);
        }
    }

    /**
     * @param planned the addresses of this node by the plan in use, one a link
     * @param links the state of each
     * @param lost those that do not reach the peer while another one does
     * @param etcdGeneration which run of the server it is
     * @param etcdAccepts whether it accepts connections of members at an address
     */
    public LinkWatch(
            Supplier<List<IpAddress>> planned,
            Function<List<IpAddress>, List<Link>> links,
            Supplier<List<CorosyncLinks.Lost>> lost,
            BooleanSupplier etcdServes,
            LongSupplier etcdGeneration,
            Predicate<IpAddress> etcdAccepts) {
        this.planned = planned;
        this.links = links;
        this.lost = lost;
        this.etcdServes = etcdServes;
        this.etcdGeneration = etcdGeneration;
        this.etcdAccepts = etcdAccepts;
    }

    public Seen seen() {
        return seen;
    }

    /** One thread looks. */
    public void look() {
        List<IpAddress> addresses = planned.get();
        seen = addresses.size() < 2 ? Seen.NOTHING : seenAt(addresses);
    }

    private Seen seenAt(List<IpAddress> addresses) {
        List<Link> states = links.apply(addresses);
        List<IpAddress> down = new ArrayList<>();
        List<IpAddress> others = new ArrayList<>();
        for (int link = 0; link < addresses.size(); link++) {
            (states.get(link) == Link.DOWN ? down : others).add(addresses.get(link));
        }
        // At an address that is gone nothing can be asked, and the link has to be mended first.
        return new Seen(
                down,
                lost.get().stream().filter(link -> !down.contains(link.own())).toList(),
                withoutEtcd(others));
    }

    /** etcd notes every connection that says nothing in its log, so each is tried once. */
    private List<IpAddress> withoutEtcd(List<IpAddress> addresses) {
        long generation = etcdGeneration.getAsLong();
        if (!etcdServes.getAsBoolean()) {
            return List.of();
        }
        if (generation != heardGeneration) {
            heardAt.clear();
            heardGeneration = generation;
        }
        addresses.stream()
                .filter(address -> !heardAt.contains(address))
                .filter(etcdAccepts)
                .forEach(heardAt::add);
        return addresses.stream().filter(address -> !heardAt.contains(address)).toList();
    }
}
