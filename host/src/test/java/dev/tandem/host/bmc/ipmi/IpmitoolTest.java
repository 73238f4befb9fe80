package dev.tandem.host.bmc.ipmi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpmiCipherSuite;
import dev.tandem.host.Commands;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpmitoolTest {
    private static final Duration LIMIT = Duration.ofSeconds(6);

    /** Notes how it was called, and what the list of requests held then. */
    private static final class Noted implements Commands {
        final List<String> calls = new ArrayList<>();
        final List<String> lists = new ArrayList<>();
        final List<String> permissions = new ArrayList<>();
        final List<String> stdins = new ArrayList<>();

        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            Path list = Path.of(command.getLast());
            calls.add(String.join(" ", command.subList(0, command.size() - 1)));
            stdins.add(stdin);
            try {
                lists.add(Files.readString(list));
                permissions.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(list)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Output(0, "\n", "");
        }
    }

    private final Noted commands = new Noted();

    @TempDir Path directory;

    private BmcAnswer<IpmiAnswers> ask(String user, String password) {
        return new Ipmitool(
                        commands,
                        directory,
                        new IpmiEndpoint("2001:db8::1", 6230, IpmiCipherSuite.SHA256),
                        new BmcCredentials(user, password),
                        IpmiPrivilege.OPERATOR)
                .ask(List.of(IpmiRequest.POWER_DOWN), LIMIT);
    }

    @Test
    void thePasswordGoesByStandardInputAlone() throws IOException {
        assertThat(ask("fencer", "hunter2").known()).isPresent();

        assertThat(commands.calls)
                .containsExactly(
                        "ipmitool -v -I lanplus -H 2001:db8::1 -p 6230 -U fencer -f /dev/stdin -L"
                                + " OPERATOR -C 17 -N 1 -R 4 exec");
        assertThat(commands.stdins).containsExactly("hunter2\n");
        assertThat(commands.lists).containsExactly("raw 0x00 0x02 0x00\n");
        assertThat(commands.permissions).containsExactly("rw-------");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    user              | password              | why
                    seventeen-letters | hunter2               | IPMI has user names of at most 16 bytes
                    fencer            | 123456789012345678901 | IPMI has passwords of 1 to 20 bytes
                    fencer            | ''                    | IPMI has passwords of 1 to 20 bytes
                    """)
    void whatIpmiHasNoRoomForIsNotTried(String user, String password, String why) {
        assertThat(ask(user, password))
                .isEqualTo(new BmcAnswer.Unknown<>(new BmcFault.Denied(401, why)));
        assertThat(commands.calls).isEmpty();
    }

    @Test
    void aPasswordOfTwoLinesIsNotTried() {
        assertThat(ask("fencer", "one\ntwo").known()).isEmpty();
        assertThat(commands.calls).isEmpty();
    }

    @Test
    void aPlaceThatCannotBeWrittenToIsTold() {
        directory = directory.resolve("missing");

        assertThat(ask("fencer", "hunter2"))
                .isInstanceOfSatisfying(
                        BmcAnswer.Unknown.class,
                        unknown ->
                                assertThat(unknown.fault().sentence())
                                        .startsWith(
                                                "the BMC cannot be reached: it was not asked,"
                                                        + " because nothing can be written to "));
    }
}
