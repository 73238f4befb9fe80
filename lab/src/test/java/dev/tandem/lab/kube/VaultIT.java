package dev.tandem.lab.kube;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Secrets;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.credential.PasswordOrigins;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.credential.PasswordSource.Vault;
import dev.tandem.host.credential.SourceAnswer;
import dev.tandem.host.credential.SourceAnswer.Kind;
import dev.tandem.host.credential.SourceAnswer.Read;
import dev.tandem.host.credential.SourceAnswer.Unread;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * That a real Vault answers as the server of VaultSourceTest does. Only with {@code -Pvault}: the
 * first run compiles it, for minutes.
 */
@Tag("real-vault")
class VaultIT {
    @TempDir private Path directory;
    private RealVault vault;

    @BeforeEach
    void aVaultWithASecret() throws IOException, InterruptedException {
        vault = RealVault.start(directory);
        vault.root("POST", "sys/mounts/secret", "{\"type\":\"kv\",\"options\":{\"version\":\"2\"}}");
        vault.root(
                "PUT",
                "sys/policies/acl/tandem",
                "{\"policy\":\"path \\\"secret/data/bmc/*\\\" { capabilities = [\\\"read\\\"] }\"}");
        vault.root("POST", "sys/auth/approle", "{\"type\":\"approle\"}");
        vault.root("POST", "auth/approle/role/tandem", "{\"token_policies\":\"tandem\"}");
        vault.root("POST", "auth/approle/role/tandem/role-id", "{\"role_id\":\"tandem\"}");
        String secretId =
                vault.root("POST", "auth/approle/role/tandem/secret-id", "{}")
                        .path("data")
                        .path("secret_id")
                        .textValue();
        Secrets.write(directory.resolve("secret-id"), secretId + "\n");
        vault.root("POST", "sys/auth/cert", "{\"type\":\"cert\"}");
        vault.root(
                "POST",
                "auth/cert/certs/fencers",
                "{\"token_policies\":\"tandem\",\"certificate\":\"%s\"}"
                        .formatted(Files.readString(vault.caFile()).replace("\n", "\\n")));
        vault.root("POST", "secret/data/bmc/node-1", "{\"data\":{\"password\":\"pass  word*\"}}");
    }

    @AfterEach
    void end() {
        vault.close();
    }

    private Login appRole() {
        return new Login.AppRole("approle", "tandem", directory.resolve("secret-id"));
    }

    private Login certificate() {
        Path certificate = directory.resolve("client.crt");
        Path key = directory.resolve("client.key");
        Pem.writeIdentity(
                certificate,
                key,
                vault.authority.issue(LeafProfile.client("node-0", Duration.ofDays(1))));
        return new Login.Certificate("cert", Optional.of("fencers"), certificate, key);
    }

    private SourceAnswer ask(Login login, String path) {
        return new PasswordOrigins(new SystemCommands())
                .ask(
                        new Vault(
                                vault.address(),
                                "secret",
                                path,
                                "password",
                                Optional.empty(),
                                Optional.of(vault.caFile()),
                                login));
    }

    @Test
    void bothLoginsReadThePasswordAndLeaveNoLease() throws IOException, InterruptedException {
        for (Map.Entry<String, Login> login :
                Map.of("approle", appRole(), "cert", certificate()).entrySet()) {
            assertThat(ask(login.getValue(), "bmc/node-1")).isEqualTo(new Read("pass  word*"));
            assertThat(
                            vault.status(
                                    "LIST",
                                    "sys/leases/lookup/auth/" + login.getKey() + "/login/"))
                    .as("404 is Vault's answer for an empty list")
                    .isEqualTo(404);
        }
    }

    @Test
    void whatItRefusesIsToldApart() throws IOException, InterruptedException {
        assertThat(((Unread) ask(appRole(), "bmc/none")).kind()).isEqualTo(Kind.FAULTY);
        assertThat(((Unread) ask(appRole(), "others/node-1")).kind()).isEqualTo(Kind.REFUSED);

        vault.root("DELETE", "secret/data/bmc/node-1", "");
        assertThat(((Unread) ask(appRole(), "bmc/node-1")).kind()).isEqualTo(Kind.FAULTY);

        Path good = directory.resolve("secret-id");
        String secretId = Secrets.read(good);
        Secrets.write(good, "wrong\n");
        assertThat(((Unread) ask(appRole(), "bmc/node-1")).kind()).isEqualTo(Kind.REFUSED);

        Secrets.write(good, secretId + "\n");
        vault.root("PUT", "sys/seal", "");
        assertThat(((Unread) ask(appRole(), "bmc/node-1")).kind()).isEqualTo(Kind.UNREACHABLE);
    }
}
