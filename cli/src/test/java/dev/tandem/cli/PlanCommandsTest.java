package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.host.Secrets;
import dev.tandem.host.plan.ClusterPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanCommandsTest {
    @TempDir private Path directory = Path.of("");

    private final ScreenTerminal screen = ScreenTerminal.unattended();

    @Test
    void theExampleIsPrintedAsAPlan() throws IOException {
        assertThat(screen.run("cluster", "plan", "example")).isEqualTo(ExitCode.FINE);
        assertThat(screen.err()).isEmpty();

        Path file = Files.writeString(directory.resolve("plan.yaml"), screen.out());
        assertThat(ClusterPlan.read(file).name()).isEqualTo("site-17");
    }

    @Test
    void theSchemaIsPrintedAsJson() throws IOException {
        assertThat(screen.run("cluster", "plan", "schema")).isEqualTo(ExitCode.FINE);

        JsonNode schema = new ObjectMapper().readTree(screen.out());
        assertThat(schema.path("$schema").asText()).contains("2020-12");
        assertThat(schema.at("/properties/nodes/maxItems").asInt()).isEqualTo(2);
    }

    @Test
    void aPlanIsValidatedWithTheFilesThatItNames() throws IOException {
        screen.run("cluster", "plan", "example");
        Path file = Files.writeString(directory.resolve("plan.yaml"), screen.out());
        ScreenTerminal first = ScreenTerminal.unattended();

        assertThat(first.run("cluster", "plan", "validate", file.toString()))
                .isEqualTo(ExitCode.FINDING);
        assertThat(first.out())
                .contains("there is no token for pcsd")
                .contains("(umask 077; tandem cluster token > " + directory + "/pcsd-token)")
                .contains("there is no password for the BMC of node-0")
                .contains("there is no password for the BMC of node-1");

        for (String secret : List.of("pcsd-token", "node-0.password", "node-1.password")) {
            Secrets.write(
                    directory.resolve(secret), "a secret that is not to be seen by anybody\n");
        }
        ScreenTerminal second = ScreenTerminal.unattended();
        assertThat(second.run("cluster", "plan", "validate", file.toString()))
                .as(second.out() + second.err())
                .isEqualTo(ExitCode.FINE);
        assertThat(second.out()).contains(file + " is valid");
    }

    @Test
    void aBadPlanIsAFindingAndAMissingOneIsNot() throws IOException {
        Path bad = Files.writeString(directory.resolve("plan.yaml"), "name: site-17\nnods: []\n");

        assertThat(screen.run("cluster", "plan", "validate", bad.toString()))
                .isEqualTo(ExitCode.FINDING);
        assertThat(screen.out()).contains("nodes is missing").contains("has no field nods");
        assertThat(screen.run("cluster", "plan", "validate", directory + "/none.yaml"))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
    }

    @Test
    void anEmptyTokenIsMadeAnew() throws IOException {
        screen.run("cluster", "plan", "example");
        Path file = Files.writeString(directory.resolve("plan.yaml"), screen.out());
        Secrets.write(directory.resolve("pcsd-token"), "");
        Secrets.write(directory.resolve("node-0.password"), "");
        ScreenTerminal asked = ScreenTerminal.unattended();

        assertThat(asked.run("cluster", "plan", "validate", file.toString()))
                .isEqualTo(ExitCode.FINDING);
        assertThat(asked.out())
                .contains("refusing the secret from " + directory + "/pcsd-token")
                .contains("fix: make a new one, and copy it to the other node: (umask 077; tandem")
                .contains("(umask 077; cat > " + directory + "/node-0.password)");
    }

    @Test
    void aProgramGetsEachFaultOfAPlanByItself() throws IOException {
        screen.run("cluster", "plan", "example");
        Path bad =
                Files.writeString(
                        directory.resolve("plan.yaml"),
                        screen.out()
                                .replace("name: site-17", "name: site 17")
                                .replace("username: fencer", "username: a:b"));
        ScreenTerminal json = ScreenTerminal.unattended();

        assertThat(json.run("cluster", "plan", "validate", bad.toString(), "-o", "json"))
                .isEqualTo(ExitCode.FINDING);

        JsonNode faults = new ObjectMapper().readTree(json.out()).path("faults");
        assertThat(faults.findValuesAsText("field"))
                .containsExactly("name", "nodes[].bmc.username", "nodes[].bmc.username");
        assertThat(faults.findValuesAsText("cause"))
                .allSatisfy(cause -> assertThat(cause).doesNotContain("\n", "line "));
        assertThat(faults.findValues("line")).allMatch(line -> line.asInt() > 0);
    }

    @Test
    void aBadPlanPointsToBoth() throws IOException {
        Path file = Files.writeString(directory.resolve("plan.yaml"), "name: site-17\n");

        assertThat(screen.run("certs", "create", "--dir", directory.resolve("site").toString()))
                .isEqualTo(ExitCode.FINE);
        assertThat(
                        screen.run(
                                "certs",
                                "issue",
                                file.toString(),
                                "--dir",
                                directory.resolve("site").toString()))
                .isEqualTo(ExitCode.COULD_NOT_ASK);
        assertThat(screen.err())
                .contains("nodes is missing")
                .contains("tandem cluster plan example")
                .contains("tandem cluster plan schema");
    }

    @Test
    void theFirstLineForEditorsIsPrintedAsTheyReadIt() {
        assertThat(screen.run("cluster", "plan", "schema", "--help")).isEqualTo(ExitCode.FINE);
        assertThat(screen.out()).contains("# yaml-language-server: $schema=plan.schema.json");
    }
}
