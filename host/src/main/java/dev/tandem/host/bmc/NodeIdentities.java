package dev.tandem.host.bmc;

import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeAttributes.Lifetime;
import dev.tandem.host.pacemaker.NodeAttributes.Reading;
import dev.tandem.host.plan.ClusterPlan;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Which machine each node says it is. Every node publishes this about itself, as a transient
 * attribute: it then is of the current boot, and goes when the node goes.
 */
public final class NodeIdentities {
    static final String ATTRIBUTE = "tandem-identity";

    private final NodeAttributes attributes;

    public NodeIdentities(NodeAttributes attributes) {
        this.attributes = attributes;
    }

    /** Called on each node about itself, after it has joined the cluster. */
    public void publish(String self, HardwareIdentity identity) {
        attributes.write(Lifetime.TRANSIENT, self, ATTRIBUTE, written(identity));
    }

    /**
     * What a node says about itself; empty while it has said nothing. Once one node has a value,
     * Pacemaker answers for the other with an empty one.
     */
    public Optional<HardwareIdentity> published(String node) {
        return attributes.read(Lifetime.TRANSIENT, node, ATTRIBUTE)
                                instanceof Reading.Present(String text)
                        && !text.isBlank()
                ? Optional.of(parse(text))
                : Optional.empty();
    }

    /** Who a node of the plan is: what the plan says, else what the node says about itself. */
    public Optional<HardwareIdentity> of(ClusterPlan.Node node, String self) {
        return planned(node)
                .or(() ->
                        node.name().equals(self)
                                ? Optional.of(new NodeHardware().read())
                                : published(node.name()));
    }

    /** Who a node is by the plan; empty where the plan leaves it to the node. */
    public static Optional<HardwareIdentity> planned(ClusterPlan.Node node) {
        return node.identity().known()
                ? Optional.of(
                        new HardwareIdentity(
                                node.identity().systemUuid().map(UUID::fromString),
                                node.identity().serial(),
                                node.identity().macs()))
                : Optional.empty();
    }

    /** An identity as it is published. */
    public static String written(HardwareIdentity identity) {
        return "uuid="
                + identity.uuid().map(UUID::toString).orElse("")
                + ";macs="
                + String.join(",", identity.macs())
                + ";serial="
                + identity.serial().orElse("").replace(';', ' ');
    }

    /** Whether a text names any part of an identity, if only to say that it is not known. */
    public static boolean isOne(String text) {
        return Stream.of(text.split(";", -1))
                .anyMatch(field -> field.matches("(uuid|macs|serial)=.*"));
    }

    /** What {@link #written} wrote. */
    public static HardwareIdentity parse(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String field : text.split(";", -1)) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                fields.put(field.substring(0, equals), field.substring(equals + 1));
            }
        }
        Optional<UUID> uuid;
        try {
            uuid =
                    Optional.of(fields.getOrDefault("uuid", ""))
                            .filter(value -> !value.isEmpty())
                            .map(UUID::fromString);
        } catch (IllegalArgumentException e) {
            // Not written by us; the rest may still tell who it is.
            uuid = Optional.empty();
        }
        return new HardwareIdentity(
                uuid,
                Optional.of(fields.getOrDefault("serial", "")),
                Set.of(fields.getOrDefault("macs", "").split(",", -1)));
    }
}
