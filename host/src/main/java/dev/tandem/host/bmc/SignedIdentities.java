package dev.tandem.host.bmc;

import dev.tandem.core.BootId;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeAttributes.Lifetime;
import dev.tandem.host.pki.SignedText;
import dev.tandem.host.pki.SiteTrust;
import dev.tandem.host.pki.TlsIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Which machine a node says it is, signed with the key of its agent. By this the agent of the other
 * node judges whether an Off is about that machine, so it must not be what any member of {@code
 * haclient} can write; {@link NodeIdentities} has the same unsigned, for people and for set-up.
 *
 * <p>The boot is part of what is signed: the words of a machine that has been replaced since are
 * not those of the present one.
 */
public final class SignedIdentities {
    static final String ATTRIBUTE = "tandem-identity-signed";

    private static final String SUBJECT = "tandem-identity 1";

    /** An identity has a few hundred bytes, with its signature and certificate two thousand. */
    private static final int LONGEST = 16 << 10;

    private final NodeAttributes attributes;
    private final TlsIdentity identity;
    private final SiteTrust peerTrust;

    /**
     * @param peerTrust takes the certificate of the peer's agent, and no other
     */
    public SignedIdentities(NodeAttributes attributes, TlsIdentity identity, SiteTrust peerTrust) {
        this.attributes = attributes;
        this.identity = identity;
        this.peerTrust = peerTrust;
    }

    /** Called on each node about itself, after it has joined the cluster. */
    public void publish(String self, BootId boot, HardwareIdentity machine) {
        attributes.write(
                Lifetime.PRIVATE,
                self,
                ATTRIBUTE,
                SignedText.sign(
                        identity,
                        SUBJECT,
                        (boot + "\n" + NodeIdentities.written(machine))
                                .getBytes(StandardCharsets.UTF_8)));
    }

    /** Whether a node has published anything here. */
    public boolean published(String node) {
        return text(node).isPresent();
    }

    /** What the peer says in this boot; empty while it has said nothing that is its own. */
    public Optional<HardwareIdentity> ofPeer(String peer, BootId boot) {
        return text(peer)
                .filter(text -> text.length() <= LONGEST)
                .flatMap(text -> SignedText.verify(text, SUBJECT, peerTrust))
                .map(verified -> new String(verified.content(), StandardCharsets.UTF_8))
                .filter(content -> content.startsWith(boot + "\n"))
                .map(content -> NodeIdentities.parse(content.substring(content.indexOf('\n') + 1)));
    }

    private Optional<String> text(String node) {
        return attributes
                .read(Lifetime.PRIVATE, node, ATTRIBUTE)
                .known()
                .filter(text -> !text.isBlank());
    }
}
