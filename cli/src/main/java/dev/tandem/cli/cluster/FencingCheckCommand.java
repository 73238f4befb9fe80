package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pacemaker.BmcPreflight;
import dev.tandem.host.pacemaker.ClusterPlan;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeIdentities;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Asks the BMCs what they would be asked in an emergency, short of switching anything. */
@Command(
        name = "check",
        header = "Ask each BMC now: login, rights, power state, and whose it is.",
        description =
                "Runs on a node. Nothing is switched. Exits with 1 when a BMC could not fence its"
                        + " node.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem fencing check",
            "  tandem fencing check --plan PLAN.yaml    a plan that is not applied yet",
            "  tandem fencing check -o json"
        })
final class FencingCheckCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--plan",
            paramLabel = "PLAN.yaml",
            description = "Whose BMCs (default: those of the plan that was applied).")
    private Path plan = ClusterPlan.INSTALLED;

    @Mixin private Output output = new Output();

    FencingCheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** What a BMC has proven, or why it could not fence its node and what to do. */
    record Checked(
            String node,
            boolean fit,
            Optional<BmcPreflight.Proof> proof,
            Optional<String> what,
            Optional<String> why,
            Optional<String> remedy) {

        static Checked of(BmcPreflight.Proof proof) {
            return new Checked(
                    proof.node(),
                    true,
                    Optional.of(proof),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        static Checked of(String node, Failure failure) {
            return new Checked(
                    node,
                    false,
                    Optional.empty(),
                    Optional.of(failure.what()),
                    Optional.of(failure.why()),
                    Optional.of(failure.remedy()));
        }

        private String text() {
            return proof.map(fine -> "  " + FencingText.of(fine) + "\n")
                    .orElseGet(() ->
                            "  %s%n    because: %s%n    do: %s%n"
                                    .formatted(what.orElse(""), why.orElse(""), remedy.orElse("")));
        }
    }

    /** The answer. */
    record Fencing(boolean fit, List<Checked> bmcs) {
        String text() {
            return (fit
                            ? "Each node can be switched off by its BMC.\n"
                            : "Not every node can be switched off by its BMC.\n")
                    + bmcs.stream().map(Checked::text).collect(Collectors.joining());
        }
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        ClusterPlan wanted = ClusterPlan.read(plan);
        NodeIdentities identities = new NodeIdentities(new NodeAttributes(new SystemCommands()));
        List<Checked> bmcs = new ArrayList<>();
        try (Progress progress = new Progress(terminal)) {
            for (ClusterPlan.Node node : wanted.nodes()) {
                progress.step("Asking the BMC of " + node.name());
                bmcs.add(check(node, identities));
            }
        }
        Fencing answer = new Fencing(bmcs.stream().allMatch(Checked::fit), bmcs);
        output.print(terminal, "FencingCheck", answer, Fencing::text);
        return answer.fit() ? ExitCode.FINE : ExitCode.FINDING;
    }

    private static Checked check(ClusterPlan.Node node, NodeIdentities identities) {
        try {
            return Checked.of(BmcPreflight.check(node, identities.of(node, ThisNode.name())));
        } catch (Failure e) {
            return Checked.of(node.name(), e);
        }
    }
}
