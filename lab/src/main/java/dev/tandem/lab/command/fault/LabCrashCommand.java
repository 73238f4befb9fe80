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
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Kills a node. */
@Command(
        name = "crash",
        header = "Crash a node at once.",
        description = {
            "power: the power fails for a moment; the node is off and can be switched on again.",
            "plug: the plug is out until 'tandem lab heal' puts it back.",
            "panic: the kernel stops; the BMC still reads On, and only a power cut helps.",
            "What was not synced to /var/lib/etcd, /var/lib/tandem and /etc/tandem is lost with the"
                    + " power, as on hardware."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab crash node-1", "  tandem lab crash node-0 --how panic"})
public final class LabCrashCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Which node.")
    private String node = "";

    @Option(
            names = "--how",
            defaultValue = "power",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private LabRequest.CrashKind how = LabRequest.CrashKind.POWER;

    @Mixin private KeepCache cache = new KeepCache();

    public LabCrashCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        name.client(node).ask(new LabRequest.Crash(node, how, cache.kept()));
        new Done(text(node, how)).print(output, terminal);
        return ExitCode.FINE;
    }

    static String text(String node, LabRequest.CrashKind how) {
        return switch (how) {
            case POWER -> "the power of " + node + " failed; it is off";
            case PLUG -> "the plug of " + node + " is out, until: tandem lab heal";
            case PANIC -> "the kernel of " + node + " stopped; only a power cut helps";
        };
    }
}
