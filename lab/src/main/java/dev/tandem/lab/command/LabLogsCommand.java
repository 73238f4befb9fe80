package dev.tandem.lab.command;

import dev.tandem.lab.daemon.LabNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a node's journal. */
@Command(
        name = "logs",
        header = "Show the journal of a node, over all its boots.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab logs node-0 -f", "  tandem lab logs node-1 -u pacemaker"})
final class LabLogsCommand implements Callable<Integer> {
    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Option(
            names = {"-f", "--follow"},
            description = "Follow: keep printing new entries.")
    private boolean follow;

    @Option(
            names = {"-u", "--unit"},
            paramLabel = "UNIT",
            description = "Only this unit.")
    private @Nullable String unit;

    @Override
    public Integer call() throws Exception {
        List<String> command = new ArrayList<>(List.of("journalctl", "--no-pager"));
        if (follow) {
            command.add("--follow");
        }
        if (unit != null) {
            command.add("--unit=" + unit);
        }
        return new ProcessBuilder(
                        LabNode.enter(LabShellCommand.leader(name.client(node), node), command))
                .inheritIO()
                .start()
                .waitFor();
    }
}
