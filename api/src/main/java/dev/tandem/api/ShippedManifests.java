package dev.tandem.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The objects that teach an API server this topology, in the order in which they are applied. Each
 * is YAML as a person would hand it to kubectl.
 */
public final class ShippedManifests {
    private static final List<String> OWN = List.of("pacemakerclusters.etcd.openshift.io");

    private static final List<String> OPENSHIFT =
            List.of(
                    "infrastructures.config.openshift.io",
                    "clusteroperators.config.openshift.io",
                    "featuregates.config.openshift.io",
                    "etcds.operator.openshift.io",
                    "machineconfigs.machineconfiguration.openshift.io",
                    "machineconfigpools.machineconfiguration.openshift.io");

    private static final List<String> FOREIGN =
            List.of(
                    "baremetalhosts.metal3.io",
                    "machinehealthchecks.machine.openshift.io",
                    "nodehealthchecks.remediation.medik8s.io",
                    "fenceagentsremediations.fence-agents-remediation.medik8s.io",
                    "selfnoderemediations.self-node-remediation.medik8s.io",
                    "hostedclusters.hypershift.openshift.io");

    private static final List<String> POLICIES =
            List.of(
                    "topology-is-fixed",
                    "hand-over-is-one-way",
                    "pool-role",
                    "pool-max-unavailable",
                    "control-plane-hosts-stay-detached",
                    "no-node-health-check-of-the-control-plane",
                    "no-machine-health-check-of-the-control-plane",
                    "no-remediation-of-the-control-plane",
                    "no-hosted-clusters",
                    "fencing-secret-is-well-formed");

    private ShippedManifests() {}

    /**
     * One file, which may hold several objects.
     *
     * @param name without directory and extension
     */
    public record Manifest(String name, String yaml) {}

    /** Definitions of the kinds that are ours. */
    public static List<Manifest> own() {
        return read("own", OWN);
    }

    /** Definitions of OpenShift's kinds that we read or write; an OpenShift brings its own. */
    public static List<Manifest> openshift() {
        return read("openshift", OPENSHIFT);
    }

    /**
     * Definitions of other people's kinds that policies guard. They are for labs and tests: on a
     * real cluster each comes with its operator, or stays away with it.
     */
    public static List<Manifest> foreign() {
        return read("foreign", FOREIGN);
    }

    /**
     * Admission policies, each with its binding. They work whether or not a guarded kind exists.
     */
    public static List<Manifest> policies() {
        return read("policies", POLICIES);
    }

    private static List<Manifest> read(String directory, List<String> names) {
        return names.stream().map(name -> new Manifest(name, text(directory, name))).toList();
    }

    private static String text(String directory, String name) {
        String resource = directory + "/" + name + ".yaml";
        try (InputStream in = ShippedManifests.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("resource " + resource + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
