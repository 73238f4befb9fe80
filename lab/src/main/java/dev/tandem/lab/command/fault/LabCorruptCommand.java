package dev.tandem.lab.command.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Damages a file. */
@Command(
        name = "corrupt",
        header = "Flip bytes of a file in a node, whether the node is on or off.",
        description =
                "A power cut in the lab loses what was not synced, but tears nothing: for torn"
                        + " writes, use this.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab corrupt node-0 /var/lib/etcd/current/member/snap/db",
            "  tandem lab corrupt node-0 /etc/corosync/corosync.conf --offset 0 --length 1"
        })
public final class LabCorruptCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "FILE", description = "Absolute path in the node.")
    private String file = "";

    @Option(names = "--offset", defaultValue = "-1", description = "Where (default: the middle).")
    private long offset;

    @Option(
            names = "--length",
            defaultValue = "16",
            description = "How many bytes (default: ${DEFAULT-VALUE}).")
    private int length;

    public LabCorruptCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        JsonNode done = name.client(node).ask(new LabRequest.Corrupt(node, file, offset, length));
        terminal.out()
                .println(
                        "flipped %s bytes at %s of %s on %s"
                                .formatted(
                                        done.path("length").asText(),
                                        done.path("offset").asText(),
                                        file,
                                        node));
        return ExitCode.FINE;
    }
}
