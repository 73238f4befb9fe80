package dev.tandem.cli.cluster;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.FencingChange;
import dev.tandem.agentapi.FencingChangeRequest;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Person;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.host.Secrets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes how a BMC is reached or logged in to, while the pair runs. */
@Command(
        name = "set",
        header =
                "Change the address, account or password with which both nodes reach a node's BMC.",
        description = {
            "Runs on either node; needs no Kubernetes. Both nodes log in to the BMC with the new"
                + " settings first, and check privileges, power state and which machine it"
                + " controls. Only when both can use them are they stored, on both nodes; nothing"
                + " is restarted. If one check fails, nothing is changed.",
            "The BMC itself is not changed: change its password there first, or the new one is"
                    + " refused. A password that comes from a program or a store is changed there;"
                    + " here it is taken only while that cannot be read. While the peer is not in"
                    + " the cluster, only this node is changed; the peer follows when it is back."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem fencing set node-1 --password-stdin         asks for the new password",
            "  tandem fencing set node-1 --from-file new-password --yes",
            "  tandem fencing set node-1 --username tandem --dry-run",
            "  tandem fencing set node-1 --second --password-stdin"
        })
final class FencingSetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(index = "0", paramLabel = "NODE", description = "The node whose BMC it is.")
    private String node = "";

    @Option(
            names = "--second",
            description =
                    "Change the login or address of bmc.second, IPMI beside Redfish, instead.")
    private boolean second;

    @Option(
            names = "--address",
            paramLabel = "URL",
            description =
                    "Where the BMC is reached, as in a plan:"
                            + " redfish+https://HOST/redfish/v1/Systems/ID or ipmi://HOST.")
    private @Nullable String address;

    @Option(names = "--username", paramLabel = "NAME", description = "The account to log in with.")
    private @Nullable String username;

    @Option(
            names = "--password-stdin",
            description = "Read the new password from standard input. What you type is not shown.")
    private boolean passwordStdin;

    @Option(
            names = "--from-file",
            paramLabel = "FILE",
            description = "Read the new password from a file that only you can read.")
    private @Nullable Path passwordFile;

    @Mixin private Consent consent = new Consent();
    @Mixin private Output output = new Output();

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    FencingSetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (passwordStdin && passwordFile != null) {
            throw new UsageException(
                    "nothing was changed",
                    "--password-stdin and --from-file both name a password",
                    "leave one of them out");
        }
        if (address == null && username == null && !passwordStdin && passwordFile == null) {
            throw new UsageException(
                    "nothing was changed",
                    "there is no new address, username or password",
                    "add --address, --username, --password-stdin or --from-file");
        }
        AgentClient agent = new AgentClient(socket);
        @Nullable String password = password();
        FencingChange checked = ask(agent, password, true);
        if (consent.dryRun()
                || (checked.changed().isEmpty() && checked.peer() != FencingChange.Peer.DIFFERS)) {
            output.print(terminal, KIND, checked, FencingSetCommand::text);
            return ExitCode.FINE;
        }
        terminal.err().print(proofs(checked));
        if (!consent.given(
                terminal,
                "The settings for %s will be changed: %s."
                        .formatted(
                                bmc(checked),
                                checked.changed().isEmpty()
                                        ? "on the peer"
                                        : words(checked.changed())))) {
            terminal.err().println("Nothing was changed.");
            return ExitCode.FINDING;
        }
        FencingChange done = ask(agent, password, false);
        output.print(terminal, KIND, done, FencingSetCommand::text);
        return done.peer() == FencingChange.Peer.DIFFERS ? ExitCode.FINDING : ExitCode.FINE;
    }

    private static final String KIND = "FencingChange";

    private @Nullable String password() {
        if (passwordFile != null) {
            return Secrets.read(passwordFile);
        }
        return passwordStdin ? terminal.secret("New password") : null;
    }

    private FencingChange ask(AgentClient agent, @Nullable String password, boolean dryRun) {
        Progress progress = new Progress(terminal);
        try {
            progress.step(
                    dryRun
                            ? "Asking the BMC of %s from both nodes".formatted(node)
                            : "Changing both nodes");
            FencingChange answer =
                    agent.changeFencing(
                            new FencingChangeRequest(
                                    AgentMessages.VERSION,
                                    node,
                                    second,
                                    address,
                                    username,
                                    password,
                                    Person.name(),
                                    dryRun));
            progress.close();
            return answer;
        } catch (RuntimeException e) {
            progress.abandon();
            throw e;
        }
    }

    private static String words(List<FencingChange.Setting> changed) {
        return changed.stream()
                .map(setting -> setting.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    private static String proofs(FencingChange change) {
        return "  from this node:   %s%n".formatted(change.checked())
                + (change.peerChecked().isEmpty()
                        ? ""
                        : "  from the peer:    %s%n".formatted(change.peerChecked()));
    }

    private static String bmc(FencingChange change) {
        return (change.second() ? "IPMI of " : "the BMC of ") + change.node();
    }

    static String text(FencingChange change) {
        String first;
        if (change.changed().isEmpty() && change.taken()) {
            first = "This node already used these settings for %s.%n";
        } else if (change.changed().isEmpty()) {
            first = "This node already uses these settings for %s; nothing was" + " changed.%n";
        } else if (!change.taken()) {
            first = "Would change for %s: %s.%n";
        } else {
            first = "Changed the settings for %s: %s.%n";
        }
        return first.formatted(bmc(change), words(change.changed()))
                + proofs(change)
                + aboutPeer(change);
    }

    private static String aboutPeer(FencingChange change) {
        return switch (change.peer()) {
            case WILL_BE_TOLD -> {
                if (change.taken()) {
                    yield "The peer does not use the new settings yet. Nothing to do: tandem-agent"
                            + " tells it again until it does.\n";
                }
                yield change.changed().isEmpty()
                        ? "The peer could not be asked.\n"
                        : "The peer is away and could not check the settings; it gets them when it"
                                + " is back.\n";
            }
            case DIFFERS ->
                    change.taken()
                            ? "The peer uses other settings, changed there at the same time. On the"
                                    + " node whose settings are wrong, run this again.\n"
                            : "The peer uses other settings.\n";
            case USES_THEM -> "Both nodes use the new settings.\n";
            case CHECKED, UNKNOWN -> "";
        };
    }
}
