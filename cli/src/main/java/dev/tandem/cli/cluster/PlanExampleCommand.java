package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.plan.PlanExample;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints a plan to begin with. */
@Command(
        name = "example",
        header = "Print a commented plan with every field.",
        description =
                "Each comment says what the field means, which values it takes and its default."
                        + " Optional fields are commented out with #.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster plan example > plan.yaml",
            "  tandem cluster plan example | grep -v '^ *#'    the short form"
        })
final class PlanExampleCommand implements Callable<Integer> {
    private final Terminal terminal;

    PlanExampleCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().print(PlanExample.yaml());
        return ExitCode.FINE;
    }
}
