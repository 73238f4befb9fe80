package dev.tandem.host.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tandem.core.Failure;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.ImitatedVault;
import dev.tandem.host.credential.OtherCredentialKey;
import dev.tandem.host.credential.PasswordSource;
import dev.tandem.host.credential.PasswordSource.Login;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans whose passwords come from elsewhere, and what a node keeps of them. */
class PasswordSourcesTest {
    private static final String PROGRAM = "password: {program: [/usr/local/sbin/pw, node-1]}";
    private static final String VAULT =
            "password: {vault: {address: 'https://vault:8200', path: bmc/node-1, appRole: {roleId:"
                    + " tandem, secretIdFile: secret-id}}}";

    @TempDir private Path directory;
    @TempDir private Path etc;

    private static String with(String password) {
        return TestPlans.PAIR.replace("passwordFile: node-1.password", password);
    }

    private PasswordSource source(String password) {
        return TestPlans.read(directory, with(password)).nodes().getLast().bmc().password();
    }

    @Test
    void aProgramMayPrintIt() {
        assertThat(source(PROGRAM))
                .isEqualTo(
                        new PasswordSource.Fetched(
                                new PasswordSource.Program(List.of("/usr/local/sbin/pw", "node-1")),
                                Optional.empty()));
    }

    @Test
    void aStoreMayHaveIt() {
        assertThat(source(VAULT))
                .isEqualTo(
                        new PasswordSource.Fetched(
                                new PasswordSource.Vault(
                                        URI.create("https://vault:8200"),
                                        "secret",
                                        "bmc/node-1",
                                        "password",
                                        Optional.empty(),
                                        Optional.empty(),
                                        new Login.AppRole(
                                                "approle",
                                                "tandem",
                                                directory.resolve("secret-id"))),
                                Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {program: [/usr/local/sbin/pw, node-1]}
                    {vault: {address: 'https://v', path: a, appRole: {roleId: r, secretIdFile: s}}}
                    {vault: {address: 'https://[fd00::1]:8200/', mount: kv/two, path: a/b, field: pw, namespace: n/m, caFile: ca.pem, certificate: {certFile: c, keyFile: k, mount: tls, role: r}}}
                    """)
    void whatIsWrittenIsReadAgain(String password) {
        ClusterPlan plan = TestPlans.read(directory, with("password: " + password));
        ClusterPlan installed = plan.installed(etc);

        assertThat(TestPlans.read(directory, plan.toYaml())).isEqualTo(plan);
        assertThat(TestPlans.read(etc, installed.toYaml())).isEqualTo(installed);
        assertThat(installed.installed(etc)).isEqualTo(installed);
        assertThat(((PasswordSource.Fetched) installed.nodes().getLast().bmc().password()).cache())
                .contains(etc.resolve("bmc/node-1.password.cred"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    username: fencer                         | line 16: bmc needs either passwordFile or password
                    {passwordFile: x, password: {program: [/bin/pw]}} | bmc has both passwordFile and password: keep one of them
                    password: hunter2                        | line 18: password: a plan holds no passwords
                    password: {}                             | line 18: password needs either program or vault
                    password: {program: [/p], vault: {}}     | password has both program and vault
                    password: {program: []}                  | line 18: program: the path of a program
                    password: {program: pw}                  | program must be a list of texts
                    password: {program: [pw]}                | line 18: program: the whole path is needed
                    password: {program: [/usr/../pw]}        | program: the whole path is needed
                    password: {program: [/root/pw]}          | program: tandem-agent does not see this directory
                    password: {program: [/pw, "a\\tb"]}      | program: each argument is one line
                    password: {vault: {address: 'http://v', path: a, appRole: {roleId: r, secretIdFile: s}}} | address: https://HOST or https://HOST:PORT is needed
                    password: {vault: {address: 'https://u:hunter2@v', path: a, appRole: {roleId: r, secretIdFile: s}}} | address: https://HOST or https://HOST:PORT is needed
                    password: {vault: {address: 'https://v', path: ../a, appRole: {roleId: r, secretIdFile: s}}} | path: names of letters
                    password: {vault: {address: 'https://v', path: /a, appRole: {roleId: r, secretIdFile: s}}} | path: names of letters
                    password: {vault: {address: 'https://v', path: a}} | vault needs either appRole or certificate
                    password: {vault: {address: 'https://v', path: a, token: hunter2}} | vault has no field token
                    password: {vault: {address: 'https://v', path: a, appRole: {roleId: r, secretId: hunter2}}} | did you mean secretIdFile
                    """)
    void whatIsWrongIsToldWithoutASecret(String password, String told) {
        String yaml =
                password.startsWith("{passwordFile")
                        ? with("passwordFile: x\n      password: {program: [/bin/pw]}")
                        : password.startsWith("username")
                                ? TestPlans.PAIR.replace(
                                        "      passwordFile: node-1.password\n", "")
                                : with(password);

        Failure failure =
                catchThrowableOfType(Failure.class, () -> TestPlans.read(directory, yaml));

        assertThat(failure).isNotNull();
        assertThat(failure.why()).contains(told).doesNotContain("hunter2");
    }

    /** From a plan with a file to one with a store, and back. */
    @Test
    void aNodeKeepsWhatTheStoreHasEncrypted() throws IOException {
        NodePasswords passwords =
                new NodePasswords(new OtherCredentialKey(directory.resolve("key")));
        NodeFiles files = new NodeFiles(etc, passwords);
        Secrets.write(directory.resolve("pcsd-token"), Secrets.newToken() + "\n");
        Secrets.write(directory.resolve("node-0.password"), "of node-0\n");
        Secrets.write(directory.resolve("node-1.password"), "from a file\n");
        Secrets.write(directory.resolve("secret-id"), ImitatedVault.SECRET_ID + "\n");
        ClusterPlan before = TestPlans.read(directory, TestPlans.PAIR);
        files.write(before);
        Path file = etc.resolve("bmc/node-1.password");
        Path sealed = etc.resolve("bmc/node-1.password.cred");
        assertThat(file).exists();
        assertThat(sealed).doesNotExist();

        ClusterPlan installed;
        ClusterPlan plan;
        try (ImitatedVault vault = new ImitatedVault()) {
            vault.caFile(directory);
            vault.put("secret/data/bmc/node-1", "password", "from the store");
            plan =
                    TestPlans.read(
                            directory,
                            with(
                                    VAULT.replace("https://vault:8200", vault.address().toString())
                                            .replace("path:", "caFile: vault-ca.pem, path:")));
            assertThat(files.changesTo(plan))
                    .extracting(Object::toString)
                    .contains("+ file " + sealed, "- file " + file);
            files.write(plan);
            installed = ClusterPlan.read(etc.resolve("cluster.yaml"));
        }

        // The store is gone.
        assertThat(file).doesNotExist();
        assertThat(files.changesTo(plan)).isEmpty();
        assertThat(passwords.of(installed.nodes().getLast())).isEqualTo("from the store");
        assertThat(etc.resolve("bmc/node-1.vault-secret-id"))
                .hasContent(ImitatedVault.SECRET_ID + "\n");
        try (var all = Files.walk(etc)) {
            for (Path any : all.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(any)).as("%s", any).doesNotContain("from the store");
            }
        }

        // Nothing but the password depends on the store; another secret in it has to be read.
        assertThat(passwords.of(files.withKept(plan).nodes().getLast()))
                .isEqualTo("from the store");
        ClusterPlan other =
                TestPlans.read(directory, plan.toYaml().replace("bmc/node-1", "bmc/node-9"));
        assertThat(files.withKept(other)).isEqualTo(other);

        // What the agent took since is not undone.
        passwords.write(installed.nodes().getLast(), "taken later");
        files.write(plan);
        assertThat(passwords.of(installed.nodes().getLast())).isEqualTo("taken later");

        files.write(before);
        assertThat(sealed).doesNotExist();
        assertThat(file).hasContent("from a file\n");
    }

    @Test
    void aPlanNamesFilesThatMustBeThere() {
        Secrets.write(directory.resolve("pcsd-token"), Secrets.newToken() + "\n");
        Secrets.write(directory.resolve("node-0.password"), "of node-0\n");

        assertThat(PlanSecrets.faults(TestPlans.read(directory, with(VAULT))))
                .singleElement()
                .satisfies(fault ->
                        assertThat(fault.why())
                                .isEqualTo(
                                        directory.resolve("secret-id")
                                                + " does not exist, and the plan names it"));
    }
}
