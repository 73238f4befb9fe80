package dev.tandem.install.manifests;

import dev.tandem.core.MacAddress;
import dev.tandem.core.topology.Shape;
import dev.tandem.install.config.FencingCredential;
import dev.tandem.install.config.InstallMethod;
import dev.tandem.install.openshift.AgentClusterInstall;
import dev.tandem.install.openshift.AgentFencingCredentials;
import dev.tandem.install.openshift.AgentFencingCredentials.Credential;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What goes onto the image from which the machines boot. */
final class AgentFiles {
    private static final String HOSTS = "agent/hostconfig/";

    private AgentFiles() {}

    static List<Manifest> of(ManifestInput input) {
        if (input.method() != InstallMethod.AGENT) {
            return List.of();
        }
        List<Manifest> files = new ArrayList<>();
        if (input.shape().isFencedPair()) {
            files.addAll(fencing(FencingCredential.of(input.config())));
        }
        files.add(clusterInstall(input));
        return files;
    }

    /** By host name all in one file; by card one directory a node, which names the card. */
    private static List<Manifest> fencing(List<FencingCredential> credentials) {
        List<Manifest> files = new ArrayList<>();
        List<Credential> byName = new ArrayList<>();
        int index = 0;
        for (FencingCredential credential : credentials) {
            if (credential.hostName().isPresent()) {
                byName.add(credential(credential));
                continue;
            }
            String directory = HOSTS + "host-" + index++ + "/";
            files.add(
                    new Manifest(
                            directory + "mac_addresses",
                            credential.macAddress().orElseThrow() + "\n",
                            false));
            files.add(file(directory, List.of(credential(credential))));
        }
        if (!byName.isEmpty()) {
            files.add(file(HOSTS, byName));
        }
        return files;
    }

    private static Manifest file(String directory, List<Credential> credentials) {
        return Manifest.secret(
                directory + "fencing-credentials.yaml", new AgentFencingCredentials(credentials));
    }

    private static Credential credential(FencingCredential credential) {
        return new Credential(
                credential.hostName(),
                credential.macAddress().map(MacAddress::toString),
                credential.address().toString(),
                credential.username(),
                credential.password(),
                FencingSecrets.verification(credential));
    }

    private static Manifest clusterInstall(ManifestInput input) {
        String name = input.config().name().value();
        Shape shape = input.shape();
        return Manifest.of(
                "agent/agent-cluster-install.yaml",
                new AgentClusterInstall(
                        Metadata.named(name, name),
                        new AgentClusterInstall.Spec(
                                new AgentClusterInstall.ProvisionRequirements(
                                        shape.arbiters(), shape.controlPlanes(), shape.workers()),
                                input.onBareMetal()
                                        ? Optional.of(input.apiVips())
                                        : Optional.empty(),
                                input.onBareMetal()
                                        ? Optional.of(input.ingressVips())
                                        : Optional.empty())));
    }
}
