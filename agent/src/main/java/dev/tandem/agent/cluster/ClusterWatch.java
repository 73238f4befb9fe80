package dev.tandem.agent.cluster;

import dev.tandem.agent.state.FencingLevelTwo;
import dev.tandem.agent.state.LastFence;
import dev.tandem.agent.state.PeerIdentityFile;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.NodeIdentities;
import dev.tandem.host.bmc.SignedIdentities;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.cib.CibPlan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reports to the supervisor what Corosync and Pacemaker know, and publishes which machine this is.
 */
public final class ClusterWatch {
    /** A proof has to be on the disk before it counts, and a slow disk takes seconds for that. */
    private static final Duration RECORD_LIMIT = Duration.ofSeconds(12);

    /**
     * Enough for each profile. Corosync with a longer token takes longer, but the fence that waits
     * has an end of its own.
     */
    private static final Duration MISSED = Duration.ofSeconds(10);

    /** Once a minute while all is well. */
    private static final int LOOKS_PER_CHECK = 12;

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
    private final FencingLevelTwo byFirst;
    private final FencingLevelTwo bySecond;
    private final List<FencingLevelTwo> byFurther;
    private final LastFence lastFence;
    private final InstantSource clock;
    private volatile boolean peerPresent;
    private volatile boolean quorumKeptByOne = true;
    private volatile boolean published;
    private int looks;

