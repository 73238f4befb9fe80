package dev.tandem.drill.command;

import java.util.Optional;
import picocli.CommandLine.Option;

/** Whether agents are killed beside what a command plays. */
final class KillAgents {
    @Option(
            names = "--kill-agents",
            description =
                    "Kill agents of either node at random moments. Timings and the scenarios'"
                            + " own expectations are then reported but not judged. The audits"
                            + " still are: nothing is lost, nobody takes over without proof, the"
                            + " pair recovers.")
    private boolean wanted;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Random seed of the moments of --kill-agents (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    boolean wanted() {
        return wanted;
    }

    /** Empty if no agent is to be killed. */
    Optional<Long> seed() {
        return wanted ? Optional.of(seed) : Optional.empty();
    }
}
