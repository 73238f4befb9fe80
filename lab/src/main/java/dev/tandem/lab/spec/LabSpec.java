package dev.tandem.lab.spec;

import dev.tandem.core.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a lab consists of.
 *
 * @param nodes control-plane nodes, one or two
 * @param arbiter whether a third, small node votes in etcd
 * @param links networks between the nodes besides the fencing network, one or two
 * @param bmc what the plan of a pair fences with
 * @param etcdDiskMib size of the file system of its own that each node has for etcd
 * @param binds directories of the host that every node sees, read-only
 * @param keepCache a power cut costs nothing that was written, synced or not
 */
public record LabSpec(
        String name,
        int nodes,
        boolean arbiter,
        AddressFamily addresses,
        int links,
        BmcProtocol bmc,
        int etcdDiskMib,
        List<Bind> binds,
        boolean keepCache) {
    public static final String DEFAULT_NAME = "lab";
    public static final int DEFAULT_ETCD_DISK_MIB = 2048;
    public static final String ARBITER = "arbiter";

    /** Part of paths, namespaces and host names. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?");

    /** Which addresses the lab's networks carry. */
    public enum AddressFamily {
        IPV4,
        IPV6,
        DUAL;

        boolean hasIpv4() {
            return this != IPV6;
        }

        boolean hasIpv6() {
            return this != IPV4;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How the nodes' BMCs are spoken to. Redfish is there in any case, for the lab itself. */
    public enum BmcProtocol {
        REDFISH,
        IPMI,
        /** Redfish, with IPMI as the second level. */
        BOTH;

        public boolean hasIpmi() {
            return this != REDFISH;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A path of the host and the place in the nodes where it appears. */
    public record Bind(String host, String node) {
        public static Bind parse(String text) {
            String[] parts = text.split(":", -1);
            if (parts.length > 2 || !parts[0].startsWith("/")) {
                throw new Failure(
                        "cannot bind " + text,
                        "it is not HOST_PATH or HOST_PATH:NODE_PATH with absolute paths",
                        "for example --bind /opt/kubernetes:/opt/kubernetes");
            }
            return new Bind(parts[0], parts[parts.length - 1]);
        }
    }

    /** Where nodes of a lab with Kubernetes see its programs. */
    public static final String KUBE_PROGRAMS = "/opt/kubernetes/bin";

    public LabSpec {
        binds = List.copyOf(binds);
        if (!NAME.matcher(name).matches()) {
            throw new Failure(
                    "cannot name a lab \"" + name + "\"",
                    "a name is part of host names and paths: lower-case letters, digits and dashes,"
                            + " at most 32",
                    "choose one like site-1");
        }
        check(nodes >= 1 && nodes <= 2, "--nodes", nodes, "1 or 2; the third is --arbiter");
        check(links >= 1 && links <= 2, "--links", links, "1 or 2");
        check(etcdDiskMib >= 64 && etcdDiskMib <= 65536, "--etcd-disk", etcdDiskMib, "64 to 65536");
    }

    private static void check(boolean holds, String option, int value, String allowed) {
        if (!holds) {
            throw new Failure(
                    "invalid value of " + option + ": " + value,
                    "allowed: " + allowed,
                    "leave the option out for the usual pair");
        }
    }

    /** The usual pair under a name of its own. */
    public static LabSpec twoNodes(String name) {
        return new LabSpec(
                name,
                2,
                false,
                AddressFamily.IPV4,
                1,
                BmcProtocol.REDFISH,
                DEFAULT_ETCD_DISK_MIB,
                List.of(),
                false);
    }

    public LabSpec withArbiter() {
        return new LabSpec(name, nodes, true, addresses, links, bmc, etcdDiskMib, binds, keepCache);
    }

    public LabSpec withAddresses(AddressFamily family) {
        return new LabSpec(name, nodes, arbiter, family, links, bmc, etcdDiskMib, binds, keepCache);
    }

    public LabSpec withLinks(int count) {
        return new LabSpec(
                name, nodes, arbiter, addresses, count, bmc, etcdDiskMib, binds, keepCache);
    }

    public LabSpec withBmc(BmcProtocol protocol) {
        return new LabSpec(
                name, nodes, arbiter, addresses, links, protocol, etcdDiskMib, binds, keepCache);
    }

    public LabSpec withEtcdDisk(int mib) {
        return new LabSpec(name, nodes, arbiter, addresses, links, bmc, mib, binds, keepCache);
    }

    /** Whether the nodes have the programs of Kubernetes. */
    public boolean hasKubernetes() {
        return binds.stream().anyMatch(bind -> bind.node().equals(KUBE_PROGRAMS));
    }

    public LabSpec withBinds(List<Bind> all) {
        return new LabSpec(
                name, nodes, arbiter, addresses, links, bmc, etcdDiskMib, all, keepCache);
    }

    public LabSpec withKeptCache(boolean kept) {
        return new LabSpec(name, nodes, arbiter, addresses, links, bmc, etcdDiskMib, binds, kept);
    }

    public List<String> nodeNames() {
        List<String> names = new ArrayList<>();
        for (int index = 0; index < nodes; index++) {
            names.add("node-" + index);
        }
        if (arbiter) {
            names.add(ARBITER);
        }
        return names;
    }
}
