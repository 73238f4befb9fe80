package dev.tandem.core.model;

import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.model.Step.Kind;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Progress: what becomes of a state once nothing more goes wrong. Faults end, and then everything
 * that can happen happens in turn, until two voters serve or nothing changes any more.
 */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
final class Recovery {
    private static final int ROUNDS = 60;
    private static final Kind[] TURN = {
        Kind.ORDER_START,
        Kind.NOTICE,
        Kind.ASK,
        Kind.HEAR,
        Kind.ACT,
        Kind.FORCE_START,
        Kind.ELECT,
        Kind.LEAD,
        Kind.TAKE_EFFECT,
        Kind.REPLICATE,
        Kind.REPLICATE,
        Kind.REPLICATE,
        Kind.COMMIT,
        Kind.LEARN_COMMIT
    };
    private static final Kind[] TURN_ALONE = {
        Kind.ORDER_START,
        Kind.NOTICE,
        Kind.STOCK_DONE,
        Kind.STOCK_RECORD,
        Kind.FIND_RECORD,
        Kind.FENCE_ANSWER,
        Kind.FENCE_ORDER,
        Kind.FENCE_DONE,
        Kind.ACT,
        Kind.FORCE_START,
        Kind.TAKE_EFFECT
    };

    /**
     * Refusals that no statement about the peer can lift: what is needed is the peer itself, or a
     * backup.
     */
    private static final Set<Refusal> NEED_DATA =
            EnumSet.of(
                    Refusal.REMOVED,
                    Refusal.INCOMPLETE,
                    Refusal.NO_REPLICA,
                    Refusal.DAMAGED,
                    Refusal.NO_COMPLETE_REPLICA);

    private static final Set<Refusal> AFTER_DISK_LOSS =
            EnumSet.of(Refusal.NO_COMPLETE_REPLICA, Refusal.WHO_SERVED_LAST, Refusal.YIELDED);

    private final Model model;
    private final Bounds bounds;
    private final World world = new World();
    private final World scratch = new World();
    private @Nullable String law;

    Recovery(Model model, Bounds bounds) {
        this.model = model;
        this.bounds = bounds;
    }

    /** Both nodes and BMCs work again. Null if two voters serve in the end, else what hangs. */
    @Nullable String whenBothReturn(World from) {
        law = null;
        world.set(from);
        world.link = true;
        world.portsCut = false;
        for (int node = 0; node < 2; node++) {
            world.nodes[node].bmcBroken = false;
            world.nodes[node].bmcOther = false;
            world.nodes[node].blind = false;
            world.nodes[node].held = false;
            world.nodes[node].stock = World.NO_ORDER;
            world.nodes[node].stockOld = false;
            world.nodes[node].fence = World.NO_ORDER;
        }
        for (int node = 0; node < 2; node++) {
            take(Kind.POWER_ON, node, 0);
        }
        for (int round = 0; round < ROUNDS; round++) {
            boolean moved = false;
            for (int node = 0; node < 2; node++) {
                for (Kind kind : TURN) {
                    moved |= take(kind, node, 0);
                }
            }
            if (law != null) {
                return law;
            }
            if (model.redundant(world)) {
                return null;
            }
            // Whoever waits to leave gives up waiting when its time is up.
            if (!moved && !(take(Kind.ACT, 0, 1) || take(Kind.ACT, 1, 1))) {
                break;
            }
        }
        return boundReached() || needsPerson()
                ? null
                : "two voters do not serve again: " + standstill();
    }

    /**
     * The other node never returns. Null if this one serves, or names what is missing and serves
     * when it is stated.
     */
    @Nullable String whenOnlyOneReturns(World from, int self) {
        law = null;
        world.set(from);
        for (World.Node node : world.nodes) {
            node.bmcBroken = false;
            node.bmcOther = false;
        }
        if (world.nodes[1 - self].on) {
            world.budget[Fault.POWER_CUT.ordinal()] = 1;
            take(Kind.POWER_CUT, 1 - self, 0);
        }
        world.nodes[1 - self].fence = World.NO_ORDER;
        world.nodes[1 - self].held = false;
        take(Kind.POWER_ON, self, 0);
        world.budget[Fault.FENCE.ordinal()] = 3;
        for (int statement = 0; statement <= 2; statement++) {
            if (statement > 0) {
                world.budget[Fault.STATEMENT.ordinal()] = 1;
                take(Kind.STATE, self, statement);
            }
            for (int round = 0; round < ROUNDS; round++) {
                boolean moved = false;
                for (Kind kind : TURN_ALONE) {
                    moved |= take(kind, self, 0);
                }
                if (!moved && !take(Kind.ACT, self, 1)) {
                    break;
                }
            }
            if (law != null) {
                return law;
            }
            World.Node me = world.nodes[self];
            if (me.server == World.RUNNING && me.seat == World.SOLE) {
                return null;
            }
            Decision decision = model.decision(world, self);
            boolean asksPerson =
                    decision instanceof Decision.Refuse
                            || (decision instanceof Decision.Wait(WaitFor what)
                                    && what.owner() == WaitFor.Owner.PERSON);
            if (!asksPerson && !boundReached()) {
                return Model.NAMES[self] + " waits for nobody who could help: " + standstill();
            }
            if (decision instanceof Decision.Refuse(Refusal refusal)
                    && NEED_DATA.contains(refusal)) {
                return null;
            }
        }
        return boundReached()
                ? null
                : Model.NAMES[self] + " does not serve even when all is stated: " + standstill();
    }

    private boolean take(Kind kind, int node, int variant) {
        scratch.set(world);
        if (!model.apply(scratch, Step.code(kind, node, variant))) {
            return false;
        }
        world.set(scratch);
        String broken = model.broken();
        law = law == null && broken != null ? "once nothing more goes wrong, " + broken : law;
        return law == null;
    }

    private boolean boundReached() {
        for (World.Node node : world.nodes) {
            if (node.length >= World.LONGEST_LOG || node.yields == 7) {
                return true;
            }
        }
        return world.epochs == World.EPOCHS;
    }

    /** The cases in which no rule could do without a person. */
    private boolean needsPerson() {
        if (!bounds.excuses()) {
            return false;
        }
        boolean diskLost = spent(Fault.DISK);
        boolean forkPossible =
                spent(Fault.STATEMENT) || spent(Fault.FALSE_STATEMENT) || spent(Fault.BMC_LIES);
        for (int node = 0; node < 2; node++) {
            if (model.decision(world, node) instanceof Decision.Refuse(Refusal refusal)) {
                if ((diskLost && AFTER_DISK_LOSS.contains(refusal))
                        || (forkPossible && refusal == Refusal.FORKED)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean spent(Fault fault) {
        return world.budget[fault.ordinal()] < bounds.faults().getOrDefault(fault, 0);
    }

    private String standstill() {
        return "north " + standing(0) + ", south " + standing(1);
    }

    private String standing(int node) {
        Decision decision = model.decision(world, node);
        return decision == null
                ? (world.nodes[node].on ? "runs as " + Story.seat(world.nodes[node]) : "is off")
                : "is told: " + decision.sentence(Model.NAMES[node], Model.NAMES[1 - node]);
    }
}
