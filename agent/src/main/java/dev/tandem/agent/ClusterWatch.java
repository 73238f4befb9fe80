package dev.tandem.agent;

import dev.tandem.core.Failure;
import dev.tandem.core.decision.NodeName;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.pacemaker.NodeIdentities;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Takes to the keeper what Corosync and Pacemaker tell, and tells them which machine this is. */
final class ClusterWatch {
    /** Once a minute while all is well. */
    private static final int PUBLISHED_EVERY = 4;

    private final NodeName self;
    private final HardwareIdentity hardware;
    private final Cluster cluster;
    private final NodeIdentities identities;
    private final KnownMachine known;
    private final PeerTalk talk;
    private final CalmGate calm;
    private final Keeper keeper;
    private final Actor actor;
    private final OffWhileAlive offWhileAlive;
    private final Journal journal;
    private volatile boolean peerPresent;
    private volatile boolean published;
    private int looks;

    ClusterWatch(
            NodeName self,
            HardwareIdentity hardware,
            Cluster cluster,
            NodeIdentities identities,
            KnownMachine known,
            PeerTalk talk,
            CalmGate calm,
            Keeper keeper,
            Actor actor,
            OffWhileAlive offWhileAlive,
            Journal journal) {
        this.self = self;
        this.hardware = hardware;
        this.cluster = cluster;
        this.identities = identities;
        this.known = known;
        this.talk = talk;
        this.calm = calm;
        this.keeper = keeper;
        this.actor = actor;
        this.offWhileAlive = offWhileAlive;
        this.journal = journal;
    }

    void look() {
        Keeper.Presence presence = cluster.presence();
        peerPresent = presence.known() && presence.peerPresent();
        actor.post(() -> keeper.membership(presence));
        if (!presence.known()) {
            published = false;
            return;
        }
        calm.peerPresent(peerPresent);
        // A restart of Pacemaker alone takes the attributes with it, and nobody tells.
        if (published && ++looks % PUBLISHED_EVERY == 0) {
            published = identities.published(self.value()).isPresent();
        }
        if (!published) {
            publishIdentity();
        }
    }

    /** Whether Corosync had both nodes when it was last asked. */
    boolean peerPresent() {
        return peerPresent;
    }

    /** Transient: it is of this boot, and has to be said anew after each. */
    private void publishIdentity() {
        try {
            identities.publish(self.value(), hardware);
            published = true;
        } catch (Failure e) {
            // Corosync is up before Pacemaker is; the next look tries again.
            published = false;
        }
    }

    /** Which machine a node is, by its own word; by its last one while it is away. */
    Optional<HardwareIdentity> machine(String node) {
        if (node.equals(self.value())) {
            return Optional.of(hardware);
        }
        Optional<HardwareIdentity> said = identities.published(node);
        said.ifPresent(known::keep);
        return said.or(known::kept);
    }

    /** On the thread of the fence order, at the moment Off was read; whether it is believed. */
    boolean peerIsOff(String method) {
        return tellOff(cluster.presence(), method);
    }

    /**
     * The second fencing level is the stock agent, which does not tell us. Pacemaker's history says
     * that it succeeded, and it succeeds only after it has itself read Off from the BMC; whether
     * the BMC reads Off still, when we look, depends on how quickly it switched the node on again.
     * What it read from a BMC that was known to tell nonsense counts for nothing, also later.
     */
    void lookAtFenceLog() {
        Instant heard = talk.lastHeard();
        Instant deceived = offWhileAlive.lastFound();
        Optional<String> action = cluster.fencedSince(heard.isAfter(deceived) ? heard : deceived);
        if (action.isEmpty()) {
            return;
        }
        Keeper.Presence presence = cluster.presence();
        if (presence.known() && !presence.peerPresent()) {
            boolean _ = tellOff(presence, "pacemaker: " + action.get());
        }
    }

    private boolean tellOff(Keeper.Presence presence, String method) {
        if (offWhileAlive.found()) {
            journal.record("off-not-believed", Map.of("method", method));
            return false;
        }
        actor.post(() -> {
            keeper.membership(presence);
            keeper.fenced(method, PowerReading.OFF);
        });
        return true;
    }
}
