package dev.tandem.lab.daemon;

import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.NetworkFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The switches of a lab and the cables to its nodes. The switches live in a namespace of their own,
 * each node in another; nothing is made in the host's. A node's namespace is made when it is
 * powered on and unmade when it goes off: addresses that the node itself had added, and sockets
 * that outlived its processes, must not be there after a power cut.
 */
public final class LabNetwork {
    /** Private to the daemon: its mount namespace has a file system of its own here. */
    static final Path NAMESPACES = Path.of("/run/netns");

    /** What a BMC is called by: its node's name with this. */
    static final String BMC_SUFFIX = "-bmc";

    private static final String SWITCH = "switch";

    private final LabLayout layout;
    private final Programs programs;

    /** Delays in force, and the slow cables of nodes that are on. */
    private final List<NetworkFault.Delay> delays = new ArrayList<>();

    private final Map<NetworkFault.Delay, DelayedCable> slowCables = new HashMap<>();

    /** Cables that are out, also of nodes that are off. */
    private final List<NetworkFault.Unplugged> unplugged = new ArrayList<>();

    public LabNetwork(LabLayout layout, Programs programs) {
        this.layout = layout;
        this.programs = programs;
    }

    Path switchNamespace() {
        return NAMESPACES.resolve(SWITCH);
    }

    static Path namespaceOf(String node) {
        return NAMESPACES.resolve(node);
    }

    static String bmcNamespace(String node) {
        return node + BMC_SUFFIX;
    }

    public static String bmcPort(String node) {
        return "f-" + node + BMC_SUFFIX;
    }

    /** Makes the switches, and the BMCs' places on them. */
    void create() {
        ip("make the namespace of the switches", "netns add " + SWITCH);
        StringBuilder batch = new StringBuilder("link set lo up\n");
        for (LabLayout.Network network : layout.networks()) {
            batch.append("link add ").append(network.name()).append(" type bridge\n");
            batch.append("link set ").append(network.name()).append(" up\n");
            for (LabLayout.Address address : layout.gateway(network)) {
                addAddress(batch, address, network.name());
            }
        }
        inNamespace("make the switches", SWITCH, batch.toString());
        layout.nodes().forEach(this::plugBmc);
    }

    /** A BMC has a cable of its own, and power whether its machine has it or not. */
    private void plugBmc(LabLayout.NodePlan node) {
        String namespace = bmcNamespace(node.name());
        ip("make the namespace of a BMC", "netns add " + namespace);
        inNamespace(
                "lay the cable to a BMC",
                SWITCH,
                "link add %s type veth peer name eth0 netns %s\nlink set %s master %s up\n"
                        .formatted(
                                bmcPort(node.name()),
                                namespace,
                                bmcPort(node.name()),
                                layout.fencing().name()));
        StringBuilder inside = new StringBuilder("link set lo up\nlink set eth0 up\n");
        node.bmcAddresses().forEach(address -> addAddress(inside, address, "eth0"));
        inNamespace("set the addresses of a BMC", namespace, inside.toString());
    }

    /** Replaces the rules of the switches by these, all at once. */
    public void filter(String rules) {
        programs.run(
                "set the rules of the switches",
                Programs.QUICK,
                List.of("ip", "netns", "exec", SWITCH, "nft", "-f", "-"),
                rules);
    }

    /** Replaces the delays in force by these. */
    synchronized void delay(List<NetworkFault.Delay> wanted) throws IOException {
        for (NetworkFault.Delay old : List.copyOf(delays)) {
            if (!wanted.contains(old)) {
                delays.remove(old);
                straighten(old);
            }
        }
        for (NetworkFault.Delay fresh : wanted) {
            if (!delays.contains(fresh)) {
                delays.add(fresh);
                stretch(fresh);
            }
        }
    }

    /** Has these cables out, and all others in. */
    synchronized void unplug(List<NetworkFault.Unplugged> wanted) {
        for (NetworkFault.Unplugged old : List.copyOf(unplugged)) {
            if (!wanted.contains(old)) {
                unplugged.remove(old);
                setPort(old, "up");
            }
        }
        for (NetworkFault.Unplugged fresh : wanted) {
            if (!unplugged.contains(fresh)) {
                unplugged.add(fresh);
                setPort(fresh, "down");
            }
        }
    }

    /** A port of the switch; a node that is off has none. */
    private void setPort(NetworkFault.Unplugged cable, String state) {
        String port =
                layout.node(cable.node()).on(layout.network(cable.network())).port(cable.node());
        if (hasPort(port)) {
            inNamespace(
                    "set the port of " + cable.node() + " " + state,
                    SWITCH,
                    "link set %s %s\n".formatted(port, state));
        }
    }

