package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstallCommandsTest {
    private static final String GOOD = "../examples/fenced-pair-none.yaml";

    @TempDir Path temp;

    private final ScreenTerminal screen = ScreenTerminal.unattended();
    private Path bad = Path.of("");

    @BeforeEach
    void writeBadFile() throws IOException {
        bad =
                Files.writeString(
                        temp.resolve("bad.yaml"),
                        Files.readString(Path.of(GOOD))
                                .replace("username: fence", "usrename: fence")
                                .replace("replicas: 2", "replicas: 3"));
    }

    @Test
    void aGoodFileIsCalledGood() {
        assertThat(screen.run("install-config", "validate", GOOD)).isEqualTo(ExitCode.FINE);
        assertThat(screen.out()).isEqualTo(GOOD + " is good (0 errors, 0 warnings, 0 notes).\n");
    }

    @Test
    void aBadFileIsToldCompletelyWithPlacesAndRemedies() {
        assertThat(screen.run("install-config", "validate", bad.toString()))
                .isEqualTo(ExitCode.FINDING);
        assertThat(screen.out())
                .contains("error F15: 2 fencing credentials for 3 control-plane nodes")
                .contains("error F2: the username is missing")
                .contains("warning K1: key 'usrename' is not known")
                .contains("fix:   did you mean username?")
                .endsWith("is not good: 3 errors, 2 warnings, 0 notes.\n");
    }

    @Test
    void aPipelineGetsTheSameAsJson() throws IOException {
        screen.run("install-config", "validate", bad.toString(), "-o", "json");

        JsonNode verdict = new ObjectMapper().readTree(screen.out());
        assertThat(verdict.path("kind").asText()).isEqualTo("InstallConfigVerdict");
        assertThat(verdict.path("good").asBoolean()).isFalse();
        assertThat(verdict.path("errors").asInt()).isEqualTo(3);
        assertThat(verdict.path("findings").findValuesAsText("code")).contains("F2", "F15", "K1");
        assertThat(screen.out()).doesNotContain("replace-this");
    }

    @Test
    void aFileThatIsNotThereCannotBeAsked() {
        assertThat(screen.run("install-config", "validate", "no-such.yaml"))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err()).contains("cause: there is no such file");
    }

    @Test
    void explainTellsTheTopologyInWords() {
        assertThat(screen.run("install-config", "explain", GOOD)).isEqualTo(ExitCode.FINE);
        assertThat(screen.out())
                .startsWith("A fenced pair:")
                .contains("control plane DualReplica")
                .contains("Secret fencing-credentials-node-1");
    }

    @Test
    void theSchemaIsJsonForEditors() throws IOException {
        assertThat(screen.run("install-config", "schema")).isEqualTo(ExitCode.FINE);

        JsonNode schema = new ObjectMapper().readTree(screen.out());
        assertThat(
                        schema.at(
                                        "/properties/controlPlane/properties/fencing/properties/credentials")
                                .at("/items/required"))
                .hasSize(3);
    }

    @Test
    void aDryRunNamesTheFilesAndWritesNone() {
        Path target = temp.resolve("cluster");

        int code = screen.run("create", "manifests", GOOD, "--dir", target.toString(), "--dry-run");

        assertThat(code).isEqualTo(ExitCode.FINE);
        assertThat(screen.out())
                .contains("0600  openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml")
                .contains("wrote none");
        assertThat(target).doesNotExist();
    }

    @Test
    void manifestsAreWrittenOnceAndNotOverOthers() throws IOException {
        Path target = temp.resolve("cluster");
        String[] command = {"create", "manifests", GOOD, "--dir", target.toString()};

        assertThat(screen.run(command)).isEqualTo(ExitCode.FINE);
        assertThat(screen.run(command)).isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err()).contains("the directory is not empty");
        assertThat(
                        Files.readString(
                                target.resolve("manifests/cluster-infrastructure-02-config.yml")))
                .contains("controlPlaneTopology: DualReplica");
    }

    @Test
    void aBadFileGivesNoManifests() {
        Path target = temp.resolve("cluster");

        assertThat(screen.run("create", "manifests", bad.toString(), "--dir", target.toString()))
                .isEqualTo(ExitCode.FINDING);
        assertThat(target).doesNotExist();
    }

    @Test
    void aFileIsCreatedFromOptionsAlone() throws IOException {
        Path password = Files.writeString(temp.resolve("pw"), "fill-\"Kelp\": 09\n");
        Path file = temp.resolve("site.yaml");

        int code =
                screen.run(
                        "install-config",
                        "create",
                        "--file=" + file,
                        "--name=store-17",
                        "--base-domain=example.com",
                        "--platform=none",
                        "--node=node-0",
                        "--node=node-1",
                        "--bmc=redfish+https://192.0.2.10/redfish/v1/Systems/1",
                        "--bmc=redfish+https://192.0.2.11/redfish/v1/Systems/1",
                        "--bmc-username=fence",
                        "--bmc-password-file=" + password);

        assertThat(code).as(screen.out() + screen.err()).isEqualTo(ExitCode.FINE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(screen.run("install-config", "validate", file.toString()))
                .isEqualTo(ExitCode.FINE);
        assertThat(screen.out() + screen.err()).doesNotContain("Kelp");
    }

    @Test
    void aPersonIsAskedForWhatTheOptionsLeaveOpen() throws IOException {
        Path file = temp.resolve("site.yaml");
        ScreenTerminal person =
                ScreenTerminal.attended(
                        """
                        store-18
                        example.com
                        metal
                        baremetal
                        node-0
                        node-1
                        y
                        198.51.100.5
                        198.51.100.6
                        """);

        int code = person.run("install-config", "create", "--file", file.toString());

        assertThat(code).as(person.out() + person.err()).isEqualTo(ExitCode.FINE);
        assertThat(person.err()).contains("Not a valid answer");
        assertThat(Files.readString(file)).contains("arbiter:\n  name: arbiter\n  replicas: 1");
    }

    @Test
    void withoutATerminalAMissingOptionIsNamed() {
        Path file = temp.resolve("site.yaml");

        assertThat(screen.run("install-config", "create", "--file", file.toString()))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err()).contains("--name is missing");
        assertThat(file).doesNotExist();
    }
}
