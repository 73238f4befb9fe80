package dev.tandem.install.config;

import dev.tandem.core.topology.Shape;
import dev.tandem.host.yaml.YamlNode;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Secret;
import dev.tandem.install.yaml.Value;
import dev.tandem.install.yaml.YamlView;
import java.util.List;
import java.util.Optional;

/** An install-config as far as Tandem looks at it, every value with its place. */
public record InstallConfig(
        Value<String> apiVersion,
        Value<String> baseDomain,
        Value<String> name,
        Pool controlPlane,
        Pool arbiter,
        List<Pool> compute,
        Platform platform,
        Networking networking,
        Features features,
        Extras extras) {

    /** What the installer assumes where the file says nothing. */
    static final int DEFAULT_CONTROL_PLANES = 3;

    static final int DEFAULT_WORKERS = 3;

    /** More machines than any cluster has; keeps arithmetic on hostile numbers harmless. */
    private static final int MANY = 10_000;

    public InstallConfig {
        compute = List.copyOf(compute);
    }

    /** A group of like machines. {@code given} tells whether the file has it at all. */
    public record Pool(
            Place place,
            boolean given,
            Value<String> name,
            Value<Integer> replicas,
            Value<String> architecture,
            Value<String> hyperthreading,
            List<Value<String>> platforms,
            Fencing fencing,
            Optional<Place> etcdDisk) {
        public Pool {
            platforms = List.copyOf(platforms);
        }
    }

    /** How nodes are switched off. */
    public record Fencing(Place place, boolean given, List<Credential> credentials) {
        public Fencing {
            credentials = List.copyOf(credentials);
        }
    }

    /** The BMC of one node. */
    public record Credential(
            Place place,
            Value<String> hostName,
            Value<String> macAddress,
            Value<String> address,
            Value<String> username,
            Value<Secret> password,
            Value<String> certificateVerification) {}

    /** What the machines are; the lists hold every kind the file names, rightly or not. */
    public record Platform(
            Place place, boolean given, List<Value<String>> kinds, Baremetal baremetal) {
        public Platform {
            kinds = List.copyOf(kinds);
        }

        /** The single kind, or empty text. */
        public String kind() {
            return kinds.size() == 1 ? kinds.getFirst().value() : "";
        }
    }

    /** Machines with a BMC. */
    public record Baremetal(
            Place place,
            List<Value<String>> apiVips,
            List<Value<String>> ingressVips,
            Place apiVipsPlace,
            Place ingressVipsPlace,
            List<Place> oldSpellings,
            boolean hostsGiven,
            Place hostsPlace,
            List<Host> hosts) {
        public Baremetal {
            apiVips = List.copyOf(apiVips);
            ingressVips = List.copyOf(ingressVips);
            oldSpellings = List.copyOf(oldSpellings);
            hosts = List.copyOf(hosts);
        }
    }

    /** One of them. */
    public record Host(
            Place place,
            Value<String> name,
            Value<String> role,
            Value<String> bmcAddress,
            Value<String> bmcUsername,
            Value<Secret> bmcPassword,
            Value<Boolean> disableCertificateVerification,
            Value<String> bootMacAddress,
            Value<String> bootMode,
            YamlView rootDeviceHints,
            YamlView networkConfig) {}

    /** The networks, as text still. */
    public record Networking(
            List<Value<String>> machine, List<Value<String>> cluster, List<Value<String>> service) {
        public Networking {
            machine = List.copyOf(machine);
            cluster = List.copyOf(cluster);
            service = List.copyOf(service);
        }
    }

    /** Which features are switched on. */
    public record Features(Value<String> featureSet, Place gatesPlace, List<Value<String>> gates) {
        public Features {
            gates = List.copyOf(gates);
        }
    }

    /** What is passed on without much thought. */
    public record Extras(
            Value<Boolean> fips,
            Value<String> sshKey,
            Value<String> cpuPartitioningMode,
            Value<String> baselineCapabilitySet,
            List<Value<String>> additionalCapabilities,
            boolean arbiterNodeSpelling,
            boolean bothArbiterSpellings,
            Place arbiterNodePlace,
            YamlNode.Mapping file) {
        public Extras {
            additionalCapabilities = List.copyOf(additionalCapabilities);
        }

        /** Whether the cluster gets the capability that makes machines into objects. */
        public boolean machineApi() {
            boolean added =
                    additionalCapabilities.stream()
                            .anyMatch(capability -> capability.value().equals("MachineAPI"));
            return !baselineCapabilitySet.value().equals("None") || added;
        }
    }

    /** How many machines of each kind; nonsense numbers, reported elsewhere, count as none. */
    public Shape shape() {
        long workers = compute.stream().mapToLong(pool -> bounded(pool.replicas().value())).sum();
        return new Shape(
                bounded(controlPlane.replicas().value()),
                arbiter.given() ? bounded(arbiter.replicas().value()) : 0,
                (int) Math.min(workers, MANY));
    }

    private static int bounded(int count) {
        return Math.clamp(count, 0, MANY);
    }

    public String clusterDomain() {
        return name.value() + "." + baseDomain.value();
    }

    /** Two families of addresses in the machine network. */
    public boolean isDualStack() {
        boolean six = networking.machine().stream().anyMatch(net -> net.value().contains(":"));
        boolean four = networking.machine().stream().anyMatch(net -> !net.value().contains(":"));
        return six && four;
    }
}
