package dev.tandem.core.check;

import dev.tandem.core.check.Step.Kind;
import dev.tandem.core.supervise.DurableState;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Where a search begins. Each is played from a pair that was switched on, with the product's own
 * supervisors, so it is reachable.
 */
enum Beginning {
    HEALTHY,
    /** South lost power, north fenced it and serves alone. */
    NORTH_ALONE,
    /** As before; south is back and learns. */
    SOUTH_LEARNS,
    /** As before; south has a vote that is not confirmed. */
    SOUTH_UNCONFIRMED,
    /** South went through all of it and is a complete voter again, in epoch 2. */
    SOUTH_BACK,
    /** Both lost power while both voted. */
    BOTH_OFF,
    /** As before; both are back, their agents have heard each other, and Corosync is cut off. */
    BOTH_BACK_APART,
    /** North served alone, then lost power too. */
    NORTH_ALONE_OFF,
    /** South left cleanly; north is the sole voter and south is stopped. */
    SOUTH_LEFT,
    /**
     * As before, then a person told south that north is off, which was false: south knew that north
     * is ahead, and did nothing. Now both vote again.
     */
    SOUTH_WAS_MISLED,
    /** The ring is cut, and both nodes have noticed. */
    SPLIT,
    /**
     * As before, and north knows that the second BMC of south says Off of a node that is there: it
     * was read twice.
     */
    SPLIT_AFTER_FALSE_OFF,
    /** Both were told to stop, and each has recorded its departure. */
    BOTH_LEAVING;

    boolean ringIsCut() {
        return this == SPLIT || this == SPLIT_AFTER_FALSE_OFF;
    }

    boolean corosyncIsCut() {
        return this == BOTH_BACK_APART;
    }

    boolean stops() {
        return this == SOUTH_LEFT || this == BOTH_LEAVING;
    }

    World world(MemoizedSupervisors nodes, Scene scene) {
        World world = new World();
        for (int node = 0; node < 2; node++) {
            Machine me = world.nodes[node];
            me.memory =
                    nodes.memories.number(DurableState.blank(MemoizedSupervisors.BOOTS[node][0]));
            me.disk.member = node;
            me.disk.peerMember = 1 - node;
        }
        Scene quiet = Scene.of("played", HEALTHY, 0, allFaults());
        Play play = new Play(new Model(nodes, quiet), new ProgressCheck(nodes, quiet), world);
        play.rest();
        switch (this) {
            case HEALTHY -> {}
            case NORTH_ALONE -> play.northAlone();
            case SOUTH_LEARNS -> play.northAlone().southLearns();
            case SOUTH_UNCONFIRMED -> play.northAlone().southLearns().southUnconfirmed();
            case SOUTH_BACK -> play.northAlone().southBack();
            case BOTH_OFF -> play.at(0, Kind.POWER_CUT).at(1, Kind.POWER_CUT);
            case BOTH_BACK_APART ->
                    play.at(0, Kind.POWER_CUT)
                            .at(1, Kind.POWER_CUT)
                            .at(0, Kind.COROSYNC_CUT, Kind.POWER_ON, Kind.READ_MEMBERSHIP)
                            .at(1, Kind.POWER_ON, Kind.READ_MEMBERSHIP, Kind.ASK, Kind.ASK)
                            .at(0, Kind.ASK);
            case NORTH_ALONE_OFF -> play.northAlone().at(0, Kind.POWER_CUT);
            case SOUTH_LEFT -> play.at(1, Kind.STOP).until(() -> world.nodes[1].stopReported);
            case SOUTH_WAS_MISLED ->
                    play.at(1, Kind.STOP)
                            .until(() -> world.nodes[1].stopReported)
                            .at(0, Kind.RING_CUT, Kind.BMC_BREAKS, Kind.NOTICE)
                            .at(1, Kind.NOTICE, Kind.START)
                            .misled()
                            .at(0, Kind.RING_HEALS)
                            .rest();
            case SPLIT -> play.at(0, Kind.RING_CUT, Kind.NOTICE).at(1, Kind.NOTICE);
            case SPLIT_AFTER_FALSE_OFF ->
                    play.falseOff()
                            .at(0, Kind.TIME)
                            .falseOff()
                            .at(0, Kind.RING_CUT, Kind.NOTICE)
                            .at(1, Kind.NOTICE);
            case BOTH_LEAVING -> play.at(1, Kind.STOP).at(0, Kind.STOP, Kind.HAND_OVER);
        }
        Arrays.fill(world.budget, 0);
        world.acknowledged = 0;
        return world;
    }

    private static Object[] allFaults() {
        return Arrays.stream(Fault.values()).flatMap(fault -> Stream.of(fault, 1)).toArray();
    }

    private record Play(Model model, ProgressCheck recovery, World world) {
        Play at(int node, Kind... kinds) {
            Arrays.fill(world.budget, 3);
            for (Kind kind : kinds) {
                if (!model.apply(world, Step.code(kind, node, 0)) || model.broken() != null) {
                    throw new IllegalStateException(
                            "the beginning does not play at "
                                    + kind
                                    + " of "
                                    + MemoizedSupervisors.NAMES[node]
                                    + ": "
                                    + model.broken());
                }
            }
            return this;
        }

        /** Everything that can happen by itself happens. */
        Play rest() {
            return until(() -> false);
        }

        Play until(BooleanSupplier reached) {
            recovery.play(world, reached);
            return this;
        }

        Play northAlone() {
            at(1, Kind.POWER_CUT).at(0, Kind.NOTICE, Kind.FENCE_ORDER, Kind.FENCE_OFF);
            return until(() -> world.leads(0)).at(0, Kind.LOOK);
        }

        Play misled() {
            if (!model.apply(world, Step.code(Kind.STATE, 1, 1))) {
                throw new IllegalStateException("nobody believes a person");
            }
            return this;
        }

        Play falseOff() {
            Arrays.fill(world.budget, 3);
            if (!model.apply(world, Step.code(Kind.READ_SECOND, 0, 1))) {
                throw new IllegalStateException("nobody notes what a BMC says");
            }
            return this;
        }

        Play southLearns() {
            at(1, Kind.POWER_ON);
            return until(() -> world.taught(1));
        }

        Play southUnconfirmed() {
            return until(() ->
                    world.nodes[0].disk.seat == EtcdModel.TWO && !world.nodes[1].disk.complete);
        }

        Play southBack() {
            return at(1, Kind.POWER_ON).rest();
        }
    }
}
