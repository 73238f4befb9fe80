package dev.tandem.host.credential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.Secrets;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.credential.ImitatedVault.Spoiled;
import dev.tandem.host.credential.PasswordSource.Login;
import dev.tandem.host.credential.PasswordSource.Vault;
import dev.tandem.host.credential.SourceAnswer.Kind;
import dev.tandem.host.credential.SourceAnswer.Read;
import dev.tandem.host.credential.SourceAnswer.Unread;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.Pem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Over real TLS, against a server that imitates Vault. */
class VaultSourceTest {
    private static final Duration DAY = Duration.ofDays(1);

    @TempDir private Path directory;
    private final ImitatedVault vault = new ImitatedVault();

    VaultSourceTest() throws IOException {}

    @BeforeEach
    void aSecret() {
        Secrets.write(directory.resolve("secret-id"), ImitatedVault.SECRET_ID + "\n");
        vault.put("secret/data/bmc/node-1", "password", "pass  word*");
    }

    @AfterEach
    void end() {
        vault.close();
    }

    private Login appRole() {
        return new Login.AppRole("approle", ImitatedVault.ROLE, directory.resolve("secret-id"));
    }

    private Login certificate(CertificateAuthority issuer, Optional<String> role) {
        Path certificate = directory.resolve("client.crt");
        Path key = directory.resolve("client.key");
        Pem.writeIdentity(certificate, key, issuer.issue(LeafProfile.client("node-0", DAY)));
        return new Login.Certificate("cert", role, certificate, key);
    }

    private Vault source(Login login) {
        return new Vault(
                vault.address(),
                "secret",
                "bmc/node-1",
                "password",
                Optional.empty(),
                Optional.of(vault.caFile(directory)),
                login);
    }

    private static SourceAnswer ask(Vault source) {
        return new PasswordOrigins(new SystemCommands()).ask(source, Optional::empty);
    }

    private Unread refused(Vault source) {
        return (Unread) ask(source);
    }

    @Test
    void aRoleReadsThePasswordAndGivesItsTokenBack() {
        assertThat(ask(source(appRole()))).isEqualTo(new Read("pass  word*"));
        assertThat(vault.requests)
                .containsExactly(
                        "POST /v1/auth/approle/login",
                        "GET /v1/secret/data/bmc/node-1",
                        "POST /v1/auth/token/revoke-self");
        assertThat(vault.tokensAreLeft()).isFalse();
    }

    @Test
    void soDoesACertificate() {
        assertThat(ask(source(certificate(vault.authority, Optional.empty()))))
                .isEqualTo(new Read("pass  word*"));
        assertThat(ask(source(certificate(vault.authority, Optional.of("fencers")))))
                .isEqualTo(new Read("pass  word*"));
        assertThat(refused(source(certificate(vault.authority, Optional.of("others")))).kind())
                .isEqualTo(Kind.REFUSED);
        assertThat(vault.tokensAreLeft()).isFalse();
    }

    @Test
    void everyRequestNamesTheNamespace() {
        Vault plain = source(appRole());
        SourceAnswer answer =
                ask(
                        new Vault(
                                plain.address(),
                                plain.mount(),
                                plain.path(),
                                plain.field(),
                                Optional.of("site/17"),
                                plain.caFile(),
                                plain.login()));

        assertThat(answer).isInstanceOf(Read.class);
        assertThat(vault.requests).hasSize(3).allMatch(request -> request.endsWith(" in site/17"));
    }

    @Test
    void aWrongSecretIdIsRefusedAndNotRepeated() {
        Secrets.write(directory.resolve("secret-id"), "wrong-secret-id\n");

        assertThat(refused(source(appRole())))
                .isEqualTo(
                        new Unread(
                                Kind.REFUSED,
                                "it refuses the login at auth/approle (400: invalid role or secret"
                                        + " ID)",
                                "check roleId in the plan, and have a new secret id written to "
                                        + directory.resolve("secret-id")));
        vault.spoiled = Spoiled.REPEATS_THE_SECRET;
        // Vault quotes it, and what is told is cut after 200 characters.
        for (String secretId : List.of("wrong-secret-id", "wrong\"\\id", "wrong".repeat(100))) {
            Secrets.write(directory.resolve("secret-id"), secretId + "\n");
            assertThat(refused(source(appRole())).why())
                    .isEqualTo("it refuses the login at auth/approle (400)");
        }
    }

