package dev.tandem.install.config;

import dev.tandem.core.topology.Implications;
import dev.tandem.core.topology.ScalingStrategy;
import dev.tandem.core.topology.Shape;
import java.util.ArrayList;
import java.util.List;

/** What a cluster made from a file will be, in words. */
public record Explanation(
        String summary,
        int controlPlanes,
        int arbiters,
        int workers,
        String platform,
        Implications implications,
        ScalingStrategy scalingStrategy,
        List<String> sentences) {
    public Explanation {
        sentences = List.copyOf(sentences);
    }

    public static Explanation of(InstallConfig config, InstallMethod method) {
        Shape shape = config.shape();
        Implications implied = Implications.of(shape);
        ScalingStrategy strategy =
                ScalingStrategy.of(
                        shape.controlPlaneTopology(),
                        method.delaysBootstrap()
                                ? ScalingStrategy.Install.DELAYED
                                : ScalingStrategy.Install.ORDINARY);
        String platform = config.platform().kind();
        return new Explanation(
                summary(shape),
                shape.controlPlanes(),
                shape.arbiters(),
                shape.workers(),
                platform,
                implied,
                strategy,
                sentences(config, method, shape, implied, strategy));
    }

    private static String summary(Shape shape) {
        return switch (shape.controlPlaneTopology()) {
            case SINGLE_REPLICA -> "A single node: when it is down, everything is down.";
            case DUAL_REPLICA ->
                    "A fenced pair: either node may die, and the other goes on once the first is"
                            + " known to be off.";
            case HIGHLY_AVAILABLE_ARBITER ->
                    "%d nodes and %d arbiter: etcd's majority decides, and one of them may die."
                            .formatted(shape.controlPlanes(), shape.arbiters());
            case HIGHLY_AVAILABLE ->
                    "%d equal nodes: etcd's majority decides.".formatted(shape.controlPlanes());
            case EXTERNAL -> "The control plane is elsewhere.";
        };
    }

    private static List<String> sentences(
            InstallConfig config,
            InstallMethod method,
            Shape shape,
            Implications implied,
            ScalingStrategy strategy) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "Topology: control plane %s, infrastructure %s, on platform %s."
                        .formatted(
                                implied.controlPlane().apiValue(),
                                implied.infrastructure().apiValue(),
                                config.platform().kind()));
        lines.add(etcd(implied));
        lines.add(
                "Installation (%s): the bootstrap member leaves etcd once %d members are there;"
                                .formatted(method, strategy.membersBeforeBootstrapRemoval())
                        + " later roll-outs wait for %d healthy ones."
                                .formatted(strategy.healthyMembersForRevision()));
        lines.add(
                "Updates: pools %s; at most %d machine of a pool is away at a time."
                        .formatted(
                                String.join(", ", implied.pools()), implied.poolMaxUnavailable()));
        lines.add(
                implied.mastersSchedulable()
                        ? "Workloads: the control-plane nodes carry them; size each node so that"
                                + " one can carry everything."
                        : "Workloads: %d workers carry them.".formatted(shape.workers()));
        lines.add(
                "Replicas: login waits for %d API servers, ingress has %d routers, the console %d."
                        .formatted(
                                implied.minimumApiServers(),
                                implied.routers(),
                                implied.consoles()));
        if (shape.isFencedPair()) {
            for (FencingCredential credential : FencingCredential.of(config)) {
                lines.add(
                        "Fencing: %s is switched off through %s, certificate %s; Secret %s."
                                .formatted(
                                        credential.node(),
                                        credential.address(),
                                        credential.verifyCertificate()
                                                ? "verified"
                                                : "not verified",
                                        credential.secretName()));
            }
        }
        return lines;
    }

    private static String etcd(Implications implied) {
        if (implied.etcdMembers() == 1) {
            return "etcd: one member, no redundancy.";
        }
        return "etcd: %d members, of which evictions leave at least %d; members are %s."
                .formatted(
                        implied.etcdMembers(),
                        implied.guardMinAvailable(),
                        implied.fencing()
                                ? "run by Pacemaker, and a lone one serves only after its peer was"
                                        + " fenced"
                                : "static pods");
    }
}
