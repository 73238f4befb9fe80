package dev.tandem.lab.spec;

import dev.tandem.core.Failure;
import dev.tandem.redfishsim.MachineIdentity;
import dev.tandem.redfishsim.Nic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Who is where in a lab: a pure consequence of its {@link LabSpec}. The networks exist inside the
 * lab's namespaces only, so every lab uses the same ranges, and none can collide with the host's.
 */
public record LabLayout(LabSpec spec, List<Network> networks, List<NodePlan> nodes) {
    /** The host numbers of the first node, of its BMC, and of the lab itself in each network. */
    private static final int FIRST_NODE = 10;

    private static final int FIRST_BMC = 110;
    private static final int GATEWAY = 1;
    private static final int API_ADDRESS = 100;

    public LabLayout {
        networks = List.copyOf(networks);
        nodes = List.copyOf(nodes);
    }

    /** A switch. Its name is also that of the interface each node has on it. */
    public record Network(String name, int number, boolean fencing) {
        /** The addresses of host number {@code host}, IPv4 first. */
        public List<Address> addresses(LabSpec.AddressFamily family, int host) {
            List<Address> addresses = new ArrayList<>();
            if (family.hasIpv4()) {
                addresses.add(new Address("10.77.%d.%d".formatted(number, host), 24));
            }
            if (family.hasIpv6()) {
                addresses.add(new Address("fd77:7a6e:0:%d::%d".formatted(number, host), 64));
            }
            return addresses;
        }
    }

    /** An address with the length of its network. */
    public record Address(String ip, int prefix) {
        public boolean isIpv6() {
            return ip.indexOf(':') >= 0;
        }

        public String withPrefix() {
            return ip + "/" + prefix;
        }

        /** As a part of a URL or of host:port. */
        public String inUrl() {
            return isIpv6() ? "[" + ip + "]" : ip;
        }
    }

    /** One interface of a node. */
    public record Interface(Network network, String mac, List<Address> addresses) {
        public Interface {
            addresses = List.copyOf(addresses);
        }

        /** The end of the cable that is plugged into the switch. */
        public String port(String node) {
            return (network.fencing() ? "f-" : "c" + network.number() + "-") + node;
        }
    }

    /** One node: its identity, interfaces and the addresses of its BMC. */
    public record NodePlan(
            String name,
            UUID uuid,
            String serial,
            List<Interface> interfaces,
            List<Address> bmcAddresses) {
        public NodePlan {
            interfaces = List.copyOf(interfaces);
            bmcAddresses = List.copyOf(bmcAddresses);
        }

        public Interface on(Network network) {
            return interfaces.stream()
                    .filter(one -> one.network().equals(network))
                    .findFirst()
                    .orElseThrow();
        }

        /** The address other nodes and people use for it. */
        public Address primaryAddress() {
            return interfaces.getFirst().addresses().getFirst();
        }

        /**
         * Its addresses as a plan has them, one a link. Where networks carry both families, the
         * second link is of the other one.
         */
        public List<Address> planAddresses() {
            List<Interface> links =
                    interfaces.stream().filter(one -> !one.network().fencing()).toList();
            List<Address> planned = new ArrayList<>();
            for (int link = 0; link < links.size(); link++) {
                List<Address> all = links.get(link).addresses();
                planned.add(all.get(Math.min(link, all.size() - 1)));
            }
            return planned;
        }

        public Address bmcAddress() {
            return bmcAddresses.getFirst();
        }

        public MachineIdentity identity() {
            return new MachineIdentity(
                    uuid,
                    serial,
                    "Tandem Lab Machine",
                    interfaces.stream()
                            .map(one -> new Nic(one.network().name(), one.mac()))
                            .toList());
        }
    }

    /** Lays out the lab. */
    public static LabLayout of(LabSpec spec) {
        List<Network> networks = new ArrayList<>();
        for (int link = 0; link < spec.links(); link++) {
            networks.add(new Network("cluster" + link, link, false));
        }
        Network fencing = new Network("fence0", 9, true);
        networks.add(fencing);
        List<NodePlan> nodes = new ArrayList<>();
        List<String> names = spec.nodeNames();
        for (int index = 0; index < names.size(); index++) {
            String name = names.get(index);
            int host = FIRST_NODE + index;
            List<Interface> interfaces =
                    networks.stream()
                            .map(network ->
                                    new Interface(
                                            network,
                                            mac(spec.name(), name, network.name()),
                                            network.addresses(spec.addresses(), host)))
                            .toList();
            nodes.add(
                    new NodePlan(
                            name,
                            uuid(spec.name(), name),
                            "TL-" + uuid(spec.name(), name).toString().substring(0, 8),
                            interfaces,
                            fencing.addresses(spec.addresses(), FIRST_BMC + index)));
        }
        return new LabLayout(spec, networks, nodes);
    }

    public NodePlan node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new Failure(
                                "unknown node in lab " + spec.name() + ": " + name,
                                "it has " + String.join(", ", spec.nodeNames()),
                                "name one of those"));
    }

    public Network network(String name) {
        return networks.stream()
                .filter(network -> network.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new Failure(
                                "unknown network in lab " + spec.name() + ": " + name,
                                "it has "
                                        + String.join(
                                                ", ",
                                                networks.stream().map(Network::name).toList()),
                                "name one of those; a second link needs lab up --links 2"));
    }

    public Network fencing() {
        return networks.getLast();
    }

    /** The lab's own addresses in a network: where relays and people come from. */
    public List<Address> gateway(Network network) {
        return network.addresses(spec.addresses(), GATEWAY);
    }

    /** An address in the first network that no node has: for the API that moves between them. */
    public Address apiAddress() {
        return networks.getFirst().addresses(spec.addresses(), API_ADDRESS).getFirst();
    }

    /** The same in every node: all names on all networks, so that nobody needs a name server. */
    public String hostsFile() {
        StringBuilder hosts = new StringBuilder("127.0.0.1 localhost\n::1 localhost\n");
        for (NodePlan node : nodes) {
            for (Interface one : node.interfaces()) {
                String alias = node.name() + "." + one.network().name();
                boolean first = one.network().equals(networks.getFirst());
                for (Address address : one.addresses()) {
                    hosts.append(address.ip())
                            .append(' ')
                            .append(first ? node.name() + " " + alias : alias)
                            .append('\n');
                }
            }
            for (Address address : node.bmcAddresses()) {
                hosts.append(address.ip()).append(' ').append(node.name()).append("-bmc\n");
            }
        }
        hosts.append(apiAddress().ip()).append(" api\n");
        return hosts.toString();
    }

    private static UUID uuid(String lab, String node) {
        return UUID.nameUUIDFromBytes(
                ("tandem-lab/" + lab + "/" + node).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Locally administered, and the same each time: a replaced lab looks like the same machines.
     */
    private static String mac(String lab, String node, String network) {
        byte[] hash =
                ("tandem-lab/" + lab + "/" + node + "/" + network).getBytes(StandardCharsets.UTF_8);
        long bits = UUID.nameUUIDFromBytes(hash).getLeastSignificantBits();
        return "02:%02x:%02x:%02x:%02x:%02x"
                .formatted(
                        bits & 0xff,
                        bits >> 8 & 0xff,
                        bits >> 16 & 0xff,
                        bits >> 24 & 0xff,
                        bits >> 32 & 0xff);
    }
}
