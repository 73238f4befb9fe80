package dev.tandem.lab.command.fault;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.command.KeepCache;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Presses the buttons. */
@Command(
        name = "power",
        header = "Switch a node on or off through its BMC.",
        description =
                "off and cycle cut the power, and what was not synced is lost; shutdown presses the"
                        + " power button and lets the system end.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab power node-0 status", "  tandem lab power node-1 cycle"})
public final class LabPowerCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();
    @Mixin private KeepCache cache = new KeepCache();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Parameters(index = "1", paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}")
    private LabRequest.PowerAction action = LabRequest.PowerAction.STATUS;

    public LabPowerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Power(String node, String power) {}

    @Override
    public Integer call() {
        Power answer =
                name.client(node)
                        .ask(new LabRequest.Power(node, action, cache.kept()), Power.class);
        output.print(terminal, "LabPower", answer, power -> power.node() + " is " + power.power());
        return ExitCode.FINE;
    }
}
