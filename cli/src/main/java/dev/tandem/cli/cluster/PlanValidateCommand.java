package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.PlanSecrets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
                + " files exist.",
            "Whether the BMCs answer is asked from a node: tandem fencing check --plan PLAN.yaml"
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

    /** What is wrong, why, and what to do. */
    record Fault(String what, String cause, String fix) {
        static Fault of(Failure failure) {
            return new Fault(failure.what(), failure.why(), failure.remedy());
        }

        private String text() {
            return "%s%n  cause: %s%n  fix: %s%n".formatted(what, cause, fix);
        }
    }

    /** The answer. */
    record Verdict(String plan, boolean good, List<Fault> faults) {
        static Verdict of(Path file, List<Failure> failures) {
            return new Verdict(
                    file.toString(), failures.isEmpty(), failures.stream().map(Fault::of).toList());
        }

        String text() {
            return good
                    ? plan + " is good, and the files that it names are there.\n"
                    : faults.stream().map(Fault::text).collect(Collectors.joining());
        }
    }

    @Override
    public Integer call() {
        Verdict verdict =
                Verdict.of(
                        plan,
                        switch (ClusterPlan.examine(plan)) {
                            case ClusterPlan.Reading.Good(ClusterPlan good) ->
                                    PlanSecrets.faults(good);
                            case ClusterPlan.Reading.Bad(Failure failure) -> List.of(failure);
                        });
        output.print(terminal, "PlanVerdict", verdict, Verdict::text);
        return verdict.good() ? ExitCode.FINE : ExitCode.FINDING;
    }
}
