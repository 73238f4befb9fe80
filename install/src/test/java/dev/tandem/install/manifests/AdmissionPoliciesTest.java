package dev.tandem.install.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.ShippedManifests;
import dev.tandem.core.topology.Shape;
import dev.tandem.install.rules.Examples;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AdmissionPoliciesTest {
    private static final String POLICY = "ValidatingAdmissionPolicy";
    private static final String BINDING = "ValidatingAdmissionPolicyBinding";

    static List<Examples.Example> examples() throws IOException {
        return Examples.all();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void aTopologyHasThePoliciesThatGuardItEachWithItsBinding(Examples.Example example) {
        Shape shape = GoldenManifestsTest.check(example).config().orElseThrow().shape();
        List<Manifest> files = GoldenManifestsTest.manifests(example);
        List<String> policies = names(files, POLICY);

        assertThat(names(files, BINDING)).isEqualTo(policies);
        if (shape.isFencedPair()) {
            assertThat(policies)
                    .containsExactlyInAnyOrderElementsOf(
                            ShippedManifests.policies().stream()
                                    .map(policy -> policy.name() + ".tandem.dev")
                                    .toList());
        } else if (shape.hasArbiter()) {
            assertThat(policies)
                    .containsExactlyInAnyOrder(
                            "topology-is-fixed.tandem.dev",
                            "pool-role.tandem.dev",
                            "pool-max-unavailable.tandem.dev",
                            "no-hosted-clusters.tandem.dev");
        } else {
            assertThat(policies).isEmpty();
        }
    }

    /** Both at once would stop the installation: the API server refuses the hosts. */
    @ParameterizedTest
    @MethodSource("examples")
    void noHostIsCreatedThatAPolicyBesideItRefuses(Examples.Example example) {
        List<Manifest> files = GoldenManifestsTest.manifests(example);
        boolean guarded =
                files.stream()
                        .anyMatch(file ->
                                file.path().startsWith("manifests/04_")
                                        && file.path().contains("hosts-stay-detached"));

        for (Manifest host : ofKind(files, "BareMetalHost")) {
            boolean attached =
                    host.content().contains("installer.openshift.io/role: control-plane")
                            && !host.content().contains("baremetalhost.metal3.io/detached");
            assertThat(guarded && attached).as(host.path()).isFalse();
        }
    }

    @Test
    void theGuardOfDetachedHostsWaitsForHostsThatAreStillToBeProvisioned() {
        Shape pair = new Shape(2, 0, 0);

        assertThat(AdmissionPolicies.of(pair, true))
                .extracting(Manifest::path)
                .filteredOn(path -> !path.startsWith("manifests/"))
                .containsExactly(
                        "after-provisioning/04_validatingadmissionpolicy-control-plane-hosts-stay-detached.yaml",
                        "after-provisioning/05_validatingadmissionpolicybinding-control-plane-hosts-stay-detached.yaml");
        assertThat(AdmissionPolicies.of(pair, false))
                .extracting(Manifest::path)
                .allMatch(path -> path.startsWith("manifests/"));
    }

    private static List<String> names(List<Manifest> files, String kind) {
        return ofKind(files, kind).stream()
                .map(file ->
                        GoldenManifestsTest.object(file).at("metadata").at("name").text().value())
                .toList();
    }

    private static List<Manifest> ofKind(List<Manifest> files, String kind) {
        return files.stream()
                .filter(file -> file.content().lines().anyMatch(("kind: " + kind)::equals))
                .toList();
    }
}
