package dev.tandem.host.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real systemd-creds, with a key that is not this machine's. */
class SealedPasswordTest {
    @TempDir private Path directory;
    private final List<List<String>> called = new ArrayList<>();

    private SealedPassword of(String node) {
        Commands real = new OtherCredentialKey(directory.resolve("key"));
        return new SealedPassword(
                (limit, command, stdin) -> {
                    called.add(command);
                    return real.run(limit, command, stdin);
                },
                node);
    }

    @Test
    void whatIsKeptIsReadAgainAndIsNotThePassword() throws IOException {
        Path file = SealedPassword.file(directory, "node-1");
        of("node-1").write(file, "pass  word*");

        assertThat(of("node-1").read(file)).isEqualTo("pass  word*");
        assertThat(Files.readString(file)).doesNotContain("pass  word*");
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        assertThat(called).noneMatch(command -> command.toString().contains("word"));
    }

    @Test
    void whatWasMadeForOneNodeIsNotTakenForAnother() {
        Path file = directory.resolve("kept");
        of("node-1").write(file, "secret");

        assertThatThrownBy(() -> of("node-0").read(file))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> {
                            assertThat(failure.why()).contains("does not match");
                            assertThat(failure.remedy()).contains("tandem cluster prepare");
                        });
    }

    @Test
    void withoutTheKeyNothingIsRead() throws IOException {
        Path file = directory.resolve("kept");
        of("node-1").write(file, "secret");
        Files.delete(directory.resolve("key"));

        assertThat(of("node-1").known(file)).isEmpty();
        assertThat(of("node-1").isLost(file)).isTrue();
    }

    @Test
    void whatWasChangedOnTheDiskIsNotRead() throws IOException {
        Path file = directory.resolve("kept");
        of("node-1").write(file, "secret");
        String sealed = Files.readString(file);
        Files.writeString(
                file,
                sealed.substring(0, 60)
                        + (sealed.charAt(60) == 'A' ? 'B' : 'A')
                        + sealed.substring(61));

        assertThat(of("node-1").known(file)).isEmpty();
    }

    @Test
    void whatIsNotThereIsLostAndWhatNobodyDecryptedIsNot() {
        Path file = directory.resolve("kept");
        assertThat(of("node-1").isLost(file)).isTrue();

        of("node-1").write(file, "secret");
        assertThat(of("node-1").isLost(file)).isFalse();
        SealedPassword busy =
                new SealedPassword(
                        (_, _, _) -> new Commands.Output(Commands.Output.TIMED_OUT, "", "busy"),
                        "node-1");
        assertThat(busy.known(file)).isEmpty();
        assertThat(busy.isLost(file)).isFalse();
    }
}
