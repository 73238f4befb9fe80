package dev.tandem.install.manifests;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a new machine of each role finds its configuration. Without a root CA none is written: the
 * machine could not verify what it is given.
 */
final class UserData {
    private UserData() {}

    static List<Manifest> of(ManifestInput input) {
        List<Manifest> files = new ArrayList<>();
        if (input.rootCa().isPresent()) {
            String rootCa = input.rootCa().get();
            files.add(
                    secret(
                            "master",
                            input.onBareMetal() ? "master-user-data-managed" : "master-user-data",
                            pointer(input, rootCa, "master")));
            if (input.shape().hasArbiter()) {
                String pointer = pointer(input, rootCa, "arbiter");
                files.add(secret("arbiter", "arbiter-user-data-managed", pointer));
                files.add(new Manifest("arbiter.ign", pointer + "\n", false));
            }
        }
        return files;
    }

    private static String pointer(ManifestInput input, String rootCa, String role) {
        String host = "api-int." + input.config().clusterDomain();
        if (input.onBareMetal()) {
            String vip = input.apiVips().getFirst();
            host = vip.contains(":") ? "[" + vip + "]" : vip;
        }
        return NodeContent.pointerIgnition(
                "https://%s:22623/config/%s".formatted(host, role), rootCa);
    }

    private static Manifest secret(String role, String name, String pointer) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("disableTemplating", "true");
        values.put("userData", pointer);
        return Manifest.of(
                BareMetalManifests.PREFIX + role + "-user-data-secret.yaml",
                OpaqueSecret.of(Metadata.named(Namespaces.MACHINE_API, name), values));
    }
}
