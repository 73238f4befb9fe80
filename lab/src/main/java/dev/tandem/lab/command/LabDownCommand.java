package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.LabStarter;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabPaths;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends a lab. */
@Command(
        name = "down",
        header = "End a lab and remove its nodes and networks.",
        description = "The timeline is kept until the next lab of that name ends.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab down", "  tandem lab down --name two"})
final class LabDownCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();

    LabDownCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        try (ConsoleProgressListener steps = new ConsoleProgressListener(terminal)) {
            boolean was =
                    new LabStarter(LabPaths.ofHost(), Programs.ofHost()).down(name.value(), steps);
            steps.done();
            if (!was) {
                terminal.out()
                        .println("lab " + name.value() + " is not running here; nothing to do");
            }
            return ExitCode.FINE;
        }
    }
}
