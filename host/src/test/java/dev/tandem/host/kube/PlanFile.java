package dev.tandem.host.kube;

import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The plan of a pair with Kubernetes. */
final class PlanFile {
    private static final String TEXT =
            """
            name: site-17
            nodes:
              - name: node-0
                addresses: [192.0.2.10]
                bmc: {address: "redfish+https://192.0.2.110/redfish/v1/Systems/1", username: a, passwordFile: p0}
              - name: node-1
                addresses: [192.0.2.11]
                bmc: {address: "redfish+https://192.0.2.111/redfish/v1/Systems/1", username: a, passwordFile: p1}
            kubelet: true
            api: {address: 192.0.2.100}
            """;

    private PlanFile() {}

    static ClusterPlan read(Path directory) {
        return read(directory, TEXT);
    }

    /** The same with IPv6 alone. */
    static ClusterPlan readIpv6(Path directory) {
        return read(
                directory,
                TEXT.replaceAll("\\[192\\.0\\.2\\.([0-9]+)]", "[\"2001:db8::$1\"]")
                        .replaceAll("//192\\.0\\.2\\.([0-9]+)", "//[2001:db8::$1]")
                        .replaceAll("192\\.0\\.2\\.([0-9]+)", "\"2001:db8::$1\""));
    }

    private static ClusterPlan read(Path directory, String text) {
        try {
            return ClusterPlan.read(Files.writeString(directory.resolve("PLAN.yaml"), text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
