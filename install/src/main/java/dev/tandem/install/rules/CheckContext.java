package dev.tandem.install.rules;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.topology.Shape;
import dev.tandem.install.config.AgentConfig;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallConfig.Credential;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.yaml.Value;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the rules look at. */
record CheckContext(
        InstallConfig config,
        Optional<AgentConfig> agent,
        InstallMethod method,
        Optional<Release> release) {
    static final Set<String> PLATFORMS = Set.of("none", "baremetal", "external");

    Shape shape() {
        return config.shape();
    }

    boolean platformSupported() {
        return PLATFORMS.contains(config.platform().kind());
    }

    /** Whether the file names exactly one platform that the rules below may speak of. */
    boolean platformClear() {
        return config.platform().kinds().size() == 1;
    }

    String platform() {
        return config.platform().kind();
    }

    List<Credential> credentials() {
        return config.controlPlane().fencing().credentials();
    }

    /** Whether arbiters take the place of fencing. */
    boolean arbiterEnabled() {
        return config.arbiter().given() && config.arbiter().replicas().value() > 0;
    }

    static Optional<BmcAddress> readable(Value<String> address) {
        return BmcAddress.readRedfish(address.value())
                        instanceof BmcAddress.Reading.Good(BmcAddress good)
                ? Optional.of(good)
                : Optional.empty();
    }
}
