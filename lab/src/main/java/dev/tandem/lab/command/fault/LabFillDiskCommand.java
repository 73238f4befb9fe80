package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fills a disk. */
@Command(
        name = "fill-disk",
        header = "Fill the file system of etcd's or of Tandem's directory in a node.",
        description = "Lasts until it is ended: tandem lab heal",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab fill-disk node-0",
            "  tandem lab fill-disk node-0 --leave 20",
            "  tandem lab fill-disk node-0 --disk tandem"
        })
public final class LabFillDiskCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Option(
            names = "--leave",
            paramLabel = "MIB",
            defaultValue = "0",
            description = "MiB that stay free (default: ${DEFAULT-VALUE}).")
    private int leave;

    @Option(
            names = "--disk",
            paramLabel = "DISK",
            defaultValue = "etcd",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private LabRequest.Disk disk = LabRequest.Disk.ETCD;

    public LabFillDiskCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (leave < 0) {
            throw new UsageException(
                    "'" + leave + "' is not a valid value of --leave",
                    "it is how many MiB stay free, at least 0",
                    "for example: tandem lab fill-disk node-0 --leave 20");
        }
        name.client(node).ask(new LabRequest.FillDisk(node, disk, leave));
        new Done(
                        "the %s disk of %s is full but for %d MiB, until: tandem lab heal"
                                .formatted(disk.toString().toLowerCase(Locale.ROOT), node, leave))
                .print(output, terminal);
        return ExitCode.FINE;
    }
}
