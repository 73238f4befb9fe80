package dev.tandem.lab.command.fault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.LabClient;
import dev.tandem.lab.command.LabName;
import dev.tandem.lab.spec.LabRequest;
import dev.tandem.redfishsim.BmcBehaviour;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the faults of a BMC. */
@Command(
        name = "bmc",
        header = "Show or change the faults of a node's BMC.",
        description =
                "Modelled on faults reported of real BMCs. Changes add up; --faultless ends them.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem lab bmc node-1 --reachability silent",
            "  tandem lab bmc node-1 --off-latency 6000 --when-already-there conflict",
            "  tandem lab bmc node-1 --lies",
            "  tandem lab bmc node-1 --false-offs 1",
            "  tandem lab bmc node-1 --faultless"
        })
public final class LabBmcCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    @Parameters(index = "0", paramLabel = "NODE", description = "Whose BMC.")
    private String node = "";

    @Option(names = "--faultless", description = "Remove all faults.")
    private boolean faultless;

    @Option(
            names = "--answer-latency",
            paramLabel = "MS",
            description = "How long an answer takes.")
    private @Nullable Integer answerLatency;

    @Option(
            names = "--off-latency",
            paramLabel = "MS",
            description = "Time from the request to off.")
    private @Nullable Integer offLatency;

    @Option(names = "--on-latency", paramLabel = "MS", description = "Time from the request to on.")
    private @Nullable Integer onLatency;

    @Option(
            names = "--when-already-there",
            description =
                    "How it answers a request for the state it is already in:"
                            + " ${COMPLETION-CANDIDATES}.")
    private BmcBehaviour.@Nullable WhenAlreadyThere whenAlreadyThere;

    @Option(
            names = "--busy",
            paramLabel = "N",
            description = "Answer the next N requests with 503 and Retry-After.")
    private @Nullable Integer busy;

    @Option(names = "--retry-after", paramLabel = "MS", description = "What a busy BMC asks for.")
    private @Nullable Integer retryAfter;

    @Option(names = "--hard-off", description = "What ForceOff does: ${COMPLETION-CANDIDATES}.")
    private BmcBehaviour.@Nullable HardOff hardOff;

    @Option(names = "--wrong-password", description = "Refuse every password.")
    private boolean wrongPassword;

    @Option(
            names = "--new-password",
            paramLabel = "TEXT",
            description = "Change the password of every account to this, and end all sessions.")
    private @Nullable String newPassword;

    @Option(
            names = "--reachability",
            description = "What happens to a connection: ${COMPLETION-CANDIDATES}.")
    private BmcBehaviour.@Nullable Reachability reachability;

    @Option(names = "--lies", description = "Accept resets and do nothing.")
    private boolean lies;

    @Option(
            names = "--false-offs",
            paramLabel = "N",
            description =
                    "Accept the next N requests to switch off and read Off, while the node keeps"
                            + " running.")
    private @Nullable Integer falseOffs;

    @Option(
            names = "--another-machine",
            description = "Its address leads to another machine, which has its own power.")
    private boolean anotherMachine;

    @Option(
            names = "--stale",
            paramLabel = "MS",
            description = "Report a power state that may be this old.")
    private @Nullable Integer stale;

    @Option(names = "--loses-power-with-host", description = "Silent while the plug is out.")
    private boolean losesPowerWithHost;

    @Option(
            names = "--session-limit",
            paramLabel = "N",
            description = "Maximum number of concurrent sessions.")
    private @Nullable Integer sessionLimit;

    @Option(
            names = "--account-service",
            description = "How it answers questions about accounts: ${COMPLETION-CANDIDATES}.")
    private BmcBehaviour.@Nullable AccountService accountService;

    @Option(
            names = "--lock-after",
            paramLabel = "N",
            description = "Lock an account for 5 min after N wrong logins; 0: never.")
    private @Nullable Integer lockAfter;

    @Option(names = "--sessions-only", description = "Basic authentication is switched off.")
    private boolean sessionsOnly;

    @Option(
            names = "--foreign-certificate",
            description = "Present a certificate from an unknown authority.")
    private boolean foreignCertificate;

    public LabBmcCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        LabClient client = name.client(node);
        if (faultless) {
            client.ask(new LabRequest.Bmc(node, Map.of()));
        }
        Map<String, JsonNode> changes = new HashMap<>();
        duration(changes, "answerLatency", answerLatency);
        duration(changes, "offLatency", offLatency);
        duration(changes, "onLatency", onLatency);
        duration(changes, "retryAfter", retryAfter);
        duration(changes, "powerStateAge", stale);
        number(changes, "busyAnswers", busy);
        number(changes, "falseOffs", falseOffs);
        number(changes, "sessionLimit", sessionLimit);
        number(changes, "lockAfter", lockAfter);
        name(changes, "whenAlreadyThere", whenAlreadyThere);
        name(changes, "accountService", accountService);
        name(changes, "hardOff", hardOff);
        name(changes, "reachability", reachability);
        flag(changes, "credentialsRotated", wrongPassword);
        if (newPassword != null) {
            changes.put("newPassword", TextNode.valueOf(newPassword));
        }
        flag(changes, "lies", lies);
        flag(changes, "sessionsOnly", sessionsOnly);
        flag(changes, "anotherMachine", anotherMachine);
        flag(changes, "foreignCertificate", foreignCertificate);
        flag(changes, "losesPowerWithHost", losesPowerWithHost);
        if (changes.isEmpty()) {
            output.print(terminal, "BmcBehaviour", client.behaviour(node), LabBmcCommand::text);
            return ExitCode.FINE;
        }
        BmcBehaviour now = client.ask(new LabRequest.Bmc(node, changes), BmcBehaviour.class);
        output.print(terminal, "BmcBehaviour", now, LabBmcCommand::text);
        return ExitCode.FINE;
    }

    private static void duration(
            Map<String, JsonNode> changes, String name, @Nullable Integer milliseconds) {
        if (milliseconds != null) {
            changes.put(name, TextNode.valueOf(Duration.ofMillis(milliseconds).toString()));
        }
    }

    private static void number(
            Map<String, JsonNode> changes, String name, @Nullable Integer value) {
        if (value != null) {
            changes.put(name, IntNode.valueOf(value));
        }
    }

    private static void name(Map<String, JsonNode> changes, String name, @Nullable Enum<?> value) {
        if (value != null) {
            changes.put(name, TextNode.valueOf(value.name()));
        }
    }

    private static void flag(Map<String, JsonNode> changes, String name, boolean value) {
        if (value) {
            changes.put(name, BooleanNode.TRUE);
        }
    }

    private static String text(BmcBehaviour behaviour) {
        if (behaviour.equals(BmcBehaviour.FAULTLESS)) {
            return "faultless";
        }
        return behaviour
                .toString()
                .replaceFirst("^BmcBehaviour\\[", "")
                .replaceFirst("]$", "")
                .replace(", ", "\n");
    }
}
