package dev.tandem.install.openshift;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Optional;

/** What the machines of a pool get beyond their image. */
public record MachineConfig(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {

    public MachineConfig(ObjectMeta metadata, Spec spec) {
        this("machineconfiguration.openshift.io/v1", "MachineConfig", metadata, spec);
    }

    public record Spec(
            Ignition config,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> extensions,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> kernelArguments,
            Optional<Boolean> fips) {
        public Spec {
            extensions = List.copyOf(extensions);
            kernelArguments = List.copyOf(kernelArguments);
        }

        public static Spec of(Ignition config) {
            return new Spec(config, List.of(), List.of(), Optional.empty());
        }

        public Spec withExtensions(String... names) {
            return new Spec(config, List.of(names), kernelArguments, fips);
        }

        public Spec withKernelArguments(String... arguments) {
            return new Spec(config, extensions, List.of(arguments), fips);
        }

        public Spec withFips() {
            return new Spec(config, extensions, kernelArguments, Optional.of(true));
        }
    }
}
