package dev.tandem.host.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Plans of the pair that was recorded. */
public final class TestPlans {
    public static final String PAIR =
            """
            apiVersion: tandem.dev/v1
            kind: ClusterPlan
            name: site-17
            profile: default
            nodes:
              - name: node-0
                addresses: [10.90.0.10, 10.91.0.10]
                bmc:
                  address: redfish+https://10.92.0.100/redfish/v1/Systems/1
                  username: fencer
                  passwordFile: node-0.password
                  certificate: unverified
              - name: node-1
                addresses: [10.90.0.11, 10.91.0.11]
                bmc:
                  address: redfish+https://10.92.0.101/redfish/v1/Systems/1
                  username: fencer
                  passwordFile: node-1.password
                  certificate: unverified
                identity: {macs: ['0E-F2-FD-5D-0F-4C'], serial: "it's 7"}
            """;

    /** The same with BMCs that speak IPMI, one of them without SHA-256. */
    public static final String IPMI_PAIR =
            PAIR.replace("      certificate: unverified\n", "")
                    .replace(
                            "redfish+https://10.92.0.100/redfish/v1/Systems/1",
                            "ipmi://10.92.0.100?cipherSuite=3")
                    .replace(
                            "redfish+https://10.92.0.101/redfish/v1/Systems/1",
                            "ipmi://10.92.0.101:6230");

    /** The same with IPMI beside Redfish on both nodes. */
    public static final String REDFISH_AND_IPMI_PAIR =
            PAIR.replaceAll(
                    "(?m)^      passwordFile: (node-.)\\.password$",
                    "      passwordFile: $1.password\n"
                            + "      second: {address: 'ipmi://$1.example', username: operator,"
                            + " passwordFile: $1.ipmi}");

    /** The same with an outlet of one PDU as a further level of each node. */
    public static final String FURTHER_PAIR =
            PAIR.replaceAll(
                    "(?m)^      passwordFile: (node-.)\\.password$",
                    """
                          passwordFile: $1.password
                          further:
                            - agent: fence_apc_snmp
                              parameters: {ip: 198.51.100.20, plug: $1}
                              passwordFile: $1.pdu
                              provesOff: true\
                    """);

    private TestPlans() {}

    public static ClusterPlan read(Path directory, String yaml) {
        try {
            Path file = directory.resolve("PLAN.yaml");
            Files.writeString(file, yaml);
            return ClusterPlan.readNew(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
