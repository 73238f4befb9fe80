package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tells where the kubeconfig of a lab lies. */
@Command(
        name = "kubeconfig",
        header = "Print the path of the kubeconfig of a lab's Kubernetes.",
        footerHeading = "%nExamples:%n",
        footer = "  export KUBECONFIG=$(tandem lab kubeconfig)")
final class LabKubeconfigCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();

    LabKubeconfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        terminal.out().println(LabKubectlCommand.kubernetes(name).kubeconfig());
        return ExitCode.FINE;
    }
}
