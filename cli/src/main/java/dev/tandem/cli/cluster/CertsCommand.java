package dev.tandem.cli.cluster;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Keys and certificates of a site. */
@Command(
        name = "certs",
        header = "Create the site's certificate authority (CA) and the nodes' certificates.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            CertsCreateCommand.class,
            CertsIssueCommand.class,
            CertsInstallCommand.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem certs create --dir site             the CA; its key stays here",
            "  tandem certs issue PLAN.yaml --dir site    a directory of keys for each node",
            "  scp -rp site/node-1 root@node-1:           over a connection you trust",
            "  tandem certs install node-1                on node-1: checks, then installs"
        })
final class CertsCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
