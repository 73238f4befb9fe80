package dev.tandem.cli.cluster;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.Secrets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Makes the secret by which the nodes of a pair obey each other. */
@Command(
        name = "token",
        header = "Print a new random token for pcsd.",
        description =
                "Both nodes need the same token beside their plan (pcsdTokenFile, pcsd-token by"
                    + " default). Whoever has it controls the cluster: keep it in a file that only"
                    + " root can read.",
        footerHeading = "%nExamples:%n",
        footer = {"  (umask 077; tandem cluster token > pcsd-token)"})
final class ClusterTokenCommand implements Callable<Integer> {
    private final Terminal terminal;

    ClusterTokenCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().println(Secrets.newToken());
        return ExitCode.FINE;
    }
}
