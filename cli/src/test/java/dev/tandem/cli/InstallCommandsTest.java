package dev.tandem.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

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
        assertThat(screen.out()).isEqualTo(GOOD + " is valid (0 errors, 0 warnings, 0 notes).\n");
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
                .endsWith("is not valid: 3 errors, 2 warnings, 0 notes.\n");
    }

    @Test
    void aRemedyNamesTheFileThatWasGiven() {
        String file = "../install/src/test/resources/rules/T15/refused.yaml";
        screen.run("install-config", "validate", file);

        assertThat(screen.out())
                .contains("tandem install-config validate " + file + " --check-bmcs\n");
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
        ScreenTerminal dry = ScreenTerminal.unattended();
        assertThat(dry.run("create", "manifests", GOOD, "--dir", target.toString(), "--dry-run"))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(dry.err()).contains("the directory is not empty");
        assertThat(
                        Files.readString(
                                target.resolve("manifests/cluster-infrastructure-02-config.yml")))
                .contains("controlPlaneTopology: DualReplica");
    }

    @Test
    void aRootCaHasACertificate() throws IOException {
        Path hello = Files.writeString(temp.resolve("root-ca.crt"), "hello\n");
        Path target = temp.resolve("cluster");

        assertThat(
                        screen.run(
                                "create",
                                "manifests",
                                GOOD,
                                "--dir",
                                target.toString(),
                                "--root-ca",
                                hello.toString()))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err()).contains("it holds no CERTIFICATE block");
        assertThat(target).doesNotExist();
    }

    @Test
    void aReleaseThatIsNoneIsWrongUsage() {
        assertThat(screen.run("install-config", "validate", GOOD, "--release", "abc"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(screen.err()).contains("--release is not understood");
    }

    @Test
    void aReleaseWhoseRulesAreNotKnownIsWrongUsage() {
        assertThat(screen.run("install-config", "validate", GOOD, "--release", "9.99"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(screen.err())
                .contains("--release 9.99 is not known")
                .contains("the releases 4.17 to 4.22");
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
                        Bad Name
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
        assertThat(person.err())
                .contains("Not valid: use lower-case letters, digits and dashes, such as")
                .contains("Not valid: use none, baremetal or external");
        assertThat(person.run("install-config", "validate", file.toString(), "--method", "agent"))
                .isEqualTo(ExitCode.FINE);
        assertThat(person.out())
                .contains("tandem install-config validate " + file + " --method agent\n");
        assertThat(Files.readString(file)).contains("arbiter:\n  name: arbiter\n  replicas: 1");
    }

    @Test
    void whatDoesNotFitIsRefusedBeforeAFileIsThere() {
        Path file = temp.resolve("site.yaml");

        assertThat(screen.run("install-config", "create", "--file=" + file, "--name=Bad Name"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(screen.err())
                .contains("cause: the value of --name is not valid")
                .contains("fix: use lower-case letters");
        assertThat(file).doesNotExist();
    }

    @Test
    void aFileThatIsThereIsToldBeforeAnythingIsAsked() throws IOException {
        Path file = Files.writeString(temp.resolve("site.yaml"), "");
        ScreenTerminal person = ScreenTerminal.attended("");

        assertThat(person.run("install-config", "create", "--file=" + file))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(person.err()).contains("exists already").doesNotContain("Name of the cluster");
    }

    @Test
    void theHelpSaysWhereAPairBegins() {
        for (String[] command :
                List.of(
                        new String[] {"install-config", "--help"},
                        new String[] {"install-config", "create", "--help"},
                        new String[] {"create", "--help"})) {
            ScreenTerminal asked = ScreenTerminal.unattended();
            assertThat(asked.run(command)).isEqualTo(ExitCode.FINE);
            assertThat(asked.out().replaceAll("\\s+", " "))
                    .contains("OpenShift")
                    .contains("tandem cluster plan example > plan.yaml");
        }
    }

    /** Each file that lies beside the right one is recognised, and the command for it named. */
    @Test
    void aFileOfAnotherKindIsRecognised() throws IOException {
        Path plan = temp.resolve("plan.yaml");
        ScreenTerminal example = ScreenTerminal.unattended();
        example.run("cluster", "plan", "example");
        Files.writeString(plan, example.out());
        Path kubeconfig =
                Files.writeString(
                        temp.resolve("admin.conf"),
                        "apiVersion: v1\nkind: Config\nclusters: []\nusers: [{token: sesame}]\n");
        Path password = Files.writeString(temp.resolve("node-0.password"), "sesame\n");

        for (String[] command :
                List.of(
                        new String[] {"install-config", "validate"},
                        new String[] {"install-config", "explain"},
                        new String[] {"create", "manifests", "--dir", temp + "/out"})) {
            told(command, plan, "a plan of a pair", "tandem cluster plan validate " + plan);
            told(command, kubeconfig, "a kubeconfig", "kubectl --kubeconfig " + kubeconfig);
            told(command, password, "one line of text", "passwordFile");
        }
        String[] validate = {"cluster", "plan", "validate"};
        assertThat(told(validate, Path.of(GOOD), "an install-config", "validate " + GOOD))
                .isEqualTo(ExitCode.FINDING);
        told(validate, kubeconfig, "a kubeconfig", "kubectl --kubeconfig " + kubeconfig);
        told(validate, password, "one line of text", "passwordFile");
    }

    private static int told(String[] command, Path file, String what, String fix) {
        ScreenTerminal asked = ScreenTerminal.unattended();
        String[] whole = Arrays.copyOf(command, command.length + 1);
        whole[command.length] = file.toString();
        int code = asked.run(whole);

        assertThat(code).isNotEqualTo(ExitCode.FINE);
        assertThat(asked.out() + asked.err())
                .contains("cause: it is " + what)
                .contains(fix)
                .doesNotContain("sesame");
        return code;
    }

    @Test
    void withoutATerminalAllMissingOptionsAreNamed() {
        Path file = temp.resolve("site.yaml");

        assertThat(screen.run("install-config", "create", "--file", file.toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(screen.err())
                .contains(
                        "these are missing: --name, --base-domain, --platform, two --node, two"
                                + " --bmc, --bmc-username, --bmc-password-file\n")
                .contains("or --arbiter instead of the BMCs");

        ScreenTerminal half = ScreenTerminal.unattended();
        assertThat(
                        half.run(
                                "install-config",
                                "create",
                                "--file=" + file,
                                "--name=store-17",
                                "--base-domain=example.com",
                                "--platform=baremetal",
                                "--node=node-0",
                                "--arbiter"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(half.err())
                .contains("these are missing: a second --node, --api-vip, --ingress-vip\n")
                .doesNotContain("BMC");
        assertThat(file).doesNotExist();
    }

    /** What {@code create} wrote is good for the commands that the help shows next. */
    @Test
    void theExamplesOfTheHelpWorkWithTheFileThatTheFirstOneWrites() throws IOException {
        Path file = temp.resolve("site.yaml");
        Path password = Files.writeString(temp.resolve("pw"), "fill-Kelp-09\n");
        ScreenTerminal.unattended().run("certs", "create", "--dir", temp.toString());
        assertThat(
                        screen.run(
                                "install-config",
                                "create",
                                "--file=" + file,
                                "--name=store-17",
                                "--base-domain=example.com",
                                "--platform=baremetal",
                                "--node=node-0",
                                "--node=node-1",
                                "--bmc=redfish+https://192.0.2.10/redfish/v1/Systems/1",
                                "--bmc=redfish+https://192.0.2.11/redfish/v1/Systems/1",
                                "--bmc-username=fence",
                                "--bmc-password-file=" + password,
                                "--api-vip=198.51.100.5",
                                "--ingress-vip=198.51.100.6",
                                "--machine-network=198.51.100.0/24"))
                .as(screen.out() + screen.err())
                .isEqualTo(ExitCode.FINE);

        CommandSpec root = new CommandTree(screen.terminal()).spec();
        List<String> examples = new ArrayList<>();
        for (String command : List.of("install-config", "create")) {
            CommandSpec group = requireNonNull(root.subcommands().get(command)).getCommandSpec();
            examples.addAll(examples(group));
            group.subcommands()
                    .values()
                    .forEach(each -> examples.addAll(examples(each.getCommandSpec())));
        }
        List<String> next =
                examples.stream()
                        .filter(example -> example.contains(" site.yaml"))
                        .filter(example -> !example.contains("--file site.yaml"))
                        // That one needs BMCs.
                        .filter(example -> !example.contains("--check-bmcs"))
                        .toList();
        assertThat(next).hasSizeGreaterThan(6);
        int number = 0;
        for (String example : next) {
            number++;
            String[] words =
                    example.replace("tandem ", "")
                            .replace("site.yaml", file.toString())
                            .replace("root-ca.crt", temp + "/ca.pem")
                            .replace("--dir cluster", "--dir " + temp + "/cluster-" + number)
                            .split(" +");
            ScreenTerminal run = ScreenTerminal.unattended();
            assertThat(run.run(words))
                    .as(example + "\n" + run.out() + run.err())
                    .isEqualTo(ExitCode.FINE);
        }
    }

    private static List<String> examples(CommandSpec command) {
        return String.join("\n", command.usageMessage().footer())
                .replaceAll("\\\\\n +", "")
                .lines()
                .map(String::strip)
                .toList();
    }

    @Test
    void aQuestionForYesOrNoIsAskedAgain() throws IOException {
        Path file = temp.resolve("site.yaml");
        ScreenTerminal person =
                ScreenTerminal.attended(
                        "store-18\nexample.com\nnone\nnode-0\nnode-1\nmaybe\nYes\n");

        int code = person.run("install-config", "create", "--file", file.toString());

        assertThat(code).as(person.out() + person.err()).isEqualTo(ExitCode.FINE);
        assertThat(person.err()).contains("Not valid: answer y or n");
        assertThat(Files.readString(file)).contains("arbiter:\n  name: arbiter");
    }

    /** Each with a remedy for what it is, and not for an install-config. */
    @Test
    void aFileThatIsMissingIsToldAsWhatItIs() {
        String none = temp + "/none";

        assertThat(unreadable("install-config", "validate", none))
                .contains("fix: check the name")
                .contains("tandem install-config create --file " + none);
        assertThat(unreadable("install-config", "validate", GOOD, "--agent-config", none))
                .contains("with --agent-config, or leave the option out")
                .doesNotContain("install-config create");
        assertThat(unreadable("create", "manifests", GOOD, "--dir", temp + "/c", "--root-ca", none))
                .contains("with --root-ca, or leave the option out")
                .doesNotContain("install-config create");
        assertThat(
                        unreadable(
                                "install-config",
                                "create",
                                "--file=" + temp + "/site.yaml",
                                "--name=store-17",
                                "--base-domain=example.com",
                                "--platform=none",
                                "--node=node-0",
                                "--node=node-1",
                                "--bmc=redfish+https://192.0.2.10/redfish/v1/Systems/1",
                                "--bmc=redfish+https://192.0.2.11/redfish/v1/Systems/1",
                                "--bmc-username=fence",
                                "--bmc-password-file=" + none))
                .contains("(umask 077; cat > " + none + ")");
    }

    private static String unreadable(String... command) {
        ScreenTerminal asked = ScreenTerminal.unattended();
        assertThat(asked.run(command)).as(asked.err()).isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(asked.err()).contains("cause: there is no such file");
        return asked.err();
    }

    @Test
    void anAgentConfigOfAnotherKindIsRecognised() {
        assertThat(
                        screen.run(
                                "install-config",
                                "validate",
                                GOOD,
                                "--method=agent",
                                "--agent-config",
                                GOOD))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err())
                .contains(GOOD + " is not an agent-config")
                .contains("cause: it is an install-config of OpenShift")
                .contains("fix: name the file that has kind: AgentConfig");
    }
}
