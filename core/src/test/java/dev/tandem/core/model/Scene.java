package dev.tandem.core.model;

import dev.tandem.core.model.Step.Kind;

/**
 * Where an exploration begins. Each scene is played from the healthy pair with the product's own
 * decisions, so it is reachable.
 */
enum Scene {
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
    /** North served alone, then lost power too. */
    NORTH_ALONE_OFF,
    /** South left cleanly; north is the sole voter and south is stopped. */
    SOUTH_LEFT,
    /**
     * As before, and a person told south that north is off, which is false. South did not go on
     * alone: it knows that north is ahead. The BMC of north is silent.
     */
    SOUTH_MISLED,
    /** Both were told to stop and recorded their departures, and neither has told the other. */
    BOTH_LEAVING;

    World world(Bounds bounds) {
        World world = bounds.start();
        Model model = new Model(Judgement.PRODUCT, bounds);
        int[] budget = world.budget.clone();
        java.util.Arrays.fill(world.budget, 3);
        Play play = new Play(model, world);
        switch (this) {
            case HEALTHY -> {}
            case NORTH_ALONE -> play.northAlone();
            case SOUTH_LEARNS -> play.northAlone().southLearns();
            case SOUTH_UNCONFIRMED -> play.northAlone().southLearns().southUnconfirmed();
            case SOUTH_BACK -> play.northAlone().southLearns().southUnconfirmed().southBack();
            case BOTH_OFF -> play.at(0, Kind.POWER_CUT).at(1, Kind.POWER_CUT);
            case NORTH_ALONE_OFF -> play.northAlone().at(0, Kind.POWER_CUT);
            case SOUTH_LEFT -> play.southLeft();
            case SOUTH_MISLED -> play.southLeft().southMisled();
            case BOTH_LEAVING ->
                    play.at(0, Kind.ORDER_STOP)
                            .at(1, Kind.ORDER_STOP, Kind.ACT)
                            .at(0, Kind.ACT, Kind.ACT);
        }
        System.arraycopy(budget, 0, world.budget, 0, budget.length);
        return world;
    }

    private record Play(Model model, World world) {
        Play at(int node, Kind... kinds) {
            for (Kind kind : kinds) {
                step(Step.code(kind, node, 0));
            }
            return this;
        }

        Play step(int code) {
            if (!model.apply(world, code) || model.broken() != null) {
                throw new IllegalStateException("the scene does not play at " + Step.of(code));
            }
            return this;
        }

        Play talk(int node) {
            return at(node, Kind.ASK, Kind.HEAR);
        }

        Play northAlone() {
            return at(1, Kind.POWER_CUT)
                    .at(
                            0,
                            Kind.NOTICE,
                            Kind.FENCE_ORDER,
                            Kind.FENCE_DONE,
                            Kind.ACT,
                            Kind.FORCE_START);
        }

        Play southLearns() {
            return at(1, Kind.POWER_ON, Kind.NOTICE)
                    .at(0, Kind.NOTICE)
                    .talk(1)
                    .talk(0)
                    .at(0, Kind.LEAD)
                    .talk(1)
                    .at(1, Kind.ACT);
        }

        Play southUnconfirmed() {
            return talk(0).at(0, Kind.LEAD).at(1, Kind.REPLICATE).at(0, Kind.TAKE_EFFECT);
        }

        Play southBack() {
            return talk(0).at(0, Kind.LEAD).at(1, Kind.REPLICATE).at(0, Kind.COMMIT).talk(1);
        }

        Play southMisled() {
            return at(0, Kind.CUT, Kind.BMC_BREAKS)
                    .at(1, Kind.NOTICE)
                    .step(Step.code(Kind.STATE, 1, 1))
                    .at(0, Kind.HEAL);
        }

        Play southLeft() {
            return at(1, Kind.ORDER_STOP, Kind.ACT)
                    .talk(0)
                    .at(0, Kind.LEAD)
                    .talk(1)
                    .at(1, Kind.ACT);
        }
    }
}
