package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.LabClient;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.NetworkFault;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cuts networks. */
@Command(
        name = "split",
        header = "Cut a network between nodes; without options, the whole cluster network.",
        description = {
            "The switch drops what it should forward; links stay up, as with a broken switch.",
            "A BMC is named NODE-bmc. Lasts until it is ended: tandem lab heal"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab split",
            "  tandem lab split --network fence0 --from node-0",
            "  tandem lab split --network fence0 --from node-0 --to node-1-bmc",
            "  tandem lab split --from node-0 --to node-1 --one-way --port udp/5405"
        })
public final class LabSplitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Option(
            names = "--network",
            paramLabel = "NET",
            description =
                    "cluster0, cluster1 or fence0; repeat for several (default: all cluster*).")
    private List<String> networks = List.of();

    @Option(names = "--from", paramLabel = "NODE", description = "Only what this node sends.")
    private String from = NetworkFault.ANYBODY;

    @Option(names = "--to", paramLabel = "NODE", description = "Only what goes to this node.")
    private String to = NetworkFault.ANYBODY;

    @Option(names = "--one-way", description = "Keep the opposite direction open.")
    private boolean oneWay;

    @Option(
            names = "--port",
            paramLabel = "PROTO/N",
            description = "Only this port, such as udp/5405; repeat for several.")
    private List<String> ports = List.of();

    public LabSplitCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<NetworkFault.Port> parsed =
                LabName.typed(() -> ports.stream().map(NetworkFault.Port::parse).toList());
        LabClient client = name.client();
        List<String> chosen = networks.isEmpty() ? client.clusterNetworks() : networks;
        for (String network : chosen) {
            client.ask(
                    new LabRequest.Inject(
                            new NetworkFault.Cut(network, from, to, !oneWay, parsed)));
        }
        new Done("cut " + String.join(", ", chosen) + ", until: tandem lab heal")
                .print(output, terminal);
        return ExitCode.FINE;
    }
}
