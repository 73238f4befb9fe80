package dev.tandem.agent.cluster;

import dev.tandem.agent.state.BmcCredibility;
import dev.tandem.agent.state.FencingLevelTwo;
import dev.tandem.agent.state.Journal;
import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.SignedIdentities;
import java.time.Duration;
import java.util.Optional;

/**
 * Reports to the supervisor what Corosync and Pacemaker know, and publishes which machine this is.
 */
public final class ClusterWatch {
    /** An action on etcd may keep the supervisor busy for as long as it takes to end a server. */
    private static final Duration RECORD_LIMIT = Duration.ofSeconds(12);

    /** Once a minute while all is well. */
    private static final int LOOKS_PER_CHECK = 4;

    private final NodeName self;
    private final NodeName peer;
    private final HardwareIdentity hardware;
    private final Cluster cluster;
    private final BootId boot;
    private final NodeIdentities identities;
    private final SignedIdentities signedIdentities;
    private final PeerIdentityFile known;
    private final BootGate gate;
    private final EtcdSupervisor supervisor;
    private final Actor actor;
    private final BmcCredibility offWhileAlive;
    private final FencingLevelTwo secondLevel;
    private final Journal journal;
    private volatile boolean peerPresent;
    private volatile boolean published;
    private int looks;

    public ClusterWatch(
            NodeName self,
            NodeName peer,
            BootId boot,
            HardwareIdentity hardware,
            Cluster cluster,
            NodeIdentities identities,
            SignedIdentities signedIdentities,
            PeerIdentityFile known,
            BootGate gate,
            EtcdSupervisor supervisor,
            Actor actor,
            BmcCredibility offWhileAlive,
            FencingLevelTwo secondLevel,
            Journal journal) {
        this.self = self;
        this.peer = peer;
        this.hardware = hardware;
        this.cluster = cluster;
        this.boot = boot;
        this.identities = identities;
        this.signedIdentities = signedIdentities;
        this.known = known;
        this.gate = gate;
        this.supervisor = supervisor;
        this.actor = actor;
        this.offWhileAlive = offWhileAlive;
        this.secondLevel = secondLevel;
        this.journal = journal;
    }

    public void look() {
        EtcdSupervisor.Presence presence = cluster.presence();
        peerPresent = presence.known() && presence.peerPresent();
        actor.post(() -> supervisor.membership(presence));
        if (!presence.known()) {
            published = false;
            return;
        }
        gate.peerPresent(peerPresent, supervisor.peerBoot());
        lookAtSecondLevel(presence);
        // A restart of Pacemaker alone deletes the attributes, and causes no event.
        if (published && ++looks % LOOKS_PER_CHECK == 0) {
            published =
                    identities.published(self.value()).isPresent()
                            && signedIdentities.published(self.value());
        }
        if (!published) {
            publishIdentity();
        }
    }

    /** Whether Corosync had both nodes when it was last asked. */
    public boolean peerPresent() {
        return peerPresent;
    }

    /** The attribute is transient, and has to be written again after each boot. */
    private void publishIdentity() {
        try {
            identities.publish(self.value(), hardware);
            signedIdentities.publish(self.value(), boot, hardware);
            published = true;
        } catch (Failure e) {
            // Corosync is up before Pacemaker is; the next look tries again.
            published = false;
        }
    }

    /** Which machine a node is, as it last published itself under its own signature. */
    public Optional<HardwareIdentity> machine(String node) {
        if (node.equals(self.value())) {
            return Optional.of(hardware);
        }
        Optional<HardwareIdentity> said =
                supervisor.peerBoot().flatMap(known -> signedIdentities.ofPeer(node, known));
        said.ifPresent(known::keep);
        return said.or(known::kept);
    }

    /**
     * On the thread of the fence order, at the moment Off was read.
     *
     * @return why it proves nothing, where it does not
     */
    public Optional<String> peerIsOff(Proofs.Order order, Proofs.Machine machine) {
        return tellOff(cluster.presence(), order, machine, "fence_tandem");
    }

    /**
     * The second fencing level does not pass through this agent, which may have been down then. It
     * leaves a record, and succeeds only after it has itself read Off; whether the BMC reads Off
     * still, when we look, depends on how quickly it switched the node on again.
     */
    public void lookAtSecondLevel() {
        lookAtSecondLevel(cluster.presence());
    }

    private void lookAtSecondLevel(EtcdSupervisor.Presence presence) {
        if (!presence.known() || presence.peerPresent()) {
            return;
        }
        // The boot first: if another is heard from here on, the record is no longer believed.
        Proofs.Order order = new Proofs.Order(peer, supervisor.peerBoot());
        if (!supervisor.provenOff(order) && secondLevel.fencedLastHeardBoot()) {
            secondLevel
                    .machine()
                    .ifPresent(machine -> {
                        Optional<String> _ =
                                tellOff(presence, order, machine, FencingLevelTwo.METHOD);
                    });
        }
    }

    private Optional<String> tellOff(
            EtcdSupervisor.Presence presence,
            Proofs.Order order,
            Proofs.Machine machine,
            String method) {
        if (machine == Proofs.Machine.ANOTHER) {
            journal.record(
                    new JournalEvent.OffNotBelieved(
                            method, JournalEvent.OffNotBelieved.Reason.ANOTHER_MACHINE));
            return Optional.of(
                    "the BMC configured for %s controls another machine: its Off proves nothing"
                            .formatted(peer));
        }
        if (machine == Proofs.Machine.NOT_TOLD) {
            journal.record(
                    new JournalEvent.OffNotBelieved(
                            method, JournalEvent.OffNotBelieved.Reason.MACHINE_NOT_TOLD));
            return Optional.of(
                    "the BMC configured for %s does not tell which machine it controls: its Off proves nothing"
                            .formatted(peer));
        }
        if (offWhileAlive.found()) {
            journal.record(
                    new JournalEvent.OffNotBelieved(
                            method, JournalEvent.OffNotBelieved.Reason.OFF_WHILE_ALIVE));
            return Optional.of(
                    "the BMC of %s read Off while %s was in the cluster: its Off proves nothing"
                            .formatted(peer, peer));
        }
        // Pacemaker is told of success when the proof is on the disk, and not before: it does not
        // fence the same node twice.
        try {
            boolean kept =
                    actor.call(
                                    () -> {
                                        supervisor.fenced(
                                                presence, order, machine, method, PowerReading.OFF);
                                        return true;
                                    },
                                    RECORD_LIMIT)
                            .orElse(false);
            if (!kept) {
                return Optional.of("tandem-agent was too busy to record that " + peer + " is off");
            }
        } catch (Failure e) {
            return Optional.of(e.what() + ": " + e.why());
        }
        actor.post(supervisor::reconsider);
        return Optional.empty();
    }
}
