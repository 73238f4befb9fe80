package dev.tandem.cli.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.install.check.JsonSchema;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the schema as it is: editors want the bare document. */
@Command(
        name = "schema",
        header = "Print the JSON Schema of an install-config, for editors.",
        footerHeading = "%nExamples:%n",
        footer = {"  tandem install-config schema > install-config.schema.json"})
final class InstallConfigSchemaCommand implements Callable<Integer> {
    private final Terminal terminal;

    InstallConfigSchemaCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws JsonProcessingException {
        terminal.out()
                .println(
                        JsonMapper.builder()
                                .enable(SerializationFeature.INDENT_OUTPUT)
                                .build()
                                .writeValueAsString(JsonSchema.ofInstallConfig()));
        return ExitCode.FINE;
    }
}
