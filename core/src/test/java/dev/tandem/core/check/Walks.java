package dev.tandem.core.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random walks beyond the reach of the exploration. A seed and the scene give the same walk again.
 */
final class Walks {
    /** Long enough for two take-overs with everything that belongs to them. */
    private static final int STEPS = 600;

    private Walks() {}

    static Explorer.@Nullable Violation walk(Scene scene, MemoizedSupervisors nodes, long seed) {
        Random random = new Random(seed);
        Model model = new Model(nodes, scene);
        ProgressCheck recovery = new ProgressCheck(nodes, scene);
        World world = scene.start(nodes);
        World next = new World();
        int[] steps = Step.possible(scene);
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
            if (law == null && i % 50 == 0) {
                law = recovery.check(world);
            }
            if (law != null) {
                return new Explorer.Violation(law, List.copyOf(trace));
            }
        }
        return null;
    }
}
