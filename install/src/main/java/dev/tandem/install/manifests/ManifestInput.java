package dev.tandem.install.manifests;

import dev.tandem.core.IpAddress;
import dev.tandem.core.topology.Shape;
import dev.tandem.install.config.InstallConfig;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.config.Release;
import dev.tandem.install.yaml.Value;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;

/**
 * What all manifests are made from, with what follows from it.
 *
 * @param config has passed its check
 * @param rootCa the authority behind the machine config server's certificate, in PEM
 */
record ManifestInput(
        InstallConfig config,
        InstallMethod method,
        Optional<Release> release,
        Optional<String> rootCa) {

    Shape shape() {
        return config.shape();
    }

    String platform() {
        return config.platform().kind();
    }

    boolean onBareMetal() {
        return platform().equals("baremetal");
    }

    List<String> apiVips() {
        return canonical(config.platform().baremetal().apiVips());
    }

    List<String> ingressVips() {
        return canonical(config.platform().baremetal().ingressVips());
    }

    private static List<String> canonical(List<Value<String>> addresses) {
        return addresses.stream()
                .flatMap(text -> IpAddress.parse(text.value()).stream())
                .map(Object::toString)
                .toList();
    }

    /** Whether machines have objects of the Machine API. */
    boolean machineApi() {
        return onBareMetal() && config.extras().machineApi();
    }

    boolean hasMachineObjects() {
        return rootCa.isPresent()
                || (onBareMetal() && !config.platform().baremetal().hosts().isEmpty());
    }

    /** The bare-metal operator installs the machines, so it has to hold them until then. */
    boolean hostsAwaitProvisioning() {
        return onBareMetal() && !method.delaysBootstrap();
    }

    /**
     * The prefix of everything that belongs to the cluster. The installer draws it by lot; here it
     * follows from the name, so that the output can be compared.
     */
    String infraId() {
        String name = config.name().value().replaceAll("[^a-z0-9-]", "-");
        String head = name.substring(0, Math.min(name.length(), 21)).replaceAll("-+$", "");
        String letters = "bcdfghjklmnpqrstvwxz2456789";
        StringBuilder tail = new StringBuilder();
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(config.clusterDomain().getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < 5; i++) {
                tail.append(letters.charAt((digest[i] & 0xff) % letters.length()));
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
        return head + "-" + tail;
    }
}
