package dev.tandem.core.check;

import dev.tandem.core.check.Step.Kind;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.supervise.VolatileState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Progress: what becomes of a state once nothing more goes wrong. Faults end, and then everything
 * that can happen happens in turn, until two voters serve or nothing changes any more.
 */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
final class ProgressCheck {
    private static final int ROUNDS = 120;

    private static final Kind[] TURN = {
        Kind.AGENT_STARTS,
        Kind.SEES_AGAIN,
        Kind.NOTICE,
        Kind.READ_MEMBERSHIP,
        Kind.STORE,
        Kind.REPORT,
        Kind.LOOK_ENDS,
        Kind.ORDER,
        Kind.STORE,
        Kind.SERVES,
        Kind.ELECT,
        Kind.LOOK,
        Kind.STOP_REPORTED,
        Kind.START,
        Kind.GIVE_UP,
        Kind.ASK,
        Kind.HEAR,
        Kind.STORE,
        Kind.LEAD,
        Kind.HAND_OVER,
        Kind.MARK,
        Kind.SYNC,
        Kind.TAKE_EFFECT,
        Kind.REPLICATE,
        Kind.REPLICATE,
        Kind.REPLICATE,
        Kind.COMMIT,
        Kind.LEARN_COMMIT,
        Kind.LOOK
    };
    private static final Kind[] TURN_ALONE = {
        Kind.AGENT_STARTS,
        Kind.SEES_AGAIN,
        Kind.NOTICE,
        Kind.READ_MEMBERSHIP,
        Kind.GIVE_UP,
        Kind.STORE,
        Kind.REPORT,
        Kind.LOOK_ENDS,
        Kind.READ_BMC,
        Kind.FIND_RECORD,
        Kind.FENCE_ANSWER,
        Kind.FENCE_ORDER,
        Kind.FENCE_OFF,
        Kind.STORE,
        Kind.ORDER,
        Kind.STORE,
        Kind.SERVES,
        Kind.LEAD,
        Kind.HAND_OVER,
        Kind.MARK,
        Kind.SYNC,
        Kind.TAKE_EFFECT,
        Kind.LOOK,
        Kind.STOP_REPORTED,
        Kind.START
    };

    /**
     * Refusals that no statement about the peer can lift: what is needed is the peer itself, or a
     * backup.
     */
    private static final Set<Refusal> NEED_DATA =
            EnumSet.of(
                    Refusal.REMOVED,
                    Refusal.INCOMPLETE,
                    Refusal.LOG_REMOVES_SELF,
                    Refusal.LOG_CHANGES_VOTERS,
                    Refusal.NO_REPLICA,
                    Refusal.DAMAGED,
                    Refusal.NO_COMPLETE_REPLICA);

    private static final Set<Refusal> AFTER_DISK_LOSS =
            EnumSet.of(Refusal.NO_COMPLETE_REPLICA, Refusal.WHO_SERVED_LAST, Refusal.YIELDED);

    private final MemoizedSupervisors nodes;
    private final Model model;
    private final Scene scene;
    private final Fingerprints recovered;
    private final World world = new World();
    private final World scratch = new World();
    private final Packer packer = new Packer(World.LONGS);
    private final long[] path = new long[ROUNDS + 1];
    private @Nullable String law;

    /** What happened once faults had ended, where that is to be told. */
    private @Nullable List<String> lines;

    ProgressCheck(MemoizedSupervisors nodes, Scene scene) {
        this(nodes, scene, new Fingerprints());
    }

    /**
     * @param recovered what was found to end well, shared by the threads of a search
     */
    ProgressCheck(MemoizedSupervisors nodes, Scene scene, Fingerprints recovered) {
        this.nodes = nodes;
        this.scene = scene;
        this.model = new Model(nodes, scene);
        this.recovered = recovered;
    }

    /** What hangs once nothing more goes wrong; null if nothing does. */
    @Nullable String check(World from) {
        String hangs = whenBothReturn(from);
        for (int self = 0; self < 2 && hangs == null; self++) {
            hangs = whenOnlyOneReturns(from, self);
        }
        return hangs;
    }

    /** How it comes to what {@link #check} finds. */
    List<String> tell(World from) {
        List<String> told = new ArrayList<>();
        lines = told;
        check(from);
        lines = null;
        return told;
    }

    /** Plays on from {@code start} without faults, until it is reached or nothing changes. */
    void play(World start, BooleanSupplier reached) {
        world.set(start);
        for (int round = 0; round < ROUNDS; round++) {
            long before = fingerprint();
            for (int node = 0; node < 2; node++) {
                for (Kind kind : TURN) {
                    take(kind, node, 0);
                    start.set(world);
                    if (reached.getAsBoolean()) {
                        return;
                    }
                }
            }
            if (law != null) {
                throw new IllegalStateException(law);
            }
            if (fingerprint() == before) {
                return;
            }
        }
        throw new IllegalStateException("it does not come to rest: " + standstill());
    }

