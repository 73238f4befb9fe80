package dev.tandem.drill.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.SystemCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes, files and programs, one of which shows what it must not. */
class SecretScanTest {
    private static final SecretScan.Answer FINE =
            new SecretScan.Answer("<cib ", List.of("echo", "<cib epoch=\"7\">"));

    @TempDir private Path directory;

    private static Map<String, Secret> known(String what, String value) {
        KnownSecrets secrets = new KnownSecrets();
        secrets.add(new Secret("another", "this one " + "stands nowhere", List.of(), ""));
        secrets.add(Secret.password(what, value, "admin"));
        return secrets.byForm();
    }

    private SecretScan.Findings look(Map<String, Secret> secrets, SecretScan.Answer answer) {
        return new SecretScan(new SystemCommands(), List.of(directory.toString()), List.of(answer))
                .look(secrets);
    }

    private SecretScan.Findings look(Map<String, Secret> secrets) {
        SecretScan.Findings found = look(secrets, FINE);
        assertThat(found.blind()).isEmpty();
        return found;
    }

    @Test
    void aSecretAmongArgumentsIsFound() throws IOException {
        Process shown = new ProcessBuilder("sh", "-c", "read line", "hunter-2-in-argv").start();
        try {
            assertThat(look(known("the password", "hunter-2-in-argv")).leaks())
                    .containsExactly(
                            "the password stands in /proc/%d/cmdline".formatted(shown.pid()));
        } finally {
            shown.destroyForcibly();
        }
    }

    @Test
    void aSecretInAnEnvironmentIsFound() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "read line");
        builder.environment().put("BMC_PASSWORD", "hunter-2-in-environment");
        Process shown = builder.start();
        try {
            assertThat(look(known("the password", "hunter-2-in-environment")).leaks())
                    .containsExactly(
                            "the password stands in /proc/%d/environ".formatted(shown.pid()));
        } finally {
            shown.destroyForcibly();
        }
    }

    @Test
    void aSecretInAFileIsFoundAndOneThatIsNowhereIsNot() throws IOException {
        Path log = Files.createDirectories(directory.resolve("deep")).resolve("agent.log");
        Files.write(log, new byte[] {0, 1, 2});
        Files.writeString(directory.resolve("note"), "nothing here");
        assertThat(look(known("the password", "hunter * 2")).leaks()).isEmpty();

        Files.writeString(log, "\0login with hunter * 2 failed\0");

        assertThat(look(known("the password", "hunter * 2")).leaks())
                .containsExactly("the password stands in " + log);
    }

    /** It has to be there; another secret has not. */
    @Test
    void aTokenInItsOwnFileIsNoLeak() throws IOException {
        Path home = directory.resolve("bmc-session-node-1");
        KnownSecrets secrets = new KnownSecrets();
        secrets.add(new Secret("the token", "t0ken-of-a-session", List.of(), home.toString()));
        secrets.add(Secret.password("the password", "hunter-2-hunter"));
        Files.writeString(home, "t0ken-of-a-session");
        assertThat(look(secrets.byForm()).leaks()).isEmpty();

        Files.writeString(home, "t0ken-of-a-session hunter-2-hunter");
        Files.writeString(directory.resolve("log"), "opened t0ken-of-a-session");

        assertThat(look(secrets.byForm()).leaks())
                .containsExactlyInAnyOrder(
                        "the password stands in " + home,
                        "the token stands in " + directory.resolve("log"));
    }

    /** Each is how some program writes the password {@code a<b>&"c d'e\f}, or logs in with it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a<b>&\"c d'e\\f",
                "a<b>&\\\"c d'e\\\\f",
                "a\\u003cb\\u003e\\u0026\\\"c d'e\\\\f",
                "a&lt;b&gt;&amp;\"c d'e\\f",
                "a&lt;b&gt;&amp;&quot;c d&apos;e\\f",
                "a&lt;b&gt;&amp;&#34;c d&#39;e\\f",
                "a%3Cb%3E%26%22c+d%27e%5Cf",
                "a%3cb%3e%26%22c%20d%27e%5cf",
                "YTxiPiYiYyBkJ2VcZg==",
                "YWRtaW46YTxiPiYiYyBkJ2VcZg=="
            })
    void aSecretIsFoundInOtherForms(String form) {
        SecretScan.Answer answer =
                new SecretScan.Answer("<cib ", List.of("printf", "%s", "<cib x=\"" + form + "\">"));

        assertThat(look(known("the password", "a<b>&\"c d'e\\f"), answer).leaks())
                .containsExactly(
                        "the password stands in the answer of "
                                + String.join(" ", answer.command()));
    }

    @Test
    void aCommandThatFailsIsNotClean() {
        assertThat(blind("ls", "/no/such/directory")).singleElement().asString().contains("2 1");
        assertThat(blind("/no/such/program")).singleElement().asString().contains("127 1");
        assertThat(blind("echo", "Signon to CIB failed"))
                .singleElement()
                .asString()
                .contains("<cib ");
    }

    private List<String> blind(String... command) {
        return look(
                        known("the password", "hunter-2-hunter"),
                        new SecretScan.Answer("<cib ", List.of(command)))
                .blind();
    }

    /** A program that cannot be started, as on a node that is off. */
    @Test
    void aNodeThatRunsNothingIsNotClean() {
        SecretScan scan =
                new SecretScan(
                        (_, _, _) -> new dev.tandem.host.Commands.Output(-1, "", "switched off"),
                        List.of("/tmp"),
                        List.of(FINE));

        assertThat(scan.look(known("the password", "hunter-2-hunter")).blind()).hasSize(4);
    }
}
