package dev.tandem.install.manifests;

import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Turns a valid install-config into everything that the cluster is told at birth. The same file
 * gives the same bytes on every machine: nothing here asks a clock, a random number or the network.
 */
public final class Manifests {
    private static final List<Function<ManifestInput, List<Manifest>>> PARTS =
            List.of(
                    ClusterManifests::of,
                    Namespaces::of,
                    RbacManifests::of,
                    PoolManifests::of,
                    Definitions::of,
                    FencingSecrets::of,
                    UserData::of,
                    BareMetalManifests::of,
                    AdmissionPolicies::of,
                    AgentFiles::of);

    private Manifests() {}

    /**
     * All files of a config that passed its check, ordered by name.
     *
     * @param rootCa the authority behind the machine config server's certificate, in PEM; without
     *     it no user data is written, because a machine could not verify its configuration
     */
    public static List<Manifest> of(
            InstallConfig config,
            InstallMethod method,
            Optional<Release> release,
            Optional<String> rootCa) {
        ManifestInput input = new ManifestInput(config, method, release, rootCa);
        return PARTS.stream()
                .flatMap(part -> part.apply(input).stream())
                .sorted(Comparator.comparing(Manifest::path))
                .toList();
    }
}