    private void faultsEnd() {
        if (lines != null) {
            lines.clear();
        }
        world.ring = true;
        world.way[0] = true;
        world.way[1] = true;
        world.portsCut = false;
        world.corosyncCut = false;
        java.util.Arrays.fill(world.budget, 0);
        for (Machine node : world.nodes) {
            node.bmcBroken = false;
            node.bmcOther = false;
            node.stock = Machine.NO_ORDER;
            node.stockOld = false;
            node.wire.letter = 0;
            node.wire.letterNumber = 0;
            if (node.fence != Machine.READ_OFF) {
                node.fence = Machine.NO_ORDER;
                node.fenceBoot = 0;
            }
            if (node.wire.question != 0) {
                node.wire.question = 0;
                node.wire.questionNumber = 0;
            }
        }
        model.fencesEnd(world);
    }

    private @Nullable String whenBothReturn(World from) {
        law = null;
        world.set(from);
        faultsEnd();
        int rounds = 0;
        for (int node = 0; node < 2; node++) {
            fenceTheUnfit(node);
            take(Kind.POWER_ON, node, 0);
        }
        long quiet = 0;
        while (rounds < ROUNDS) {
            if (known(rounds, 1)) {
                return endsWell(rounds);
            }
            rounds++;
            long before = fingerprint();
            for (int node = 0; node < 2; node++) {
                for (Kind kind : TURN) {
                    take(kind, node, 0);
                }
                take(Kind.STOP, node, 0);
                take(Kind.STOP, node, 1);
            }
            if (law != null) {
                return law;
            }
            if (redundant()) {
                return endsWell(rounds);
            }
            if (fingerprint() == before) {
                // Nothing happens by itself any more; if time changes nothing either, it is over.
                if (before == quiet || !time(0)) {
                    break;
                }
                quiet = before;
            }
        }
        return boundReached() || needsPerson() || falseOff()
                ? endsWell(rounds)
                : "two voters do not serve again: " + standstill();
    }

    /** A node whose etcd neither serves nor can be ended is fenced by its peer. */
    private void fenceTheUnfit(int node) {
        Machine me = world.nodes[node];
        if (me.agent != 0 && nodes.agent(me.agent).live().server().unfit()) {
            model.switchOff(world, node, 0);
            world.settle();
        }
    }

    /** Whether this was found to end well before; noted for the way back otherwise. */
    private boolean known(int round, int kind) {
        path[round] = fingerprint() * 4 + kind;
        return recovered.contains(path[round]);
    }

    private long fingerprint() {
        world.pack(packer);
        return Fingerprints.of(packer.words);
    }

    private @Nullable String endsWell(int rounds) {
        for (int round = 0; round < rounds; round++) {
            recovered.add(path[round]);
        }
        return null;
    }

    /**
     * @param fences how many fences may be ordered meanwhile
     */
    private boolean time(int fences) {
        boolean moved = false;
        for (int node = 0; node < 2; node++) {
            world.budget[Fault.TIME.ordinal()] = 1;
            world.budget[Fault.FENCE.ordinal()] = fences;
            moved |= take(Kind.TIME, node, 0);
            world.budget[Fault.TIME.ordinal()] = 0;
            world.budget[Fault.FENCE.ordinal()] = 0;
        }
        return moved;
    }

    /**
     * The other node never returns. Null if this one serves, or names what is missing and serves
     * when it is stated.
     */
    private @Nullable String whenOnlyOneReturns(World from, int self) {
        law = null;
        world.set(from);
        faultsEnd();
        if (world.nodes[1 - self].on) {
            // One whose etcd Pacemaker has stopped is shut down in order, so it is not fenced.
            boolean left = Model.hasStopped(world.nodes[1 - self]) && world.nodes[self].sees;
            model.switchOff(world, 1 - self, 0);
            world.nodes[self].fenceDone |= left;
            world.settle();
        }
        world.nodes[1 - self].fence = Machine.NO_ORDER;
        // Nobody is left to fence it: a person does that (L13).
        fenceTheUnfit(self);
        take(Kind.POWER_ON, self, 0);
        int before = 0;
        for (int statement = 0; statement <= 2; statement++) {
            if (statement > 0) {
                world.budget[Fault.STATEMENT.ordinal()] = 1;
                take(Kind.STATE, self, statement);
                world.budget[Fault.STATEMENT.ordinal()] = 0;
            }
            int rounds = 0;
            long quiet = 0;
            while (rounds < ROUNDS) {
                if (statement == 0 && known(rounds, 2 + self)) {
                    return endsWell(rounds);
                }
                rounds++;
                long now = fingerprint();
                for (Kind kind : TURN_ALONE) {
                    world.budget[Fault.FENCE.ordinal()] = 3;
                    take(kind, self, 0);
                    world.budget[Fault.FENCE.ordinal()] = 0;
                }
                take(Kind.STOP, self, 0);
                take(Kind.STOP, self, 1);
                if (law != null) {
                    return law;
                }
                Machine me = world.nodes[self];
                if (world.leads(self) && me.disk.seat == EtcdModel.SOLE && rested(self)) {
                    return endsWell(statement == 0 ? rounds : before);
                }
                if (fingerprint() == now) {
                    if (now == quiet || !time(1)) {
                        break;
                    }
                    quiet = now;
                }
            }
            if (statement == 0) {
                before = rounds;
            }
            if (boundReached() || falseOff()) {
                return endsWell(before);
            }
            Decision decision = decision(self).orElse(null);
            Machine me = world.nodes[self];
            if (statement == 0
                    && decision instanceof Decision.Wait(WaitFor what)
                    && what.owner() == WaitFor.Owner.FENCING
                    && fenceCouldBeBelieved(self)) {
                return MemoizedSupervisors.NAMES[self]
                        + " waits for a fence that nobody orders: "
                        + standstill();
            }
            boolean inert = !me.met && !me.waitLifted && !me.started;
            boolean asksPerson =
                    inert
                            || decision instanceof Decision.Refuse
                            || (decision instanceof Decision.Wait(WaitFor what)
                                    && what.remedy(
                                                    MemoizedSupervisors.NAMES[self],
                                                    MemoizedSupervisors.NAMES[1 - self])
                                            .isPresent());
            if (!asksPerson) {
                return MemoizedSupervisors.NAMES[self]
                        + " waits for nobody who could help: "
                        + standstill();
            }
            if (decision instanceof Decision.Refuse(Refusal refusal)
                    && NEED_DATA.contains(refusal)) {
                return endsWell(before);
            }
        }
        return MemoizedSupervisors.NAMES[self]
                + " does not serve even when all is stated: "
                + standstill();
    }

