package dev.tandem.cli.node;

import dev.tandem.cli.Consent;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.Systemd;
import dev.tandem.host.etcd.EtcdUnitFile;
import dev.tandem.host.etcd.ReplicaDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts a replica back that was set aside. */
@Command(
        name = "restore",
        header = "Put back a replica that was set aside; the current one is set aside instead.",
        description =
                "For when the only complete replica was on a peer that is lost. Pacemaker must be"
                        + " stopped on this node. The usual rules decide whether etcd may start on"
                        + " the restored replica. To see what is still missing: tandem status",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem replicas restore NAME --dry-run", "  tandem replicas restore NAME"})
final class ReplicasRestoreCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Terminal terminal;
    private final Systemd systemd;

    @Parameters(paramLabel = "NAME", description = "Which one, from: tandem replicas list")
    private String name = "";

    @Option(names = "--directory", paramLabel = "DIR", hidden = true)
    private Path directory = ReplicaDirectory.STANDARD;

    @Mixin private Consent consent = new Consent();
    @Mixin private Output output = new Output();

    ReplicasRestoreCommand(Terminal terminal) {
        this(terminal, new SystemCommands());
    }

    ReplicasRestoreCommand(Terminal terminal, Commands commands) {
        this.terminal = terminal;
        this.systemd = new Systemd(commands);
    }

    /** The answer. */
    record Restored(String restored, Optional<String> setAside, boolean dryRun) {
        String text() {
            return dryRun
                    ? "Would put %s in place; what is there now would be set aside.%n"
                            .formatted(restored)
                    : "%s is in place%s. Next: systemctl start pacemaker; tandem status%n"
                            .formatted(
                                    restored,
                                    setAside.map(kept -> ", and what was there is kept as " + kept)
                                            .orElse(""));
        }
    }

    @Override
    public Integer call() {
        ReplicaDirectory replicas = ReplicasCommand.on(directory, "cannot restore " + name);
        ReplicaDirectory.Kept chosen = chosen(replicas.kept());
        refuseWhileActive("pacemaker.service", "Pacemaker may start etcd at any moment");
        refuseWhileActive(EtcdUnitFile.NAME, "etcd has the current replica open");
        if (consent.dryRun()) {
            print(new Restored(name, Optional.empty(), true));
            return ExitCode.FINE;
        }
        terminal.err().println("  in place now:  " + replicas.summary());
        terminal.err().println("  to be put back: " + chosen.summary());
        if (!consent.given(terminal, "What this node holds now is set aside.")) {
            terminal.err().println("Nothing was changed.");
            return ExitCode.FINDING;
        }
        Optional<ReplicaDirectory.Kept> before = replicas.restore(chosen);
        // It knows the disk as it was.
        if (!systemd.tryRestart(LIMIT, "tandem-agent.service").ok()) {
            terminal.err()
                    .println(
                            "tandem-agent has not read the restored replica yet; to have it do so:"
                                    + " systemctl restart tandem-agent");
        }
        print(new Restored(name, before.map(ReplicaDirectory.Kept::name), false));
        return ExitCode.FINE;
    }

    private void print(Restored answer) {
        output.print(terminal, "ReplicaRestored", answer, Restored::text);
    }

    private ReplicaDirectory.Kept chosen(List<ReplicaDirectory.Kept> kept) {
        return kept.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new Failure(
                                "cannot restore " + name,
                                kept.isEmpty()
                                        ? "no replica was set aside on this node"
                                        : "there are only: "
                                                + kept.stream()
                                                        .map(ReplicaDirectory.Kept::name)
                                                        .collect(Collectors.joining(", ")),
                                kept.isEmpty()
                                        ? "see what this node holds: tandem replicas list"
                                        : "use one of those names; to see them again: tandem"
                                                + " replicas list"));
    }

    private void refuseWhileActive(String unit, String why) {
        // Anything but "inactive" and "failed": a unit that is being started has the data too.
        String state = systemd.activeState(LIMIT, unit);
        if (!state.equals("inactive") && !state.equals("failed")) {
            throw new Failure(
                    "cannot restore " + name,
                    why,
                    "stop Pacemaker, which also stops etcd: systemctl stop pacemaker");
        }
    }
}
