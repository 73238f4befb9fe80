package dev.tandem.host.plan;

import dev.tandem.host.plan.ClusterPlan.Api;
import dev.tandem.host.plan.ClusterPlan.Bmc;
import dev.tandem.host.plan.ClusterPlan.Etcd;
import dev.tandem.host.plan.ClusterPlan.Identity;
import dev.tandem.host.plan.ClusterPlan.Node;
import dev.tandem.host.plan.ClusterPlan.Timing;
import dev.tandem.host.plan.ClusterPlan.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Writes a plan as YAML; {@link ClusterPlanReader} reads an equal plan from it. */
final class ClusterPlanWriter {
    private final StringBuilder yaml = new StringBuilder();

    private ClusterPlanWriter() {}

    static String write(ClusterPlan plan) {
        ClusterPlanWriter writer = new ClusterPlanWriter();
        writer.plan(plan);
        return writer.yaml.toString();
    }

    private void plan(ClusterPlan plan) {
        line("apiVersion: " + PlanFields.API_VERSION);
        line("kind: " + PlanFields.KIND);
        line("name: " + plan.name());
        line("profile: " + profile(plan.timing()));
        line("nodes:");
        plan.nodes().forEach(this::node);
        line("kubelet: " + plan.kubelet());
        line("bmcOff: " + milliseconds(plan.bmcOff()));
        line("loneStart: " + plan.loneStart().word());
        plan.api().ifPresent(this::api);
        etcd(plan.etcd());
        line("pcsdTokenFile: " + quoted(plan.pcsdTokenFile()));
    }

    private static String profile(Timing timing) {
        return Timing.profile(timing.profile()).isPresent()
                ? timing.profile()
                : "{token: %s, consensus: %s}"
                        .formatted(milliseconds(timing.token()), milliseconds(timing.consensus()));
    }

    private void node(Node node) {
        line("  - name: " + node.name());
        line("    addresses: " + list(node.addresses()));
        line("    bmc:");
        bmc(node.bmc());
        if (node.identity().known()) {
            line("    identity:");
            identity(node.identity());
        }
    }

    private void bmc(Bmc bmc) {
        line("      address: " + quoted(bmc.address()));
        line("      username: " + quoted(bmc.username()));
        line("      passwordFile: " + quoted(bmc.passwordFile()));
        line("      certificate: " + certificate(bmc.verification()));
    }

    private static String certificate(Verification verification) {
        return switch (verification) {
            case Verification.SystemTrust() -> "system";
            case Verification.None() -> "unverified";
            case Verification.Pinned(String sha256) -> quoted("sha256:" + sha256);
            case Verification.Authorities(Path file) -> "{caFile: " + quoted(file) + "}";
        };
    }

    private void identity(Identity identity) {
        identity.systemUuid().ifPresent(uuid -> line("      systemUuid: " + quoted(uuid)));
        identity.serial().ifPresent(serial -> line("      serial: " + quoted(serial)));
        if (!identity.macs().isEmpty()) {
            line("      macs: " + list(identity.macs().stream().sorted().toList()));
        }
    }

    private void api(Api api) {
        line("api:");
        line("  address: " + quoted(api.address()));
        api.prefix().ifPresent(bits -> line("  prefix: " + bits));
        api.networkInterface().ifPresent(name -> line("  interface: " + quoted(name)));
    }

    private void etcd(Etcd etcd) {
        line("etcd:");
        line("  clientPort: " + etcd.clientPort());
        line("  peerPort: " + etcd.peerPort());
        line("  heartbeat: " + milliseconds(etcd.heartbeat()));
        line("  election: " + milliseconds(etcd.election()));
        line("  quotaMegabytes: " + etcd.quotaMegabytes());
    }

    private void line(String text) {
        yaml.append(text).append('\n');
    }

    private static String milliseconds(Duration time) {
        return time.toMillis() + "ms";
    }

    private static String list(List<?> values) {
        return values.stream()
                .map(ClusterPlanWriter::quoted)
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** YAML's single quotes take everything but themselves; line breaks were refused on reading. */
    private static String quoted(Object value) {
        return "'" + value.toString().replace("'", "''") + "'";
    }
}
