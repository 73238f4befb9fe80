package dev.tandem.lab.spec;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.tandem.core.Failure;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Something broken in the network on purpose. It lasts until it is healed. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "fault")
@JsonSubTypes({
    @JsonSubTypes.Type(value = NetworkFault.Cut.class, name = "cut"),
    @JsonSubTypes.Type(value = NetworkFault.Loss.class, name = "loss"),
    @JsonSubTypes.Type(value = NetworkFault.Delay.class, name = "delay"),
    @JsonSubTypes.Type(value = NetworkFault.Unplugged.class, name = "unplugged"),
})
public sealed interface NetworkFault {
    String network();

    /** In words, for the status. */
    String sentence();

    /** Whether it is about packets that this node sends or should get. */
    default boolean concerns(String someNode) {
        return switch (this) {
            case Cut cut ->
                    Stream.of(cut.from(), cut.to())
                            .anyMatch(side -> side.equals(ANYBODY) || side.equals(someNode));
            case Loss loss -> loss.node().equals(someNode);
            case Delay delay -> delay.node().equals(someNode);
            case Unplugged unplugged -> unplugged.node().equals(someNode);
        };
    }

    /** Everybody, where a side of a cut is not named. */
    String ANYBODY = "";

    /**
     * Packets that do not get through a switch.
     *
     * @param from the node they come from, or {@link #ANYBODY}
     * @param to the node they go to, or {@link #ANYBODY}
     * @param bothWays whether the way back is cut as well
     * @param ports only what goes to or comes from these; empty for all
     */
    record Cut(String network, String from, String to, boolean bothWays, List<Port> ports)
            implements NetworkFault {
        public Cut {
            ports = List.copyOf(ports);
        }

        @Override
        public String sentence() {
            return "%s is cut %s %s %s%s"
                    .formatted(
                            network,
                            from.equals(ANYBODY) ? "between all" : "from " + from,
                            bothWays ? "and" : "to",
                            to.equals(ANYBODY) ? "all others" : to,
                            ports.isEmpty() ? "" : " for " + ports);
        }
    }

    /** Packets of a node that get lost by chance, in both directions. */
    record Loss(String network, String node, int percent) implements NetworkFault {
        public Loss {
            if (percent < 1 || percent > 100) {
                throw new Failure(
                        "invalid packet loss: " + percent + " %",
                        "packet loss must be 1 to 100 percent",
                        "for example: tandem lab loss node-0 20");
            }
        }

        @Override
        public String sentence() {
            return "%s loses %d %% of the packets of %s".formatted(network, percent, node);
        }
    }

    /** Packets of a node that come late, in both directions. */
    record Delay(String network, String node, int milliseconds, int jitterMilliseconds)
            implements NetworkFault {
        public Delay {
            if (milliseconds < 1
                    || milliseconds > 60_000
                    || jitterMilliseconds < 0
                    || jitterMilliseconds > milliseconds) {
                throw new Failure(
                        "invalid delay: "
                                + milliseconds
                                + " ms with jitter "
                                + jitterMilliseconds
                                + " ms",
                        "a delay must be 1 to 60000 ms, and the jitter no longer than the delay",
                        "for example: tandem lab delay node-0 50 --jitter 10");
            }
        }

        @Override
        public String sentence() {
            return "%s delays the packets of %s by %d ms%s each way"
                    .formatted(
                            network,
                            node,
                            milliseconds,
                            jitterMilliseconds == 0 ? "" : " ± " + jitterMilliseconds + " ms");
        }
    }

    /** A node's cable is out at the switch: unlike with a cut, the node sees no carrier. */
    record Unplugged(String network, String node) implements NetworkFault {
        @Override
        public String sentence() {
            return "the cable from %s to %s is out".formatted(node, network);
        }
    }

    /** A port of a protocol, such as udp/5405. */
    record Port(Protocol protocol, int number) {
        /** What the ports of corosync, etcd and the API belong to. */
        public enum Protocol {
            TCP,
            UDP
        }

        public static Port parse(String text) {
            String[] parts = text.split("/", -1);
            try {
                Port port =
                        new Port(
                                Protocol.valueOf(parts[0].toUpperCase(Locale.ROOT)),
                                Integer.parseInt(parts[1]));
                if (parts.length == 2 && port.number >= 1 && port.number <= 65535) {
                    return port;
                }
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                throw notAPort(text);
            }
            throw notAPort(text);
        }

        private static Failure notAPort(String text) {
            return new Failure(
                    "invalid port: " + text,
                    "a port is written as tcp/NUMBER or udp/NUMBER",
                    "for example --port udp/5405 for corosync, --port tcp/2380 for etcd's peers");
        }

        @Override
        public String toString() {
            return protocol.name().toLowerCase(Locale.ROOT) + "/" + number;
        }
    }
}
