package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {
    @TempDir private Path directory = Path.of("");

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void aFileIsItsOwnersAloneWhateverItWasBefore() throws IOException {
        Path file = Files.writeString(directory.resolve("key"), "old");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        DurableFiles.write(file, "süß\n");

        assertThat(file).hasContent("süß\n");
        assertThat(mode(file)).isEqualTo("rw-------");
        assertThat(files()).containsExactly(file);
    }

    /** What is written on the way has a name that nobody knows. */
    @Test
    void aFailureNamesTheFileThatWasToBeWritten() {
        Path file = directory.resolve("missing").resolve("key");

        assertThatThrownBy(() -> DurableFiles.write(file, "x"))
                .isInstanceOfSatisfying(
                        NoSuchFileException.class,
                        e -> assertThat(e.getFile()).isEqualTo(file.toString()));
    }

    @Test
    void othersReadWhatTheyMay() throws IOException {
        Path file = directory.resolve("certificate");

        DurableFiles.write(file, "text", "rw-r--r--");

        assertThat(mode(file)).isEqualTo("rw-r--r--");
    }

    @Test
    void whatCannotBePutInPlaceLeavesNothingBehind() throws IOException {
        Path inTheWay = Files.createDirectory(directory.resolve("file"));
        Files.writeString(inTheWay.resolve("full"), "");

        assertThatThrownBy(() -> DurableFiles.write(inTheWay, "text"))
                .isInstanceOf(IOException.class);

        assertThat(files()).containsExactly(inTheWay);
    }

    /** A replica's directory that is gone must not come back with a note in it. */
    @Test
    void aDirectoryThatIsMissingIsNotMade() {
        Path file = directory.resolve("gone/file");

        assertThatThrownBy(() -> DurableFiles.write(file, "text"))
                .isInstanceOf(NoSuchFileException.class);
        assertThat(directory.resolve("gone")).doesNotExist();
    }

    /** Looks while another writes: never a part, never a file that is gone, never an open one. */
    @Test
    void whoeverLooksMeanwhileSeesOneTextOrTheOther() throws Exception {
        Path file = directory.resolve("secret");
        String one = "a".repeat(60_000);
        String other = "b".repeat(60_000);
        DurableFiles.write(file, one);
        AtomicBoolean done = new AtomicBoolean();
        Set<String> seen = new HashSet<>();
        Set<String> modes = new HashSet<>();
        Thread writer =
                Thread.ofPlatform()
                        .start(() -> {
                            try {
                                for (int i = 0; i < 100; i++) {
                                    DurableFiles.write(file, i % 2 == 0 ? other : one);
                                }
                            } catch (IOException e) {
                                seen.add(e.toString());
                            } finally {
                                done.set(true);
                            }
                        });
        while (!done.get()) {
            seen.add(Files.readString(file));
            for (Path each : files()) {
                try {
                    modes.add(mode(each));
                } catch (NoSuchFileException e) {
                    // It has just been put in place.
                }
            }
        }
        writer.join();

        assertThat(seen).isSubsetOf(one, other);
        assertThat(modes).containsExactly("rw-------");
    }

    @Test
    void directoriesAreMadeAsFarAsTheyAreMissing() throws IOException {
        Path deep = directory.resolve("a/b/c");

        DurableFiles.createDirectories(
                deep,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        DurableFiles.createDirectories(deep);

        assertThat(mode(directory.resolve("a"))).isEqualTo("rwx------");
        assertThat(mode(deep)).isEqualTo("rwx------");
    }

    @Test
    void troubleIsToldInWords() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path missing = directory.resolve("missing");

        assertThat(trouble(() -> Files.readString(missing))).isEqualTo(missing + " does not exist");
        assertThat(trouble(() -> DurableFiles.createDirectories(file)))
                .isEqualTo(file + " already exists");
        assertThat(trouble(() -> Files.readString(directory))).isEqualTo("Is a directory");
        assertThat(trouble(() -> Files.readString(file.resolve("below"))))
                .isEqualTo(file.resolve("below") + ": Not a directory");
        assertThat(IoErrors.words(new IOException())).isEqualTo("input/output error");
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static String trouble(Attempt attempt) {
        try {
            attempt.run();
        } catch (IOException e) {
            return IoErrors.words(e);
        }
        throw new AssertionError("it went well");
    }
}