    @Test
    void aLockedRoleIsNotTakenForAWrongSecretId() {
        vault.spoiled = Spoiled.LOCKED;

        assertThat(refused(source(appRole())))
                .isEqualTo(
                        new Unread(
                                Kind.REFUSED,
                                "it refuses the login at auth/approle (403: permission denied)",
                                "check mount and roleId in the plan; from 1.13 on, Vault locks a"
                                        + " role for 15 min after five wrong secret ids (vault read"
                                        + " sys/locked-users)"));
    }

    @Test
    void whatItSaysOnSeveralLinesIsOne() {
        Vault plain = source(appRole());

        assertThat(
                        refused(
                                        new Vault(
                                                plain.address(),
                                                plain.mount(),
                                                "others/node-1",
                                                plain.field(),
                                                plain.namespace(),
                                                plain.caFile(),
                                                plain.login()))
                                .why())
                .isEqualTo("it refuses reading secret/data/others/node-1 (403: permission denied)");
        assertThat(vault.tokensAreLeft()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    SEALED    | UNREACHABLE | it is sealed or in maintenance: Vault is sealed
                    REDIRECTS | FAULTY      | it sends clients to another address, which is not followed
                    NO_JSON   | FAULTY      | its answer to the login has no token
                    ENDLESS   | UNREACHABLE | the connection broke: body exceeds capacity: 65536
                    SILENT    | UNREACHABLE | no answer within 5.0 s
                    """)
    void aServerThatIsNotWellIsToldApart(Spoiled how, Kind kind, String why) {
        vault.spoiled = how;

        assertThat(refused(source(appRole())))
                .extracting(Unread::kind, Unread::why)
                .containsExactly(kind, why);
        assertThat(vault.requests).hasSize(1);
    }

    /** A new one is being written, and what is told is what the store said. */
    @Test
    void aSecretIdThatGoesMeanwhileIsNotWhatIsWrong() {
        vault.spoiled = Spoiled.SEALED;
        vault.meanwhile =
                () -> {
                    try {
                        Files.deleteIfExists(directory.resolve("secret-id"));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                };

        assertThat(refused(source(appRole())))
                .extracting(Unread::kind, Unread::why)
                .containsExactly(Kind.UNREACHABLE, "it is sealed or in maintenance");
    }

    @Test
    void aServerThatIsGoneIsToldAtOnce() {
        Vault source = source(appRole());
        vault.close();

        assertThat(refused(source))
                .extracting(Unread::kind, Unread::why)
                .containsExactly(
                        Kind.UNREACHABLE,
                        "no connection to 127.0.0.1:" + vault.address().getPort());
    }

    @Test
    void aServerWithAForeignCertificateGetsNoSecret() {
        Vault right = source(appRole());
        CertificateAuthority other =
                CertificateAuthority.create("other", DAY, InstantSource.system());
        Path file = directory.resolve("other-ca.pem");
        Pem.writeCertificates(file, List.of(other.certificate()));

        Unread answer =
                refused(
                        new Vault(
                                right.address(),
                                right.mount(),
                                right.path(),
                                right.field(),
                                right.namespace(),
                                Optional.of(file),
                                right.login()));

        assertThat(answer.why()).startsWith("its certificate is not trusted: ");
        assertThat(vault.requests).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    bmc/node-2 | password | it has no secret at secret/data/bmc/node-2 of a key-value engine of version 2
                    bmc/node-1 | passwort | the secret at secret/data/bmc/node-1 has no text in a field passwort
                    """)
    void aSecretThatIsNotThereIsTold(String path, String field, String why) {
        Vault right = source(appRole());
        Unread answer =
                refused(
                        new Vault(
                                right.address(),
                                right.mount(),
                                path,
                                field,
                                right.namespace(),
                                right.caFile(),
                                right.login()));

        assertThat(answer).extracting(Unread::kind, Unread::why).containsExactly(Kind.FAULTY, why);
        assertThat(vault.tokensAreLeft()).isFalse();
    }

    @Test
    void whatIsNoPasswordIsNotTaken() {
        vault.put("secret/data/bmc/node-1", "password", "two\nlines");

        Unread answer = refused(source(appRole()));
        assertThat(answer.kind()).isEqualTo(Kind.FAULTY);
        assertThat(answer.why()).contains("it has more than one line").doesNotContain("two");
        assertThat(vault.tokensAreLeft()).isFalse();
    }

    @Test
    void aFileThatIsMissingHereIsTold() {
        Vault source =
                source(new Login.AppRole("approle", "tandem", directory.resolve("no-such-file")));

        assertThat(refused(source).why()).contains("no-such-file does not exist");
        assertThat(vault.requests).isEmpty();
    }
}