    /** Not where a boot of the peer is not known, or its BMC is one that reads Off falsely. */
    private boolean fenceCouldBeBelieved(int self) {
        Agent agent = nodes.agent(world.nodes[self].agent);
        return agent.view(nodes).peerBoot().isPresent() && !agent.live().power().first().tooLong();
    }

    private boolean rested(int self) {
        return nodes.agent(world.nodes[self].agent).state().live().work().etcd().isEmpty();
    }

    private boolean take(Kind kind, int node, int variant) {
        int code = Step.code(kind, node, variant);
        if (!model.mayApply(world, code)) {
            return false;
        }
        scratch.set(world);
        if (!model.apply(scratch, code)) {
            return false;
        }
        if (lines != null) {
            lines.add(new Story(nodes).line(world, scratch, new Step(kind, node, variant)));
        }
        world.set(scratch);
        String broken = model.broken();
        law = law == null && broken != null ? "once nothing more goes wrong, " + broken : law;
        return law == null;
    }

    private boolean boundReached() {
        for (Machine node : world.nodes) {
            if (node.disk.length >= EtcdModel.LONGEST
                    || node.boot == MemoizedSupervisors.LAST_BOOT) {
                return true;
            }
        }
        return world.epochs == World.EPOCHS;
    }

    /** Two complete voters with a leader, wanted by Pacemaker, and no mark left over. */
    private boolean redundant() {
        if (world.leader == 0 || !world.paired()) {
            return false;
        }
        for (Machine node : world.nodes) {
            boolean well =
                    node.disk.seat == EtcdModel.TWO
                            && node.disk.complete
                            && node.started
                            && nodes.memories.value(node.memory).abdication()
                                    instanceof Abdication.None
                            && nodes.memories.value(node.memory).claim() instanceof Claim.None;
            if (!well) {
                return false;
            }
        }
        return true;
    }

    /** A take-over that follows from a lie alone is not pursued. */
    private boolean falseOff() {
        for (Machine node : world.nodes) {
            if (node.agent != 0 && (node.bmcLied || node.personLied) && model.takesOver(node)) {
                return true;
            }
        }
        return false;
    }

    /** The cases in which no rule could do without a person. */
    private boolean needsPerson() {
        if (!scene.excuses()) {
            return false;
        }
        boolean diskLost = scene.has(Fault.DISK_LOST) || scene.has(Fault.ROLLED_BACK);
        boolean forkPossible =
                scene.has(Fault.STATEMENT)
                        || scene.has(Fault.FALSE_STATEMENT)
                        || scene.has(Fault.BMC_LIES);
        for (int node = 0; node < 2; node++) {
            if (decision(node).orElse(null) instanceof Decision.Refuse(Refusal refusal)
                    && ((diskLost && AFTER_DISK_LOSS.contains(refusal))
                            || (forkPossible && refusal == Refusal.FORKED))) {
                return true;
            }
        }
        return false;
    }

    private Optional<Decision> decision(int node) {
        return world.nodes[node].agent == 0
                ? Optional.empty()
                : nodes.agent(world.nodes[node].agent)
                        .live()
                        .pending()
                        .map(VolatileState.Pending::decision);
    }

    private String standstill() {
        return "north " + standing(0) + ", south " + standing(1);
    }

    private String standing(int node) {
        Machine me = world.nodes[node];
        if (!me.on) {
            return "is off";
        }
        return (me.disk.server == EtcdModel.RUNNING ? "runs as " : "stopped, as ")
                + Story.seat(me.disk)
                + decision(node)
                        .map(decision ->
                                ", told: "
                                        + decision.sentence(
                                                MemoizedSupervisors.NAMES[node],
                                                MemoizedSupervisors.NAMES[1 - node]))
                        .orElse("");
    }
}
