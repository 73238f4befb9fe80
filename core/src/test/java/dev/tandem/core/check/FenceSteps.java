package dev.tandem.core.check;

import dev.tandem.core.decision.LevelTwoRecord;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.Moment;
import dev.tandem.core.supervise.SupervisorView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How a node learns that its peer is off: by Pacemaker's fencing, by a BMC, by a person. */
final class FenceSteps {
    private static final PeerProof.Statement[] STATEMENTS = PeerProof.Statement.values();

    /** From this variant on a fence of the second level is by the second of the peer's BMCs. */
    private static final int SECOND = 5;

    private final Model model;
    private final MemoizedSupervisors nodes;

    FenceSteps(Model model, MemoizedSupervisors nodes) {
        this.model = model;
        this.nodes = nodes;
    }

    private int peerBoot(int self, Machine me) {
        return nodes.agent(me.agent)
                .view(nodes)
                .peerBoot()
                .map(boot -> List.of(MemoizedSupervisors.BOOTS[1 - self]).indexOf(boot))
                .orElse(Machine.UNHEARD_BOOT);
    }

    boolean order(World world, int self, int variant) {
        Machine me = world.nodes[self];
        boolean free = me.fence == Machine.NO_ORDER || me.fence == Machine.LEFT_BEHIND;
        boolean wanted = variant == 1 ? me.met : me.met && !me.sees && !me.fenceDone;
        if (me.agent == 0
                || !free
                || !wanted
                || me.stock != Machine.NO_ORDER
                || !world.spend(variant == 1 ? Fault.FENCE_BY_HAND : Fault.FENCE)) {
            return false;
        }
        me.fence = Machine.ORDERED;
        me.fenceBoot = peerBoot(self, me);
        return true;
    }

    /**
     * The agent orders it, whatever Pacemaker thinks of the peer. Pacemaker makes one of two equal
     * orders.
     */
    void orderedByAgent(World world, int self) {
        Machine me = world.nodes[self];
        boolean merged =
                me.fence == Machine.ORDERED
                        || me.fence == Machine.READ_OFF
                        || me.stock != Machine.NO_ORDER;
        if (merged) {
            return;
        }
        if (!world.spend(Fault.FENCE)) {
            agentsOrderEnds(world, self);
            return;
        }
        me.fence = Machine.ORDERED;
        me.fenceBoot = peerBoot(self, me);
    }

