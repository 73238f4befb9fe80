package dev.tandem.host.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.etcd.EtcdConfig.Mode;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdUnitFileTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir private Path root;

    private final List<List<String>> ran = new ArrayList<>();
    private String answer = "";

    @Test
    void aTakeOverIsPermittedOnlyAfterTheTailWasDeclaredCommitted() throws IOException {
        ReplicaDirectory replica = pair(5, 4);

        assertThatThrownBy(() -> permit(new EtcdConfig.TakeOver(), replica))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("1 entries are not declared committed");
        assertThat(permitFile()).doesNotExist();

        CommitTail tail = new CommitTail(replica.current());
        tail.carryOut((CommitTail.Append) tail.plan());
        permit(new EtcdConfig.TakeOver(), replica);
        assertThat(permitFile()).content().contains("\"force-new-cluster\" : true");
    }

    @Test
    void anIncompleteReplicaNeverTakesOver() throws IOException {
        ReplicaDirectory replica = pair(5, 5);
        replica.markIncomplete("syncing");

        assertThatThrownBy(() -> permit(new EtcdConfig.TakeOver(), replica))
                .hasMessageContaining("incomplete: syncing");
    }

    @Test
    void anEmptyDirectoryNeitherTakesOverNorRestarts() {
        ReplicaDirectory replica = directory();

        assertThatThrownBy(() -> permit(new EtcdConfig.TakeOver(), replica))
                .isInstanceOf(Failure.class);
        assertThatThrownBy(() -> permit(new EtcdConfig.InPlace(), replica))
                .isInstanceOf(Failure.class);
    }

    @Test
    void aNodeThatEverHadAReplicaFoundsNothingAndJoinsOnlyWithoutOne() throws IOException {
        ReplicaDirectory replica = pair(5, 5);
        Mode bootstrap = new EtcdConfig.Bootstrap("site");
        assertThatThrownBy(() -> permit(bootstrap, replica)).isInstanceOf(Failure.class);
        replica.setAside("join");
        assertThatThrownBy(() -> permit(bootstrap, replica))
                .hasMessageContaining("it was installed before");
    }

    /** Asked while systemd hangs, which then buries nobody either. */
    @Test
    void theKernelKnowsWhetherAProcessOfTheUnitLives() throws Exception {
        EtcdUnitFile unit = unit();
        assertThat(unit.hasProcess()).as("what cannot be read may be there").isTrue();
        Path proc = Files.createDirectory(root.resolve("proc"));
        Files.createDirectory(proc.resolve("sys"));
        assertThat(unit.hasProcess()).isFalse();

        Process child = new ProcessBuilder("sleep", "60").start();
        Path entry = Files.createDirectory(proc.resolve(Long.toString(child.pid())));
        Files.writeString(entry.resolve("cgroup"), "0::/system.slice/other.service\n");
        assertThat(unit.hasProcess()).isFalse();

        Files.writeString(entry.resolve("cgroup"), "0::/system.slice/tandem-etcd.service\n");
        assertThat(unit.hasProcess()).isTrue();

        child.destroyForcibly().waitFor();
        assertThat(unit.hasProcess()).isFalse();
    }

    @Test
    void aWithdrawnPermitIsGone() throws IOException {
        ReplicaDirectory replica = pair(5, 5);
        permit(new EtcdConfig.InPlace(), replica);
        assertThat(permitFile()).exists();

        unit().withdraw();

        assertThat(permitFile()).doesNotExist();
        unit().withdraw();
    }

    @ParameterizedTest
    @CsvSource({
        "inactive, WITHDRAWN",
        "failed, WITHDRAWN",
        "active, WITHDRAWN",
        "activating, IN_USE",
        "deactivating, IN_USE",
        "unknown, UNKNOWN",
        "'', UNKNOWN"
    })
    void aPermitThatNobodyUsesIsWithdrawnAtTheNextStartOfTheAgent(
            String active, EtcdUnitFile.LeftOver expected) throws IOException {
        permit(new EtcdConfig.TakeOver(), pair(5, 5));
        answer = active.isEmpty() ? "" : "ActiveState=" + active + "\n";

        assertThat(unit().withdrawLeftOver()).isEqualTo(expected);

        if (expected == EtcdUnitFile.LeftOver.WITHDRAWN) {
            assertThat(permitFile()).doesNotExist();
            assertThat(unit().withdrawLeftOver()).isEqualTo(EtcdUnitFile.LeftOver.NONE);
        } else {
            assertThat(permitFile()).exists();
        }
    }

    @Test
    void withoutAPermitSystemdIsNotAsked() {
        assertThat(unit().withdrawLeftOver()).isEqualTo(EtcdUnitFile.LeftOver.NONE);
        assertThat(ran).isEmpty();
    }

    /** What systemd makes of the line is left out: there is nothing in it that systemd changes. */
    @Test
    void whatIsLeftOfAPermitIsMovedAndNothingIsSaidWhereThereIsNone() throws IOException {
        String line =
                unit().unitText(config())
                        .lines()
                        .filter(each -> each.startsWith("ExecStopPost=-"))
                        .map(each -> each.substring("ExecStopPost=-".length()))
                        .findFirst()
                        .orElseThrow();
        assertThat(line).doesNotContain("$", "%", "\\");

        Commands.Output without = new SystemCommands().run(LIMIT, List.of("sh", "-c", line));
        assertThat(without).isEqualTo(new Commands.Output(0, "", ""));

        permit(new EtcdConfig.InPlace(), pair(5, 5));
        Commands.Output with = new SystemCommands().run(LIMIT, List.of("sh", "-c", line));
        assertThat(with).isEqualTo(new Commands.Output(0, "", ""));
        assertThat(permitFile()).doesNotExist();
        assertThat(root.resolve("run/failed.json")).exists();
    }

    @Test
    void theUnitIsWrittenOnceForAllToReadAndStartsNothingByItself() throws IOException {
        assertThat(unit().install(config())).isTrue();
        assertThat(unit().install(config())).isFalse();

        assertThat(ran).containsExactly(List.of("systemctl", "daemon-reload"));
        assertThat(root.resolve("units").resolve(EtcdUnitFile.NAME))
                .content()
                .contains("Restart=no", "Type=notify", "AssertPathExists=" + permitFile())
                .doesNotContain("[Install]");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(
                                        root.resolve("units").resolve(EtcdUnitFile.NAME))))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void theStateIsWhatSystemdSays() {
        answer =
                """
                Result=success
                MainPID=4711
                ExecMainStatus=0
                ActiveState=activating
                SubState=start
                """;
        EtcdUnitFile.State state = unit().state();

        assertThat(state.running()).isTrue();
        assertThat(state.ready()).isFalse();
        assertThat(state.words()).isEqualTo("activating (start), success");
    }

    private void permit(Mode mode, ReplicaDirectory replica) {
        unit().permit(config(), mode, Timing.NORMAL, replica);
    }

    private Path permitFile() {
        return root.resolve("run/permit.json");
    }

    private EtcdUnitFile unit() {
        Commands commands =
                new Commands() {
                    @Override
                    public Output run(Duration limit, List<String> command, String stdin) {
                        ran.add(command);
                        return new Output(0, answer, "");
                    }
                };
        return new EtcdUnitFile(
                commands,
                new EtcdUnitFile.Places(
                        Path.of("/usr/bin/etcd"),
                        root.resolve("units"),
                        root.resolve("run"),
                        root.resolve("proc")));
    }

    private EtcdConfig config() {
        return DiskReplica.config(directory(), EtcdServer.freePorts());
    }

    private ReplicaDirectory directory() {
        return DiskReplica.empty(root);
    }

    private ReplicaDirectory pair(int last, int commit) throws IOException {
        return DiskReplica.ofTwoVoters(root, last, commit);
    }
}
