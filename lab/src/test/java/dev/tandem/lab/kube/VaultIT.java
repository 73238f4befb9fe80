package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.host.Secrets;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.credential.PasswordOrigins;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.credential.PasswordSource.Vault;
import dev.tandem.host.credential.SourceAnswer;
import dev.tandem.host.credential.SourceAnswer.Kind;
import dev.tandem.host.credential.SourceAnswer.Read;
import dev.tandem.host.credential.SourceAnswer.Unread;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import dev.tandem.lab.kube.RealVault.Standby;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client of a store against a real Vault. Only with {@code -Pvault}, which compiles one. */
@Tag("real-vault")
class VaultIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PASSWORD = "pass  word* \"ä\" \\";

    @TempDir private Path directory;
    private RealVault vault;

    @BeforeEach
    void aVaultWithASecret() throws IOException, InterruptedException {
        vault = RealVault.install(directory, Standby.FORWARDS);
        setUp();
    }

    private void setUp() throws IOException, InterruptedException {
        vault.initialize();
        vault.unseal();
        vault.root(
                "POST",
                "sys/mounts/secret",
                "{\"type\": \"kv\", \"options\": {\"version\": \"2\"}}");
        policy("secret/data/bmc/*");
        vault.root("POST", "sys/auth/approle", "{\"type\": \"approle\"}");
        role("token_type", "service");
        vault.root("POST", "auth/approle/role/tandem/role-id", "{\"role_id\": \"tandem\"}");
        newSecretId();
        vault.root("POST", "sys/auth/cert", "{\"type\": \"cert\"}");
        vault.root(
                "POST",
                "auth/cert/certs/fencers",
                JSON.createObjectNode()
                        .put("token_policies", "tandem")
                        .put("certificate", Files.readString(vault.caFile()))
                        .toString());
        put("bmc/node-1", JSON.createObjectNode().put("password", PASSWORD));
    }

    @AfterEach
    void end() {
        vault.close();
    }

    private void policy(String path) throws IOException, InterruptedException {
        vault.root(
                "PUT",
                "sys/policies/acl/tandem",
                JSON.createObjectNode()
                        .put("policy", "path \"%s\" { capabilities = [\"read\"] }".formatted(path))
                        .toString());
    }

    /** The role of the AppRole, with a setting of its own. */
    private void role(String setting, String value) throws IOException, InterruptedException {
        vault.root(
                "POST",
                "auth/approle/role/tandem",
                JSON.createObjectNode()
                        .put("token_policies", "tandem")
                        .put(setting, value)
                        .toString());
    }

    private void newSecretId() throws IOException, InterruptedException {
        String secretId =
                vault.root("POST", "auth/approle/role/tandem/secret-id", "{}")
                        .path("data")
                        .path("secret_id")
                        .textValue();
        Secrets.write(secretIdFile(), secretId + "\n");
    }

    private void put(String path, ObjectNode data) throws IOException, InterruptedException {
        vault.root(
                "POST",
                "secret/data/" + path,
                JSON.createObjectNode().set("data", data).toString());
    }

    private Path secretIdFile() {
        return directory.resolve("secret-id");
    }

    private Login appRole() {
        return new Login.AppRole("approle", "tandem", secretIdFile());
    }

    private Login certificate(CertificateAuthority issuer, Optional<String> role) {
        Path certificate = directory.resolve("client.crt");
        Path key = directory.resolve("client.key");
        Pem.writeIdentity(
                certificate, key, issuer.issue(LeafProfile.client("node-0", Duration.ofDays(1))));
        return new Login.Certificate("cert", role, certificate, key);
    }

    private SourceAnswer ask(URI address, String mount, String path, Login login) {
        return new PasswordOrigins(new SystemCommands())
                .ask(
                        new Vault(
                                address,
                                mount,
                                path,
                                "password",
                                Optional.empty(),
                                Optional.of(vault.caFile()),
                                login),
                        Optional::empty);
    }

    private SourceAnswer ask(Login login) {
        return ask(vault.active(), "secret", "bmc/node-1", login);
    }

    private static void assertUnread(SourceAnswer answer, Kind kind, String why) {
        assertThat(answer)
                .asInstanceOf(InstanceOfAssertFactories.type(Unread.class))
                .extracting(Unread::kind, Unread::why)
                .containsExactly(kind, why);
    }

    /** What Vault adds is a message of Go's. */
    private static void assertCertificateRefused(SourceAnswer answer) {
        assertThat(answer)
                .asInstanceOf(InstanceOfAssertFactories.type(Unread.class))
                .satisfies(unread -> {
                    assertThat(unread.kind()).isEqualTo(Kind.REFUSED);
                    assertThat(unread.why())
                            .startsWith(
                                    "it refuses the login at auth/cert (400: invalid certificate or"
                                            + " no client certificate supplied");
                });
    }

    /** Of everybody, root's too. */
    private long tokens() throws IOException, InterruptedException {
        return vault.root("LIST", "auth/token/accessors", "").path("data").path("keys").size();
    }

    @Test
    void bothLoginsReadThePasswordAndGiveTheirTokenBack() throws IOException, InterruptedException {
        long before = tokens();

        for (Login login :
                List.of(
                        appRole(),
                        certificate(vault.authority, Optional.empty()),
                        certificate(vault.authority, Optional.of("fencers")))) {
            assertThat(ask(login)).isEqualTo(new Read(PASSWORD));
            assertThat(tokens()).as("after " + login).isEqualTo(before);
        }
    }

    @Test
    void aStandbyForwardsBothLogins() throws IOException, InterruptedException {
        long before = tokens();

        for (Login login : List.of(appRole(), certificate(vault.authority, Optional.empty()))) {
            assertThat(ask(vault.standby(), "secret", "bmc/node-1", login))
                    .isEqualTo(new Read(PASSWORD));
        }
        assertThat(tokens()).isEqualTo(before);
    }

    @Test
    void aNodeThatDoesNotServeIsToldApart() throws IOException, InterruptedException {
        vault.close();
        Path another = Files.createDirectory(directory.resolve("another"));
        vault = RealVault.install(another, Standby.REDIRECTS);
        Secrets.write(secretIdFile(), "not yet\n");
        assertUnread(
                ask(appRole()),
                Kind.UNREACHABLE,
                "it is sealed or in maintenance: Vault is sealed");

        setUp();
        assertUnread(
                ask(vault.standby(), "secret", "bmc/node-1", appRole()),
                Kind.FAULTY,
                "it sends clients to another address, which is not followed");

        vault.seal();
        assertUnread(
                ask(appRole()),
                Kind.UNREACHABLE,
                "it is sealed or in maintenance: Vault is sealed");
    }

    @Test
    void aLoginThatIsRefusedIsTold() throws IOException, InterruptedException {
        CertificateAuthority other =
                CertificateAuthority.create("other", Duration.ofDays(1), InstantSource.system());

        assertUnread(
                ask(new Login.AppRole("approle", "others", secretIdFile())),
                Kind.REFUSED,
                "it refuses the login at auth/approle (400: invalid role ID)");
        assertUnread(
                ask(new Login.AppRole("nowhere", "tandem", secretIdFile())),
                Kind.REFUSED,
                "it refuses the login at auth/nowhere (403: permission denied)");
        assertCertificateRefused(ask(certificate(other, Optional.empty())));
        assertCertificateRefused(ask(certificate(vault.authority, Optional.of("others"))));
        Secrets.write(secretIdFile(), "wrong\n");
        assertUnread(
                ask(appRole()),
                Kind.REFUSED,
                "it refuses the login at auth/approle (400: invalid secret id)");
    }

    @Test
    void aSecretIdThatIsUsedUpIsRefused() throws IOException, InterruptedException {
        role("secret_id_num_uses", "1");
        newSecretId();

        assertThat(ask(appRole())).isEqualTo(new Read(PASSWORD));
        assertUnread(
                ask(appRole()),
                Kind.REFUSED,
                "it refuses the login at auth/approle (400: invalid secret id)");
    }

    @Test
    void aRoleIsLockedAfterFiveWrongSecretIds() throws IOException, InterruptedException {
        String right = Secrets.read(secretIdFile());
        Secrets.write(secretIdFile(), "wrong\n");
        for (int i = 0; i < 5; i++) {
            assertUnread(
                    ask(appRole()),
                    Kind.REFUSED,
                    "it refuses the login at auth/approle (400: invalid secret id)");
        }

        Secrets.write(secretIdFile(), right + "\n");
        assertUnread(
                ask(appRole()),
                Kind.REFUSED,
                "it refuses the login at auth/approle (403: permission denied)");
    }

    @Test
    void tokensThatCannotBeGivenBackReadThePassword() throws IOException, InterruptedException {
        role("token_num_uses", "1");
        assertThat(ask(appRole())).isEqualTo(new Read(PASSWORD));
        role("token_num_uses", "0");
        role("token_type", "batch");
        assertThat(ask(appRole())).isEqualTo(new Read(PASSWORD));
    }

    @Test
    void aSecretThatIsNotThereIsTold() throws IOException, InterruptedException {
        long before = tokens();
        put("bmc/other-field", JSON.createObjectNode().put("passwort", PASSWORD));
        put("bmc/number", JSON.createObjectNode().put("password", 12345));
        put("bmc/deleted", JSON.createObjectNode().put("password", PASSWORD));
        vault.root("DELETE", "secret/data/bmc/deleted", "");
        put("bmc/destroyed", JSON.createObjectNode().put("password", PASSWORD));
        vault.root("PUT", "secret/destroy/bmc/destroyed", "{\"versions\": [1]}");

        for (String path : List.of("bmc/none", "bmc/deleted", "bmc/destroyed")) {
            assertUnread(
                    ask(vault.active(), "secret", path, appRole()),
                    Kind.FAULTY,
                    "it has no secret at secret/data/%s of a key-value engine of version 2"
                            .formatted(path));
        }
        for (String path : List.of("bmc/other-field", "bmc/number")) {
            assertUnread(
                    ask(vault.active(), "secret", path, appRole()),
                    Kind.FAULTY,
                    "the secret at secret/data/%s has no text in a field password".formatted(path));
        }
        assertUnread(
                ask(vault.active(), "secret", "others/node-1", appRole()),
                Kind.REFUSED,
                "it refuses reading secret/data/others/node-1 (403: permission denied)");
        assertUnread(
                ask(vault.active(), "nowhere", "bmc/node-1", appRole()),
                Kind.REFUSED,
                "it refuses reading nowhere/data/bmc/node-1 (403: permission denied)");
        assertThat(tokens()).isEqualTo(before);
    }

    @Test
    void anEngineOfVersionOneIsTold() throws IOException, InterruptedException {
        vault.root(
                "POST",
                "sys/mounts/first",
                "{\"type\": \"kv\", \"options\": {\"version\": \"1\"}}");
        vault.root("POST", "first/bmc/node-1", "{\"password\": \"pass\"}");
        policy("first/*");

        assertUnread(
                ask(vault.active(), "first", "bmc/node-1", appRole()),
                Kind.FAULTY,
                "it has no secret at first/data/bmc/node-1 of a key-value engine of version 2");
    }

    @Test
    void theNewestVersionIsRead() throws IOException, InterruptedException {
        put("bmc/node-1", JSON.createObjectNode().put("password", "another"));

        assertThat(ask(appRole())).isEqualTo(new Read("another"));
    }

    @Test
    void aSecretMayBeLargeButNotHuge() throws IOException, InterruptedException {
        long before = tokens();
        put(
                "bmc/node-1",
                JSON.createObjectNode()
                        .put("password", PASSWORD)
                        .put("others", "x".repeat(60_000)));
        assertThat(ask(appRole())).isEqualTo(new Read(PASSWORD));

        put(
                "bmc/node-1",
                JSON.createObjectNode()
                        .put("password", PASSWORD)
                        .put("others", "x".repeat(70_000)));
        assertUnread(
                ask(appRole()),
                Kind.UNREACHABLE,
                "the connection broke: body exceeds capacity: 65536");
        assertThat(tokens()).isEqualTo(before);
    }

    @Test
    void aQuotaOfRequestsIsTold() throws IOException, InterruptedException {
        vault.root(
                "POST",
                "sys/quotas/rate-limit/logins",
                "{\"path\": \"auth/approle/login\", \"rate\": 1, \"interval\": \"1h\"}");

        assertThat(ask(appRole())).isEqualTo(new Read(PASSWORD));
        assertUnread(
                ask(appRole()),
                Kind.UNREACHABLE,
                "it takes no more requests for now: request path \"auth/approle/login\": rate limit"
                        + " quota exceeded");
    }
}
