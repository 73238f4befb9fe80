package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pacemaker.fenceagent.FenceAgents;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.PlanFinding;
import dev.tandem.host.plan.PlanSecrets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Checks a plan where it was written, before it goes to the nodes. */
@Command(
        name = "validate",
        header = "Report what is wrong with a plan and with the files that it names.",
        description = {
            "Needs no node, no root and no network. Reports the errors of all fields in one run,"
                + " each with its line. Rules between fields are checked once every field is valid;"
                + " in a file that is not valid YAML, only the first error is reported. If the plan"
                + " is valid, the command also checks that the token, the BMC passwords and the CA"
                + " files exist. Where a further fence agent is installed, its parameters are"
                + " compared with what the agent says of itself (-o metadata).",
            "Whether the BMCs answer is asked from a node:",
            "  tandem fencing check --plan PLAN.yaml"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tandem cluster plan validate PLAN.yaml"})
final class PlanValidateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "PLAN.yaml", description = "The plan of the pair.")
    private Path plan;

    @Mixin private Output output = new Output();

    PlanValidateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /**
     * What is wrong, why, and what to do.
     *
     * @param line of the plan, and the field there; none for a fault of another file
     */
    record Fault(String what, String cause, String fix, OptionalInt line, Optional<String> field) {
        static Fault of(Failure failure) {
            return new Fault(
                    failure.what(),
                    failure.why(),
                    failure.remedy(),
                    OptionalInt.empty(),
                    Optional.empty());
        }

        static Fault of(Failure failure, PlanFinding finding) {
            return new Fault(
                    failure.what(),
                    finding.what(),
                    failure.remedy(),
                    OptionalInt.of(finding.line()),
                    Optional.of(finding.field()).filter(field -> !field.isEmpty()));
        }
    }

    /** The answer: each fault by itself for programs. */
    record Verdict(String plan, boolean good, List<Fault> faults) {
        static Verdict of(Path file, List<Fault> faults) {
            return new Verdict(file.toString(), faults.isEmpty(), faults);
        }
    }

    private static String text(Path plan, List<Failure> failures) {
        return failures.isEmpty()
                ? plan + " is valid, and the files that it names exist.\n"
                : failures.stream()
                        .map(failure ->
                                "%s%n  cause: %s%n  fix: %s%n"
                                        .formatted(failure.what(), failure.why(), failure.remedy()))
                        .collect(Collectors.joining());
    }

    @Override
    public Integer call() {
        return switch (ClusterPlan.examine(plan)) {
            case ClusterPlan.Reading.Good(ClusterPlan good) -> {
                FenceAgents.Findings agents = new FenceAgents(new SystemCommands()).check(good);
                agents.notInstalled()
                        .forEach(missing ->
                                terminal.err()
                                        .printf(
                                                "Not checked: %s%n  fix: %s%n",
                                                missing.what(), missing.remedy()));
                List<Failure> failures =
                        Stream.concat(PlanSecrets.faults(good).stream(), agents.faults().stream())
                                .toList();
                yield answer(failures, failures.stream().map(Fault::of).toList());
            }
            case ClusterPlan.Reading.Bad(Failure failure, List<PlanFinding> findings) ->
                    answer(
                            List.of(failure),
                            findings.isEmpty()
                                    ? List.of(Fault.of(failure))
                                    : findings.stream()
                                            .map(finding -> Fault.of(failure, finding))
                                            .toList());
        };
    }

    /** People read what a plan lacks as one text with one remedy. */
    private int answer(List<Failure> failures, List<Fault> faults) {
        output.print(terminal, "PlanVerdict", Verdict.of(plan, faults), _ -> text(plan, failures));
        return failures.isEmpty() ? ExitCode.FINE : ExitCode.FINDING;
    }
}
