package dev.tandem.lab.daemon;

import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.NetworkFault;
import java.util.List;
import java.util.Locale;

/**
 * Writes the cuts and losses of a lab as a set of nftables rules for its switches. The whole set is
 * replaced in one transaction each time, so that two faults never mix halfway.
 *
 * <p>Rules name the ports of the switches by their names, so they hold for a node that is off now
 * and will be switched on.
 */
final class Firewall {
    private static final String TABLE = "table bridge lab";

    private Firewall() {}

    static String rules(LabLayout layout, List<NetworkFault> faults) {
        StringBuilder lines = new StringBuilder();
        for (NetworkFault fault : faults) {
            switch (fault) {
                case NetworkFault.Cut cut -> cut(lines, layout, cut);
                case NetworkFault.Loss loss -> loss(lines, layout, loss);
                case NetworkFault.Delay _, NetworkFault.Unplugged _ -> {}
            }
        }
        // Deleting a table that is not there is an error; adding one that is there is none.
        return TABLE
                + "\ndelete "
                + TABLE
                + "\n"
                + TABLE
                + " {\n"
                // An established connection must not live on past a fault, so there is no state.
                + " chain faults {\n  type filter hook forward priority 0; policy accept;\n"
                + lines
                + " }\n}\n";
    }

    private static void cut(StringBuilder lines, LabLayout layout, NetworkFault.Cut cut) {
        LabLayout.Network network = layout.network(cut.network());
        oneWay(lines, layout, network, cut.from(), cut.to(), cut.ports());
        if (cut.bothWays()) {
            oneWay(lines, layout, network, cut.to(), cut.from(), cut.ports());
        }
    }

    private static void oneWay(
            StringBuilder lines,
            LabLayout layout,
            LabLayout.Network network,
            String from,
            String to,
            List<NetworkFault.Port> ports) {
        String way = side(layout, network, "iifname", from) + side(layout, network, "oifname", to);
        if (ports.isEmpty()) {
            lines.append("  ").append(way).append("counter drop\n");
        }
        for (NetworkFault.Port port : ports) {
            String protocol = port.protocol().name().toLowerCase(Locale.ROOT);
            for (String end : List.of("sport", "dport")) {
                lines.append(
                        "  %smeta l4proto %s th %s %d counter drop\n"
                                .formatted(way, protocol, end, port.number()));
            }
        }
    }

    private static String side(
            LabLayout layout, LabLayout.Network network, String match, String node) {
        if (node.equals(NetworkFault.ANYBODY)) {
            return match + " \"" + prefix(network) + "*\" ";
        }
        return match + " \"" + port(layout, network, node) + "\" ";
    }

    /** A BMC is named as NODE-bmc, as in the nodes' hosts file. */
    private static String port(LabLayout layout, LabLayout.Network network, String name) {
        if (name.endsWith(LabNetwork.BMC_SUFFIX)) {
            String node = name.substring(0, name.length() - LabNetwork.BMC_SUFFIX.length());
            return LabNetwork.bmcPort(layout.node(node).name());
        }
        return layout.node(name).on(network).port(name);
    }

    private static String prefix(LabLayout.Network network) {
        return network.fencing() ? "f-" : "c" + network.number() + "-";
    }

    private static void loss(StringBuilder lines, LabLayout layout, NetworkFault.Loss loss) {
        LabLayout.Network network = layout.network(loss.network());
        String port = port(layout, network, loss.node());
        for (String match : List.of("iifname", "oifname")) {
            lines.append(
                    "  %s \"%s\" numgen random mod 100 < %d counter drop\n"
                            .formatted(match, port, loss.percent()));
        }
    }
}
