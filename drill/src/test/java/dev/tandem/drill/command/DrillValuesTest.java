package dev.tandem.drill.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.cli.CommandTree;
import dev.tandem.cli.ExitCode;
import dev.tandem.cli.Terminal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that cannot be meant are found before any lab is started. */
class DrillValuesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "lab drill nosuch",
                "lab drill all list",
                "lab drill split --quick",
                "lab drill split --profile quick",
                "lab bench crash --db-size 5XB",
                "lab bench crash --db-size 9GB",
                "lab bench crash --bmc-off 21",
                "lab bench crash --bmc-off -1",
            })
    void whatCannotBeMeantIsWrongUsage(String typed) {
        assertThat(new CommandTree(Terminal.ofProcess()).run(typed.split(" ")))
                .isEqualTo(ExitCode.USAGE);
    }
}
