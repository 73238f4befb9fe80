package dev.tandem.cli.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Failure;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InputFileTest {
    /** Root reads everything, so that no file can be made for this. */
    @ParameterizedTest
    @EnumSource
    void permissionThatIsDeniedIsToldAsThat(InputFile kind) {
        Failure failure = kind.unreadable(Path.of("secret"), new AccessDeniedException("secret"));

        assertThat(failure.why()).startsWith("permission denied: secret");
        assertThat(failure.remedy()).isEqualTo("run it as the owner of the file, or with sudo");
    }
}
