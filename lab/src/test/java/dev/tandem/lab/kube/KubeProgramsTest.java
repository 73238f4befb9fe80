package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.Steps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All but the build itself, which the tests with a real API server begin with. */
class KubeProgramsTest {
    @TempDir private Path directory = Path.of("");

    /** Answers for apt, and runs everything else. */
    private record Apt(String candidate) implements Commands {
        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            return command.getFirst().equals("apt-cache")
                    ? new Output(0, "golang-go:\n  Candidate: " + candidate + "\n", "")
                    : new SystemCommands().run(limit, command, stdin);
        }
    }

    /** A program that is called go. */
    private Path go(String script) throws IOException {
        Path program = directory.resolve("go-" + Math.abs(script.hashCode()));
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program;
    }

    private static Map<String, String> path() {
        return Map.of("PATH", "/usr/bin:/bin");
    }

    private KubePrograms with(GoTools go) {
        return new KubePrograms(directory.resolve("kube"), go);
    }

    private KubePrograms withoutGo(String candidate) {
        return with(new GoTools(List.of(), new Apt(candidate), path()));
    }

    @Test
    void aDirectoryOfTheUserIsTakenAsItIs() throws Exception {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        for (String name : KubePrograms.NAMES) {
            Files.copy(go("exit 0"), mine.resolve(name));
        }

        assertThat(withoutGo("(none)").ensure(Optional.of(mine), Steps.SILENT)).isEqualTo(mine);
    }

    @Test
    void aDirectoryThatLacksAProgramIsRefusedByTheProgramsName() throws Exception {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        Files.copy(go("exit 0"), mine.resolve("kubectl"));

        assertThatThrownBy(() -> withoutGo("(none)").ensure(Optional.of(mine), Steps.SILENT))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("kube-apiserver, kube-controller-manager")
                .hasMessageNotContaining("kubectl");
    }

    @Test
    void whatWasBuiltIsUsedWithoutGo() throws Exception {
        Path bin = directory.resolve("kube").resolve(KubePrograms.key()).resolve("bin");
        Files.createDirectories(bin);

        assertThat(withoutGo("(none)").ensure(Optional.empty(), Steps.SILENT)).isEqualTo(bin);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    candidate | remedy
                    2:1.24~2  | apt-get install golang-go, which is Go 1.24 here
                    2:1.19~1  | golang-go of this distribution is Go 1.19 and does not help
                    (none)    | install Go, for example from https://go.dev/dl
                    """)
    void withoutGoThePersonLearnsWhatHelps(String candidate, String remedy) {
        assertThatThrownBy(() -> withoutGo(candidate).ensure(Optional.empty(), Steps.SILENT))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.why()).contains("this machine has none");
                            assertThat(failure.remedy()).startsWith(remedy).contains("--no-kube");
                        });
    }

    @Test
    void anOldGoIsPassedOverForANewerOneElsewhere() throws Exception {
        Path old = go("test \"$GOTOOLCHAIN\" = local && echo go1.19.8");
        Path current = go("test \"$GOTOOLCHAIN\" = local && echo go1.26.8");

        assertThat(new GoTools(List.of(old, current), new Apt("(none)"), path()).program())
                .isEqualTo(current);
        assertThatThrownBy(() -> new GoTools(List.of(old), new Apt("(none)"), path()).program())
                .hasMessageContaining("this machine has 1.19 in " + old);
    }

    @Test
    void aProxyThatCannotBeReachedIsAFailureThatNamesTheWayOut() throws Exception {
        Path offline =
                go(
                        """
                        case "$1" in
                        env) echo go1.26.8 ;;
                        *) echo "go: k8s.io/kubernetes@v1.34.4: dial tcp: lookup proxy: no such host"
                           exit 1 ;;
                        esac\
                        """);
        KubePrograms programs = with(new GoTools(List.of(offline), new Apt("(none)"), path()));

        assertThatThrownBy(() -> programs.ensure(Optional.empty(), Steps.SILENT))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.what()).startsWith("cannot fetch the source");
                            assertThat(failure.why()).contains("no such host");
                            assertThat(failure.remedy()).contains("GOPROXY").contains("--no-kube");
                        });
        assertThat(directory.resolve("kube").resolve(KubePrograms.key())).doesNotExist();
    }

    @Test
    void whatIsBuiltIsMovedIntoPlaceWholeAndLeavesNothingElse() throws Exception {
        Path quick =
                go(
                        """
                        case "$1" in
                        env) echo go1.26.8 ;;
                        list) echo "go: downloading k8s.io/api v0.34.4"; echo a; echo b ;;
                        build)
                          test "$CGO_ENABLED,$GOFLAGS,$GOWORK" = "0,-modcacherw,off" || exit 1
                          mkdir -p "$GOCACHE" "$GOMODCACHE"
                          for last; do test "$before" = -o && out=$last; before=$last; done
                          echo a; echo b; echo program > "$out" ;;
                        esac\
                        """);
        List<String> seen = new ArrayList<>();
        Steps steps =
                new Steps() {
                    @Override
                    public void step(String what) {
                        seen.add(what);
                    }

                    @Override
                    public void detail(String text) {
                        seen.add(text);
                    }

                    @Override
                    public void note(String line) {
                        seen.add(line);
                    }
                };

        Path bin =
                with(new GoTools(List.of(quick), new Apt("(none)"), path()))
                        .ensure(Optional.empty(), steps);

        for (String name : KubePrograms.NAMES) {
            assertThat(bin.resolve(name)).hasContent("program");
            assertThat(Files.readSymbolicLink(bin.resolve(name)).isAbsolute()).isFalse();
        }
        assertThat(seen)
                .contains("downloading k8s.io/api v0.34.4", "1 of 2 packages", "2 of 2 packages");
        assertThat(Files.list(directory.resolve("kube")).map(Path::getFileName).map(Path::toString))
                .containsExactlyInAnyOrder("lock", KubePrograms.key());
    }

    @Test
    void theRecipePinsTheVersionItIsNamedAfter() {
        String module = new String(KubePrograms.recipe("go.mod"), StandardCharsets.UTF_8);
        String parts = KubePrograms.VERSION.replaceFirst("^1", "0");

        assertThat(module)
                .contains("k8s.io/kubernetes v" + KubePrograms.VERSION)
                .contains("go " + GoTools.NEEDED + ".0");
        assertThat(module.lines().filter(line -> line.contains("=>")))
                .hasSizeGreaterThan(25)
                .allMatch(line -> line.endsWith(" v" + parts));
        assertThat(new String(KubePrograms.recipe("go.sum"), StandardCharsets.UTF_8))
                .contains("k8s.io/kubernetes v" + KubePrograms.VERSION + " h1:");
    }
}
