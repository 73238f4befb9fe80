package dev.tandem.lab.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;
import dev.tandem.core.Failure;
import dev.tandem.lab.image.HostPackages;
import dev.tandem.lab.spec.Json;
import dev.tandem.lab.spec.LabFiles;
import dev.tandem.lab.spec.LabPaths;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the timeline. */
@Command(
        name = "timeline",
        header = "Print what was done to a lab and what happened in it, one JSON object per line.",
        description = {
            "Also of the last lab of that name, after its end. With -o json it is one document."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tandem lab timeline", "  tandem lab timeline | jq -r '.at + \" \" + .event'"})
final class LabTimelineCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin private LabName name = new LabName();
    @Mixin private Output output = new Output();

    LabTimelineCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    /** A lab that runs may be writing its last line just now. */
    private static List<JsonNode> events(String lines) throws JsonProcessingException {
        List<JsonNode> events = new ArrayList<>();
        String whole = lines.substring(0, lines.lastIndexOf('\n') + 1);
        for (String line : whole.lines().toList()) {
            events.add(Json.MAPPER.readTree(line));
        }
        return events;
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
        String lines = Files.readString(timeline);
        if (output.isText()) {
            terminal.out().print(lines);
            terminal.out().flush();
        } else {
            output.print(terminal, "LabTimeline", events(lines), List::toString);
        }
        return ExitCode.FINE;
    }
}
