package dev.tandem.core.model;

import static dev.tandem.core.model.World.DAMAGED;
import static dev.tandem.core.model.World.DIED;
import static dev.tandem.core.model.World.HUNG;
import static dev.tandem.core.model.World.LEARNER;
import static dev.tandem.core.model.World.LOG;
import static dev.tandem.core.model.World.MISSING;
import static dev.tandem.core.model.World.NOTE;
import static dev.tandem.core.model.World.PROMOTION;
import static dev.tandem.core.model.World.REMOVED;
import static dev.tandem.core.model.World.RUNNING;
import static dev.tandem.core.model.World.SOLE;
import static dev.tandem.core.model.World.STOPPED;
import static dev.tandem.core.model.World.TWO;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Health;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.model.Judgement.Kept;
import dev.tandem.core.model.Step.Kind;
import dev.tandem.core.model.World.Node;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerConversation;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the world moves. The nodes' part of it is the product's: the model builds the values a node
 * would have, asks the {@link Judgement}, and does what an agent would do with the answer.
 *
 * <p>An instance is used by one thread.
 */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
final class Model {
    static final NodeName[] NAMES = {new NodeName("north"), new NodeName("south")};
    private static final Instant TIME = Instant.EPOCH;
    private static final BootId[][] BOOTS = boots();
    private static final EtcdState[] SERVERS = EtcdState.values();
    private static final Replica.MemberRole[] SEATS = {
        Replica.MemberRole.ONE_OF_TWO,
        Replica.MemberRole.SOLE,
        Replica.MemberRole.LEARNER,
        Replica.MemberRole.REMOVED
    };
    private static final PeerProof.Statement[] STATEMENTS = PeerProof.Statement.values();

    private final Judgement judgement;
    private final Bounds bounds;
    private final Policy policy;
    private final Map<Long, Lineage> lineages = new HashMap<>();

    /** What the last step broke, if it broke something. */
    private @Nullable String broken;

    private @Nullable Decision decided;

    Model(Judgement judgement, Bounds bounds) {
        this.judgement = judgement;
        this.bounds = bounds;
        this.policy = new Policy(Policy.Shape.PAIR, bounds.startAlone(), 5);
    }

    private static BootId[][] boots() {
        BootId[][] boots = new BootId[2][8];
        for (int node = 0; node < 2; node++) {
            for (int boot = 0; boot < 8; boot++) {
                boots[node][boot] = new BootId(NAMES[node] + "-" + boot);
            }
        }
        return boots;
    }

    // ---- what the nodes know

    EtcdState server(World world, int self) {
        Node me = world.nodes[self];
        if (me.server == HUNG) {
            return EtcdState.HUNG;
        }
        if (!me.on || me.server != RUNNING) {
            return EtcdState.STOPPED;
        }
        if (me.blind) {
            return EtcdState.UNSEEN;
        }
        if (me.seat == SOLE) {
            return EtcdState.LEADING;
        }
        if (world.leader != 0 && paired(world)) {
            return world.leader == self + 1 ? EtcdState.LEADING : EtcdState.FOLLOWING;
        }
        return me.seat == LEARNER && taught(world, self)
                ? EtcdState.FOLLOWING
                : EtcdState.LEADERLESS;
    }

    private static boolean connected(World world) {
        return world.link && !world.portsCut && runs(world.nodes[0]) && runs(world.nodes[1]);
    }

    private static boolean runs(Node node) {
        return node.on && node.server == RUNNING;
    }

    /**
     * Both servers run and count each other as voters, or the one that does not know it yet will
     * learn it.
     */
    private static boolean paired(World world) {
        Node a = world.nodes[0];
        Node b = world.nodes[1];
        if (!connected(world) || a.epoch != b.epoch) {
            return false;
        }
        if (a.seat == TWO && b.seat == TWO) {
            return a.peerMember == b.member && b.peerMember == a.member;
        }
        return (a.seat == TWO && b.seat == LEARNER && a.peerMember == b.member)
                || (b.seat == TWO && a.seat == LEARNER && b.peerMember == a.member);
    }

    /** The learner gets entries from a sole voter that lists it. */
    private static boolean taught(World world, int learner) {
        Node me = world.nodes[learner];
        Node teacher = world.nodes[1 - learner];
        return connected(world)
                && me.epoch == teacher.epoch
                && (me.seat == LEARNER || (me.seat == TWO && teacher.promoting))
                && teacher.seat == SOLE
                && (teacher.learnerListed || teacher.promoting)
                && teacher.peerMember == me.member;
    }

    long snapshot(World world, int self) {
        return Snapshot.of(world.nodes[self], server(world, self).ordinal());
    }

    NodeFacts facts(World world, int self, long bits) {
        int peer = 1 - self;
        Replica replica =
                switch (Snapshot.replica(bits)) {
                    case MISSING -> new Replica.Missing();
                    case DAMAGED -> new Replica.Damaged("checksum");
                    default ->
                            new Replica.Intact(
                                    lineage(world, Snapshot.epoch(bits)),
                                    lineage(world, Snapshot.epoch(bits)).current().number(),
                                    Snapshot.length(bits),
                                    Snapshot.commit(bits),
                                    SEATS[Snapshot.seat(bits)],
                                    Snapshot.complete(bits),
                                    Snapshot.member(bits));
                };
        Abdication abdication =
                switch (Snapshot.yieldKind(bits)) {
                    case 1 -> new Abdication.Departure(Snapshot.yieldId(bits));
                    case 2 -> new Abdication.StandDown(Snapshot.yieldId(bits));
                    default -> Abdication.none();
                };
        Offer offer =
                switch (Snapshot.offer(bits)) {
                    case World.TOKEN ->
                            new Offer.JoinToken(
                                    NAMES[peer],
                                    BOOTS[peer][Snapshot.offerBoot(bits)],
                                    Snapshot.offerMember(bits));
                    case World.CONFIRMATION ->
                            new Offer.Confirmation(
                                    Snapshot.offerMember(bits), Snapshot.offerIndex(bits));
                    default -> Offer.none();
                };
        return new NodeFacts(
                NAMES[self],
                BOOTS[self][Snapshot.boot(bits)],
                replica,
                SERVERS[Snapshot.server(bits)],
                abdication,
                Snapshot.claim(bits)
                        ? new Claim.TakeOver(lineage(world, Snapshot.epoch(bits)).current())
                        : Claim.none(),
                Snapshot.released(bits),
                offer);
    }

