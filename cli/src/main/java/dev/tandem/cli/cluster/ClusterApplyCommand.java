package dev.tandem.cli.cluster;

import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.pacemaker.setup.ClusterApply;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a pair as its plan says. */
@Command(
        name = "apply",
        header = "Set the pair up as the plan says, changing only what differs.",
        description = {
            "Runs on a node of the plan. Compares Corosync, Pacemaker, fencing and this node's"
                + " files with the plan, shows what differs, asks, changes it and reads it back."
                + " Before fencing is configured each BMC has to prove its login, its privileges,"
                + " its power state and that it controls its own node.",
            "Running it again changes nothing. A plan that would take a node out of the cluster is"
                    + " refused."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster apply PLAN.yaml --dry-run    what would change",
            "  tandem cluster apply PLAN.yaml --yes"
        })
final class ClusterApplyCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "PLAN.yaml", description = "The plan of the pair.")
    private Path plan;

    @Mixin private Consent consent = new Consent();
    @Mixin private Output output = new Output();

    ClusterApplyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Applied(
            String cluster,
            boolean changed,
            boolean dryRun,
            List<Change> changes,
            List<BmcPreflight.Proof> fencing) {

        String asText() {
            String differences =
                    changes.stream()
                            .map(change -> "  " + change + "\n")
                            .collect(Collectors.joining());
            String proofs =
                    fencing.stream()
                            .map(proof -> "  " + FencingText.of(proof) + "\n")
                            .collect(Collectors.joining());
            String first;
            if (changes.isEmpty()) {
                first = "The pair " + cluster + " is as planned; nothing was changed.\n";
            } else if (dryRun) {
                first = "The pair " + cluster + " would change:\n";
            } else {
                first = "The pair " + cluster + " is as planned now. Changed:\n";
            }
            return first + differences + "Fencing:\n" + proofs;
        }
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        ClusterPlan wanted = ClusterPlan.readNew(plan);
        Progress progress = new Progress(terminal);
        ClusterApply apply;
        List<Change> difference;
        List<BmcPreflight.Proof> fencing;
        try {
            apply = new ClusterApply(wanted, ThisNode.name(), new SystemCommands(), progress::step);
            apply.requireReady();
            progress.step("Comparing the pair with the plan");
            difference = apply.difference();
            progress.step("Asking the BMCs");
            fencing = apply.checkBmcs();
            boolean proven = fencing.stream().allMatch(proof -> proof.identity().isPresent());
            if (consent.dryRun() || (difference.isEmpty() && proven)) {
                progress.close();
                output.print(
                        terminal,
                        "ClusterApplied",
                        new Applied(wanted.name(), false, consent.dryRun(), difference, fencing),
                        Applied::asText);
                return ExitCode.FINE;
            }
        } catch (RuntimeException e) {
            progress.abandon();
            throw e;
        }
        progress.close();
        difference.forEach(change -> terminal.err().println("  " + change));
        if (!consent.given(terminal, "The pair " + wanted.name() + " will be changed as shown.")) {
            terminal.err().println("Nothing was changed.");
            return ExitCode.FINDING;
        }
        Progress doing = new Progress(terminal);
        ClusterApply.Outcome outcome;
        try {
            outcome =
                    new ClusterApply(wanted, ThisNode.name(), new SystemCommands(), doing::step)
                            .apply();
        } catch (RuntimeException e) {
            doing.abandon();
            throw e;
        }
        doing.close();
        // Each node keeps the plan and its secrets for itself; from here only this one's were
        // written.
        if (outcome.filesChanged()) {
            terminal.err()
                    .println(
                            "On "
                                    + wanted.peerOf(ThisNode.name()).name()
                                    + ", if not done yet with this plan: tandem cluster prepare "
                                    + plan);
        }
        output.print(
                terminal,
                "ClusterApplied",
                new Applied(
                        wanted.name(),
                        !outcome.changes().isEmpty(),
                        false,
                        outcome.changes(),
                        outcome.fencing()),
                Applied::asText);
        return ExitCode.FINE;
    }
}
