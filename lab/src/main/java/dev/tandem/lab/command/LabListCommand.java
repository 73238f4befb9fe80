package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists labs. */
@Command(
        name = "list",
        header = "List the labs of this host.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab list", "  tandem lab list -o json"})
final class LabListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private Output output = new Output();

    LabListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** One lab. */
    record Listed(String name, String state, List<String> nodes) {}

    @Override
    public Integer call() throws IOException {
        HostPackages.requireRoot();
        List<Listed> labs = new ArrayList<>();
        for (LabFiles lab : LabFiles.all(LabPaths.ofHost())) {
            labs.add(
                    new Listed(
                            lab.name(),
                            lab.alive() ? "running" : "left behind, see tandem lab gc",
                            lab.ledger()
                                    .map(ledger -> ledger.spec().nodeNames())
                                    .orElse(List.of())));
        }
        output.print(terminal, "LabList", labs, LabListCommand::text);
        return ExitCode.FINE;
    }

    private static String text(List<Listed> labs) {
        return labs.isEmpty()
                ? "no labs on this host"
                : labs.stream()
                        .map(lab ->
                                "%-16s %s (%s)"
                                        .formatted(
                                                lab.name(),
                                                lab.state(),
                                                String.join(", ", lab.nodes())))
                        .collect(Collectors.joining("\n"));
    }
}
