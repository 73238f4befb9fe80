package dev.tandem.cli.cluster;

import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.agentapi.plan.PlanUse;
import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Person;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.NodePaths;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.pacemaker.setup.ClusterApply;
import dev.tandem.host.plan.Change;
import dev.tandem.host.plan.ClusterPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a pair as its plan says. */
@Command(
        name = "apply",
        header = "Set the pair up as the plan says, changing only what differs.",
        description = {
            "Runs on a node of the plan. Compares Corosync, Pacemaker, fencing and this node's"
                + " files with the plan, shows what differs, asks, changes it and reads it back."
                + " Before fencing is configured each BMC has to prove its login, its privileges,"
                + " its power state and that it controls its own node.",
            "Then both agents are told, and use the plan without a restart; where something else"
                + " has to be restarted or done by hand, the answer says what and why. Running this"
                + " on one node is enough, unless the other needs something of its own: files for a"
                + " BMC or a store, a program that is new to it, a check of the BMC. Then the"
                + " answer says so.",
            "Running it again changes nothing. A plan that would take a node out of the cluster is"
                    + " refused."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster apply PLAN.yaml --dry-run    what would change",
            "  tandem cluster apply PLAN.yaml --yes"
        })
final class ClusterApplyCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Parameters(paramLabel = "PLAN.yaml", description = "The plan of the pair.")
    private Path plan;

    @Mixin private Consent consent = new Consent();
    @Mixin private Output output = new Output();

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    ClusterApplyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** The answer. */
    record Applied(
            String cluster,
            boolean changed,
            boolean dryRun,
            List<Change> changes,
            List<BmcPreflight.Proof> fencing,
            List<PlanUse.NodeUse> agents) {

        String asText() {
            String differences =
                    changes.stream()
                            .map(change -> "  " + change + "\n")
                            .collect(Collectors.joining());
            String proofs =
                    fencing.stream()
                            .map(proof -> "  " + FencingText.of(proof) + "\n")
                            .collect(Collectors.joining());
            String first;
            boolean allFollow = PlanUseText.allFollow(agents);
            if (changes.isEmpty() && !PlanUseText.hasNews(agents)) {
                first =
                        allFollow
                                ? "The pair " + cluster + " is as planned; nothing was changed.\n"
                                : "Not every agent of "
                                        + cluster
                                        + " uses this plan; the rest is as planned. Nothing was"
                                        + " changed.\n";
            } else if (dryRun) {
                first = "The pair " + cluster + " would change:\n";
            } else if (allFollow) {
                first = "The pair " + cluster + " is as planned now. Changed:\n";
            } else {
                first =
                        "Not all of the plan is in use on both nodes of "
                                + cluster
                                + " yet, see below. Changed:\n";
            }
            return first + differences + "Fencing:\n" + proofs + PlanUseText.of(agents);
        }
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        ClusterPlan wanted = ClusterPlan.readNew(plan);
        Progress progress = new Progress(terminal);
        ClusterApply apply;
        List<Change> difference;
        List<BmcPreflight.Proof> fencing;
        PlanUse foreseen;
        try {
            apply = new ClusterApply(wanted, ThisNode.name(), new SystemCommands(), progress::step);
            apply.requireReady();
            progress.step("Comparing the pair with the plan");
            difference = apply.difference();
            progress.step("Asking the BMCs");
            fencing = apply.checkBmcs();
            progress.step("Asking the agents");
            foreseen = agents(request(wanted, true), difference.isEmpty());
            refuseImpossible(foreseen);
            boolean proven = fencing.stream().allMatch(proof -> proof.identity().isPresent());
            if (consent.dryRun()
                    || (difference.isEmpty() && proven && !PlanUseText.hasNews(foreseen.nodes()))) {
                progress.close();
                output.print(
                        terminal,
                        "ClusterApplied",
                        new Applied(
                                wanted.name(),
                                false,
                                consent.dryRun(),
                                difference,
                                fencing,
                                foreseen.nodes()),
                        Applied::asText);
                return exitCode(foreseen.nodes());
            }
        } catch (RuntimeException e) {
            progress.abandon();
            throw e;
        }
        progress.close();
        difference.forEach(change -> terminal.err().println("  " + change));
        terminal.err().print(PlanUseText.of(foreseen.nodes()));
        if (!consent.given(terminal, "The pair " + wanted.name() + " will be changed as shown.")) {
            terminal.err().println("Nothing was changed.");
            return ExitCode.FINDING;
        }
        Progress doing = new Progress(terminal);
        ClusterApply.Outcome outcome;
        PlanUse used;
        try {
            outcome =
                    new ClusterApply(wanted, ThisNode.name(), new SystemCommands(), doing::step)
                            .apply();
            doing.step("Telling the agents");
            used = agents(request(wanted, false), true);
        } catch (RuntimeException e) {
            doing.abandon();
            throw e;
        }
        doing.close();
        // The token and the authorities of BMCs reach the other node by its own preparation only.
        if (outcome.filesChanged() && used.leavesOut()) {
            terminal.err()
                    .println(
                            "On "
                                    + wanted.peerOf(ThisNode.name()).name()
                                    + ", if not done yet with this plan: tandem cluster prepare "
                                    + plan);
        }
        output.print(
                terminal,
                "ClusterApplied",
                new Applied(
                        wanted.name(),
                        !outcome.changes().isEmpty() || PlanUseText.hasNews(used.nodes()),
                        false,
                        outcome.changes(),
                        outcome.fencing(),
                        used.nodes()),
                Applied::asText);
        return exitCode(used.nodes());
    }

    private static int exitCode(List<PlanUse.NodeUse> agents) {
        return PlanUseText.needsAPerson(agents) ? ExitCode.FINDING : ExitCode.FINE;
    }

    private static PlanUse.Request request(ClusterPlan wanted, boolean dryRun) {
        return new PlanUse.Request(
                AgentMessages.VERSION,
                wanted.installed(NodePaths.CONFIGURATION).toYaml(),
                Person.name(),
                dryRun);
    }

    private PlanUse agents(PlanUse.Request request, boolean isMade) {
        return agents(new AgentClient(socket), ThisNode.name(), request, isMade);
    }

    /**
     * Before a pair is made there may be no agent yet; it will start with this plan.
     *
     * @param isMade nothing of the pair is missing, so its agents have to run
     */
    static PlanUse agents(AgentClient agent, String self, PlanUse.Request request, boolean isMade) {
        if (!isMade && !agent.isThere()) {
            return new PlanUse(AgentMessages.VERSION, List.of());
        }
        try {
            return agent.takePlan(request);
        } catch (Failure e) {
            // The rest of the pair is as planned, and has to be told too.
            return new PlanUse(
                    AgentMessages.VERSION,
                    List.of(
                            new PlanUse.NodeUse(
                                    self,
                                    PlanUse.Outcome.NOT_TAKEN,
                                    List.of(),
                                    "%s: %s".formatted(e.what(), e.why()),
                                    e.remedy())));
        }
    }

    private static void refuseImpossible(PlanUse foreseen) {
        List<Failure> impossible =
                foreseen.nodes().stream()
                        .filter(node -> node.outcome() == PlanUse.Outcome.NOT_TAKEN)
                        .flatMap(node -> node.settings().stream())
                        .filter(one -> one.effect() == PlanUse.Effect.NOT_POSSIBLE)
                        .distinct()
                        .map(one ->
                                new Failure(
                                        "%s cannot be changed while the pair runs"
                                                .formatted(one.subject()),
                                        one.why(),
                                        one.remedy()))
                        .toList();
        if (!impossible.isEmpty()) {
            throw Failure.of("the plan cannot be applied; nothing was changed", impossible);
        }
    }
}