    /** The number of the question whose answer is what this node goes by. */
    private long taken;

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
            FencingLevelTwo byFirst,
            FencingLevelTwo bySecond,
            List<FencingLevelTwo> byFurther,
            LastFence lastFence,
            InstantSource clock) {
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
        this.byFirst = byFirst;
        this.bySecond = bySecond;
        this.byFurther = List.copyOf(byFurther);
        this.lastFence = lastFence;
        this.clock = clock;
    }

    public void look() {
        Cluster.Reading reading = cluster.presence();
        tell(reading);
        if (takeIn(reading)) {
            keepPublished();
        }
    }

    /**
     * Several threads look at the same time, and an answer to an earlier question may be the last
     * to arrive: it says nothing of now.
     *
     * @return whether it is the newest, and Corosync has answered
     */
    private synchronized boolean takeIn(Cluster.Reading reading) {
        if (reading.number() < taken) {
            return false;
        }
        taken = reading.number();
        Membership presence = reading.membership();
        peerPresent = presence.known() && presence.peerPresent();
        if (!presence.known()) {
            published = false;
            return false;
        }
        quorumKeptByOne = reading.quorumKeptByOne();
        if (peerPresent) {
            lastFence.forget();
        }
        gate.peerPresent(peerPresent, supervisor.view().peerBoot());
        return true;
    }

    private void keepPublished() {
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

    /** The same for the supervisor alone, from any thread. */
    public void takeInMembership() {
        tell(cluster.presence());
    }

    private void tell(Cluster.Reading reading) {
        supervisor.post(() -> new Event.MembershipRead(cluster.unlessOvertaken(reading)));
    }

    /** What Pacemaker says now; the supervisor learns whether it would fence the peer. */
    public PacemakerStatus askPacemaker() {
        PacemakerStatus status = cluster.status();
        if (status instanceof PacemakerStatus.Known known) {
            supervisor.post(new Event.PacemakerRead(known.mayFence(peer.value(), CibPlan.ETCD)));
        }
        return status;
    }

    /** Whether Corosync had both nodes when it was last asked. */
    public boolean peerPresent() {
        return peerPresent;
    }

    /** Whether this node would stay quorate without its peer, by Corosync's last answer. */
    public boolean quorumKeptByOne() {
        return quorumKeptByOne;
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
                supervisor.view().peerBoot().flatMap(known -> signedIdentities.ofPeer(node, known));
        said.ifPresent(known::keep);
        return said.or(known::kept);
    }

    /**
     * On the thread of the fence order, at the moment Off was read; the peer is switched on again
     * when this returns.
     *
     * @return why it proves nothing, where it does not
     */
    public Optional<String> peerIsOff(
            Proofs.Order order, Proofs.Machine machine, Event.FenceReading reading) {
        Optional<String> refusal = tellOff(cluster.presence(), order, machine, reading);
        if (refusal.isEmpty()) {
            cluster.awaitMissed(MISSED, this::tell);
        }
        return refusal;
    }

    /**
     * The second fencing level does not pass through this agent, which may have been down then. It
     * leaves a record of what it read itself; whether the BMC reads Off still, when we look,
     * depends on how quickly it switched the node on again.
     */
    public void lookAtSecondLevel() {
        lookAt(byFirst, 0, found -> found);
        lookAt(bySecond, 0, Event.SecondRecordFound::new);
        for (int number = 1; number <= byFurther.size(); number++) {
            lookAt(byFurther.get(number - 1), number, found -> found);
        }
    }

    /**
     * @param number of a further level
     * @param byBmc what is told of a record that a BMC gave; that of a further level is told as
     *     such
     */
    private void lookAt(
            FencingLevelTwo level, int number, Function<Event.LevelTwoFound, Event> byBmc) {
        if (level.read().isEmpty()) {
            return;
        }
        Cluster.Reading reading = cluster.presence();
        if (!reading.membership().known()) {
            return;
        }
        if (reading.membership().peerPresent()) {
            level.peerIsThere(supervisor.view().missedForSure());
            return;
        }
        // The boot first: if another is heard from here on, the record is no longer believed.
        Proofs.Order order = new Proofs.Order(peer, supervisor.view().peerBoot());
        boolean known = order.peerBoot().filter(supervisor.view()::isFenced).isPresent();
        Optional<LevelTwoRecord> judged = level.read().filter(LevelTwoRecord::isOfLastHeardBoot);
        if (known || judged.isEmpty()) {
            return;
        }
        Moment asking = supervisor.now();
        level.find(judged.get())
                .ifPresent(found ->
                        supervisor.post(() ->
                                switch (found.answer()) {
                                    case FencingLevelTwo.Asked(var machine, var power) ->
                                            byBmc.apply(
                                                    new Event.LevelTwoFound(
                                                            order,
                                                            found.record(),
                                                            machine,
                                                            power,
                                                            level.method(),
                                                            asking,
                                                            cluster.unlessOvertaken(reading),
                                                            clock.instant()));
                                    case FencingLevelTwo.Stated(boolean provesOff) ->
                                            new Event.FurtherLevelFound(
                                                    number,
                                                    order,
                                                    found.record(),
                                                    provesOff,
                                                    level.method(),
                                                    asking,
                                                    cluster.unlessOvertaken(reading),
                                                    clock.instant());
                                }));
    }

    private Optional<String> tellOff(
            Cluster.Reading presence,
            Proofs.Order order,
            Proofs.Machine machine,
            Event.FenceReading reading) {
        // Pacemaker is told of success when the proof is on the disk, and not before: it does not
        // fence the same node twice.
        Optional<Action.Acknowledgement> answer =
                supervisor.ask(
                        caller ->
                                new Event.FenceAnswered(
                                        caller,
                                        order,
                                        machine,
                                        "fence_tandem",
                                        reading,
                                        cluster.unlessOvertaken(presence),
                                        clock.instant()),
                        RECORD_LIMIT);
        return answer.map(this::refusal)
                .orElseGet(() ->
                        Optional.of(
                                "this node did not store within %d s that %s is off"
                                        .formatted(RECORD_LIMIT.toSeconds(), peer)));
    }

    private Optional<String> refusal(Action.Acknowledgement answer) {
        return switch (answer) {
            case Action.Acknowledgement.Done() -> Optional.empty();
            case Action.Acknowledgement.NotBelieved(Action.Disbelief why) ->
                    Optional.of(
                            switch (why) {
                                case ANOTHER_MACHINE ->
                                        "the BMC configured for %s controls another machine: its Off proves nothing"
                                                .formatted(peer);
                                case MACHINE_NOT_TOLD ->
                                        "the BMC configured for %s does not report which machine it controls: its Off proves nothing"
                                                .formatted(peer);
                                case NOT_STATED ->
                                        "the plan does not say that what was switched off is the power of %s (provesOff): its Off proves nothing"
                                                .formatted(peer);
                                case UNKNOWN_BMC ->
                                        "nobody knows whether it was the BMC of %s that read Off: this Off proves nothing"
                                                .formatted(peer);
                                case OFF_WHILE_ALIVE ->
                                        "the BMC of %s read Off while %s was in the cluster: its Off proves nothing"
                                                .formatted(peer, peer);
                                case ALIVE_SINCE ->
                                        "%s gave a sign of life after its BMC had read Off: this Off proves nothing"
                                                .formatted(peer);
                                case READ_ONCE ->
                                        "the BMC of %s read Off only once and had not accepted the power-off: this Off proves nothing"
                                                .formatted(peer);
                                case OTHER_BOOT ->
                                        "%s has booted since the fence was ordered: this Off proves nothing about its current boot"
                                                .formatted(peer);
                                case NOT_OFF -> "the BMC of %s does not read Off".formatted(peer);
                            });
            case Action.Acknowledgement.NotStored(String why) -> Optional.of(why);
            case Action.Acknowledgement.NotTaken(Action.StatementRefusal why) ->
                    throw new IllegalStateException("a fence is no statement: " + why);
        };
    }
}
