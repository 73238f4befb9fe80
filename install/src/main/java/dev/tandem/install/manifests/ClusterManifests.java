package dev.tandem.install.manifests;

import dev.tandem.core.topology.Implications;
import dev.tandem.core.topology.Shape;
import dev.tandem.host.yaml.YamlWriter;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.openshift.FeatureGate;
import dev.tandem.install.openshift.Infrastructure;
import dev.tandem.install.openshift.Scheduler;
import dev.tandem.install.rules.GeneralRules;
import dev.tandem.install.yaml.Place;
import dev.tandem.install.yaml.Value;
import dev.tandem.install.yaml.YamlView;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the cluster as a whole is told about itself. */
final class ClusterManifests {
    private static final String THE_ONLY_ONE = "cluster";
    private static final LocalObjectReference NOTHING = new LocalObjectReference("");

    private final ManifestInput input;
    private final InstallConfig config;
    private final Shape shape;

    private ClusterManifests(ManifestInput input) {
        this.input = input;
        this.config = input.config();
        this.shape = input.shape();
    }

    static List<Manifest> of(ManifestInput input) {
        ClusterManifests cluster = new ClusterManifests(input);
        return List.of(
                Manifest.of(
                        "manifests/cluster-config.yaml",
                        new ConfigMapBuilder()
                                .withMetadata(Metadata.named("kube-system", "cluster-config-v1"))
                                .addToData(
                                        "install-config",
                                        YamlWriter.write(PublicConfig.of(cluster.config)))
                                .build()),
                Manifest.of(
                        "manifests/cluster-infrastructure-02-config.yml", cluster.infrastructure()),
                Manifest.of(
                        "manifests/cluster-scheduler-02-config.yml",
                        new Scheduler(
                                Metadata.named(THE_ONLY_ONE),
                                new Scheduler.Spec(
                                        Implications.of(cluster.shape).mastersSchedulable(),
                                        NOTHING))),
                Manifest.of("openshift/99_feature-gate.yaml", cluster.featureGate()));
    }

    private Infrastructure infrastructure() {
        String domain = config.clusterDomain();
        String type =
                switch (input.platform()) {
                    case "baremetal" -> "BareMetal";
                    case "external" -> "External";
                    default -> "None";
                };
        return new Infrastructure(
                Metadata.named(THE_ONLY_ONE),
                new Infrastructure.Spec(NOTHING, platformSpec(type)),
                new Infrastructure.Status(
                        "https://api-int." + domain + ":6443",
                        "https://api." + domain + ":6443",
                        shape.controlPlaneTopology().apiValue(),
                        config.extras().cpuPartitioningMode().value(),
                        "",
                        input.infraId(),
                        shape.infrastructureTopology().apiValue(),
                        type,
                        platformStatus(type)));
    }

    private Infrastructure.PlatformSpec platformSpec(String type) {
        return new Infrastructure.PlatformSpec(
                type,
                input.onBareMetal()
                        ? Optional.of(
                                new Infrastructure.BareMetalSpec(
                                        input.apiVips(), input.ingressVips(), machineNetworks()))
                        : Optional.empty(),
                onExternal()
                        ? Optional.of(
                                new Infrastructure.ExternalSpec(
                                        externalSetting("platformName", "Unknown")))
                        : Optional.empty());
    }

    private Infrastructure.PlatformStatus platformStatus(String type) {
        return new Infrastructure.PlatformStatus(
                type,
                input.onBareMetal()
                        ? Optional.of(
                                new Infrastructure.BareMetalStatus(
                                        input.apiVips().getFirst(),
                                        input.apiVips(),
                                        input.ingressVips().getFirst(),
                                        input.ingressVips(),
                                        machineNetworks()))
                        : Optional.empty(),
                onExternal()
                        ? Optional.of(
                                new Infrastructure.ExternalStatus(
                                        new Infrastructure.CloudControllerManager(
                                                externalSetting("cloudControllerManager", ""))))
                        : Optional.empty());
    }

    private List<String> machineNetworks() {
        return config.networking().machine().stream().map(Value::value).toList();
    }

    private boolean onExternal() {
        return input.platform().equals("external");
    }

    private String externalSetting(String key, String absent) {
        return YamlView.of(config.extras().file(), Place.FILE)
                .at("platform")
                .at("external")
                .at(key)
                .text(absent)
                .value();
    }

    private FeatureGate featureGate() {
        InstallConfig.Features features = config.features();
        String set =
                features.featureSet().value().isEmpty()
                        ? impliedFeatureSet()
                        : features.featureSet().value();
        Map<String, Boolean> switched = GeneralRules.switchedGates(features);
        return new FeatureGate(
                Metadata.named(THE_ONLY_ONE),
                new FeatureGate.Spec(
                        Optional.of(set).filter(text -> !text.isEmpty()),
                        switched.isEmpty()
                                ? Optional.empty()
                                : Optional.of(
                                        new FeatureGate.Gates(
                                                gates(switched, true), gates(switched, false)))));
    }

    private static List<String> gates(Map<String, Boolean> switched, boolean wanted) {
        return switched.entrySet().stream()
                .filter(entry -> entry.getValue() == wanted)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /**
     * The assisted service asks for previews on its own where a release has the topology as one.
     */
    private String impliedFeatureSet() {
        Optional<Release> release = input.release();
        boolean preview =
                input.method() == InstallMethod.ASSISTED
                        && release.isPresent()
                        && ((shape.isFencedPair()
                                        && release.get().before(Release.FENCING_BY_DEFAULT))
                                || (shape.hasArbiter() && release.get().before(Release.FENCING)));
        return preview ? "TechPreviewNoUpgrade" : "";
    }
}
