package dev.tandem.cli.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.host.plan.PlanSchema;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the schema as it is: editors want the bare document. */
@Command(
        name = "schema",
        header = "Print the JSON Schema of a plan, for editors.",
        description =
                "It knows names, patterns and the ranges of numbers. Ranges of times, and rules"
                        + " between fields, are checked when a command reads the plan.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tandem cluster plan schema > plan.schema.json",
            "",
            "First line of a plan for editors with yaml-language-server:",
            "  # yaml-language-server: $schema=plan.schema.json"
        })
final class PlanSchemaCommand implements Callable<Integer> {
    private final Terminal terminal;

    PlanSchemaCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws JsonProcessingException {
        terminal.out()
                .println(
                        JsonMapper.builder()
                                .enable(SerializationFeature.INDENT_OUTPUT)
                                .build()
                                .writeValueAsString(PlanSchema.json()));
        return ExitCode.FINE;
    }
}
