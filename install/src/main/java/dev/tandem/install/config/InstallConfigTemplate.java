package dev.tandem.install.config;

import dev.tandem.host.yaml.YamlWriter;
import dev.tandem.install.yaml.Secret;
import java.util.ArrayList;
import java.util.List;

/**
 * A new install-config for a two-node or 2 + 1 site, with comments for whoever reads it next.
 *
 * @param nodes names of the two control-plane nodes
 * @param bmcs their BMCs in the same order; empty with an arbiter
 * @param arbiter the arbiter's name; empty for a fenced pair
 */
public record InstallConfigTemplate(
        String name,
        String baseDomain,
        String platform,
        List<String> nodes,
        List<Bmc> bmcs,
        String arbiter,
        List<String> apiVips,
        List<String> ingressVips,
        List<String> machineNetworks,
        String sshKey) {

    public InstallConfigTemplate {
        nodes = List.copyOf(nodes);
        bmcs = List.copyOf(bmcs);
        apiVips = List.copyOf(apiVips);
        ingressVips = List.copyOf(ingressVips);
        machineNetworks = List.copyOf(machineNetworks);
    }

    /** How one node is switched off. */
    public record Bmc(String address, String username, Secret password, boolean verify) {}

    /** The file. */
    public String text() {
        StringBuilder out = new StringBuilder();
        out.append("# Checked with: tandem install-config validate FILE --method agent\n");
        out.append("# Still to be added: pullSecret, which OpenShift's installers ask for.\n");
        out.append("apiVersion: v1\n");
        out.append("baseDomain: ").append(quoted(baseDomain)).append('\n');
        out.append("metadata:\n  # The API will be api.").append(comment(name)).append('.');
        out.append(comment(baseDomain)).append('\n');
        out.append("  name: ").append(quoted(name)).append('\n');
        out.append("controlPlane:\n  name: master\n  replicas: 2\n");
        if (arbiter.isEmpty()) {
            fencing(out);
        }
        out.append("compute:\n");
        out.append(
                "  # The control-plane nodes carry the workloads; left out, this means three.\n");
        out.append("  - name: worker\n    replicas: 0\n");
        if (!arbiter.isEmpty()) {
            out.append("# A small third machine that only completes etcd's majority.\n");
            out.append("arbiter:\n  name: arbiter\n  replicas: 1\n");
        }
        if (!machineNetworks.isEmpty()) {
            out.append("networking:\n  machineNetwork:\n");
            machineNetworks.forEach(
                    network -> out.append("    - cidr: ").append(quoted(network)).append('\n'));
        }
        platform(out);
        if (!sshKey.isEmpty()) {
            out.append("# Who may log in to the nodes as user core.\n");
            out.append("sshKey: ").append(quoted(sshKey)).append('\n');
        }
        return out.toString();
    }

    private void fencing(StringBuilder out) {
        out.append("  # How each node switches the other off. Keep this file to yourself.\n");
        out.append("  fencing:\n    credentials:\n");
        for (int i = 0; i < nodes.size() && i < bmcs.size(); i++) {
            Bmc bmc = bmcs.get(i);
            out.append("      - hostName: ").append(quoted(nodes.get(i))).append('\n');
            out.append("        address: ").append(quoted(bmc.address())).append('\n');
            out.append("        username: ").append(quoted(bmc.username())).append('\n');
            out.append("        password: ").append(quoted(bmc.password().reveal())).append('\n');
            out.append("        certificateVerification: ")
                    .append(bmc.verify() ? "Enabled" : "Disabled")
                    .append('\n');
        }
    }

    private void platform(StringBuilder out) {
        out.append("platform:\n");
        if (!platform.equals("baremetal")) {
            out.append("  # The load balancer and DNS in front of the API are yours.\n");
            out.append("  ").append(platform).append(": {}\n");
            return;
        }
        out.append("  baremetal:\n    # Free addresses that follow the serving node.\n");
        list(out, "apiVIPs", apiVips);
        list(out, "ingressVIPs", ingressVips);
    }

    private static void list(StringBuilder out, String key, List<String> values) {
        out.append("    ").append(key).append(":\n");
        new ArrayList<>(values)
                .forEach(value -> out.append("      - ").append(quoted(value)).append('\n'));
    }

    private static String quoted(String text) {
        return YamlWriter.scalar(text);
    }

    private static String comment(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }
}
