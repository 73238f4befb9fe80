package dev.tandem.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The switches of a lab and the cables to its nodes. The switches live in a namespace of their own,
 * each node in another; nothing is made in the host's. A node's namespace is made when it is
 * powered on and unmade when it goes off: addresses that the node itself had added, and sockets
 * that outlived its processes, must not be there after a power cut.
 */
final class LabNetwork {
    /** Private to the daemon: its mount namespace has a file system of its own here. */
    static final Path NAMESPACES = Path.of("/run/netns");

    private static final String SWITCH = "switch";

    private final Site site;
    private final Programs programs;

    LabNetwork(Site site, Programs programs) {
        this.site = site;
        this.programs = programs;
    }

    Path switchNamespace() {
        return NAMESPACES.resolve(SWITCH);
    }

    static Path namespaceOf(String node) {
        return NAMESPACES.resolve(node);
    }

    /** Makes the switches. */
    void create() {
        ip("make the namespace of the switches", "netns add " + SWITCH);
        StringBuilder batch = new StringBuilder("link set lo up\n");
        for (Site.Network network : site.networks()) {
            batch.append("link add ").append(network.name()).append(" type bridge\n");
            batch.append("link set ").append(network.name()).append(" up\n");
            for (Site.Address address : site.gateway(network)) {
                addAddress(batch, address, network.name());
            }
        }
        for (Site.NodePlan node : site.nodes()) {
            for (Site.Address address : node.bmcAddresses()) {
                addAddress(batch, address, site.fencing().name());
            }
        }
        inNamespace("make the switches", SWITCH, batch.toString());
    }

    /** Makes a node's namespace with its interfaces, and plugs them in. */
    void plug(Site.NodePlan node) {
        ip("make the namespace of " + node.name(), "netns add " + node.name());
        StringBuilder cables = new StringBuilder();
        StringBuilder inside = new StringBuilder("link set lo up\n");
        for (Site.Interface one : node.interfaces()) {
            String port = one.port(node.name());
            String name = one.network().name();
            cables.append(
                    "link add %s type veth peer name %s address %s netns %s\n"
                            .formatted(port, name, one.mac(), node.name()));
            cables.append("link set %s master %s up\n".formatted(port, name));
            inside.append("link set ").append(name).append(" up\n");
            for (Site.Address address : one.addresses()) {
                addAddress(inside, address, name);
            }
        }
        inNamespace("lay cables to " + node.name(), SWITCH, cables.toString());
        inNamespace("set the addresses of " + node.name(), node.name(), inside.toString());
    }

    /** Takes a node off the network; what it had configured there is gone. */
    void unplug(Site.NodePlan node) {
        // The kernel removes a namespace in its own time; the cables must be gone at once, as their
        // names are needed for the next power-on.
        StringBuilder cables = new StringBuilder();
        for (Site.Interface one : node.interfaces()) {
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

    private static void addAddress(StringBuilder batch, Site.Address address, String link) {
        // Duplicate address detection would keep an IPv6 address unusable for a second.
        batch.append(
                "addr add %s dev %s%s\n"
                        .formatted(address.withPrefix(), link, address.isIpv6() ? " nodad" : ""));
    }

    private void ip(String what, String line) {
        programs.run(what, Duration.ofSeconds(10), List.of("ip", "-batch", "-"), line + "\n");
    }

    private void inNamespace(String what, String namespace, String batch) {
        programs.run(
                what, Duration.ofSeconds(10), List.of("ip", "-n", namespace, "-batch", "-"), batch);
    }
}
