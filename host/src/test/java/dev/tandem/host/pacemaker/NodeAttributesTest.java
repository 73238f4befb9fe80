package dev.tandem.host.pacemaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.pacemaker.NodeAttributes.Lifetime;
import dev.tandem.host.pacemaker.NodeAttributes.Reading;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The answers are those of Pacemaker 3.0.0. */
class NodeAttributesTest {

    private static RecordedCommands answering(String program, int exitCode, String inside) {
        return new RecordedCommands()
                .answer(
                        program,
                        exitCode,
                        "<pacemaker-result api-version=\"2.38\">" + inside + "</pacemaker-result>",
                        "");
    }

    @Test
    void aValueIsPresent() {
        var commands =
                answering(
                        "attrd_updater",
                        0,
                        "<attribute name=\"x\" value=\"a b\" host=\"node-0\"/><status"
                                + " code=\"0\"/>");

        assertThat(new NodeAttributes(commands).read(Lifetime.TRANSIENT, "node-0", "x"))
                .isEqualTo(new Reading.Present("a b"));
        assertThat(new NodeAttributes(commands).read(Lifetime.TRANSIENT, "node-1", "x"))
                .isEqualTo(new Reading.Absent());
    }

    @Test
    void aNameThatNobodySetIsAbsentAndNoError() {
        var never =
                answering(
                        "attrd_updater",
                        78,
                        "<status code=\"78\"><errors><error>attrd_updater: Could not query value of"
                                + " x: attribute does not exist</error></errors></status>");

        // StAX gives no text to attributes, so the words are looked for in the answer as printed.
        assertThat(new NodeAttributes(never).read(Lifetime.TRANSIENT, "node-0", "x"))
                .isEqualTo(new Reading.Absent());
        assertThat(new NodeAttributes(never).readAll("x"))
                .hasValueSatisfying(values -> assertThat(values).isEmpty());
    }

    @Test
    void anUnknownNodeIsNotAnAbsentAttribute() {
        var ghost =
                answering(
                        "crm_attribute",
                        105,
                        "<status code=\"105\"><errors><error>crm_attribute: Could not map"
                                + " name=ghost to a UUID</error></errors></status>");

        assertThat(new NodeAttributes(ghost).read(Lifetime.PERMANENT, "ghost", "x"))
                .isInstanceOf(Reading.Unknown.class);
    }

    @Test
    void aTransientWriteReturnsWhenAReadHereFindsIt() {
        var commands = answering("attrd_updater", 0, "<status code=\"0\"/>");

        new NodeAttributes(commands).write(Lifetime.TRANSIENT, "node-0", "x", "1");

        assertThat(commands.ran.getFirst()).contains("--wait=local");
    }

    @Test
    void aNameThatCouldPassForAnOptionIsRefused() {
        NodeAttributes attributes = new NodeAttributes(new RecordedCommands());

        assertThatThrownBy(() -> attributes.read(Lifetime.TRANSIENT, "node-0", "--delete"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> attributes.read(Lifetime.TRANSIENT, "-N", "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIdentityComesBackAsItWasPublished() {
        HardwareIdentity identity =
                new HardwareIdentity(
                        Optional.of(new UUID(7, 1)),
                        Optional.of("SN=4;2"),
                        Set.of("0e:f2:fd:5d:0f:4c", "3a:8a:d0:7f:be:01"));

        assertThat(NodeIdentities.parse(NodeIdentities.written(identity)))
                .isEqualTo(
                        new HardwareIdentity(
                                identity.uuid(), Optional.of("SN=4 2"), identity.macs()));
    }

    @Test
    void aNodeThatHasNotSaidWhoItIsIsNotAMachineWithoutNumbers() {
        var commands =
                answering(
                        "attrd_updater",
                        0,
                        "<attribute name=\"tandem-identity\" value=\"\" host=\"node-1\"/>"
                                + "<status code=\"0\"/>");

        assertThat(new NodeIdentities(new NodeAttributes(commands)).published("node-1")).isEmpty();
    }
}
