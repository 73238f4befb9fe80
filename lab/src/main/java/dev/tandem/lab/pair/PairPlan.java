package dev.tandem.lab.pair;

import dev.tandem.lab.daemon.LabBmc;
import dev.tandem.lab.spec.LabLayout;
import dev.tandem.lab.spec.LabSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The plan of a pair in a lab, as an administrator would write it. */
final class PairPlan {
    private PairPlan() {}

    /**
     * Everything but what Kubernetes needs.
     *
     * @param bmcOff how long BMCs take to switch off; left out where nobody knows
     */
    static String of(LabLayout layout, String profile, Optional<Duration> bmcOff) {
        StringBuilder plan =
                new StringBuilder(
                        """
                        apiVersion: tandem.dev/v1
                        kind: ClusterPlan
                        name: lab
                        profile: %s
                        """
                                .formatted(profile));
        bmcOff.ifPresent(time -> plan.append("bmcOff: %dms%n".formatted(time.toMillis())));
        plan.append("nodes:\n");
        for (LabLayout.NodePlan node : layout.nodes()) {
            plan.append(
                    """
                      - name: %s
                        addresses: [%s]
                        bmc:
                    """
                            .formatted(
                                    node.name(),
                                    addresses(node).stream()
                                            .map(address -> '"' + address + '"')
                                            .collect(Collectors.joining(", "))));
            LabSpec.BmcProtocol bmc = layout.spec().bmc();
            if (bmc != LabSpec.BmcProtocol.IPMI) {
                plan.append(redfish(node));
            }
            plan.append(
                    switch (bmc) {
                        case REDFISH -> "";
                        case IPMI -> ipmi(node).indent(6);
                        case BOTH -> "      second:\n" + ipmi(node).indent(8);
                    });
        }
        return plan.toString();
    }

    private static String redfish(LabLayout.NodePlan node) {
        return """
              address: redfish+https://%s/redfish/v1/Systems/1
              username: admin
              passwordFile: %s.password
              certificate: {caFile: bmc-ca.pem}
        """
                .formatted(node.bmcAddress().inUrl(), node.name());
    }

    /** The lab's simulator has no suite with SHA-256. */
    private static String ipmi(LabLayout.NodePlan node) {
        return """
        address: ipmi://%s?cipherSuite=3
        username: %s
        passwordFile: %s.ipmi-password
        """
                .formatted(node.bmcAddress().inUrl(), LabBmc.IPMI_USER, node.name());
    }

    static List<String> addresses(LabLayout.NodePlan node) {
        return node.planAddresses().stream().map(LabLayout.Address::ip).toList();
    }
}
