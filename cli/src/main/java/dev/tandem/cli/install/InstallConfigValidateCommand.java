package dev.tandem.cli.install;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.install.CredentialCheck.Report;
import dev.tandem.install.rules.InstallConfigCheck;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells everything about a file at once. */
@Command(
        name = "validate",
        header = "Report what is wrong with an install-config of OpenShift.",
        description =
                "All findings in one run, each with its place, its cause and its fix. In a file"
                        + " that is not valid YAML only the first error is reported. With"
                        + " --check-bmcs, the BMCs are asked only when the file has no errors.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem install-config validate site.yaml --method agent",
            "  tandem install-config validate site.yaml --method agent --check-bmcs",
            "  tandem install-config validate site.yaml --method agent --release 4.22"
        })
final class InstallConfigValidateCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private ConfigFile file = new ConfigFile();
    @Mixin private Output output = new Output();

    @Option(
            names = "--check-bmcs",
            description =
                    "Also log in to each BMC and check which machine it controls. No power is"
                            + " switched.")
    private boolean checkBmcs;

    InstallConfigValidateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        InstallConfigCheck.Result result = file.check();
        List<Report> bmcs = checkBmcs && result.good() ? askBmcs(result) : List.of();
        Verdict verdict = Verdict.of(file, result, bmcs);
        output.print(terminal, "InstallConfigVerdict", verdict, Verdict::asText);
        return verdict.good() ? ExitCode.FINE : ExitCode.FINDING;
    }

    private List<Report> askBmcs(InstallConfigCheck.Result result) {
        List<CredentialCheck.Question> questions =
                CredentialCheck.Question.of(result.config().orElseThrow());
        try (Progress progress = new Progress(terminal)) {
            progress.step("logging in to %d BMCs".formatted(questions.size()));
            return CredentialCheck.all(questions, CredentialCheck.LIMIT);
        }
    }
}
