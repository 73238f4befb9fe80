package dev.tandem.install.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestDirectoryTest {
    private static final List<Manifest> FILES =
            List.of(
                    new Manifest("manifests/a.yaml", "a: 1\n", false),
                    new Manifest("openshift/s.yaml", "s: 1\n", true));

    @TempDir Path temp;

    @Test
    void writesAllFilesAndKeepsSecretsFromOthers() throws IOException {
        Path target = temp.resolve("new/cluster");

        assertThat(ManifestDirectory.write(target, FILES, false)).isEmpty();

        assertThat(Files.readString(target.resolve("manifests/a.yaml"))).isEqualTo("a: 1\n");
        assertThat(mode(target.resolve("manifests/a.yaml"))).isEqualTo("rw-r--r--");
        assertThat(mode(target.resolve("openshift/s.yaml"))).isEqualTo("rw-------");
        assertThat(names(temp.resolve("new"))).containsExactly("cluster");
    }

    @Test
    void anEmptyDirectoryIsUsed() throws IOException {
        Path target = Files.createDirectory(temp.resolve("cluster"));

        ManifestDirectory.write(target, FILES, false);

        assertThat(names(target)).containsExactly("manifests", "openshift");
    }

    @Test
    void aDirectoryWithContentIsLeftAlone() throws IOException {
        Path target = Files.createDirectory(temp.resolve("cluster"));
        Files.writeString(target.resolve("mine.txt"), "mine");

        assertThatThrownBy(() -> ManifestDirectory.write(target, FILES, false))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.remedy()).contains("--force"));

        assertThat(names(target)).containsExactly("mine.txt");
        assertThat(names(temp)).containsExactly("cluster");
    }

    @Test
    void forceKeepsTheOldContentBesideTheNew() throws IOException {
        Path target = Files.createDirectory(temp.resolve("cluster"));
        Files.writeString(target.resolve("mine.txt"), "mine");
        Files.createDirectory(temp.resolve("cluster.old-1"));

        assertThat(ManifestDirectory.write(target, FILES, true))
                .contains(temp.resolve("cluster.old-2"));

        assertThat(names(target)).containsExactly("manifests", "openshift");
        assertThat(names(temp.resolve("cluster.old-2"))).containsExactly("mine.txt");
    }

    @Test
    void aFailureInTheMiddleLeavesNothingBehind() throws IOException {
        Path target = temp.resolve("cluster");
        List<Manifest> broken =
                List.of(
                        new Manifest("a/secret.yaml", "s: 1\n", true),
                        new Manifest("a/secret.yaml/impossible", "x", false));

        assertThatThrownBy(() -> ManifestDirectory.write(target, broken, false))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("nothing was changed");

        assertThat(names(temp)).isEmpty();
    }

    @Test
    void aFileInThePlaceOfTheDirectoryIsRefused() throws IOException {
        Path target = Files.writeString(temp.resolve("cluster"), "x");

        assertThatThrownBy(() -> ManifestDirectory.write(target, FILES, true))
                .isInstanceOf(Failure.class);

        assertThat(Files.readString(target)).isEqualTo("x");
    }

    @Test
    void theWorkingDirectoryItselfIsRefused() {
        assertThatThrownBy(() -> ManifestDirectory.write(Path.of("."), FILES, true))
                .isInstanceOf(Failure.class);
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }
}
