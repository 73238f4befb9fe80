package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.Leftovers;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.linux.Programs;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Cleans up after labs whose daemon died. */
@Command(
        name = "gc",
        header = "Clean up after labs whose daemon died.",
        description = "Running labs are not touched.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab gc", "  tandem lab gc --dry-run"})
final class LabGcCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--dry-run", description = "Only list the labs that were left behind.")
    private boolean dryRun;

    LabGcCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        HostPackages.requireRoot();
        boolean found = false;
        for (LabFiles lab : LabFiles.all(LabPaths.ofHost())) {
            if (lab.alive()) {
                continue;
            }
            found = true;
            if (dryRun) {
                terminal.out().println("would remove lab " + lab.name());
            } else {
                List<String> removed = new Leftovers(Programs.ofHost()).remove(lab);
                terminal.out()
                        .println("removed lab " + lab.name() + ": " + String.join(", ", removed));
            }
        }
        if (!found) {
            terminal.out().println("nothing was left behind");
        }
        return ExitCode.FINE;
    }
}
