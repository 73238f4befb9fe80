package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import dev.tandem.lab.image.ProgressListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All but the build itself, which the tests with a real API server begin with. */
class KubeProgramsTest {
    @TempDir private Path directory = Path.of("");

    /** Answers for apt, and runs everything else. Its Go appears where places are looked for. */
    private final class Apt implements Commands {
        private final Map<String, String> candidates;
        private final List<String> installed = new ArrayList<>();
        private final List<Path> places;

        Apt(Map<String, String> candidates, Path... places) {
            this.candidates = candidates;
            this.places = new ArrayList<>(List.of(places));
        }

        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            if (command.getFirst().equals("apt-cache")) {
                String candidate = candidates.getOrDefault(command.getLast(), "(none)");
                return new Output(0, command.getLast() + ":\n  Candidate: " + candidate + "\n", "");
            }
            if (command.contains("apt-get")) {
                installed.add(command.getLast());
                try {
                    places.add(go("echo go1.24.4"));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return new Output(0, "", "");
            }
            return new SystemCommands().run(limit, command, stdin);
        }

        GoTools go() {
            return new GoTools(() -> places, this, Map.of("PATH", "/usr/bin:/bin"));
        }

        private Path go(String script) throws IOException {
            return KubeProgramsTest.this.go(script);
        }
    }

    /** A program that is called go. */
    private Path go(String script) throws IOException {
        Path program = Files.createTempFile(directory, "go", "");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program;
    }

    private KubePrograms with(GoTools go) {
        return new KubePrograms(directory.resolve("kube"), go);
    }

    private KubePrograms withoutGo() {
        return with(new Apt(Map.of()).go());
    }

    /** Programs that say which version they are. */
    private Path programs(String version) throws IOException {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        for (String name : KubePrograms.NAMES) {
            Files.copy(
                    go(
                            name.equals("kubectl")
                                    ? "test \"$*\" = 'version --client' && echo 'Client Version: "
                                            + version
                                            + "'"
                                    : "test \"$*\" = --version && echo Kubernetes " + version),
                    mine.resolve(name));
        }
        return mine;
    }

    @Test
    void aDirectoryOfTheUserIsTakenAsItIs() throws Exception {
        Path mine = programs("v1.35.0-rc.1");

        assertThat(withoutGo().ensure(Optional.of(mine), ProgressListener.SILENT)).isEqualTo(mine);
    }

    @Test
    void programsThatAreTooOldAreRefusedBeforeTheLabIsMade() throws Exception {
        Path mine = programs("v1.33.9");

        assertThatThrownBy(() -> withoutGo().ensure(Optional.of(mine), ProgressListener.SILENT))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.why())
                                    .contains("kube-apiserver says Kubernetes v1.33.9")
                                    .contains("kubectl says Client Version: v1.33.9");
                            assertThat(failure.remedy()).contains("1.34 or later");
                        });
    }

    @Test
    void oneProgramOfSomethingElseIsRefusedByItsName() throws Exception {
        Path mine = programs("v" + KubePrograms.VERSION);
        Files.writeString(mine.resolve("kubemark"), "#!/bin/sh\nexit 1\n");

        assertThatThrownBy(() -> withoutGo().ensure(Optional.of(mine), ProgressListener.SILENT))
                .isInstanceOf(Failure.class)
                .hasMessageEndingWith("kubemark says nothing");
    }

    @Test
    void aDirectoryThatIsNotThereIsSaidToBeNone() {
        assertThatThrownBy(() ->
                        withoutGo()
                                .ensure(
                                        Optional.of(directory.resolve("nowhere")),
                                        ProgressListener.SILENT))
                .isInstanceOf(Failure.class)
                .hasMessageEndingWith("it is not a directory");
    }

    @Test
    void aDirectoryThatLacksAProgramIsRefusedByTheProgramsName() throws Exception {
        Path mine = Files.createDirectory(directory.resolve("mine"));
        Files.copy(go("exit 0"), mine.resolve("kubectl"));

        assertThatThrownBy(() -> withoutGo().ensure(Optional.of(mine), ProgressListener.SILENT))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("kube-apiserver, kube-controller-manager")
                .hasMessageNotContaining("kubectl");
    }

    @Test
    void whatWasBuiltIsUsedWithoutGo() throws Exception {
        Path bin = directory.resolve("kube").resolve(KubePrograms.key()).resolve("bin");
        Files.createDirectories(bin);

        assertThat(withoutGo().ensure(Optional.empty(), ProgressListener.SILENT)).isEqualTo(bin);
    }

    @Test
    void withoutGoThePersonLearnsWhatHelps() throws IOException {
        Path old = go("test \"$GOTOOLCHAIN\" = local && echo go1.19.8");
        Apt bookworm = new Apt(Map.of("golang-go", "2:1.19~1"), old);

        assertThatThrownBy(
                        () -> with(bookworm.go()).ensure(Optional.empty(), ProgressListener.SILENT))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.why())
                                    .contains(
                                            "Go 1.24 or later, and this machine has 1.19 in " + old)
                                    .endsWith("its distribution offers none either");
                            assertThat(failure.remedy()).contains("go.dev/dl", "--no-kube");
                        });
        assertThat(bookworm.installed).isEmpty();
    }

    @Test
    void aGoOfTheDistributionIsInstalledWhereNoneIsNewEnough() throws IOException {
        Path old = go("test \"$GOTOOLCHAIN\" = local && echo go1.22.2");
        Apt noble = new Apt(Map.of("golang-go", "2:1.22~2", "golang-1.24-go", "1.24.4-1"), old);

        assertThat(noble.go().program(ProgressListener.SILENT)).isNotEqualTo(old);
        assertThat(noble.installed).containsExactly("golang-1.24-go");
    }

    @Test
    void anOldGoIsPassedOverForANewerOneElsewhere() throws IOException {
        Path old = go("test \"$GOTOOLCHAIN\" = local && echo go1.19.8");
        Path current = go("test \"$GOTOOLCHAIN\" = local && echo go1.26.8");
        Apt trixie = new Apt(Map.of("golang-go", "2:1.24~2"), old, current);

        assertThat(trixie.go().program(ProgressListener.SILENT)).isEqualTo(current);
        assertThat(trixie.installed).isEmpty();
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
        KubePrograms programs = with(new Apt(Map.of(), offline).go());

        assertThatThrownBy(() -> programs.ensure(Optional.empty(), ProgressListener.SILENT))
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
        ProgressListener steps =
                new ProgressListener() {
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

        Path bin = with(new Apt(Map.of(), quick).go()).ensure(Optional.empty(), steps);

        for (String name : KubePrograms.NAMES) {
            assertThat(bin.resolve(name)).hasContent("program");
            assertThat(Files.readSymbolicLink(bin.resolve(name)).isAbsolute()).isFalse();
        }
        assertThat(seen)
                .contains("downloading k8s.io/api v0.34.4", "1 of 2 packages", "2 of 2 packages");
        try (Stream<Path> left = Files.list(directory.resolve("kube"))) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("lock", KubePrograms.key());
        }
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
