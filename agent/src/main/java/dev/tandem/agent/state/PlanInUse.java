package dev.tandem.agent.state;

import dev.tandem.host.plan.ClusterPlan;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The plan that this agent runs by. It is replaced as a whole: a reader that needs several of its
 * settings together takes it once.
 */
public final class PlanInUse implements Supplier<ClusterPlan> {
    private final AtomicReference<ClusterPlan> plan;

    public PlanInUse(ClusterPlan plan) {
        this.plan = new AtomicReference<>(plan);
    }

    @Override
    public ClusterPlan get() {
        return plan.get();
    }

    /**
     * Replaces it by one that is made of it.
     *
     * @param next may be asked more than once
     */
    public ClusterPlan change(UnaryOperator<ClusterPlan> next) {
        return plan.updateAndGet(next);
    }

    private record Made<T>(ClusterPlan from, T value) {}

    /** What follows from the plan in use, made once for each plan. */
    public <T> Supplier<T> derived(Function<ClusterPlan, T> make) {
        AtomicReference<Made<T>> last = new AtomicReference<>(made(make));
        return () -> {
            Made<T> known = last.get();
            if (!known.from().equals(plan.get())) {
                known = made(make);
                last.set(known);
            }
            return known.value();
        };
    }

    private <T> Made<T> made(Function<ClusterPlan, T> make) {
        ClusterPlan now = plan.get();
        return new Made<>(now, make.apply(now));
    }
}
