package dev.tandem.drill.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Commands.Output;
import dev.tandem.host.SystemCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher on its bad days. Each is made for real, in a mount or network namespace of its own,
 * which needs root.
 */
class LauncherIT {
    private static final Path LAUNCHER = Path.of("..", "tandem").toAbsolutePath().normalize();

    /** A build without its network gives up only after Maven's own retries. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @TempDir private Path place;

    private Path checkout;

    /** A checkout that was never built: the launcher and the root of the build. */
    @BeforeEach
    void checkOut() throws IOException {
        checkout = Files.createDirectory(place.resolve("checkout"));
        Files.copy(LAUNCHER, checkout.resolve("tandem"));
        assertThat(checkout.resolve("tandem").toFile().setExecutable(true)).isTrue();
        Files.writeString(
                checkout.resolve("pom.xml"),
                """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <parent>
                    <groupId>dev.tandem</groupId>
                    <artifactId>not-in-the-cache</artifactId>
                    <version>1</version>
                    <relativePath/>
                  </parent>
                  <artifactId>never-built</artifactId>
                </project>
                """);
    }

    @Test
    void theCheckoutThatWasJustBuiltStartsAtOnce() {
        Output output = run(List.of(LAUNCHER.toString(), "--version"));

        assertThat(output.exitCode()).isZero();
        assertThat(output.out()).startsWith("tandem ");
        assertThat(output.err()).as("nothing is built again").isEmpty();
    }

    @Test
    void withoutAJdkItNamesThePackageToInstall() {
        // Hides every JDK of this machine that the launcher would find.
        Output output =
                inNamespace(
                        "--mount",
                        "mount -t tmpfs none /usr/lib/jvm; JAVA_HOME= HOME=/nonexistent ./tandem"
                                + " --version");

        saysWhatWhyAndRemedy(output, "cannot start without a JDK 25", "openjdk-25");
    }

    @Test
    void withoutMavenItSaysSo() throws IOException {
        Path programs = Files.createDirectory(place.resolve("programs"));
        for (String program : List.of("sh", "dirname", "readlink", "find", "head", "id", "mkdir")) {
            Files.createSymbolicLink(programs.resolve(program), found(program));
        }

        saysWhatWhyAndRemedy(
                inNamespace("--mount", "PATH=" + programs + " ./tandem --version"),
                "cannot build Tandem",
                "apt-get install maven");
    }

    @Test
    void aReadOnlyCheckoutIsNotMistakenForABrokenBuild() {
        Output output =
                inNamespace(
                        "--mount",
                        "mount --bind . .; mount -o remount,ro,bind .; cd \"$PWD\"; ./tandem"
                                + " --version");

        saysWhatWhyAndRemedy(output, "cannot build Tandem", "a copy you may write to");
        assertThat(output.err()).contains("read-only");
    }

    @Test
    void withoutTheNetworkItSaysWhatCouldNotBeFetched() {
        Output output =
                inNamespace(
                        "--net",
                        "MAVEN_OPTS=-Dmaven.repo.local="
                                + place.resolve("empty")
                                + " ./tandem --version");

        saysWhatWhyAndRemedy(output, "cannot build Tandem", "check the network");
    }

    private static void saysWhatWhyAndRemedy(Output output, String what, String remedy) {
        assertThat(output.exitCode()).isEqualTo(3);
        List<String> lines = output.err().lines().toList();
        List<String> last = lines.subList(Math.max(0, lines.size() - 3), lines.size());
        assertThat(last).hasSize(3);
        assertThat(last.get(0)).startsWith("tandem: ").contains(what);
        assertThat(last.get(1)).startsWith("cause: ");
        assertThat(last.get(2)).startsWith("fix: ").contains(remedy);
    }

    private Output inNamespace(String kind, String script) {
        return run(List.of("unshare", kind, "sh", "-c", "cd " + checkout + " && " + script));
    }

    private static Output run(List<String> command) {
        return new SystemCommands().run(LIMIT, new ArrayList<>(command));
    }

    private static Path found(String program) {
        return Path.of(run(List.of("sh", "-c", "command -v " + program)).out().strip());
    }
}
