package dev.tandem.host.credential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.credential.SourceAnswer.Kind;
import dev.tandem.host.credential.SourceAnswer.Read;
import dev.tandem.host.credential.SourceAnswer.Unread;
import dev.tandem.host.testing.PatientCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real programs print passwords, or do not. */
class ProgramSourceTest {
    @TempDir private Path directory;
    private OnlyRootWrites mine = OnlyRootWrites.ROOT;

    @BeforeEach
    void whoIAm() throws IOException {
        mine = new OnlyRootWrites((Integer) Files.getAttribute(directory, "unix:uid"));
    }

    private Path program(String script) throws IOException {
        Path program = directory.resolve("print-password");
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program;
    }

    private SourceAnswer run(String script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program(script).toString()));
        command.addAll(Arrays.asList(arguments));
        return new PasswordOrigins(new PatientCommands())
                .ask(new PasswordSource.Program(command), () -> Optional.of("kept word"), mine);
    }

    private Unread refused(String script) throws IOException {
        return (Unread) run(script);
    }

    @Test
    void whatItPrintsIsThePassword() throws IOException {
        assertThat(run("printf '%s of %s' 'pass  word*' \"$1\"", "node 1"))
                .isEqualTo(new Read("pass  word* of node 1"));
        assertThat(run("echo hunter2")).isEqualTo(new Read("hunter2"));
    }

    @Test
    void thePasswordStandsInNoTextOfTheAnswer() throws IOException {
        assertThat(run("echo hunter2").toString()).doesNotContain("hunter2");
    }

    /** Whatever the agent has in its own is not for it; and nothing waits for its input. */
    @Test
    void itsEnvironmentIsEmptyAndSoIsItsInput() throws IOException {
        assertThat(run("cat; env | grep -v -e ^PATH= -e ^LC_ALL= -e ^PWD= -e ^_= | wc -l"))
                .isEqualTo(new Read("0"));
        assertThat(run("pwd")).isEqualTo(new Read("/"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    exit 75                                   | UNREACHABLE | it says that its store cannot be reached
                    echo no route >&2; exit 75                | UNREACHABLE | it says that its store cannot be reached: no route
                    exit 77                                   | REFUSED     | it says that its store refuses to give the password
                    echo no access >&2; exit 77               | REFUSED     | it says that its store refuses to give the password: no access
                    exit 3                                    | FAULTY      | it ended with exit code 3
                    :                                         | FAULTY      | what it printed is not a password: it is empty
                    printf 'a\\nb\\n'                         | FAULTY      | what it printed is not a password: it has more than one line
                    printf 'a\\tb'                            | FAULTY      | what it printed is not a password: it has a control character, such as a tab
                    printf '\\377'                            | FAULTY      | what it printed is not UTF-8 text
                    printf '%02000d' 0                        | FAULTY      | what it printed is not a password: it is longer than 1024 bytes
                    """)
    void whatElseItDoesHasAMeaning(String script, Kind kind, String why) throws IOException {
        assertThat(refused(script))
                .extracting(Unread::kind, Unread::why)
                .containsExactly(kind, why);
    }

    @Test
    void aProgramThatPrintsWithoutEndIsEnded() throws IOException {
        assertThat(refused("exec yes"))
                .extracting(Unread::kind, Unread::why)
                .containsExactly(
                        Kind.UNREACHABLE, "it did not end within 10 s, or printed too much");
    }

    /** Standard output, standard error, exit code; "hunter2" is new, "kept word" is in use. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo hunter2; echo 'no place for hunter2' >&2; exit 75",
                "echo hunter2 >&2; exit 1",
                "set -x; PASSWORD=hunter2; exit 75",
                "set -x; PASSWORD=hunter2; exit 1",
                "echo 'not accepted: kept word' >&2; exit 77",
                "printf 'not accepted: kept\\001 word\\n' >&2; exit 77",
                "printf 'hunter2\\nx\\n'; echo 'I said hunter2' >&2; exit 75",
                "echo hunter2 >&2; exit 0",
            })
    void noSecretIsPassedOn(String script) throws IOException {
        String told = refused(script).toString();

        assertThat(told).doesNotContain("hunter2").doesNotContain("kept");
    }

    @Test
    void aLineWithoutASecretIsPassedOnAllTheSame() throws IOException {
        assertThat(
                        refused(
                                        "set -x; T=hunter2; echo 'kept word' >&2; echo 'no route'"
                                                + " >&2; exit 75")
                                .why())
                .isEqualTo("it says that its store cannot be reached: no route");
        assertThat(refused("printf 'a\033[2Jb\n' >&2; exit 75").why())
                .isEqualTo("it says that its store cannot be reached: a[2Jb");
    }

    @Test
    void aProgramThatOthersCanChangeIsNotRun() throws IOException {
        Path program = program("touch %s; echo secret".formatted(directory.resolve("it-ran")));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxrwxr-x"));

        assertThat(mine.fault(program)).contains("users other than root can write to " + program);
        SourceAnswer answer =
                new PasswordOrigins(new PatientCommands())
                        .ask(
                                new PasswordSource.Program(List.of(program.toString())),
                                Optional::empty,
                                mine);
        assertThat(((Unread) answer).kind()).isEqualTo(Kind.FAULTY);
        assertThat(directory.resolve("it-ran")).doesNotExist();
    }

    @Test
    void norIsOneWhoseDirectoryOthersCanChange() throws IOException {
        Path open = Files.createDirectory(directory.resolve("open"));
        Path program = Files.move(program("echo secret"), open.resolve("program"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThat(mine.fault(program)).contains("users other than root can write to " + open);
        Path link = Files.createSymbolicLink(directory.resolve("link"), program);
        assertThat(mine.fault(link)).contains("users other than root can write to " + open);
    }

    @Test
    void norIsOneOfAnotherUser() throws IOException {
        Path program = program("echo secret");

        assertThat(new OnlyRootWrites(0).fault(Path.of("/bin/true"))).isEmpty();
        if (mine.trusted() == 0) {
            Files.setAttribute(program, "unix:uid", 12345);
        }
        assertThat(new OnlyRootWrites(0).fault(program))
                .contains(program + " does not belong to root");
    }

    @Test
    void norIsWhatIsNoProgram() throws IOException {
        Path program = program("echo secret");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(mine.fault(program)).contains(program + " is not a program");
        assertThat(mine.fault(directory)).contains(directory + " is not a program");
        assertThat(mine.fault(directory.resolve("none")))
                .contains(directory.resolve("none") + " does not exist");
    }
}
