package dev.tandem.host.pacemaker.fenceagent;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.XmlElement;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Holds the further levels of a plan to what their agents say of themselves. Nothing is switched
 * and no device is asked.
 *
 * @param programs where fence agents lie
 * @param share where Tandem keeps what it runs in place of some of them
 */
public record FenceAgents(Commands commands, Path programs, Path share) {
    /** A start of Python on a busy machine. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** That of the stock agents has some 20 KB; whatever is far longer is none. */
    private static final int LONGEST = 1 << 20;

    public FenceAgents(Commands commands) {
        this(commands, Path.of("/usr/sbin"), Path.of("/usr/share/tandem"));
    }

    /**
     * What was found.
     *
     * @param faults levels that could not fence
     * @param notInstalled levels of which nobody knows, for their agent is not on this machine
     */
    public record Findings(List<Failure> faults, List<Failure> notInstalled) {
        public Findings {
            faults = List.copyOf(faults);
            notInstalled = List.copyOf(notInstalled);
        }

        /** On a node all of them have to be there. */
        public List<Failure> all() {
            return Stream.concat(faults.stream(), notInstalled.stream()).toList();
        }
    }

    /** What an agent answered: its metadata, or why there is none. */
    private sealed interface Answer {
        record Told(FenceAgentMetadata metadata) implements Answer {}

        record None(String why) implements Answer {}
    }

    public Findings check(ClusterPlan plan) {
        List<Failure> faults = new ArrayList<>();
        List<Failure> notInstalled = new ArrayList<>();
        Map<String, Answer> answers = new HashMap<>();
        for (ClusterPlan.Node node : plan.nodes()) {
            for (FurtherLevel level : node.bmc().further()) {
                if (!Files.isExecutable(programs.resolve(level.agent()))) {
                    notInstalled.add(notInstalled(level, node.name()));
                    continue;
                }
                List<String> found =
                        switch (answers.computeIfAbsent(level.agent(), this::ask)) {
                            case Answer.Told(FenceAgentMetadata metadata) -> metadata.faults(level);
                            case Answer.None(String why) -> List.of(why);
                        };
                if (!found.isEmpty()) {
                    faults.add(unfit(level, node.name(), found));
                }
            }
        }
        return new Findings(faults, notInstalled);
    }

    private Failure notInstalled(FurtherLevel level, String node) {
        return new Failure(
                "%s, a further fencing level of %s, is not installed here"
                        .formatted(level.agent(), node),
                "there is no %s, so its parameters were not checked"
                        .formatted(programs.resolve(level.agent())),
                "on both nodes, install the package that has it; to find it: apt-cache search"
                        + " fence-agents, or: apt-file search sbin/"
                        + level.agent());
    }

    private static Failure unfit(FurtherLevel level, String node, List<String> faults) {
        return new Failure(
                "%s cannot be a further fencing level of %s as planned"
                        .formatted(level.agent(), node),
                String.join("; ", faults),
                "correct bmc.further of %s in the plan; what the agent takes: %s -o metadata"
                        .formatted(node, level.agent()));
    }

    /** Two of them are run by a program of Tandem, which takes a parameter more. */
    private Answer ask(String agent) {
        Path ours = share.resolve(agent.replace('_', '-'));
        Path program = Files.isExecutable(ours) ? ours : programs.resolve(agent);
        Commands.Output output = commands.run(LIMIT, List.of(program.toString(), "-o", "metadata"));
        if (!output.ok()) {
            return new Answer.None(
                    output.exitCode() == Commands.Output.TIMED_OUT
                            ? "it did not describe itself (-o metadata) within %d s"
                                    .formatted(LIMIT.toSeconds())
                            : "it does not describe itself: -o metadata ended with exit code "
                                    + output.exitCode());
        }
        if (output.out().length() > LONGEST) {
            return new Answer.None("what it prints for -o metadata is too long to be that");
        }
        try {
            return new Answer.Told(FenceAgentMetadata.parse(output.out()));
        } catch (XmlElement.MalformedXml e) {
            return new Answer.None(
                    "what it prints for -o metadata cannot be read: " + e.getMessage());
        }
    }
}
