package dev.tandem.install.manifests;

import dev.tandem.host.yaml.YamlNode;
import dev.tandem.host.yaml.YamlWriter;
import dev.tandem.install.config.InstallConfig.Host;
import dev.tandem.install.openshift.BareMetalHost;
import dev.tandem.install.openshift.BareMetalHost.CustomDeploy;
import dev.tandem.install.openshift.Machine;
import dev.tandem.install.rules.MachineRules;
import dev.tandem.install.yaml.YamlView;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.SecretReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The machines of a bare-metal platform, with what their BMCs and networks need. */
final class BareMetalManifests {
    static final String PREFIX = "openshift/99_openshift-cluster-api_";

    private final ManifestInput input;
    private final List<Manifest> files = new ArrayList<>();

    private BareMetalManifests(ManifestInput input) {
        this.input = input;
    }

    static List<Manifest> of(ManifestInput input) {
        BareMetalManifests machines = new BareMetalManifests(input);
        if (input.onBareMetal()) {
            machines.hosts(input.config().platform().baremetal().hosts());
        }
        return machines.files;
    }

    private void hosts(List<Host> hosts) {
        List<String> roles =
                MachineRules.roles(
                        input.shape(), hosts.stream().map(host -> host.role().value()).toList());
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < hosts.size(); i++) {
            String role = roles.get(i);
            int index = counts.merge(role, 1, Integer::sum) - 1;
            host(hosts.get(i), role, index);
        }
    }

    private void host(Host host, String role, int index) {
        boolean worker = role.equals("worker");
        String prefix =
                PREFIX
                        + switch (role) {
                            case "arbiter" -> "arbiter_";
                            case "worker" -> "worker_";
                            default -> "";
                        };
        String machine = input.infraId() + "-" + role + "-" + index;
        if (hasBmc(host)) {
            Map<String, String> login = new LinkedHashMap<>();
            login.put("username", host.bmcUsername().value());
            login.put("password", host.bmcPassword().value().reveal());
            files.add(
                    Manifest.secret(
                            prefix + "host-bmc-secrets-%d.yaml".formatted(index),
                            OpaqueSecret.of(
                                    Metadata.named(Namespaces.MACHINE_API, bmcSecret(host)),
                                    login)));
        }
        if (host.networkConfig().given()) {
            files.add(
                    Manifest.secret(
                            prefix + "host-network-config-secrets-%d.yaml".formatted(index),
                            OpaqueSecret.of(
                                    Metadata.named(Namespaces.MACHINE_API, networkSecret(host)),
                                    Map.of("nmstate", yaml(host.networkConfig())))));
        }
        files.add(
                Manifest.of(
                        prefix + "hosts-%d.yaml".formatted(index),
                        bareMetalHost(host, role, machine)));
        if (!worker && input.machineApi()) {
            files.add(
                    Manifest.of(
                            PREFIX + role + "-machines-%d.yaml".formatted(index),
                            machine(machine, role)));
        }
    }

    private static boolean hasBmc(Host host) {
        return !host.bmcAddress().value().isEmpty();
    }

    private static String bmcSecret(Host host) {
        return host.name().value() + "-bmc-secret";
    }

    private static String networkSecret(Host host) {
        return host.name().value() + "-network-config-secret";
    }

    private static String userData(String role) {
        return role + "-user-data-managed";
    }

    private static String yaml(YamlView view) {
        return view.located().map(YamlNode::data).orElse(Map.of()) instanceof Map<?, ?> data
                ? YamlWriter.write(texts(data))
                : "";
    }

    private static Map<String, Object> texts(Map<?, ?> data) {
        Map<String, Object> texts = new LinkedHashMap<>();
        data.forEach((key, value) -> texts.put(String.valueOf(key), value));
        return texts;
    }

    private BareMetalHost bareMetalHost(Host host, String role, String machine) {
        boolean worker = role.equals("worker");
        boolean installedByAgent = !input.hostsAwaitProvisioning();
        ObjectMetaBuilder metadata =
                new ObjectMetaBuilder()
                        .withName(host.name().value())
                        .withNamespace(Namespaces.MACHINE_API);
        if (!worker) {
            metadata.addToLabels("installer.openshift.io/role", "control-plane");
        }
        // The bare-metal operator obeys this as soon as the host is merely available, so a host
        // that it still has to provision must not bear it yet: there it is put on afterwards.
        if (!worker && input.shape().isFencedPair() && installedByAgent) {
            metadata.addToAnnotations("baremetalhost.metal3.io/detached", "");
        }
        return new BareMetalHost(
                metadata.build(),
                new BareMetalHost.Spec(
                        true,
                        installedByAgent ? Optional.of(true) : Optional.empty(),
                        hasBmc(host) ? Optional.of(bmc(host)) : Optional.empty(),
                        unlessEmpty(host.bootMacAddress().value()),
                        unlessEmpty(host.bootMode().value()),
                        host.rootDeviceHints().located().map(YamlNode::data),
                        host.networkConfig().given()
                                ? Optional.of(networkSecret(host))
                                : Optional.empty(),
                        CustomDeploy.COREOS,
                        !worker && input.machineApi()
                                ? Optional.of(consumer(machine))
                                : Optional.empty(),
                        new SecretReference(userData(role), Namespaces.MACHINE_API)));
    }

    private static BareMetalHost.Bmc bmc(Host host) {
        return new BareMetalHost.Bmc(
                host.bmcAddress().value(),
                bmcSecret(host),
                host.disableCertificateVerification().value());
    }

    private static ObjectReference consumer(String machine) {
        return new ObjectReferenceBuilder()
                .withApiVersion(Machine.API_VERSION)
                .withKind(Machine.KIND)
                .withName(machine)
                .withNamespace(Namespaces.MACHINE_API)
                .build();
    }

    private static Optional<String> unlessEmpty(String text) {
        return Optional.of(text).filter(known -> !known.isEmpty());
    }

    private Machine machine(String name, String role) {
        String label = "machine.openshift.io/cluster-api-";
        return new Machine(
                new ObjectMetaBuilder()
                        .withName(name)
                        .withNamespace(Namespaces.MACHINE_API)
                        .addToLabels(label + "cluster", input.infraId())
                        .addToLabels(label + "machine-role", role)
                        .addToLabels(label + "machine-type", role)
                        .build(),
                new Machine.BareMetalProviderSpec(new LocalObjectReference(userData(role))));
    }
}
