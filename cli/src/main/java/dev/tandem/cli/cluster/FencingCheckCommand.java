package dev.tandem.cli.cluster;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.core.health.Impediment;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.SourceAnswer;
import dev.tandem.host.health.FencingLevels;
import dev.tandem.host.health.FencingNetwork;
import dev.tandem.host.health.Impediments;
import dev.tandem.host.health.SourceTrouble;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Asks the BMCs what they would be asked in an emergency, short of switching anything, and
 * Pacemaker whether it would ask them.
 */
@Command(
        name = "check",
        header = "Ask each BMC now: login, privileges, power state, and which machine it controls.",
        description =
                "Runs on a node. Nothing is switched. Also checks whether Pacemaker would fence: in"
                        + " maintenance mode, with fencing off or a device disabled it would not."
                        + " Where a password comes from a program or a store, that is read too; a"
                        + " warning says if it cannot be, or has a different password."
                        + " For each BMC it says how long switching off took in the last fences by"
                        + " this node, and which bmcOff in the plan fits that."
                        + " Exits with 1 when a node could not, or would not, be fenced.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem fencing check",
            "  tandem fencing check --plan PLAN.yaml    a plan that is not applied yet",
            "  tandem fencing check -o json"
        })
final class FencingCheckCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(
            names = "--plan",
            paramLabel = "PLAN.yaml",
            description = "Check the BMCs of this plan (default: the plan that was applied).")
    private Path plan = ClusterPlan.INSTALLED;

    @Mixin private Output output = new Output();

    @Option(names = "--socket", paramLabel = "PATH", hidden = true)
    private Path socket = AgentClient.SOCKET;

    FencingCheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /**
     * How long a BMC takes to switch its node off.
     *
     * @param switchOffMillis the most that it took in the last fences by this node; absent where it
     *     was not measured here
     * @param fittingBmcOffSeconds the {@code bmcOff} of a plan that fits that; absent likewise
     * @param plannedBmcOffMillis what the plan has
     */
    record Speed(
            Optional<Long> switchOffMillis,
            Optional<Long> fittingBmcOffSeconds,
            long plannedBmcOffMillis) {

        /** Of the first of a node's BMCs, in the words of the agent of this node. */
        static Speed of(ClusterPlan plan, String node, List<AgentStatus.FencingLine> lines) {
            Optional<AgentStatus.FencingLine> line =
                    lines.stream()
                            .filter(one -> one.node().equals(node) && one.second() == null)
                            .findFirst();
            return new Speed(
                    line.map(AgentStatus.FencingLine::switchOffMillis),
                    line.map(AgentStatus.FencingLine::bmcOffSeconds),
                    plan.bmcOff().toMillis());
        }

        private String text() {
            String planned = "the plan has bmcOff: " + seconds(plannedBmcOffMillis);
            return switchOffMillis
                    .map(millis ->
                            "switching off took %s%s; %s"
                                    .formatted(
                                            seconds(millis),
                                            fittingBmcOffSeconds
                                                    .map(", so bmcOff: %ds is enough"::formatted)
                                                    .orElse(""),
                                            planned))
                    .orElseGet(() ->
                            "how long switching off takes was not measured from this node yet; "
                                    + planned);
        }

        private static String seconds(long millis) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
    }

    /**
     * What a BMC has proven, or why it could not fence its node and what to do.
     *
     * @param speed of the first BMC of a node, by the plan that is in use
     */
    record Checked(
            String node,
            boolean fit,
            Optional<BmcPreflight.Proof> proof,
            Optional<String> what,
            Optional<String> why,
            Optional<String> remedy,
            Optional<Speed> speed) {

        static Checked of(BmcPreflight.Proof proof) {
            return new Checked(
                    proof.node(),
                    true,
                    Optional.of(proof),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
        }

        static Checked of(String node, Failure failure) {
            return new Checked(
                    node,
                    false,
                    Optional.empty(),
                    Optional.of(failure.what()),
                    Optional.of(failure.why()),
                    Optional.of(failure.remedy()),
                    Optional.empty());
        }

        Checked with(Speed known) {
            return new Checked(node, fit, proof, what, why, remedy, Optional.of(known));
        }

        private String text() {
            return proof.map(fine -> "  " + FencingText.of(fine) + "\n")
                            .orElseGet(() ->
                                    "  %s%n    cause: %s%n    fix: %s%n"
                                            .formatted(
                                                    what.orElse(""),
                                                    why.orElse(""),
                                                    remedy.orElse("")))
                    + speed.map(known -> "    %s%n".formatted(known.text())).orElse("");
        }
    }

    /** Why Pacemaker would not fence, and what to do. */
    record Hindrance(String cause, String why, String remedy) {
        private static Hindrance of(Impediment found) {
            return new Hindrance(found.cause().name(), found.sentence(), found.remedy());
        }

        private String text() {
            return "  %s%n    fix: %s%n".formatted(why, remedy);
        }
    }

    /**
     * The answer.
     *
     * @param pacemaker why it would not fence; not asked about a plan that is not applied
     * @param warnings what would keep this node from a BMC, though nothing does now
     */
    record Fencing(
            boolean fit, List<Checked> bmcs, List<Hindrance> pacemaker, List<Hindrance> warnings) {
        Fencing(List<Checked> bmcs, List<Hindrance> pacemaker, List<Hindrance> warnings) {
            this(
                    bmcs.stream().allMatch(Checked::fit) && pacemaker.isEmpty(),
                    bmcs,
                    pacemaker,
                    warnings);
        }

        String text() {
            return (bmcs.stream().allMatch(Checked::fit)
                            ? fit
                                    ? "Each node can be switched off by its BMC.\n"
                                    : "Each BMC can switch its node off, but Pacemaker's fencing"
                                            + " needs attention:\n"
                            : "Not every node can be switched off by its BMC.\n")
                    + pacemaker.stream().map(Hindrance::text).collect(Collectors.joining())
                    + bmcs.stream().map(Checked::text).collect(Collectors.joining())
                    + warnings.stream()
                            .map(warning -> "  warning:" + warning.text().substring(1))
                            .collect(Collectors.joining());
        }
    }

    @Override
    public Integer call() {
        ThisNode.needsRoot();
        if (plan.equals(ClusterPlan.INSTALLED) && Files.notExists(plan)) {
            throw new Failure(
                    "cannot check fencing",
                    plan + " does not exist, so this machine is not a node of a pair",
                    "run this on a node, or name a plan: tandem fencing check --plan PLAN.yaml");
        }
        ClusterPlan wanted = ClusterPlan.read(plan);
        NodeIdentities identities = new NodeIdentities(new NodeAttributes(new SystemCommands()));
        List<Checked> bmcs = new ArrayList<>();
        boolean applied = plan.equals(ClusterPlan.INSTALLED);
        List<AgentStatus.FencingLine> measured = applied ? measured() : List.of();
        try (Progress progress = new Progress(terminal)) {
            for (BmcPreflight.Way way : BmcPreflight.ways(wanted)) {
                progress.step("Asking the BMC of " + way.node().name());
                Checked checked = check(way, identities);
                bmcs.add(
                        applied && !way.second()
                                ? checked.with(Speed.of(wanted, way.node().name(), measured))
                                : checked);
            }
        }
        Fencing answer =
                new Fencing(
                        bmcs,
                        applied
                                ? hindrances(
                                        new Pacemaker(new SystemCommands()).status(),
                                        wanted.nodes().stream()
                                                .map(ClusterPlan.Node::name)
                                                .toList())
                                : List.of(),
                        Stream.concat(
                                        warnings(wanted).stream(),
                                        wanted.nodes().stream()
                                                .flatMap(node ->
                                                        ofSource(node, new NodePasswords())
                                                                .stream()))
                                .toList());
        output.print(terminal, "FencingCheck", answer, Fencing::text);
        return answer.fit() ? ExitCode.FINE : ExitCode.FINDING;
    }

    /** What the agent of this node has measured; nothing while it is down. */
    private List<AgentStatus.FencingLine> measured() {
        try {
            return new AgentClient(socket).status().fencing();
        } catch (Failure e) {
            return List.of();
        }
    }

    /** Only a node knows its own way to the other's BMC. */
    private static List<Hindrance> warnings(ClusterPlan plan) {
        String self = ThisNode.name();
        return Stream.concat(levels(plan).stream(), network(plan, self).stream()).toList();
    }

    static List<Hindrance> levels(ClusterPlan plan) {
        return FencingLevels.of(plan).warnings().stream().map(Hindrance::of).toList();
    }

    private static List<Hindrance> network(ClusterPlan plan, String self) {
        return plan.node(self).stream()
                .flatMap(_ -> plan.nodes().stream())
                .filter(node -> !node.name().equals(self))
                .map(peer ->
                        FencingNetwork.of(
                                self, peer.name(), peer.addresses(), FencingNetwork.hostsOf(peer)))
                .flatMap(found -> found.warnings().stream())
                .map(Hindrance::of)
                .toList();
    }

    /**
     * What is wrong where the password of a BMC comes from. A plan that is not applied has no other
     * password: then the BMC was not asked.
     */
    static Optional<Hindrance> ofSource(ClusterPlan.Node node, NodePasswords passwords) {
        if (!(node.bmc().password()
                        instanceof PasswordSource.Fetched(var origin, Optional<Path> cache))
                || cache.isEmpty()) {
            return Optional.empty();
        }
        return passwords
                .ask(node)
                .flatMap(answer ->
                        switch (answer) {
                            case SourceAnswer.Unread(_, String why, String remedy) ->
                                    new SourceTrouble(
                                                    SourceTrouble.Kind.UNREAD,
                                                    origin.words(),
                                                    why,
                                                    remedy,
                                                    Duration.ZERO)
                                            .warning(node.name()).warnings().stream()
                                                    .map(Hindrance::of)
                                                    .findFirst();
                            case SourceAnswer.Read(String password) ->
                                    passwords.sealed(node).known(cache.get()).stream()
                                            .filter(used -> !used.equals(password))
                                            .map(_ -> differs(node.name(), origin.words()))
                                            .findFirst();
                        });
    }

    private static Hindrance differs(String node, String source) {
        return new Hindrance(
                Impediment.Cause.PASSWORD_NOT_TAKEN.name(),
                "%s has a different password for the BMC of %s from the one in use"
                        .formatted(source, node),
                "set the same password in the BMC; both nodes then take it within 10 min, or as"
                        + " soon as the BMC refuses the old one");
    }

    /** What keeps Pacemaker from fencing either of the two. */
    static List<Hindrance> hindrances(PacemakerStatus pacemaker, List<String> nodes) {
        return switch (pacemaker) {
            case PacemakerStatus.Unknown(String why) ->
                    List.of(
                            new Hindrance(
                                    Impediment.Cause.PACEMAKER_SILENT.name(),
                                    "Pacemaker cannot be asked: " + why,
                                    "to find out why: systemctl status pacemaker; to start it:"
                                            + " pcs cluster start"));
            case PacemakerStatus.Known known ->
                    nodes.stream()
                            .flatMap(node ->
                                    nodes.stream()
                                            .filter(other -> !other.equals(node))
                                            .map(peer -> Impediments.of(known, node, peer)))
                            .flatMap(found ->
                                    Stream.concat(
                                            found.impediments().stream(),
                                            found.warnings().stream()))
                            .filter(found -> found.cause().keepsFromFencing())
                            .map(Hindrance::of)
                            .distinct()
                            .toList();
        };
    }

    private static Checked check(BmcPreflight.Way way, NodeIdentities identities) {
        String self = ThisNode.name();
        try {
            return Checked.of(BmcPreflight.check(way, identities.of(way.node(), self), self));
        } catch (Failure e) {
            return Checked.of(way.node().name(), e);
        }
    }
}
