package dev.tandem.host.pacemaker;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.plan.NodeNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Pacemaker on this node: its view of the cluster, and the few things it is told directly. */
public final class Pacemaker {
    /** crm_mon answers from the local CIB in some 30 ms; what takes this long hangs. */
    private static final Duration READ_LIMIT = Duration.ofSeconds(10);

    private static final Duration CHANGE_LIMIT = Duration.ofSeconds(30);

    /**
     * For both fencing levels one after the other (45 s and 120 s, CibPlan), each with its delay
     * for a split.
     */
    private static final Duration FENCE_TIMEOUT = Duration.ofMinutes(4);

    /** The fencer answers by the end of its own time; one that does not hangs. */
    private static final Duration FENCE_LIMIT = FENCE_TIMEOUT.plusSeconds(60);

    private final Commands commands;

    public Pacemaker(Commands commands) {
        this.commands = commands;
    }

    /**
     * Gives parameters of a resource these values, where they have others.
     *
     * @throws Failure when Pacemaker cannot be told
     */
    public void setParameters(String resource, Map<String, String> parameters) {
        parameters.forEach((name, value) -> {
            Commands.Output now =
                    commands.run(
                            READ_LIMIT,
                            List.of(
                                    "crm_resource",
                                    "--resource",
                                    resource,
                                    "--get-parameter",
                                    name));
            if (now.ok() && now.out().strip().equals(value)) {
                return;
            }
            Commands.Output set =
                    commands.run(
                            CHANGE_LIMIT,
                            List.of(
                                    "crm_resource",
                                    "--resource",
                                    resource,
                                    "--set-parameter",
                                    name,
                                    "--parameter-value",
                                    value));
            if (!set.ok()) {
                throw new Failure(
                        "cannot change %s of %s in Pacemaker".formatted(name, resource),
                        said(set),
                        "check that Pacemaker runs here: systemctl status pacemaker");
            }
        });
    }

    /** A cluster that does not answer is an answer: {@link PacemakerStatus.Unknown}. */
    public PacemakerStatus status() {
        // In UTC, so that no time depends on where the node stands.
        Commands.Output output =
                commands.run(
                        READ_LIMIT,
                        List.of(
                                "env",
                                "TZ=UTC",
                                "crm_mon",
                                "--one-shot",
                                "--output-as=xml",
                                "--fence-history=3"));
        // A failing crm_mon still explains itself in XML, on standard output.
        return output.out().isBlank()
                ? new PacemakerStatus.Unknown(said(output))
                : PacemakerStatus.parse(output.out());
    }

    /**
     * Tells the fencer that a person, or proof outside of it, vouches for the node being off. It
     * believes this at once and recovers the node's resources: whoever calls it has made sure.
     */
    public void confirmFenced(String node) {
        Commands.Output output =
                commands.run(
                        CHANGE_LIMIT,
                        List.of("stonith_admin", "--confirm", NodeNames.checked(node)));
        if (!output.ok()) {
            throw new Failure(
                    "cannot tell Pacemaker that " + node + " is off",
                    said(output),
                    "check that Pacemaker runs here: systemctl status pacemaker");
        }
    }

    /**
     * Has a node fenced with the action that Pacemaker uses by itself, so that an order of its own
     * that is under way and this one become one (pacemaker-fenced 3.0 merges orders of two clients
     * with the same target and action). Returns when it is done.
     */
    public void reboot(String node) {
        fence("--reboot", node);
    }

    /** The same, and it is not switched on again. */
    public void switchOff(String node) {
        fence("--fence", node);
    }

    private void fence(String option, String node) {
        Commands.Output output =
                commands.run(
                        FENCE_LIMIT,
                        List.of(
                                "stonith_admin",
                                option,
                                NodeNames.checked(node),
                                "--timeout",
                                String.valueOf(FENCE_TIMEOUT.toSeconds())));
        if (!output.ok()) {
            throw new Failure(
                    "Pacemaker did not fence " + node,
                    said(output),
                    "see what is in the way: tandem status");
        }
    }

    /** What a program said about its failure, in one line. */
    public static String said(Commands.Output output) {
        String words = output.err().isBlank() ? output.out() : output.err();
        String line = words.strip().replaceAll("\\s*\\R\\s*", "; ");
        return line.isEmpty() ? "exit code " + output.exitCode() : line;
    }
}