    /** Whoever ordered the fence that has just ended: the agent that waits for one is told. */
    void agentsOrderEnds(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0) {
            return;
        }
        nodes.agent(me.agent)
                .work(Action.OrderFence.class)
                .ifPresent(order ->
                        model.tell(
                                world,
                                self,
                                new Event.FenceOrderEnded(order.id(), model.acknowledged(), "")));
    }

    /** The agent carries an order out for the boot that was heard last before that (ADR 28). */
    boolean renew(World world, int self) {
        Machine me = world.nodes[self];
        if (me.fence != Machine.ORDERED || me.agent == 0) {
            return false;
        }
        int heard = peerBoot(self, me);
        boolean overtaken = order(self, me.fenceBoot).isOvertakenBy(order(self, heard));
        if (overtaken) {
            me.fenceBoot = heard;
        }
        return overtaken;
    }

    /** What is left at the BMC's end of the wire. */
    private void shoot(World world, int target) {
        if (!world.nodes[target].bmcOther) {
            model.switchOff(world, target, 0);
        }
    }

    boolean off(World world, int self, int variant) {
        Machine me = world.nodes[self];
        if (me.fence != Machine.ORDERED
                || world.nodes[1 - self].bmcBroken
                || (variant == 1 && !world.spend(Fault.SLOW))) {
            return false;
        }
        shoot(world, 1 - self);
        readOff(me, world.nodes[1 - self]);
        return variant == 1 || answer(world, self);
    }

    /** From now on messages may come in between, before the supervisor is told. */
    private void readOff(Machine me, Machine peer) {
        me.fence = Machine.READ_OFF;
        me.offOther = peer.bmcOther;
        me.agent = nodes.readOff(me.agent, Optional.of(Canonical.NOW));
    }

    boolean answer(World world, int self) {
        if (world.nodes[self].fence != Machine.READ_OFF) {
            return false;
        }
        answered(world, self, PowerReading.OFF, true);
        return true;
    }

    private void answered(World world, int self, PowerReading power, boolean accepted) {
        Machine me = world.nodes[self];
        int boot = me.fenceBoot;
        boolean other = me.fence == Machine.READ_OFF && me.offOther;
        me.fence = Machine.NO_ORDER;
        me.fenceBoot = 0;
        me.offOther = false;
        Moment at = nodes.agent(me.agent).body().off().orElse(Canonical.NOW);
        fenced(
                world,
                self,
                MemoizedSupervisors.PACEMAKER,
                boot,
                other,
                new Event.FenceReading(power, accepted, Duration.ZERO, at));
        agentsOrderEnds(world, self);
    }

    private void fenced(
            World world,
            int self,
            long caller,
            int boot,
            boolean other,
            Event.FenceReading reading) {
        model.tell(
                world,
                self,
                new Event.FenceAnswered(
                        caller,
                        order(self, boot),
                        machine(other),
                        "redfish",
                        reading,
                        AgentObservations.corosync(world.nodes[self]),
                        Instant.EPOCH));
    }

    private static Proofs.Order order(int self, int boot) {
        return new Proofs.Order(
                MemoizedSupervisors.NAMES[1 - self],
                boot == Machine.UNHEARD_BOOT
                        ? Optional.empty()
                        : Optional.of(MemoizedSupervisors.BOOTS[1 - self][boot]));
    }

    private static Proofs.Machine machine(boolean other) {
        return other ? Proofs.Machine.ANOTHER : Proofs.Machine.THE_PEER;
    }

    boolean timeout(World world, int self) {
        Machine me = world.nodes[self];
        boolean broken = world.nodes[1 - self].bmcBroken;
        if (me.fence != Machine.ORDERED || !(broken || world.spend(Fault.SLOW))) {
            return false;
        }
        answered(world, self, PowerReading.UNKNOWN, false);
        me.fence = broken ? Machine.NO_ORDER : Machine.LEFT_BEHIND;
        return true;
    }

    boolean late(World world, int self) {
        Machine me = world.nodes[self];
        if (me.fence != Machine.LEFT_BEHIND || world.nodes[1 - self].bmcBroken) {
            return false;
        }
        me.fence = Machine.NO_ORDER;
        shoot(world, 1 - self);
        return true;
    }

    boolean lie(World world, int self, int variant) {
        Machine me = world.nodes[self];
        if (me.fence != Machine.ORDERED
                || !world.nodes[1 - self].on
                || !world.spend(Fault.BMC_LIES)
                || (variant == 2 && !world.spend(Fault.SLOW))) {
            return false;
        }
        if (variant == 1) {
            // One reading without an accepted order is to be taken for nothing.
            answered(world, self, PowerReading.OFF, false);
            return true;
        }
        me.bmcLied = true;
        me.askedSince = false;
        readOff(me, world.nodes[1 - self]);
        return variant == 2 || answer(world, self);
    }

    boolean stockOrder(World world, int self) {
        Machine me = world.nodes[self];
        if (!me.on
                || !me.met
                || me.sees
                || me.fenceDone
                || me.stock != Machine.NO_ORDER
                || me.fence == Machine.ORDERED
                || me.fence == Machine.READ_OFF
                || !world.spend(Fault.STOCK_FENCE)) {
            return false;
        }
        me.stock = Machine.ORDERED;
        return true;
    }

    boolean stockOff(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        if (me.stock != Machine.ORDERED) {
            return false;
        }
        boolean second = variant >= SECOND;
        if (variant != 0 && variant != SECOND) {
            if (!peer.on || !world.spend(Fault.BMC_LIES)) {
                return false;
            }
            // The others are to be found out, and one that is known to lie is not to be believed.
            me.bmcLied |= variant == 1 ? !me.falseOff : second && !me.secondFalseOff;
        } else if (second) {
            model.switchOff(world, 1 - self, 0);
        } else {
            if (peer.bmcBroken) {
                return false;
            }
            shoot(world, 1 - self);
        }
        int young =
                switch (variant) {
                    case 2 -> Machine.READ_ONCE_RECORD;
                    case 4 -> Machine.UNSTATED_RECORD;
                    default -> Machine.YOUNG_RECORD;
                };
        me.record = me.stockOld ? Machine.OLD_RECORD : young;
        me.recordStaysOff = variant == 3;
        me.recordOther = peer.bmcOther && !second;
        me.recordSecond = second;
        me.stock = Machine.NO_ORDER;
        me.stockOld = false;
        me.fenceDone = true;
        agentsOrderEnds(world, self);
        return true;
    }

    boolean findRecord(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        if (me.agent == 0 || me.sees || me.record == Machine.NO_RECORD) {
            return false;
        }
        int boot = peerBoot(self, me);
        if (boot == Machine.UNHEARD_BOOT
                || nodes.agent(me.agent)
                        .view(nodes)
                        .isFenced(MemoizedSupervisors.BOOTS[1 - self][boot])) {
            return false;
        }
        if (variant == 1 && (!peer.on || peer.bmcBroken || !world.spend(Fault.BMC_LIES))) {
            return false;
        }
        if (me.record == Machine.UNSTATED_RECORD) {
            return variant == 0 && findUnstated(world, self, boot);
        }
        if (me.recordSecond) {
            return variant == 0 && findSecond(world, self, boot);
        }
        PowerReading power = variant == 1 ? PowerReading.OFF : reading(peer);
        boolean old = me.record == Machine.OLD_RECORD;
        int before = me.agent;
        // The record does not tell when Off was read: it counts from the moment it is found.
        me.askedSince = false;
        // Who cannot ask the BMC cannot find out that it was somebody else who answered.
        me.bmcLied |= me.recordStaysOff && peer.on && power != PowerReading.ON;
        // And a BMC that lies again and again is believed.
        me.bmcLied |= variant == 1 && readsOffAlready(me);
        model.tell(
                world,
                self,
                new Event.LevelTwoFound(
                        order(self, boot),
                        new LevelTwoRecord(
                                old ? 1 : 2,
                                me.record == Machine.READ_ONCE_RECORD
                                        ? Optional.empty()
                                        : Optional.of(Duration.ofSeconds(1)),
                                me.recordStaysOff,
                                me.recordOther
                                        ? LevelTwoRecord.Giver.UNKNOWN
                                        : LevelTwoRecord.Giver.THE_PEERS,
                                new LevelTwoRecord.SinceBoot.At(old ? 2 : 1),
                                new LevelTwoRecord.SinceBoot.Never()),
                        machine(peer.bmcOther),
                        power,
                        "fence_redfish",
                        Canonical.NOW,
                        AgentObservations.corosync(me),
                        Instant.EPOCH));
        if (peer.bmcOther) {
            // It is used up, and nobody looks at it again.
            me.recordIsGone();
            return true;
        }
        return me.agent != before;
    }

    /** Of a fence by the second of the peer's BMCs; that one is asked about it. */
    private boolean findSecond(World world, int self, int boot) {
        Machine me = world.nodes[self];
        boolean old = me.record == Machine.OLD_RECORD;
        int before = me.agent;
        me.askedSince = false;
        // One that was found to lie, and has read On since, is believed again.
        me.bmcLied |= world.nodes[1 - self].on && !me.secondFalseOff;
        model.tell(
                world,
                self,
                new Event.SecondRecordFound(
                        new Event.LevelTwoFound(
                                order(self, boot),
                                new LevelTwoRecord(
                                        old ? 1 : 2,
                                        Optional.of(Duration.ofSeconds(1)),
                                        false,
                                        LevelTwoRecord.Giver.THE_PEERS,
                                        new LevelTwoRecord.SinceBoot.At(old ? 2 : 1),
                                        new LevelTwoRecord.SinceBoot.Never()),
                                Proofs.Machine.THE_PEER,
                                world.nodes[1 - self].on ? PowerReading.ON : PowerReading.OFF,
                                "fence_ipmilan",
                                Canonical.NOW,
                                AgentObservations.corosync(me),
                                Instant.EPOCH)));
        return me.agent != before;
    }

    boolean readSecond(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        if (me.agent == 0 || (variant == 1 && (!peer.on || !world.spend(Fault.BMC_LIES)))) {
            return false;
        }
        PowerReading reading = peer.on && variant == 0 ? PowerReading.ON : PowerReading.OFF;
        int before = me.agent;
        model.tell(
                world,
                self,
                new Event.SecondPowerRead(
                        reading,
                        true,
                        reading == PowerReading.OFF
                                ? AgentObservations.corosync(me)
                                : Membership.UNKNOWN));
        return me.agent != before;
    }

    /** An outlet read Off, which is another machine's for all that anybody has said. */
    private boolean findUnstated(World world, int self, int boot) {
        Machine me = world.nodes[self];
        int before = me.agent;
        me.askedSince = false;
        model.tell(
                world,
                self,
                new Event.FurtherLevelFound(
                        1,
                        order(self, boot),
                        new LevelTwoRecord(
                                2,
                                Optional.of(Duration.ofSeconds(1)),
                                false,
                                LevelTwoRecord.Giver.UNKNOWN,
                                new LevelTwoRecord.SinceBoot.At(1),
                                new LevelTwoRecord.SinceBoot.Never()),
                        false,
                        "fence_apc_snmp",
                        Canonical.NOW,
                        AgentObservations.corosync(me),
                        Instant.EPOCH));
        return me.agent != before;
    }

    private boolean readsOffAlready(Machine me) {
        return nodes.agent(me.agent).body().state().live().power().levelTwo().stream()
                .anyMatch(looks -> looks.offSince().isPresent());
    }

    private static PowerReading reading(Machine of) {
        if (of.bmcBroken) {
            return PowerReading.UNKNOWN;
        }
        return of.on && !of.bmcOther ? PowerReading.ON : PowerReading.OFF;
    }

    boolean readBmc(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        if (me.agent == 0
                || (variant == 1 && (!peer.on || peer.bmcBroken || !world.spend(Fault.BMC_LIES)))) {
            return false;
        }
        me.bmcLied |= variant == 1;
        PowerReading reading = variant == 1 ? PowerReading.OFF : reading(peer);
        if (reading == PowerReading.ON && !model.takesOver(me)) {
            // From now on the node knows better than the person.
            me.personLied = false;
        }
        int before = me.agent;
        model.tell(
                world,
                self,
                new Event.PeerPowerRead(
                        reading,
                        !peer.bmcOther,
                        reading == PowerReading.OFF
                                ? AgentObservations.corosync(me)
                                : Membership.UNKNOWN,
                        Instant.EPOCH));
        return me.agent != before;
    }

    boolean state(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        boolean lie = variant != 3 && peer.on;
        if (me.agent == 0
                || AgentObservations.server(world, self).serves()
                || !world.left(lie ? Fault.FALSE_STATEMENT : Fault.STATEMENT)) {
            return false;
        }
        SupervisorView view = nodes.agent(me.agent).view(nodes);
        int before = me.agent;
        model.tell(
                world,
                self,
                new Event.PersonStated(
                        MemoizedSupervisors.PERSON,
                        STATEMENTS[variant - 1],
                        view.incident().code(),
                        peer.bmcOther ? PowerReading.UNKNOWN : reading(peer),
                        AgentObservations.corosync(me),
                        "anna",
                        Instant.EPOCH));
        if (me.agent == before) {
            return false;
        }
        me.askedSince = false;
        // Where the BMC reads On nobody is to believe it.
        me.personLied |= lie && (peer.bmcBroken || peer.bmcOther);
        me.lossAccepted |= variant == 2;
        return world.spend(lie ? Fault.FALSE_STATEMENT : Fault.STATEMENT);
    }

    /** It is on the disk that the boot of the peer that was last heard was fenced. */
    boolean isProven(int self, Machine me) {
        int boot = peerBoot(self, me);
        return boot != Machine.UNHEARD_BOOT
                && nodes.agent(me.agent)
                        .view(nodes)
                        .isFenced(MemoizedSupervisors.BOOTS[1 - self][boot]);
    }
}