    NodeFacts facts(World world, int self) {
        return facts(world, self, snapshot(world, self));
    }

    private PeerView view(World world, int self) {
        long heard = world.nodes[self].heard;
        if (heard != 0) {
            return new PeerView.FactsKnown(facts(world, 1 - self, heard));
        }
        int greeted = world.nodes[self].greeted;
        return greeted == 0
                ? PeerView.unheard()
                : new PeerView.BootKnown(BOOTS[1 - self][greeted & 7]);
    }

    private Lineage lineage(World world, int epoch) {
        long key = epoch == 0 ? 0 : 1;
        for (int e = epoch; e != 0; e = world.parent[e]) {
            key =
                    (key << 9)
                            | ((long) world.fork[e] << 4)
                            | ((long) world.founder[e] << 3)
                            | world.founderBoot[e];
        }
        Lineage known = lineages.get(key);
        if (known == null) {
            known =
                    epoch == 0
                            ? Lineage.installed("tandem", NAMES[0], BOOTS[0][0])
                            : lineage(world, world.parent[epoch])
                                    .takenOver(
                                            NAMES[world.founder[epoch]],
                                            BOOTS[world.founder[epoch]][world.founderBoot[epoch]],
                                            world.fork[epoch]);
            lineages.put(key, known);
        }
        return known;
    }

    private PeerMembership membership(World world, int self) {
        Node me = world.nodes[self];
        return new PeerMembership(NAMES[1 - self], me.met, me.present, me.known);
    }

