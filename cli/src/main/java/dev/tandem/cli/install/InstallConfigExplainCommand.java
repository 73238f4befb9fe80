package dev.tandem.cli.install;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.install.config.Explanation;
import dev.tandem.install.rules.InstallConfigCheck;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells what a file makes. */
@Command(
        name = "explain",
        header = "Describe the cluster that an install-config makes.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem install-config explain site.yaml --method agent"})
final class InstallConfigExplainCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private ConfigFile file = new ConfigFile();
    @Mixin private Output output = new Output();

    InstallConfigExplainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        InstallConfigCheck.Result result = file.check();
        if (!result.good()) {
            Verdict verdict = Verdict.of(file, result, List.of());
            output.print(terminal, "InstallConfigVerdict", verdict, Verdict::asText);
            return ExitCode.FINDING;
        }
        output.print(
                terminal,
                "Explanation",
                Explanation.of(result.config().orElseThrow(), file.method()),
                InstallConfigExplainCommand::asText);
        return ExitCode.FINE;
    }

    private static String asText(Explanation explanation) {
        StringBuilder text = new StringBuilder(explanation.summary()).append("\n\n");
        explanation.sentences().forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }
}
