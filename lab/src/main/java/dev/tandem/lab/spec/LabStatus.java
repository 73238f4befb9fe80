package dev.tandem.lab.spec;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A lab as its daemon sees it.
 *
 * @param relays ports on 127.0.0.1 of the host and where in the lab they lead
 * @param faults what is broken on purpose right now, in words
 */
public record LabStatus(
        String name,
        boolean ready,
        List<Node> nodes,
        List<Relayed> relays,
        List<String> faults,
        String apiAddress,
        long daemon) {
    public LabStatus {
        nodes = List.copyOf(nodes);
        relays = List.copyOf(relays);
        faults = List.copyOf(faults);
    }

    /** How far a node is. */
    public enum State {
        OFF,
        BOOTING,
        UP,
        FROZEN
    }

    /**
     * One node.
     *
     * @param leader process number of its first process on the host; absent while it is off
     * @param addresses by network
     */
    public record Node(
            String name,
            State state,
            @Nullable Long leader,
            @Nullable String since,
            String uuid,
            Map<String, List<String>> addresses,
            String bmc,
            String bmcUser,
            String bmcPassword,
            long memoryMib) {
        public Node {
            addresses = Map.copyOf(addresses);
        }
    }

    /**
     * What the lab knows of a node without asking it.
     *
     * @param leader process number of its first process on the host; absent while it is off
     */
    public record Machine(@Nullable Long leader, boolean frozen) {}

    /** How far one node is. */
    public record BootState(State state) {}

    /** Processes of a node, by their numbers on the host. */
    public record Processes(List<Long> numbers) {
        public Processes {
            numbers = List.copyOf(numbers);
        }
    }

    /** A port of the host's loopback that leads into the lab. */
    public record Relayed(String what, int hostPort, String target) {}
}
