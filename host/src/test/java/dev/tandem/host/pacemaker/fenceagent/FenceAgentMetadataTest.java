package dev.tandem.host.pacemaker.fenceagent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import dev.tandem.host.SystemCommands;
import dev.tandem.host.pacemaker.XmlElement;
import dev.tandem.host.plan.ClusterPlan;
import dev.tandem.host.plan.FurtherLevel;
import dev.tandem.host.plan.TestPlans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that there are not, described in the form in which stock fence agents do. */
class FenceAgentMetadataTest {
    private static final Path RECORDED = Path.of("src/test/resources/fence-agents");

    @TempDir Path directory;

    /** Parameters as in {@code ip=192.0.2.1 plug=7}; a {@code -} for none. */
    private static FurtherLevel level(String parameters, boolean password) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String pair : parameters.equals("-") ? new String[0] : parameters.split(" ", -1)) {
            int equals = pair.indexOf('=');
            values.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return new FurtherLevel(
                "fence_x",
                values,
                password ? Optional.of(Path.of("/etc/x")) : Optional.empty(),
                false);
    }

    private static String faults(String agent, FurtherLevel level)
            throws IOException, XmlElement.MalformedXml {
        return String.join(
                "; ",
                FenceAgentMetadata.parse(Files.readString(RECORDED.resolve(agent + ".xml")))
                        .faults(level));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    agent    | parameters                            | password | faults
                    outlet   | ip=192.0.2.1 plug=7                   | true     | ''
                    # an old name does too
                    outlet   | ipaddr=192.0.2.1 port=7               | false    | ''
                    outlet   | ip=a plug=7 ipport=1610 login_timeout=9 snmp_version=2c inet4_only=true | true | ''
                    outlet   | ip=a plgu=7                           | true     | parameters: it has no parameter plgu; did you mean plug; parameters: plug is missing
                    outlet   | ip=a plug=7 colour=red                | true     | parameters: it has no parameter colour; it has inet4_only, ip, ipport, login_timeout, password_script, plug, snmp_version
                    outlet   | -                                     | true     | parameters: ip is missing; parameters: plug is missing
                    outlet   | ip=a plug=7 ipport=snmp               | true     | parameters: ipport must be a whole number
                    outlet   | ip=a plug=7 login_timeout=soon        | true     | parameters: login_timeout must be seconds
                    outlet   | ip=a plug=7 snmp_version=4            | true     | parameters: snmp_version must be one of 1, 2c, 3
                    outlet   | ip=a plug=7 inet4_only=perhaps        | true     | parameters: inet4_only must be true or false
                    machines | uuid=1                                | false    | passwordFile is missing: it needs a password
                    machines | uuid=1                                | true     | passwordFile: it takes no password from a program (password_script), and Tandem gives none in another way
                    mainframe| ip=a plug=7                           | false    | it calls a machine off that it cannot find, unless told otherwise
                    storage  | devices=/dev/sda                      | false    | it has no action status: a further level switches off and on, and Off is read by status; it cuts a node off from storage or a network, and switches no power
                    """)
    void aLevelFitsWhatItsAgentSaysOfItself(
            String agent, String parameters, boolean password, String faults)
            throws IOException, XmlElement.MalformedXml {
        assertThat(faults(agent, level(parameters, password))).isEqualTo(faults);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no XML",
                "<cib/>",
                "<!DOCTYPE resource-agent [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>"
                        + "<resource-agent name=\"&x;\"/>"
            })
    void whatIsNoMetadataIsRefused(String text) {
        assertThatThrownBy(() -> FenceAgentMetadata.parse(text))
                .isInstanceOf(XmlElement.MalformedXml.class);
    }

    private FenceAgents.Findings check(ClusterPlan plan) {
        return new FenceAgents(new SystemCommands(), directory, directory.resolve("share"))
                .check(plan);
    }

    private void installed(Path program, String script) throws IOException {
        Files.createDirectories(program.toAbsolutePath().getParent());
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void theAgentItselfIsAskedWhereItIsInstalled() throws IOException {
        ClusterPlan plan = TestPlans.read(directory, TestPlans.FURTHER_PAIR);
        Path agent = directory.resolve("fence_apc_snmp");
        String prints =
                "[ \"$*\" = '-o metadata' ] && cat '%s'"
                        .formatted(RECORDED.resolve("outlet.xml").toAbsolutePath());

        assertThat(check(plan).faults()).isEmpty();
        assertThat(check(plan).notInstalled())
                .hasSize(2)
                .allSatisfy(missing ->
                        assertThat(missing.remedy())
                                .contains("apt-file search sbin/fence_apc_snmp"));

        installed(agent, prints);
        assertThat(check(plan).all()).isEmpty();

        installed(agent, prints + " | sed s/plug/slot/");
        assertThat(check(plan).faults())
                .hasSize(2)
                .first()
                .satisfies(fault -> {
                    assertThat(fault.what())
                            .isEqualTo(
                                    "fence_apc_snmp cannot be a further fencing level of node-0 as"
                                            + " planned");
                    assertThat(fault.why()).startsWith("parameters: it has no parameter plug");
                    assertThat(fault.remedy()).endsWith("fence_apc_snmp -o metadata");
                });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    exit 3     | it does not describe itself: -o metadata ended with exit code 3
                    echo hello | what it prints for -o metadata cannot be read:
                    seq 200000 | what it prints for -o metadata is too long to be that
                    """)
    void anAgentThatDoesNotDescribeItselfIsNotUsed(String script, String why) throws IOException {
        installed(directory.resolve("fence_apc_snmp"), script);

        assertThat(check(TestPlans.read(directory, TestPlans.FURTHER_PAIR)).faults())
                .extracting(Failure::why)
                .allSatisfy(told -> assertThat(told).startsWith(why))
                .isNotEmpty();
    }

    /** What Tandem runs in place of a stock agent takes a parameter more, and says so. */
    @Test
    void whatIsAskedIsWhatWillRun() throws IOException {
        installed(directory.resolve("fence_apc_snmp"), "exit 1");
        installed(
                directory.resolve("share/fence-apc-snmp"),
                "cat '%s'".formatted(RECORDED.resolve("outlet.xml").toAbsolutePath()));

        assertThat(check(TestPlans.read(directory, TestPlans.FURTHER_PAIR)).all())
                .isEqualTo(List.of());
    }
}