    private List<PeerProof> proofs(World world, int self) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        NodeName name = NAMES[1 - self];
        List<PeerProof> proofs = new ArrayList<>(2);
        if (me.receipt != World.NO_RECEIPT) {
            proofs.add(
                    new PeerProof.Fenced(
                            name,
                            BOOTS[1 - self][me.receiptBoot],
                            "redfish",
                            me.receipt == World.READ_OFF ? PowerReading.OFF : PowerReading.UNKNOWN,
                            TIME));
        }
        if (me.heard != 0 && Snapshot.yieldKind(me.heard) != 0) {
            proofs.add(
                    new PeerProof.Yielded(
                            Snapshot.yieldKind(me.heard) == 1
                                    ? new Abdication.Departure(Snapshot.yieldId(me.heard))
                                    : new Abdication.StandDown(Snapshot.yieldId(me.heard))));
        }
        if (me.held) {
            proofs.add(new PeerProof.HeldOff(name, PowerReading.OFF, TIME));
        }
        if (me.statement != 0) {
            proofs.add(
                    new PeerProof.Stated(
                            STATEMENTS[me.statement - 1],
                            name,
                            new Incident(
                                    BOOTS[self][me.boot],
                                    me.statementPeer == World.UNHEARD_BOOT
                                            ? "unheard"
                                            : BOOTS[1 - self][me.statementPeer].value(),
                                    me.statementEpoch),
                            peer.bmcBroken || peer.bmcOther
                                    ? PowerReading.UNKNOWN
                                    : peer.on ? PowerReading.ON : PowerReading.OFF,
                            "anna",
                            TIME));
        }
        return proofs;
    }

    /** Why an agent would ask now, or null if it has nothing to ask. */
    private @Nullable Intent intent(World world, int self, int variant) {
        Node me = world.nodes[self];
        if (!me.wanted) {
            return me.server == RUNNING || me.server == HUNG
                    ? new Intent.Leave(variant == 1)
                    : null;
        }
        if (me.forcing || variant != 0) {
            return null;
        }
        if (me.blind && me.server == RUNNING) {
            boolean off = provenOff(me) || me.held || me.statement == 1 || me.statement == 2;
            return judgement.whileRefused(off && !me.present && !me.unsure);
        }
        return switch (me.server) {
            case STOPPED ->
                    me.restartFlag != 0
                            ? new Intent.RestartInPlace(BOOTS[self][me.restartFlag & 7])
                            : new Intent.Start();
            case DIED -> new Intent.ServerDied(me.diesOften ? 5 : 1);
            case HUNG -> new Intent.ServerHung();
            default -> {
                if (server(world, self) != EtcdState.LEADERLESS) {
                    yield null;
                }
                yield world.portsCut
                                && me.present
                                && me.heard != 0
                                && Snapshot.server(me.heard) == EtcdState.LEADERLESS.ordinal()
                        ? new Intent.LeaderLost()
                        : new Intent.Recover();
            }
        };
    }

    /** What the agent of this node would be told now. */
    @Nullable Decision decision(World world, int self) {
        Intent intent = world.nodes[self].on ? intent(world, self, 0) : null;
        return intent == null ? null : decide(world, self, intent);
    }

    private Decision decide(World world, int self, Intent intent) {
        return decide(world, self, intent, proofs(world, self));
    }

    private Decision decide(World world, int self, Intent intent, List<PeerProof> proofs) {
        return judgement.decide(
                new Situation(
                        facts(world, self),
                        view(world, self),
                        proofs,
                        membership(world, self),
                        policy,
                        intent));
    }

    // ---- the steps

    /** All steps that may be possible; {@link #apply} says which are. */
    static int[] allSteps() {
        List<Integer> codes = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            boolean global =
                    switch (kind) {
                        case CUT, HEAL, CUT_PORTS, HEAL_PORTS -> true;
                        default -> false;
                    };
            int variants =
                    switch (kind) {
                        case STATE -> 4;
                        case ACT, LEAD, KILL, DISK, FENCE_DONE, FENCE_LIE, STOCK_DONE -> 2;
                        default -> 1;
                    };
            for (int node = 0; node < (global ? 1 : 2); node++) {
                for (int variant = kind == Kind.STATE ? 1 : 0; variant < variants; variant++) {
                    codes.add(Step.code(kind, node, variant));
                }
            }
        }
        return codes.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Carries the step out on {@code world}; false if it is not possible there (the world may then
     * be spoiled).
     */
    boolean apply(World world, int code) {
        broken = null;
        decided = null;
        Kind kind = Step.of(code).kind();
        int self = (code >>> 2) & 1;
        int variant = code & 3;
        boolean done = step(world, kind, self, variant);
        if (done) {
            settle(world);
            if (broken == null) {
                broken = check(world);
            }
        }
        return done;
    }

    /** The law the last step broke, in words; null if none. */
    @Nullable String broken() {
        return broken;
    }

    /** What the agent was told in the last step, if it asked. */
    @Nullable Decision decided() {
        return decided;
    }

    private boolean step(World world, Kind kind, int self, int variant) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        switch (kind) {
            case POWER_CUT -> {
                if (!me.on || !spend(world, Fault.POWER_CUT)) {
                    return false;
                }
                switchOff(world, self);
            }
            case POWER_ON -> {
                if (me.on || (peer.on && peer.held)) {
                    return false;
                }
                me.on = true;
                me.boot = (me.boot + 1) & 7;
            }
            case NOTICE -> {
                boolean there = world.link && peer.on;
                if (!me.on || (me.present == there && !me.unsure)) {
                    return false;
                }
                boolean first = me.unsure;
                me.unsure = false;
                me.present = there;
                me.met |= there;
                if (there) {
                    me.held = false;
                    signOfLife(world, self, !first || judgement.firstSightCounts());
                    if (judgement.sightMakesRecordsOld()) {
                        me.ageRecords();
                    }
                }
            }
            case CUT -> {
                if (!world.link || !spend(world, Fault.LINK_CUT)) {
                    return false;
                }
                world.link = false;
            }
            case HEAL -> {
                if (world.link) {
                    return false;
                }
                world.link = true;
            }
            case CUT_PORTS -> {
                if (world.portsCut || !world.link || !spend(world, Fault.PORTS_CUT)) {
                    return false;
                }
                world.portsCut = true;
            }
            case HEAL_PORTS -> {
                if (!world.portsCut) {
                    return false;
                }
                world.portsCut = false;
            }
            case ASK -> {
                return ask(world, self);
            }
            case HEAR -> {
                if (me.reply == 0) {
                    return false;
                }
                long reply = me.reply;
                boolean old = me.replyOld;
                me.reply = 0;
                me.replyOld = false;
                take(
                        world,
                        self,
                        new PeerMessage.Facts(facts(world, 1 - self, reply), BOOTS[self][me.boot]),
                        reply);
                if (!old) {
                    signOfLife(world, self, true);
                }
            }
            case FENCE_ORDER, STOCK_ORDER -> {
                boolean stock = kind == Kind.STOCK_ORDER;
                if (!me.on
                        || !me.met
                        || me.present
                        || (me.unsure && world.link && peer.on)
                        || me.fence == World.ORDERED
                        || me.fence == World.UNANSWERED
                        || me.stock != World.NO_ORDER
                        || provenOff(me)
                        || !spend(world, stock ? Fault.STOCK_FENCE : Fault.FENCE)) {
                    return false;
                }
                if (stock) {
                    me.stock = World.ORDERED;
                } else {
                    me.fence = World.ORDERED;
                    me.orderBoot = heardBoot(me);
                }
            }
            case FENCE_DONE -> {
                if (me.fence != World.ORDERED
                        || peer.bmcBroken
                        || (variant == 1 && !spend(world, Fault.LATE_ANSWER))) {
                    return false;
                }
                me.fence = World.UNANSWERED;
                shoot(world, 1 - self);
                if (variant == 0) {
                    answer(world, self, PowerReading.OFF);
                    me.fence = World.NO_ORDER;
                }
            }
            case FENCE_ANSWER -> {
                if (me.fence != World.UNANSWERED) {
                    return false;
                }
                answer(world, self, PowerReading.OFF);
                me.fence = World.NO_ORDER;
            }
            case FENCE_TIMEOUT -> {
                if (me.fence != World.ORDERED || !bounds.slowFencing()) {
                    return false;
                }
                answer(world, self, PowerReading.UNKNOWN);
                me.fence = peer.bmcBroken ? World.NO_ORDER : World.ORDER_TIMED_OUT;
            }
            case FENCE_LATE -> {
                if (me.fence != World.ORDER_TIMED_OUT || peer.bmcBroken) {
                    return false;
                }
                me.fence = World.NO_ORDER;
                shoot(world, 1 - self);
            }
            case FENCE_LIE -> {
                int order = variant == 0 ? me.fence : me.stock;
                if (order != World.ORDERED || !peer.on || !spend(world, Fault.BMC_LIES)) {
                    return false;
                }
                me.bmcLied = true;
                if (variant == 0) {
                    answer(world, self, PowerReading.OFF);
                    me.fence = World.NO_ORDER;
                } else {
                    record(me);
                }
            }
            case STOCK_DONE -> {
                if (me.stock != World.ORDERED
                        || peer.bmcBroken
                        || (variant == 1 && !spend(world, Fault.LATE_ANSWER))) {
                    return false;
                }
                me.stock = World.UNANSWERED;
                shoot(world, 1 - self);
                if (variant == 0) {
                    record(me);
                }
            }
            case STOCK_RECORD -> {
                if (me.stock != World.UNANSWERED) {
                    return false;
                }
                record(me);
            }
            case STOCK_FAILS -> {
                if (me.stock != World.ORDERED || !peer.bmcBroken) {
                    return false;
                }
                me.stock = World.NO_ORDER;
                me.stockOld = false;
            }
            case FIND_RECORD -> {
                return findRecord(world, self);
            }
            case AGENT_RESTART -> {
                if (!me.on || !spend(world, Fault.AGENT_RESTART)) {
                    return false;
                }
                restartAgent(me, peer.bmcBroken);
            }
            case REFUSED -> {
                if (!runs(me) || me.blind || !spend(world, Fault.REFUSED)) {
                    return false;
                }
                me.blind = true;
            }
            case ADMITTED -> {
                if (!me.blind) {
                    return false;
                }
                me.blind = false;
            }
            case READ_BMC -> {
                if (!bounds.startAlone()
                        || !me.on
                        || me.present
                        || me.unsure
                        || (peer.on && !peer.bmcOther)
                        || peer.bmcBroken
                        || judgement.machine(peer.bmcOther) != Proofs.Machine.THE_PEER
                        || me.held) {
                    return false;
                }
                me.held = true;
                me.proofMade();
            }
            case RELEASE_HOLD -> {
                if (!me.held) {
                    return false;
                }
                me.held = false;
            }
            case BMC_BREAKS -> {
                if (me.bmcBroken || !spend(world, Fault.BMC_BREAKS)) {
                    return false;
                }
                me.bmcBroken = true;
            }
            case BMC_SWAPPED -> {
                if (me.bmcOther || !spend(world, Fault.WRONG_MACHINE)) {
                    return false;
                }
                me.bmcOther = true;
            }
            case STATE -> {
                return state(world, self, variant);
            }
            case ACT -> {
                return act(world, self, variant);
            }
            case FORCE_START -> {
                if (!me.on || !me.forcing) {
                    return false;
                }
                me.forcing = false;
                me.claim = false;
                me.seat = SOLE;
                me.promoting = false;
                me.learnerListed = false;
                me.withdrawOffer();
                if (!judgement.keepsWholeLog()) {
                    me.truncate(me.commit);
                }
                me.commit = me.length;
                me.server = RUNNING;
            }
            case LEAD -> {
                return lead(world, self, variant);
            }
            case ELECT -> {
                if (world.leader != 0
                        || !paired(world)
                        || me.seat != TWO
                        || me.length < peer.length) {
                    return false;
                }
                world.leader = self + 1;
            }
            case WRITE -> {
                boolean alone = runs(me) && me.seat == SOLE;
                if ((!alone && world.leader != self + 1)
                        || world.written == bounds.writes()
                        || me.length >= Bounds.LONGEST_LOG) {
                    return false;
                }
                world.written++;
                me.append(world.written);
                if (alone) {
                    me.commit = me.length;
                    world.acknowledged |= 1 << (world.written - 1);
                }
            }
            case REPLICATE -> {
                return replicate(world, self);
            }
            case COMMIT -> {
                if (world.leader != self + 1
                        || matching(me, peer) < me.length
                        || me.commit == me.length) {
                    return false;
                }
                me.commit = me.length;
                world.acknowledged |= me.writes();
            }
            case LEARN_COMMIT -> {
                boolean follows = world.leader == 2 - self || taught(world, self);
                int commit = Math.min(me.length, peer.commit);
                if (!follows || !runs(me) || commit <= me.commit) {
                    return false;
                }
                me.commit = commit;
            }
            case TAKE_EFFECT -> {
                if (!runs(me) || !me.promoting) {
                    return false;
                }
                me.promoting = false;
                me.learnerListed = false;
                me.seat = TWO;
                if (paired(world)) {
                    world.leader = self + 1;
                }
            }
            case KILL -> {
                if (!runs(me) || !spend(world, Fault.KILL)) {
                    return false;
                }
                me.server = DIED;
                me.diesOften = variant == 1;
            }
            case HANG -> {
                if (!runs(me) || !spend(world, Fault.KILL)) {
                    return false;
                }
                me.server = HUNG;
            }
            case DISK -> {
                if (me.on || me.replica != LOG || !spend(world, Fault.DISK)) {
                    return false;
                }
                me.loseReplica(variant == 0 ? MISSING : DAMAGED);
            }
            case ORDER_STOP -> {
                if (!runs(me) || !me.wanted || !spend(world, Fault.STOP)) {
                    return false;
                }
                me.wanted = false;
            }
            case ORDER_START -> {
                if (me.wanted || runs(me) || me.server == HUNG) {
                    return false;
                }
                me.wanted = true;
            }
            case ORDER_RESTART -> {
                if (!runs(me) || !me.wanted || !spend(world, Fault.RESTART)) {
                    return false;
                }
                me.server = STOPPED;
                me.restartFlag = 8 | me.boot;
            }
        }
        return true;
    }

    private static boolean spend(World world, Fault fault) {
        if (world.budget[fault.ordinal()] == 0) {
            return false;
        }
        world.budget[fault.ordinal()]--;
        return true;
    }

    /** Pacemaker fences a node once for one disappearance. */
    private static boolean provenOff(Node me) {
        return me.receipt == World.READ_OFF && me.receiptBoot == heardBoot(me);
    }

    private static int heardBoot(Node me) {
        if (me.heard != 0) {
            return Snapshot.boot(me.heard);
        }
        return me.greeted == 0 ? World.UNHEARD_BOOT : me.greeted & 7;
    }

    /** What is left at the BMC's end of the wire. */
    private void shoot(World world, int target) {
        if (!world.nodes[target].bmcOther) {
            switchOff(world, target);
        }
    }

    /** The agent that ordered a fence gets its answer. */
    private void answer(World world, int self, PowerReading observed) {
        Node me = world.nodes[self];
        int boot = me.orderBoot;
        me.orderBoot = 0;
        prove(world, self, boot, observed);
    }

    private boolean prove(World world, int self, int boot, PowerReading observed) {
        Node me = world.nodes[self];
        Optional<PeerProof.Fenced> proof =
                judgement.ofFence(
                        new Proofs.Order(
                                NAMES[1 - self],
                                boot == World.UNHEARD_BOOT
                                        ? Optional.empty()
                                        : Optional.of(BOOTS[1 - self][boot])),
                        view(world, self),
                        judgement.machine(world.nodes[1 - self].bmcOther),
                        observed);
        // Of the many that an agent keeps the latest that says Off is the only one of use.
        if (proof.isEmpty() || (observed != PowerReading.OFF && me.receipt == World.READ_OFF)) {
            return false;
        }
        me.receipt = observed == PowerReading.OFF ? World.READ_OFF : World.READ_NOTHING;
        me.receiptBoot = List.of(BOOTS[1 - self]).indexOf(proof.get().peerBoot());
        me.proofMade();
        return true;
    }

    /** The second level leaves a record with the moment of its order. */
    private void record(Node me) {
        me.record =
                me.stockOld && judgement.recordsTheOrder() ? World.OLD_RECORD : World.YOUNG_RECORD;
        me.stock = World.NO_ORDER;
        me.stockOld = false;
    }

    private boolean findRecord(World world, int self) {
        Node me = world.nodes[self];
        boolean young = me.record == World.YOUNG_RECORD;
        return me.on
                && !me.present
                && !me.unsure
                && !provenOff(me)
                && me.record != World.NO_RECORD
                && judgement.isOfLastHeardBoot(young ? 2 : 1, young ? 1 : 2)
                && prove(world, self, heardBoot(me), PowerReading.OFF);
    }

    /**
     * The peer is heard or seen after the proofs were made.
     *
     * @param taken whether the agent takes it for what it is; the observer does
     */
    private void signOfLife(World world, int self, boolean taken) {
        Node me = world.nodes[self];
        me.bmcLied = false;
        me.personLied = false;
        if (taken) {
            keep(me, judgement.afterSignOfLife(proofs(world, self)));
        }
    }

    private static void keep(Node me, List<PeerProof> proofs) {
        boolean fenced = false;
        boolean stated = false;
        boolean held = false;
        for (PeerProof proof : proofs) {
            fenced |= proof instanceof PeerProof.Fenced;
            stated |= proof instanceof PeerProof.Stated;
            held |= proof instanceof PeerProof.HeldOff;
        }
        me.held &= held;
        if (!fenced) {
            me.receipt = World.NO_RECEIPT;
            me.receiptBoot = 0;
        }
        if (!stated) {
            me.statement = 0;
            me.statementPeer = 0;
            me.statementEpoch = 0;
        }
    }

    /** What is on the disk is kept, and so is a server that runs. */
    private void restartAgent(Node me, boolean bmcBroken) {
        me.present = false;
        me.unsure = true;
        me.held = false;
        me.forcing = false;
        me.reply = 0;
        me.replyOld = false;
        me.withdrawOffer();
        me.server = me.server == DIED ? STOPPED : me.server;
        me.diesOften = false;
        boolean ordered = me.fence == World.ORDERED || me.fence == World.ORDER_TIMED_OUT;
        me.fence = ordered && !bmcBroken ? World.ORDER_TIMED_OUT : World.NO_ORDER;
        me.orderBoot = 0;
        if (!judgement.keeps(Kept.YIELD)) {
            me.clearYield();
        }
        if (!judgement.keeps(Kept.RELEASED)) {
            me.released = 0;
        }
        if (!judgement.keeps(Kept.LAST_HEARD) && me.record != World.NO_RECORD) {
            me.record = World.YOUNG_RECORD;
        }
    }

    private void switchOff(World world, int self) {
        Node me = world.nodes[self];
        if (!me.on) {
            return;
        }
        long heard = me.heard;
        boolean known = me.known;
        int greeted = me.greeted;
        me.on = false;
        me.loseMemory();
        // What was false is true now.
        world.nodes[1 - self].bmcLied = false;
        world.nodes[1 - self].personLied = false;
        if (!judgement.forgetsAtReboot()) {
            me.heard = heard;
            me.known = known;
            me.greeted = greeted;
        }
    }

    private boolean ask(World world, int self) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        if (!me.on || !peer.on || !world.link) {
            return false;
        }
        PeerMessage question = judgement.say(conversation(world, self), facts(world, self));
        long before = snapshot(world, 1 - self);
        if (question instanceof PeerMessage.Facts(var _, BootId to)
                && to.equals(BOOTS[1 - self][peer.boot])
                && peer.heard == snapshot(world, self)
                && me.heard == before
                && peer.reply == 0
                && me.reply == 0) {
            return false;
        }
        // A reply that was overtaken by this question no longer counts.
        peer.reply = 0;
        peer.replyOld = false;
        take(world, 1 - self, question, snapshot(world, self));
        me.reply = snapshot(world, 1 - self);
        me.replyOld = false;
        return true;
    }

    private PeerConversation conversation(World world, int self) {
        return new PeerConversation(view(world, self), 0, world.nodes[self].known);
    }

    private void take(World world, int self, PeerMessage word, long bits) {
        Node me = world.nodes[self];
        me.ageRecords();
        PeerConversation.Received taken =
                judgement.take(conversation(world, self), facts(world, self), word);
        if (taken.mine().abdication() instanceof Abdication.None) {
            me.clearYield();
        }
        me.released = (int) taken.mine().released();
        if (taken.mine().replica() instanceof Replica.Intact log && log.complete()) {
            me.complete = true;
        }
        if (me.offer == World.TOKEN && taken.mine().offer() instanceof Offer.None) {
            me.withdrawOffer();
        }
        me.known = taken.conversation().peerKnownNotAhead();
        switch (taken.conversation().view()) {
            case PeerView.FactsKnown(NodeFacts _) -> {
                boolean told =
                        word instanceof PeerMessage.Facts(var _, BootId to)
                                && to.equals(BOOTS[self][me.boot]);
                me.heard = told ? bits : me.heard;
                me.greeted = 0;
            }
            case PeerView.BootKnown(BootId _) -> {
                me.heard = 0;
                me.greeted = 8 | Snapshot.boot(bits);
            }
            case PeerView.Unknown() -> throw new IllegalStateException("a word was not heard");
        }
    }

    private boolean state(World world, int self, int variant) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        if (!me.on
                || me.statement == variant
                || server(world, self).ordinal() >= EtcdState.FOLLOWING.ordinal()) {
            return false;
        }
        if (variant == 3) {
            // Choosing between two histories is honest whatever the choice.
            if (!(decision(world, self) instanceof Decision.Refuse refuse)
                    || refuse.refusal() != dev.tandem.core.decision.Refusal.FORKED) {
                return false;
            }
        } else if (me.present) {
            return false;
        }
        boolean lie = variant != 3 && peer.on;
        if (!spend(world, lie ? Fault.FALSE_STATEMENT : Fault.STATEMENT)) {
            return false;
        }
        me.personLied |= lie;
        me.proofMade();
        me.statement = variant;
        me.statementPeer = heardBoot(me);
        me.statementEpoch =
                me.replica == LOG ? (int) lineage(world, me.epoch).current().number() : 0;
        return true;
    }

    private boolean act(World world, int self, int variant) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        Intent intent = me.on ? intent(world, self, variant) : null;
        if (intent == null) {
            return false;
        }
        Decision decision = decide(world, self, intent);
        decided = decision;
        if (me.blind && me.server == RUNNING && me.wanted && harms(world, self, decision)) {
            broken = "the etcd of " + NAMES[self] + " was ended because nobody could see it";
            return true;
        }
        switch (decision) {
            case Decision.StartAsVoter() -> {
                if (me.server == RUNNING) {
                    return false;
                }
                start(me);
            }
            case Decision.StartAsSoleVoter(Lineage lineage, Decision.Alone how) -> {
                return !excused(world, self, intent) && startAlone(world, self, lineage, how);
            }
            case Decision.Bootstrap() -> {
                broken = NAMES[self] + " began an empty cluster in recovery";
            }
            case Decision.JoinAsLearner(Offer.JoinToken token, Decision.DataStep data) -> {
                if (data == Decision.DataStep.KEEP && me.server == RUNNING) {
                    return false;
                }
                join(world, self, token, data);
            }
            case Decision.RestartInPlace(boolean _) -> {
                if (me.replica != LOG) {
                    broken = "etcd on " + NAMES[self] + " started without a replica";
                    return true;
                }
                start(me);
            }
            case Decision.StandDown(Decision.StandDownReason _) -> {
                if (me.yields == 7) {
                    return false;
                }
                me.server = STOPPED;
                me.diesOften = false;
                me.yields++;
                me.yieldKind = 2;
                me.yieldId = me.yields;
            }
            case Decision.HandLeadershipOver() -> {
                if (world.leader != self + 1
                        || me.blind
                        || matching(peer, me) < me.length
                        || peer.seat != TWO) {
                    return false;
                }
                world.leader = 2 - self;
            }
            case Decision.Depart() -> {
                if (me.yields == 7) {
                    return false;
                }
                me.yields++;
                me.yieldKind = 1;
                me.yieldId = me.yields;
            }
            case Decision.Stop(Decision.StopReason reason) -> {
                me.server = STOPPED;
                if (reason == Decision.StopReason.UNCONFIRMED
                        && !judgement.keepsUnansweredDeparture()) {
                    me.clearYield();
                }
            }
            case Decision.Wait(var _), Decision.Refuse(var _) -> {
                return false;
            }
        }
        return true;
    }

    private boolean harms(World world, int self, Decision decision) {
        return switch (decision) {
            case Decision.StandDown _, Decision.RestartInPlace _, Decision.JoinAsLearner _ -> true;
            case Decision.StartAsSoleVoter(var _, Decision.Alone how) ->
                    how != Decision.Alone.CONTINUE
                            && Proofs.afterSignOfLife(proofs(world, self))
                                    .equals(proofs(world, self));
            default -> false;
        };
    }

    /**
     * Goes on alone for no other reason than a lie that nothing has contradicted yet: what comes of
     * it is told as an assumption. What comes of it later is not excused.
     */
    private boolean excused(World world, int self, Intent intent) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        boolean deceived = me.bmcLied || (me.personLied && (peer.bmcBroken || peer.bmcOther));
        return bounds.excuses()
                && deceived
                && !(decide(world, self, intent, Proofs.afterSignOfLife(proofs(world, self)))
                        instanceof Decision.StartAsSoleVoter);
    }

    private static void start(Node me) {
        me.server = RUNNING;
        me.restartFlag = 0;
        me.diesOften = false;
    }

    private boolean startAlone(World world, int self, Lineage lineage, Decision.Alone how) {
        Node me = world.nodes[self];
        if (me.server == RUNNING && me.seat == SOLE) {
            return false;
        }
        if (me.replica != LOG || !me.complete || me.seat == LEARNER || me.seat == REMOVED) {
            broken = NAMES[self] + " goes on alone with a replica that is not a complete voter's";
            return true;
        }
        if (me.statement == 2) {
            world.givenUp |= world.acknowledged & ~me.writes();
            world.abandoned = 2 - self;
        }
        me.held = false;
        me.clearYield();
        me.restartFlag = 0;
        me.diesOften = false;
        switch (how) {
            case CONTINUE -> {
                if (me.seat != SOLE) {
                    broken = NAMES[self] + " goes on alone although its member list names its peer";
                }
                me.server = RUNNING;
            }
            case FINISH_TAKE_OVER -> {
                me.server = STOPPED;
                me.forcing = true;
            }
            case TAKE_OVER -> {
                me.server = STOPPED;
                me.forcing = true;
                me.claim = true;
                if (!lineage.equals(lineage(world, me.epoch))) {
                    if (world.epochs == World.EPOCHS) {
                        return false;
                    }
                    int epoch = world.epochs++;
                    world.parent[epoch] = me.epoch;
                    world.fork[epoch] = me.length;
                    world.founder[epoch] = self;
                    world.founderBoot[epoch] = me.boot;
                    me.epoch = epoch;
                }
            }
        }
        return true;
    }

    private void join(World world, int self, Offer.JoinToken token, Decision.DataStep data) {
        Node me = world.nodes[self];
        Node leader = world.nodes[1 - self];
        int epoch = Snapshot.epoch(me.heard);
        switch (data) {
            case KEEP -> {
                if (me.epoch != epoch || me.member != token.memberId()) {
                    broken =
                            NAMES[self]
                                    + " joined with data that belong to another member or history";
                }
            }
            case NOTHING_THERE -> {
                if (me.replica != MISSING) {
                    broken = NAMES[self] + " overwrote its data instead of setting them aside";
                }
            }
            case SET_ASIDE -> broken = setAside(world, self, leader);
        }
        if (data != Decision.DataStep.KEEP) {
            int yields = me.yields;
            me.loseReplica(LOG);
            me.yields = yields;
            me.epoch = epoch;
            me.seat = LEARNER;
            me.member = (int) token.memberId();
            world.abandoned = world.abandoned == self + 1 ? 0 : world.abandoned;
        }
        start(me);
        keep(me, judgement.afterJoining(proofs(world, self)));
    }

    private @Nullable String setAside(World world, int self, Node leader) {
        Node me = world.nodes[self];
        // A leader that died with its disk a moment ago cannot be told from a living one, and
        // nothing was erased.
        if (me.statement == 3 || leader.replica != LOG) {
            return null;
        }
        if ((me.writes() & world.acknowledged & ~leader.writes()) != 0) {
            return NAMES[self] + " gave up a replica with acknowledged writes its peer lacks";
        }
        return me.complete && !leader.complete
                ? NAMES[self] + " gave up the only complete replica"
                : null;
    }

    private boolean lead(World world, int self, int variant) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        if (!runs(me) || me.promoting || server(world, self) != EtcdState.LEADING) {
            return false;
        }
        LeaderDecision.Listed listed =
                me.seat == TWO
                        ? new LeaderDecision.Listed.Voter(me.peerMember)
                        : me.learnerListed
                                ? new LeaderDecision.Listed.Learner(me.peerMember)
                                : new LeaderDecision.Listed.Nowhere();
        LeaderDecision.Step step =
                judgement.lead(
                        facts(world, self), view(world, self), membership(world, self), listed);
        if (variant == 1 && !(step instanceof LeaderDecision.Step.RemovePeer)) {
            return false;
        }
        switch (step) {
            case LeaderDecision.Step.Nothing() -> {
                return false;
            }
            case LeaderDecision.Step.AddLearner(BootId _) -> {
                me.learnerListed = true;
                me.peerMember = world.members;
                world.members = (world.members + 1) & 7;
                token(me, heardBoot(me));
            }
            case LeaderDecision.Step.OfferSeat(Offer.JoinToken _) -> token(me, heardBoot(me));
            case LeaderDecision.Step.DropLearner(long _) -> {
                me.learnerListed = false;
                me.withdrawOffer();
            }
            case LeaderDecision.Step.Promote(long _) -> {
                if (me.length >= World.LONGEST_LOG) {
                    return false;
                }
                // A leader whose history a person gave up cannot know what it lacks (AS4).
                if (peer.replica == LOG
                        && !(bounds.excuses() && world.abandoned == self + 1)
                        && (world.acknowledged & ~world.givenUp & ~peer.writes()) != 0) {
                    broken =
                            NAMES[1 - self] + " got a vote before it held every acknowledged write";
                }
                me.append(PROMOTION);
                me.commit = me.length;
                me.promoting = true;
                me.withdrawOffer();
            }
            case LeaderDecision.Step.Confirm(long _) -> {
                if (me.length >= World.LONGEST_LOG || me.offer == World.CONFIRMATION) {
                    return false;
                }
                me.append(NOTE);
                me.offer = World.CONFIRMATION;
                me.offerBoot = 0;
                me.offerMember = me.peerMember;
                me.offerIndex = me.length;
            }
            case LeaderDecision.Step.MarkComplete() -> me.complete = true;
            case LeaderDecision.Step.RemovePeer(long _) -> {
                if (!paired(world) || matching(me, peer) < me.length || peer.length != me.length) {
                    return false;
                }
                world.acknowledged |= me.writes();
                me.commit = me.length;
                me.seat = SOLE;
                me.learnerListed = false;
                me.withdrawOffer();
                if (variant == 1) {
                    peer.seat = REMOVED;
                    peer.complete = false;
                }
            }
        }
        return true;
    }

    private static void token(Node me, int boot) {
        me.offer = World.TOKEN;
        me.offerBoot = boot;
        me.offerMember = me.peerMember;
        me.offerIndex = 0;
    }

    /** How far the follower's log agrees with the leader's. */
    private static int matching(Node leader, Node follower) {
        int same = 0;
        while (same < leader.length
                && same < follower.length
                && leader.entry(same + 1) == follower.entry(same + 1)) {
            same++;
        }
        return same;
    }

    private boolean replicate(World world, int self) {
        Node me = world.nodes[self];
        Node leader = world.nodes[1 - self];
        if (!(world.leader == 2 - self && paired(world)) && !taught(world, self)) {
            return false;
        }
        int same = matching(leader, me);
        if (same == leader.length) {
            return false;
        }
        me.truncate(same);
        me.commit = Math.min(me.commit, same);
        me.append(leader.entry(same + 1));
        boolean mine =
                me.entry(me.length) == PROMOTION
                        && me.length == leader.lastPromotion()
                        && (leader.promoting || leader.seat == TWO);
        if (mine && me.seat == LEARNER) {
            me.seat = TWO;
            me.peerMember = leader.member;
        }
        return true;
    }

    /** What follows at once from a change: a pair that is no pair has no leader. */
    private static void settle(World world) {
        if (world.leader != 0 && !paired(world)) {
            world.leader = 0;
        }
    }

    // ---- the laws

    private @Nullable String check(World world) {
        boolean northAlone = runs(world.nodes[0]) && world.nodes[0].seat == SOLE;
        boolean southAlone = runs(world.nodes[1]) && world.nodes[1].seat == SOLE;
        if (northAlone && southAlone) {
            return "two writable histories: north and south both serve alone";
        }
        for (int self = 0; self < 2; self++) {
            Node me = world.nodes[self];
            boolean serves = (self == 0 ? northAlone : southAlone) || world.leader == self + 1;
            boolean excused = bounds.excuses() && world.abandoned == self + 1;
            if (serves && !excused && (world.acknowledged & ~world.givenUp & ~me.writes()) != 0) {
                return NAMES[self] + " serves without a write that was acknowledged";
            }
            if (!runs(me) && judgement.health(facts(world, self)) != Health.DOWN) {
                return NAMES[self] + " claims health while its server is down";
            }
        }
        for (int self = 0; self < 2; self++) {
            if (bounds.rights() && leftBehind(world, self) && couldTakeOver(world, self)) {
                return NAMES[self]
                        + " could still take over from a history its peer has left behind";
            }
        }
        Node a = world.nodes[0];
        Node b = world.nodes[1];
        if (a.replica == LOG
                && b.replica == LOG
                && a.epoch == b.epoch
                && matching(a, b) < Math.min(a.length, b.length)) {
            return "two different logs carry the same lineage";
        }
        return null;
    }

    /** The peer went on alone, or is about to. */
    private static boolean leftBehind(World world, int self) {
        Node me = world.nodes[self];
        Node peer = world.nodes[1 - self];
        return me.on
                && peer.replica == LOG
                && me.replica == LOG
                && (peer.claim ? peer.epoch != me.epoch : peer.seat == SOLE);
    }

    /**
     * All this node needs is to fence its peer. The law that at most one node is in this position
     * is what keeps the others.
     */
    private boolean couldTakeOver(World world, int self) {
        Node me = world.nodes[self];
        if (!me.complete || me.seat != TWO || me.claim || me.yieldKind != 0) {
            return false;
        }
        if (me.heard == 0 || Snapshot.replica(me.heard) != LOG) {
            return me.known;
        }
        return facts(world, self).replica() instanceof Replica.Intact log
                && facts(world, 1 - self, me.heard).replica() instanceof Replica.Intact theirs
                && History.relate(log, theirs) != History.Relation.PEER_AHEAD
                && History.relate(log, theirs) != History.Relation.FORKED;
    }

    /** Two complete voters with a leader, and no mark left over. */
    boolean redundant(World world) {
        Node a = world.nodes[0];
        Node b = world.nodes[1];
        return world.leader != 0
                && paired(world)
                && a.seat == TWO
                && b.seat == TWO
                && a.complete
                && b.complete
                && a.yieldKind == 0
                && b.yieldKind == 0
                && !a.claim
                && !b.claim;
    }
}