    /** Puts a slow cable in place of the quick one, unless the node is off and has none. */
    private void stretch(NetworkFault.Delay delay) throws IOException {
        LabLayout.Interface one = layout.node(delay.node()).on(layout.network(delay.network()));
        String port = one.port(delay.node());
        String cable = slowName(port);
        if (!Files.exists(namespaceOf(delay.node())) || slowCables.containsKey(delay)) {
            return;
        }
        // Frames must leave the node whole and with their checksums, as on a wire.
        programs.run(
                "switch offloads off in " + delay.node(),
                "ip",
                "netns",
                "exec",
                delay.node(),
                "ethtool",
                "-K",
                one.network().name(),
                "tx",
                "off",
                "tso",
                "off",
                "gso",
                "off");
        // The slow end takes the name of the quick one at the switch: rules go by it.
        inNamespace(
                "take a cable out",
                SWITCH,
                "link set %1$s nomaster down\nlink set %1$s name %2$s\nlink set %2$s addrgenmode none up\n"
                        .formatted(port, cable));
        DelayedCable slow = DelayedCable.open(switchNamespace(), cable, port, delay);
        inNamespace(
                "put a slow cable in",
                SWITCH,
                "link set %s master %s up\n".formatted(port, one.network().name()));
        slow.start();
        slowCables.put(delay, slow);
    }

    private static String slowName(String port) {
        return "s" + port;
    }

    /** Takes a slow cable out and puts the quick one back, if the node is on. */
    private void straighten(NetworkFault.Delay delay) throws IOException {
        DelayedCable slow = slowCables.remove(delay);
        if (slow == null) {
            return;
        }
        slow.close();
        LabLayout.Interface one = layout.node(delay.node()).on(layout.network(delay.network()));
        String port = one.port(delay.node());
        inNamespace(
                "put a quick cable back",
                SWITCH,
                "link set %1$s down\nlink set %1$s name %2$s\nlink set %2$s master %3$s up\n"
                        .formatted(slowName(port), port, one.network().name()));
        programs.run(
                "switch offloads on in " + delay.node(),
                "ip",
                "netns",
                "exec",
                delay.node(),
                "ethtool",
                "-K",
                one.network().name(),
                "tx",
                "on",
                "tso",
                "on",
                "gso",
                "on");
    }

    /** Makes a node's namespace with its interfaces, and plugs them in. */
    synchronized void plug(LabLayout.NodePlan node) throws IOException {
        ip("make the namespace of " + node.name(), "netns add " + node.name());
        StringBuilder cables = new StringBuilder();
        StringBuilder inside = new StringBuilder("link set lo up\n");
        for (LabLayout.Interface one : node.interfaces()) {
            String port = one.port(node.name());
            String name = one.network().name();
            cables.append(
                    "link add %s type veth peer name %s address %s netns %s\n"
                            .formatted(port, name, one.mac(), node.name()));
            cables.append("link set %s master %s up\n".formatted(port, name));
            inside.append("link set ").append(name).append(" up\n");
            for (LabLayout.Address address : one.addresses()) {
                addAddress(inside, address, name);
            }
        }
        inNamespace("lay cables to " + node.name(), SWITCH, cables.toString());
        inNamespace("set the addresses of " + node.name(), node.name(), inside.toString());
        for (NetworkFault.Delay delay : delays) {
            if (delay.node().equals(node.name())) {
                stretch(delay);
            }
        }
        for (NetworkFault.Unplugged cable : unplugged) {
            if (cable.node().equals(node.name())) {
                setPort(cable, "down");
            }
        }
    }

    /** A dead kernel's cables are plugged in and carry nothing. */
    synchronized void silence(LabLayout.NodePlan node) {
        StringBuilder links = new StringBuilder();
        for (LabLayout.Interface one : node.interfaces()) {
            links.append("link set ").append(one.network().name()).append(" down\n");
        }
        inNamespace("silence " + node.name(), node.name(), links.toString());
    }

    /** Takes a node off the network; what it had configured there is gone. */
    synchronized void unplug(LabLayout.NodePlan node) throws IOException {
        for (NetworkFault.Delay delay : delays) {
            if (delay.node().equals(node.name())) {
                straighten(delay);
            }
        }
        // The kernel removes a namespace in its own time; the cables must be gone at once, as their
        // names are needed for the next power-on.
        StringBuilder cables = new StringBuilder();
        for (LabLayout.Interface one : node.interfaces()) {
            if (hasPort(one.port(node.name()))) {
                cables.append("link del ").append(one.port(node.name())).append('\n');
            }
        }
        if (!cables.isEmpty()) {
            inNamespace("pull the cables of " + node.name(), SWITCH, cables.toString());
        }
        if (Files.exists(namespaceOf(node.name()))) {
            ip("remove the namespace of " + node.name(), "netns del " + node.name());
        }
    }

    private boolean hasPort(String port) {
        return programs.commands()
                .run(Programs.QUICK, List.of("ip", "-n", SWITCH, "link", "show", "dev", port))
                .ok();
    }

    private static void addAddress(StringBuilder batch, LabLayout.Address address, String link) {
        // Duplicate address detection would keep an IPv6 address unusable for a second.
        batch.append(
                "addr add %s dev %s%s\n"
                        .formatted(address.withPrefix(), link, address.isIpv6() ? " nodad" : ""));
    }

    private void ip(String what, String line) {
        programs.run(what, Programs.QUICK, List.of("ip", "-batch", "-"), line + "\n");
    }

    private void inNamespace(String what, String namespace, String batch) {
        programs.run(what, Programs.QUICK, List.of("ip", "-n", namespace, "-batch", "-"), batch);
    }
}
