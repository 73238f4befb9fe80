package dev.tandem.host.pacemaker;

import dev.tandem.core.IpAddress;
import dev.tandem.host.Commands;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Over which of its links Corosync on this node reaches the peer. It sends over all of them several
 * times a second, and so notices a switch that fails behind a port which keeps its carrier.
 */
public final class CorosyncLinks {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** Of all keys of a map, one a line, with its type. */
    private static final Pattern ENTRY =
            Pattern.compile("(?m)^([a-z0-9_.]+) \\([a-z0-9]+\\) = (.*)$");

    private static final Pattern NODE = Pattern.compile("nodelist\\.node\\.([0-9]{1,4})\\.name");

    /**
     * A link that does not reach the peer.
     *
     * @param own this node's address
     * @param peers the peer's
     */
    public record Lost(IpAddress own, IpAddress peers) {}

    private final Commands commands;
    private final String self;
    private final String peer;

    public CorosyncLinks(Commands commands, String self, String peer) {
        this.commands = commands;
        this.self = self;
        this.peer = peer;
    }

    /**
     * The links that are lost while another one reaches the peer. With none left the peer itself
     * may be gone, and nothing can be said of a link; nor where Corosync does not answer.
     */
    public List<Lost> lost() {
        Map<String, String> nodes = ask(List.of("corosync-cmapctl", "nodelist."));
        Optional<Integer> own = position(nodes, self);
        Optional<Integer> other = position(nodes, peer);
        if (own.isEmpty() || other.isEmpty()) {
            return List.of();
        }
        Map<String, String> links =
                ask(List.of("corosync-cmapctl", "-m", "stats", "stats.knet.node"));
        String id = nodes.getOrDefault(of(other.get(), "nodeid"), "");
        List<Lost> lost = new ArrayList<>();
        boolean reached = false;
        // Corosync numbers its links as it does the addresses of each node.
        for (int link = 0; link < ClusterPlan.MAX_LINKS; link++) {
            Optional<IpAddress> from = address(nodes, own.get(), link);
            Optional<IpAddress> to = address(nodes, other.get(), link);
            String connected =
                    links.getOrDefault(
                            "stats.knet.node%s.link%d.connected".formatted(id, link), "");
            reached |= connected.equals("1");
            if (connected.equals("0") && from.isPresent() && to.isPresent()) {
                lost.add(new Lost(from.get(), to.get()));
            }
        }
        return reached ? List.copyOf(lost) : List.of();
    }

    private Map<String, String> ask(List<String> command) {
        Map<String, String> entries = new HashMap<>();
        Matcher entry = ENTRY.matcher(commands.run(LIMIT, command).out());
        while (entry.find()) {
            entries.put(entry.group(1), entry.group(2).strip());
        }
        return entries;
    }

    private static Optional<Integer> position(Map<String, String> nodes, String name) {
        return nodes.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name))
                .map(entry -> NODE.matcher(entry.getKey()))
                .filter(Matcher::matches)
                .map(key -> Integer.valueOf(key.group(1)))
                .findFirst();
    }

    private static Optional<IpAddress> address(Map<String, String> nodes, int position, int link) {
        return IpAddress.parse(nodes.getOrDefault(of(position, "ring" + link + "_addr"), ""));
    }

    private static String of(int position, String key) {
        return "nodelist.node.%d.%s".formatted(position, key);
    }
}
