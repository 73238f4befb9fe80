package dev.tandem.core.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random walks beyond the reach of the exploration. A seed and the bounds give the same walk again.
 */
final class Walks {
    /** Long enough for two take-overs with everything that belongs to them. */
    static final int STEPS = 400;

    private Walks() {}

    static Explorer.@Nullable Violation walk(Judgement judgement, Bounds bounds, long seed) {
        Random random = new Random(seed);
        Model model = new Model(judgement, bounds);
        Recovery recovery = new Recovery(model, bounds);
        Scene[] scenes = Scene.values();
        World start = scenes[random.nextInt(scenes.length)].world(bounds);
        World world = new World();
        world.set(start);
        World next = new World();
        int[] steps = Model.allSteps();
        List<Integer> trace = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            int code = steps[random.nextInt(steps.length)];
            next.set(world);
            if (!model.apply(next, code)) {
                continue;
            }
            trace.add(code);
            world.set(next);
            String law = model.broken();
            if (law == null && i % 20 == 0) {
                law = Explorer.progress(recovery, world);
            }
            if (law != null) {
                return new Explorer.Violation(law, List.copyOf(trace), start);
            }
        }
        return null;
    }
}
