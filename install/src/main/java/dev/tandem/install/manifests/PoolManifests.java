package dev.tandem.install.manifests;

import dev.tandem.core.topology.Implications;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.openshift.MachineConfig;
import dev.tandem.install.openshift.MachineConfigPool;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;

/** The pools of machines, and what each pool's machines get. */
final class PoolManifests {
    private static final String DIRECTORY = "openshift/99_openshift-machineconfig_";
    private static final String GROUP = "machineconfiguration.openshift.io/";

    private final ManifestInput input;
    private final InstallConfig config;
    private final List<Manifest> files = new ArrayList<>();

    private PoolManifests(ManifestInput input) {
        this.input = input;
        this.config = input.config();
    }

    static List<Manifest> of(ManifestInput input) {
        PoolManifests pools = new PoolManifests(input);
        pools.pool("master");
        if (input.shape().hasArbiter()) {
            pools.pool("arbiter");
        }
        pools.machineConfigs();
        return pools.files;
    }

    /** One machine at a time: with one of a pair away there is none to spare. */
    private void pool(String role) {
        files.add(
                Manifest.of(
                        DIRECTORY + role + "-pool.yaml",
                        new MachineConfigPool(
                                new ObjectMetaBuilder()
                                        .withName(role)
                                        .addToLabels(GROUP + "mco-built-in", "")
                                        .addToLabels(
                                                "operator." + GROUP + "required-for-upgrade", "")
                                        .addToLabels("pools.operator." + GROUP + role, "")
                                        .build(),
                                new MachineConfigPool.Spec(
                                        label(GROUP + "role", role),
                                        Implications.of(input.shape()).poolMaxUnavailable(),
                                        label("node-role.kubernetes.io/" + role, ""),
                                        false))));
    }

    private static LabelSelector label(String key, String value) {
        return new LabelSelectorBuilder().addToMatchLabels(key, value).build();
    }

    private void machineConfigs() {
        List<String> roles = new ArrayList<>(List.of("master"));
        if (input.shape().isFencedPair()) {
            machineConfig("master", "99-master-two-node", NodeContent.fencedNode());
        }
        if (input.shape().hasArbiter()) {
            roles.add("arbiter");
            machineConfig("arbiter", "99-arbiter-role", NodeContent.arbiterNode(input.platform()));
        }
        if (input.shape().workers() > 0) {
            roles.add("worker");
        }
        roles.forEach(this::asTheFileSays);
    }

    private void asTheFileSays(String role) {
        String key = config.extras().sshKey().value();
        if (!key.isBlank()) {
            machineConfig(role, "99-" + role + "-ssh", NodeContent.sshKey(key));
        }
        if (config.extras().fips().value()) {
            machineConfig(role, "99-" + role + "-fips", NodeContent.fips());
        }
        if (hyperthreadingDisabled(role)) {
            machineConfig(
                    role,
                    "99-" + role + "-disable-hyperthreading",
                    NodeContent.kernelArguments("nosmt", "smt-enabled=off"));
        }
        if (input.onBareMetal() && config.isDualStack()) {
            machineConfig(
                    role, "99-dual-stack-" + role, NodeContent.kernelArguments("ip=dhcp,dhcp6"));
        }
    }

    private boolean hyperthreadingDisabled(String role) {
        List<InstallConfig.Pool> pools =
                switch (role) {
                    case "master" -> List.of(config.controlPlane());
                    case "arbiter" -> List.of(config.arbiter());
                    default -> config.compute();
                };
        return pools.stream().anyMatch(pool -> pool.hyperthreading().value().equals("Disabled"));
    }

    private void machineConfig(String role, String name, MachineConfig.Spec spec) {
        files.add(
                Manifest.of(
                        DIRECTORY + name + ".yaml",
                        new MachineConfig(
                                new ObjectMetaBuilder()
                                        .withName(name)
                                        .addToLabels(GROUP + "role", role)
                                        .build(),
                                spec)));
    }
}
