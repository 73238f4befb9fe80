package dev.tandem.cli.node;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.host.etcd.ReplicaDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the replicas. */
@Command(
        name = "list",
        header = "List the current replica of this node and those that were set aside.",
        description = "Reads their logs, and may take a second for each gigabyte.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem replicas list", "  tandem replicas list -o json"})
final class ReplicasListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--directory", paramLabel = "DIR", hidden = true)
    private Path directory = ReplicaDirectory.STANDARD;

    @Mixin private Output output = new Output();

    ReplicasListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** A replica that was set aside. */
    record Kept(String name, String at, String reason, boolean usable, String summary) {
        static Kept of(ReplicaDirectory.Kept kept) {
            return new Kept(kept.name(), kept.at(), kept.reason(), kept.usable(), kept.summary());
        }
    }

    /** The answer. */
    record Replicas(String current, List<Kept> kept) {
        static Replicas of(ReplicaDirectory directory) {
            return new Replicas(
                    directory.summary(), directory.kept().stream().map(Kept::of).toList());
        }

        String text() {
            String others =
                    kept.stream()
                            .map(each ->
                                    "  %s%n    %s; %s%n"
                                            .formatted(
                                                    each.name(),
                                                    each.usable() ? each.reason() : "not usable",
                                                    each.summary()))
                            .collect(Collectors.joining());
            return "current: %s%n".formatted(current)
                    + (kept.isEmpty() ? "Nothing was set aside.\n" : "set aside:\n" + others);
        }
    }

    @Override
    public Integer call() {
        Replicas answer = Replicas.of(ReplicasCommand.on(directory, "cannot list replicas"));
        output.print(terminal, "Replicas", answer, Replicas::text);
        return ExitCode.FINE;
    }
}
