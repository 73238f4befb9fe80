package dev.tandem.lab.command;

import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the timeline. */
@Command(
        name = "timeline",
        header = "Print what was done to a lab and what happened in it, as JSON lines.",
        description = "Also of the last lab of that name, after its end.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab timeline", "  tandem lab timeline | jq -r '.at + \" \" + .event'"})
final class LabTimelineCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();

    LabTimelineCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        HostPackages.requireRoot();
        LabFiles files = new LabFiles(LabPaths.ofHost(), name.value());
        Path timeline = Files.exists(files.timeline()) ? files.timeline() : files.lastTimeline();
        if (!Files.exists(timeline)) {
            throw new Failure(
                    "no timeline of lab " + name.value(),
                    "there was no lab of that name",
                    "start one: tandem lab up --name " + name.value());
        }
        terminal.out().print(Files.readString(timeline));
        terminal.out().flush();
        return ExitCode.FINE;
    }
}
