package dev.tandem.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The pair as a whole. */
@Command(
        name = "cluster",
        header = "Set up a pair of nodes, and keep it as its plan says.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ClusterApplyCommand.class,
            ClusterPrepareCommand.class,
            ClusterKubernetesCommand.class,
            ClusterRolesCommand.class,
            ClusterTokenCommand.class,
            ClusterIdentityCommand.class
        },
        footerHeading = "%nA plan:%n",
        footer = {
            "  name: site-17",
            "  profile: default                  # or fast, tolerant, {token: 800ms, consensus:"
                    + " 1s}",
            "  nodes:                            # the first survives when both live and only one"
                    + " may",
            "    - name: node-0",
            "      addresses: [192.0.2.10, 198.51.100.10]         # one per link, 1 to 8",
            "      bmc:",
            "        address: redfish+https://192.0.2.110/redfish/v1/Systems/1",
            "        username: fencer",
            "        passwordFile: node-0.password                # 0600, beside the plan",
            "        certificate: sha256:FINGERPRINT              # or system, {caFile: F},"
                    + " unverified",
            "    - name: node-1",
            "      ...",
            "  kubelet: false                    # true once Kubernetes is there",
            "  bmcOff: 3s                        # what the slowest BMC takes to cut the power",
            "  loneStart: confirmed              # or bmc-off: a node that boots alone, and served"
                    + " last, starts",
            "                                    # when the peer's BMC has read Off for 30 s",
            "  api: {address: 192.0.2.100}       # follows the serving node; prefix and interface"
                    + " if needed",
            "",
            "Both nodes get the plan with its files: 'tandem cluster prepare PLAN.yaml' on one,",
            "then 'tandem cluster apply PLAN.yaml' on the other."
        })
final class ClusterCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
