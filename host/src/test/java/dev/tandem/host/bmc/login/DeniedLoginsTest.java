package dev.tandem.host.bmc.login;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the shim of the second level was denied; that it writes so is {@code ShimTest}'s to show.
 */
class DeniedLoginsTest {
    private static final BmcAddress BMC =
            BmcAddress.of("redfish+https://192.0.2.1/redfish/v1/Systems/1");
    private static final Instant SET = Instant.ofEpochSecond(1_000_000);

    @TempDir private Path run;
    private Path password;
    private Path note;

    @BeforeEach
    void files() throws IOException {
        password = Files.writeString(run.resolve("south.password"), "hunter2\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        Files.setLastModifiedTime(password, FileTime.from(SET));
        note = run.resolve("bmc-denied-to-second-level-south");
    }

    private void noted(String text) throws IOException {
        Files.writeString(note, text + "\n");
        Files.setLastModifiedTime(note, FileTime.from(SET.plusSeconds(1)));
    }

    private LoginBackoff.Memory agent(String user, String inUse) {
        return agent(BMC, user, inUse, password);
    }

    private LoginBackoff.Memory agent(BmcAddress bmc, String user, String inUse, Path file) {
        return new DeniedLogins(run, () -> Duration.ofSeconds(25).toNanos())
                .ofTheAgent("south", bmc, user, inUse, Optional.of(file));
    }

    @Test
    void whatTheSecondLevelWasDeniedCountsForTheAgent() throws IOException {
        noted("2 2000 1950 true 192.0.2.1 fencer");

        assertThat(agent("fencer", "hunter2").kept())
                .contains(
                        new Denials(
                                401,
                                "it denied the second fencing level",
                                Duration.ofSeconds(20).toNanos(),
                                2,
                                Duration.ofSeconds(20).toNanos(),
                                OptionalLong.of(Duration.ofMillis(19500).toNanos()),
                                true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    note                              | user   | password | counts
                    2 2000 0 false 192.0.2.1 fencer   | fencer | hunter2  | true
                    # the parameters of a device come in any order
                    2 2000 0 false fencer 192.0.2.1   | fencer | hunter2  | true
                    2 2000 0 false 192.0.2.1 other    | fencer | hunter2  | false
                    2 2000 0 false 192.0.2.2 fencer   | fencer | hunter2  | false
                    # the file was changed by hand; this is still in use
                    2 2000 0 false 192.0.2.1 fencer   | fencer | earlier  | false
                    # it lies ahead
                    2 2501 0 false 192.0.2.1 fencer   | fencer | hunter2  | false
                    0 2000 0 false 192.0.2.1 fencer   | fencer | hunter2  | false
                    2 2000 false 192.0.2.1 fencer     | fencer | hunter2  | false
                    ''                                | fencer | hunter2  | false
                    """)
    void aNoteCountsForTheAccountThatItIsAbout(
            String text, String user, String inUse, boolean counts) throws IOException {
        noted(text);

        assertThat(agent(user, inUse).kept().isPresent()).isEqualTo(counts);
    }

    @Test
    void aPasswordThatWasSetSinceIsTriedAtOnce() throws IOException {
        noted("2 2000 0 false 192.0.2.1 fencer");
        Files.setLastModifiedTime(password, FileTime.from(SET.plusSeconds(2)));

        assertThat(agent("fencer", "hunter2").kept()).isEmpty();
        Files.delete(password);
        assertThat(agent("fencer", "hunter2").kept()).isEmpty();
    }

    /** Encrypted: whoever gets at it has it from where the plan says. */
    @Test
    void aSealedPasswordIsTheOneInUse() throws IOException {
        Path sealed = Files.writeString(run.resolve("south.password.cred"), "x");
        Files.setLastModifiedTime(sealed, FileTime.from(SET));
        noted("2 2000 0 false 192.0.2.1 fencer");

        assertThat(agent(BMC, "fencer", "hunter2", sealed).kept()).isPresent();
    }

    @Test
    void anAddressIsSpelledAsInTheDevice() throws IOException {
        noted("2 2000 0 false 2001:db8::1 fencer");
        assertThat(
                        agent(BmcAddress.of("ipmi://[2001:db8::1]"), "fencer", "hunter2", password)
                                .kept())
                .isPresent();

        noted("2 2000 0 false [2001:db8::1] fencer");
        assertThat(
                        agent(
                                        BmcAddress.of(
                                                "redfish+https://[2001:db8::1]/redfish/v1/Systems/1"),
                                        "fencer",
                                        "hunter2",
                                        password)
                                .kept())
                .isPresent();
    }

    /** Count and moment are of the last of all: each counts on from the other. */
    @Test
    void theNewestNoteIsTheOneThatCounts() throws IOException {
        noted("3 2000 0 false 192.0.2.1 fencer");
        LoginBackoff.Memory agent = agent("fencer", "hunter2");
        agent.keep(Denials.first(401, "wrong", Duration.ofSeconds(10).toNanos(), false, false));
        assertThat(agent.kept().map(Denials::count)).contains(3);

        noted("3 500 0 false 192.0.2.1 fencer");
        assertThat(agent.kept().map(Denials::count)).contains(1);

        agent.forget();
        assertThat(agent.kept()).isEmpty();
        assertThat(note).doesNotExist();
    }
}
