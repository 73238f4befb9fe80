package dev.tandem.host.bmc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BootId;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pki.CertificateAuthority;
import dev.tandem.host.pki.LeafProfile;
import dev.tandem.host.pki.SiteTrust;
import dev.tandem.host.pki.SubjectName;
import dev.tandem.host.pki.TlsIdentity;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What node-0 believes of which machine node-1 is. */
class SignedIdentitiesTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final BootId BOOT = new BootId("present");
    private static final HardwareIdentity MACHINE = machine(1);
    private static final HardwareIdentity OTHER = machine(2);
    private static final CertificateAuthority SITE =
            CertificateAuthority.create("site", DAY, InstantSource.system());
    private static final TlsIdentity NODE_0 = SITE.issue(LeafProfile.client("node-0", DAY));
    private static final TlsIdentity NODE_1 = SITE.issue(LeafProfile.client("node-1", DAY));

    private final Map<String, String> cluster = new HashMap<>();
    private final SignedIdentities node0 = identities(NODE_0);

    private static HardwareIdentity machine(long number) {
        return new HardwareIdentity(
                Optional.of(new UUID(7, number)), Optional.of("serial " + number), Set.of());
    }

    private SignedIdentities identities(TlsIdentity identity) {
        return new SignedIdentities(
                new NodeAttributes(new Attrd()),
                identity,
                new SiteTrust(
                        List.of(SITE.certificate()),
                        shown ->
                                SubjectName.commonName(shown).equals(Optional.of("node-1"))
                                        ? Optional.empty()
                                        : Optional.of("not the peer")));
    }

    /** Anybody of haclient: whatever is written is there. */
    private final class Attrd implements Commands {
        @Override
        public Output run(Duration limit, List<String> command, String stdin) {
            String key = after(command, "--name") + " " + after(command, "--node");
            if (command.contains("--update")) {
                cluster.put(key, after(command, "--update"));
                return new Output(0, "", "");
            }
            String value = cluster.getOrDefault(key, "");
            return new Output(
                    0,
                    "<pacemaker-result><attribute name=\"n\" host=\"%s\" value=\"%s\"/>"
                                    .formatted(after(command, "--node"), value)
                            + "</pacemaker-result>",
                    "");
        }

        private static String after(List<String> command, String option) {
            return command.get(command.indexOf(option) + 1);
        }
    }

    private void forge(String value) {
        cluster.put(SignedIdentities.ATTRIBUTE + " node-1", value);
    }

    @Test
    void whatThePeerSignedInItsPresentBootIsBelieved() {
        identities(NODE_1).publish("node-1", BOOT, MACHINE);

        assertThat(node0.ofPeer("node-1", BOOT)).contains(MACHINE);
        assertThat(node0.published("node-1")).isTrue();
    }

    @Test
    void whatNobodyOrSomebodyElseSignedIsNot() {
        assertThat(node0.ofPeer("node-1", BOOT)).isEmpty();

        forge(NodeIdentities.written(OTHER));
        assertThat(node0.ofPeer("node-1", BOOT)).isEmpty();

        identities(NODE_0).publish("node-1", BOOT, OTHER);
        assertThat(node0.ofPeer("node-1", BOOT)).isEmpty();

        forge("A".repeat(1 << 20));
        assertThat(node0.ofPeer("node-1", BOOT)).isEmpty();
    }

    /** The machine was replaced, and somebody puts back what the old one said. */
    @Test
    void whatWasSignedInAnotherBootIsNot() {
        identities(NODE_1).publish("node-1", new BootId("earlier"), OTHER);

        assertThat(node0.ofPeer("node-1", BOOT)).isEmpty();
    }
}
