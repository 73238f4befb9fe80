package dev.tandem.host.credential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.health.Impediment;
import dev.tandem.host.Commands;
import dev.tandem.host.Secrets;
import dev.tandem.host.health.SecondLevelWatch;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.NodePasswords;
import dev.tandem.host.plan.TestPlans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RememberedDecryptionTest {
    private static final Commands.Output PASSWORD = new Commands.Output(0, "of the BMC\n", "");
    private static final Commands.Output BUSY =
            new Commands.Output(Commands.Output.TIMED_OUT, "", "no answer within 5 s");
    private static final Commands.Output NO_KEY = new Commands.Output(1, "", "no key");

    @TempDir private Path directory;

    private Commands.Output answer = PASSWORD;
    private int started;
    private long now;
    private ClusterPlan plan;
    private SecondLevelWatch watch;

    @BeforeEach
    void aPairWithAPasswordFromAProgram() throws IOException {
        for (String program : List.of("fence_tandem_redfish", "fence_redfish")) {
            Files.createFile(
                    directory.resolve(program),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwxr-xr-x")));
        }
        Files.createDirectory(directory.resolve("bmc"));
        Secrets.write(sealed(), "sealed");
        plan =
                TestPlans.read(
                                directory,
                                TestPlans.PAIR.replace(
                                        "passwordFile: node-1.password",
                                        "password: {program: [/usr/local/sbin/pw, node-1]}"))
                        .installed(directory);
        Commands commands =
                (_, command, _) -> {
                    assertThat(command).startsWith("systemd-creds", "decrypt");
                    started++;
                    return answer;
                };
        watch =
                new SecondLevelWatch(
                        () -> plan,
                        "node-1",
                        new NodePasswords(new RememberedDecryption(commands, () -> now)),
                        directory);
    }

    private Path sealed() {
        return SealedPassword.file(directory, "node-1");
    }

    private List<Impediment> found() {
        watch.look();
        return watch.found().told().warnings();
    }

    private void passes(Duration time) {
        now += time.toNanos();
    }

    @Test
    void whatWasDecryptedLatelyIsNotDecryptedAtEachLook() throws IOException {
        for (int i = 0; i < 20; i++) {
            assertThat(found()).isEmpty();
            passes(SecondLevelWatch.INTERVAL);
        }
        assertThat(started).isEqualTo(1);

        Files.delete(sealed());
        Secrets.write(sealed(), "sealed once more");
        assertThat(found()).isEmpty();
        assertThat(started).as("another password").isEqualTo(2);
    }

    @Test
    void aMachineTooBusyForAnAnswerChangesNothing() {
        assertThat(found()).isEmpty();

        answer = BUSY;
        passes(RememberedDecryption.FRESH);
        for (int i = 0; i < 6; i++) {
            assertThat(found()).isEmpty();
            passes(SecondLevelWatch.INTERVAL);
        }
        assertThat(started).as("nor is it asked all the time").isEqualTo(2);
    }

    @Test
    void aKeyThatIsLostIsTold() throws IOException {
        assertThat(found()).isEmpty();

        answer = NO_KEY;
        passes(RememberedDecryption.FRESH);
        assertThat(found()).hasSize(1);
        answer = BUSY;
        assertThat(found()).as("what was forgotten does not come back").hasSize(1);

        Files.delete(sealed());
        assertThat(found()).as("nor does what is gone").hasSize(1);
    }
}
