package dev.tandem.lab.command;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.cli.CommandTree;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import dev.tandem.cli.UsageException;
import dev.tandem.lab.spec.LabStatus;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Values that cannot be meant are found before any lab is asked. */
class LabValuesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "lab delay node-0 0",
                "lab delay node-0 5 --jitter 9",
                "lab delay node-0 -5",
                "lab loss node-0 250",
                "lab relay node-0 99999",
                "lab split --port 5405",
                "lab up --nodes 7",
                "lab up --profile quick",
                "lab fill-disk node-0 --leave -3",
                "lab fill-disk node-0 --leave=-3",
            })
    void whatCannotBeMeantIsWrongUsage(String typed) {
        assertThat(new CommandTree(Terminal.ofProcess()).run(typed.split(" ")))
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aNodeHasToBeOneOfTheLab() {
        List<String> nodes = List.of("node-0", "node-1");

        assertThatThrownBy(() -> LabName.requireNode("lab", "node-9", nodes))
                .isInstanceOf(UsageException.class)
                .hasMessage("unknown node in lab lab: node-9: it has node-0, node-1");
        assertThatCode(() -> LabName.requireNode("lab", "node-1", nodes))
                .doesNotThrowAnyException();
    }

    private static CommandLine lab() {
        return requireNonNull(
                new CommandTree(Terminal.ofProcess()).spec().subcommands().get("lab"));
    }

    /** Whoever injects a fault from a script wants to read what was done, too. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "crash",
                "split",
                "heal",
                "power",
                "delay",
                "loss",
                "freeze",
                "thaw",
                "fill-disk",
                "stall-disks",
                "snapshot",
                "roll-back",
                "bmc"
            })
    void whatWasDoneIsToldToProgramsToo(String command) {
        CommandLine fault = requireNonNull(lab().getSubcommands().get(command));

        assertThat(fault.getCommandSpec().optionsMap()).containsKey("--output");
    }

    @Test
    void itemsOfAListDoNotRunTogether() {
        CommandLine crash = requireNonNull(lab().getSubcommands().get("crash"));

        assertThat(crash.getCommandSpec().usageMessage().description())
                .anyMatch(line -> line.startsWith("plug: "))
                .anyMatch(line -> line.startsWith("panic: "));
    }

    @Test
    void noExampleIsWiderThanATerminal() {
        assertThat(lab().getCommandSpec().usageMessage().footer())
                .allMatch(line -> line.length() <= 79);
    }

    @Test
    void aLabIsCalledByItsName() {
        assertThat(
                        LabStatusText.of(
                                new LabStatus("lab", true, List.of(), List.of(), List.of(), "", 1)))
                .isEqualTo("lab \"lab\" is up\n");
    }
}
