package dev.tandem.cli.cluster;

import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pacemaker.setup.ClusterApply;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** This node's own part of a plan. */
@Command(
        name = "prepare",
        header = "Make this node ready for its plan: files, token, agent.",
        description = {
            "First checks that this node has all that the plan needs: token, BMC passwords,"
                + " certificates, kubelet where the plan runs it. Then writes the plan and its"
                + " secrets below /etc/tandem, removes the one-node example cluster that Debian's"
                + " corosync package comes with, makes pcsd accept the plan's token, and starts"
                + " tandem-agent.",
            "Run it on both nodes, in any order: it needs nothing of the other node. After that run"
                    + " 'tandem cluster apply' on one of the two, no matter which: it makes the two"
                    + " into a cluster."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster prepare PLAN.yaml --dry-run    every step, and what is missing",
            "  tandem cluster prepare PLAN.yaml --yes"
        })
final class ClusterPrepareCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "PLAN.yaml", description = "The plan of the pair.")
    private Path plan;

    @Mixin private Consent consent = new Consent();

    ClusterPrepareCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        ClusterPlan wanted = ClusterPlan.readNew(plan);
        Progress progress = new Progress(terminal);
        try {
            ClusterApply apply =
                    new ClusterApply(wanted, ThisNode.name(), new SystemCommands(), progress::step);
            apply.requireReady();
            if (apply.isPrepared()) {
                if (!consent.dryRun()) {
                    // What cannot be seen, such as a token that pcsd has forgotten, is done again.
                    var _ = apply.prepare();
                }
                progress.close();
                terminal.out().println(ThisNode.name() + " is prepared; nothing to do");
                return ExitCode.FINE;
            }
            if (consent.dryRun()) {
                terminal.out()
                        .println(
                                ThisNode.name()
                                        + " has everything that the plan needs. These steps would"
                                        + " be taken:");
                apply.stepsToPrepare().forEach(step -> terminal.out().println("  " + step));
                return ExitCode.FINE;
            }
            apply.stepsToPrepare().forEach(step -> terminal.err().println("  " + step));
            if (!consent.given(
                    terminal,
                    "This node, "
                            + ThisNode.name()
                            + ", will become part of the pair "
                            + wanted.name()
                            + ".")) {
                terminal.err().println("Nothing was changed.");
                return ExitCode.FINDING;
            }
            List<Change> changes = apply.prepare();
            progress.close();
            print(changes);
            return ExitCode.FINE;
        } finally {
            progress.abandon();
        }
    }

    private void print(List<Change> changes) {
        if (changes.isEmpty()) {
            terminal.out().println("This node has everything the plan asks for.");
        }
        changes.forEach(terminal.out()::println);
    }
}
