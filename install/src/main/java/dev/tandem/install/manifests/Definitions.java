package dev.tandem.install.manifests;

import dev.tandem.api.ShippedManifests;
import java.util.List;

/**
 * Tandem's own kinds. A policy whose parameter is of a kind that nobody has defined refuses
 * everything it guards, so they are there from the first moment.
 */
final class Definitions {
    private Definitions() {}

    static List<Manifest> of(ManifestInput input) {
        return input.shape().isFencedPair()
                ? ShippedManifests.own().stream().map(Definitions::file).toList()
                : List.of();
    }

    private static Manifest file(ShippedManifests.Manifest definition) {
        return new Manifest(
                "manifests/00_customresourcedefinition-" + definition.name() + ".yaml",
                definition.yaml(),
                false);
    }
}
