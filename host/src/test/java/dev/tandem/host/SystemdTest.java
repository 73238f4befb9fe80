package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.pacemaker.RecordedCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SystemdTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final RecordedCommands commands = new RecordedCommands();
    private final Systemd systemd = new Systemd(commands);

    @Test
    void anOrderThatIsNotWaitedForDoesNotBlock() {
        commands.answer("systemctl", 0, "", "");

        systemd.orderStart(LIMIT, "one.service");
        systemd.orderStop(LIMIT, "one.service");
        systemd.start(LIMIT, "one.service");

        assertThat(commands.ran)
                .containsExactly(
                        List.of("systemctl", "start", "--no-block", "one.service"),
                        List.of("systemctl", "stop", "--no-block", "one.service"),
                        List.of("systemctl", "start", "one.service"));
    }

    @Test
    void severalUnitsAreEnabledAtOnce() {
        commands.answer("systemctl", 0, "", "");

        systemd.enable(LIMIT, List.of("one.service", "two.service"));

        assertThat(commands.ran)
                .containsExactly(List.of("systemctl", "enable", "one.service", "two.service"));
    }

    @Test
    void aCallThatFailedTellsWhichAndWhy() {
        commands.answer("systemctl disable", 1, "", "Unit one.service not found.\n");

        assertThatThrownBy(() -> systemd.disable(LIMIT, "one.service").orFail("look at it"))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what())
                                    .isEqualTo("systemctl disable one.service failed");
                            assertThat(failure.why()).isEqualTo("Unit one.service not found.");
                            assertThat(failure.remedy()).isEqualTo("look at it");
                        });
    }

    @Test
    void aPropertyEndsAtItsFirstEqualsSign() {
        commands.answer("systemctl show", 0, "MainPID=7\nExecStart=a=b\n\nControlGroup=\n", "");

        Systemd.Result shown =
                systemd.show(LIMIT, "one.service", List.of("MainPID", "ExecStart", "ControlGroup"));

        assertThat(Systemd.properties(shown))
                .containsEntry("MainPID", "7")
                .containsEntry("ExecStart", "a=b")
                .containsEntry("ControlGroup", "")
                .hasSize(3);
    }

    @Test
    void aStateIsTheWordOfSystemdWhateverTheExitCode() {
        commands.answer("systemctl is-active", 3, "failed\n", "");

        assertThat(systemd.activeState(LIMIT, "one.service")).isEqualTo("failed");
    }
}
