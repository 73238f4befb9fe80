package dev.tandem.install.manifests;

import dev.tandem.api.ShippedManifests;
import dev.tandem.core.topology.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the API server refuses on this topology. The texts are written as they stand, because their
 * comments tell whoever meets a refusal why it is there.
 */
final class AdmissionPolicies {
    /** The guards that are not about Pacemaker and fencing. */
    private static final Set<String> BESIDE_AN_ARBITER =
            Set.of("topology-is-fixed", "pool-role", "pool-max-unavailable", "no-hosted-clusters");

    private static final String DETACHED = "control-plane-hosts-stay-detached";

    private static final Pattern BETWEEN_OBJECTS = Pattern.compile("(?m)^---\n");

    private AdmissionPolicies() {}

    static List<Manifest> of(ManifestInput input) {
        return of(input.shape(), input.hostsAwaitProvisioning());
    }

    /**
     * Policies and bindings, each in a file of its own.
     *
     * @param hostsAwaitProvisioning the hosts are created attached, which the guard of detached
     *     hosts would refuse: it then lies beside the manifests, to be applied afterwards
     */
    static List<Manifest> of(Shape shape, boolean hostsAwaitProvisioning) {
        List<Manifest> files = new ArrayList<>();
        for (ShippedManifests.Manifest policy : ShippedManifests.policies()) {
            if (!applies(policy.name(), shape)) {
                continue;
            }
            boolean later = hostsAwaitProvisioning && policy.name().equals(DETACHED);
            String directory = later ? "after-provisioning" : "manifests";
            String[] objects = BETWEEN_OBJECTS.split(policy.yaml(), -1);
            if (objects.length != 2) {
                throw new IllegalStateException(
                        policy.name() + " is not one policy and its binding");
            }
            files.add(file(directory, "04_validatingadmissionpolicy-", policy.name(), objects[0]));
            files.add(
                    file(
                            directory,
                            "05_validatingadmissionpolicybinding-",
                            policy.name(),
                            objects[1]));
        }
        return files;
    }

    private static boolean applies(String policy, Shape shape) {
        return shape.isFencedPair() || (shape.hasArbiter() && BESIDE_AN_ARBITER.contains(policy));
    }

    private static Manifest file(String directory, String prefix, String name, String yaml) {
        return new Manifest(directory + "/" + prefix + name + ".yaml", yaml, false);
    }
}
