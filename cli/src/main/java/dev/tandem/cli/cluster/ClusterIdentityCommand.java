package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeHardware;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.pacemaker.NodeAttributes;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells which machine this is. */
@Command(
        name = "identity",
        header =
                "Print the identity of this machine (UUID, serial, MACs), which its BMC must report"
                        + " too.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster identity              in the form a plan takes",
            "  tandem cluster identity --publish    tell the peer, as tandem-agent does"
        })
final class ClusterIdentityCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--publish",
            description = "Publish it in the cluster; it is kept there until this node leaves.")
    private boolean publish;

    @Mixin private Output output = new Output();

    ClusterIdentityCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Identity(
            String node, Optional<String> systemUuid, Optional<String> serial, List<String> macs) {
        static Identity of(String node, HardwareIdentity hardware) {
            return new Identity(
                    node,
                    hardware.uuid().map(UUID::toString),
                    hardware.serial(),
                    hardware.macs().stream().sorted().toList());
        }

        String asText() {
            return "identity:"
                    + systemUuid.map(uuid -> "\n  systemUuid: '" + uuid + "'").orElse("")
                    + serial.map(text -> "\n  serial: '" + text.replace("'", "''") + "'").orElse("")
                    + (macs.isEmpty() ? "" : "\n  macs: ['" + String.join("', '", macs) + "']");
        }
    }

    @Override
    public Integer call() {
        HardwareIdentity hardware = new NodeHardware().read();
        if (publish) {
            new NodeIdentities(new NodeAttributes(new SystemCommands()))
                    .publish(ThisNode.name(), hardware);
        }
        output.print(
                terminal, "NodeIdentity", Identity.of(ThisNode.name(), hardware), Identity::asText);
        return ExitCode.FINE;
    }
}
