package dev.tandem.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.core.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is no secret is refused in words that fit, and never with the text itself. */
class SecretsTest {
    private static final FileAttribute<?> OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    @TempDir Path directory;

    /** Its characters are the bytes of the file. */
    record Case(String content, String told) {
        @Override
        public String toString() {
            return told;
        }
    }

    static List<Case> noSecrets() {
        return List.of(
                new Case("", "it is empty"),
                new Case("\n", "it is empty"),
                new Case("hunter2\r\n", "its line ends as on Windows"),
                new Case("hunter2\nhunter3\n", "it has more than one line"),
                new Case("hunter\t2\n", "control character"),
                new Case("hunter2".repeat(147), "longer than 1024 bytes"),
                new Case("hun\u00fctter\n", "it is not UTF-8 text"));
    }

    @ParameterizedTest
    @MethodSource("noSecrets")
    void whatIsNoSecretIsToldAsWhatItIs(Case no) throws IOException {
        Path file = Files.createFile(directory.resolve("secret"), OWNER);
        Files.writeString(file, no.content(), StandardCharsets.ISO_8859_1);

        Failure failure = catchThrowableOfType(Failure.class, () -> Secrets.read(file));

        assertThat(failure.why()).contains(no.told()).doesNotContain("hunter");
    }

    @Test
    void aDirectoryIsCalledOne() {
        Failure failure = catchThrowableOfType(Failure.class, () -> Secrets.read(directory));

        assertThat(failure.why()).isEqualTo("it is a directory");
        assertThat(failure.remedy()).doesNotContain("chmod");
    }

    /** Root reads everything, so that no file can be made for this. */
    @Test
    void onlyAnotherUserHelpsWherePermissionIsDenied() {
        assertThat(IoErrors.remedy(new AccessDeniedException("secret"), "check the name"))
                .isEqualTo("run it as the owner of the file, or with sudo");
        assertThat(IoErrors.remedy(new NoSuchFileException("secret"), "check the name"))
                .isEqualTo("check the name");
    }

    @Test
    void oneLineIsASecret() {
        Secrets.write(directory.resolve("secret"), "gr\u00fcn 2\n");

        assertThat(Secrets.read(directory.resolve("secret"))).isEqualTo("gr\u00fcn 2");
    }
}
