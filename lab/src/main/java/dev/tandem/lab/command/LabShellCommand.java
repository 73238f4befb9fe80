package dev.tandem.lab.command;

import dev.tandem.core.Failure;
import dev.tandem.lab.LabClient;
import dev.tandem.lab.daemon.LabNode;
import dev.tandem.lab.spec.LabStatus;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs something in a node. */
@Command(
        name = "shell",
        header = "Open a root shell on a node, or run one command there.",
        description = "With a command, exits as that command did.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab shell node-0", "  tandem lab shell node-1 -- pcs status --full"})
final class LabShellCommand implements Callable<Integer> {
    @Mixin private LabName name = new LabName();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1..*", paramLabel = "CMD", description = "What to run there.")
    private List<String> command = List.of();

    @Override
    public Integer call() throws Exception {
        List<String> inside = command.isEmpty() ? List.of("/bin/bash", "--login") : command;
        return new ProcessBuilder(LabNode.enter(leader(name.client(node), node), inside))
                .inheritIO()
                .start()
                .waitFor();
    }

    static long leader(LabClient client, String node) {
        LabStatus.Node found =
                client.status().nodes().stream()
                        .filter(one -> one.name().equals(node))
                        .findFirst()
                        .orElseThrow(() ->
                                new Failure(
                                        "unknown node: " + node,
                                        "lab " + client.files().name() + " has none of that name",
                                        client.files()
                                                .named("see which it has: tandem lab status")));
        Long leader = found.leader();
        if (leader == null) {
            throw new Failure(
                    "cannot enter " + node,
                    "it is switched off",
                    client.files().named("switch it on: tandem lab power " + node + " on"));
        }
        return leader;
    }
}
