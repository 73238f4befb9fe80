package dev.tandem.agent.ocf;

import dev.tandem.core.NodeName;
import dev.tandem.core.decision.FenceDelay;
import dev.tandem.host.plan.ClusterPlan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What this node knows when it decides how long to let its peer fence first. */
public final class SplitDelays {
    /**
     * Agents ask each other every two seconds, and Pacemaker orders a fence some three seconds
     * after Corosync has missed a node.
     */
    private static final Duration TALK_AND_ORDER = Duration.ofSeconds(6);

    private final Supplier<Limits> limits;
    private final Supplier<List<FenceDelay.Link>> links;
    private final Supplier<Optional<Duration>> silence;
    private final BooleanSupplier firstLevelFailsAtOnce;
    private final Supplier<FenceDelay.Needs> needs;
    private final LongSupplier nanos;
    private Optional<Judged> judged = Optional.empty();

    private record Judged(long nanos, boolean agentRan) {}

    /**
     * What follows from the plan.
     *
     * @param preferred whether this node is the one to survive a split
     * @param heardWithin an agent that ran when its node was lost was heard so short a time ago
     */
    record Limits(boolean preferred, FenceDelay.Times times, Duration heardWithin) {
        private static Limits of(ClusterPlan plan, NodeName self) {
            return new Limits(
                    plan.preferred().name().equals(self.value()),
                    new FenceDelay.Times(plan.splitDelay(), ClusterPlan.LEVEL_TWO_LATER),
                    plan.timing().token().plus(plan.timing().consensus()).plus(TALK_AND_ORDER));
        }
    }

    /**
     * By the plan that is in use when it is asked.
     *
     * @param plan the one in use
     * @param self this node
     * @param links those of this node, read now
     * @param silence since when the peer's agent was not heard; empty if it never was
     * @param firstLevelFailsAtOnce whether the peer's agent would fail to switch this node off, and
     *     its second level succeed soon after
     * @param needs how long each of the two would need
     */
    public static SplitDelays by(
            Supplier<ClusterPlan> plan,
            NodeName self,
            Supplier<List<FenceDelay.Link>> links,
            Supplier<Optional<Duration>> silence,
            BooleanSupplier firstLevelFailsAtOnce,
            Supplier<FenceDelay.Needs> needs,
            LongSupplier nanos) {
        return new SplitDelays(
                () -> Limits.of(plan.get(), self),
                links,
                silence,
                firstLevelFailsAtOnce,
                needs,
                nanos);
    }

    SplitDelays(
            Supplier<Limits> limits,
            Supplier<List<FenceDelay.Link>> links,
            Supplier<Optional<Duration>> silence,
            BooleanSupplier firstLevelFailsAtOnce,
            Supplier<FenceDelay.Needs> needs,
            LongSupplier nanos) {
        this.limits = limits;
        this.links = links;
        this.silence = silence;
        this.firstLevelFailsAtOnce = firstLevelFailsAtOnce;
        this.needs = needs;
        this.nanos = nanos;
    }

    /**
     * @param told by the device: none for the fence of the node that is to lose a split
     */
    FenceDelay.Delay now(Duration told) {
        boolean preferred = told.isZero();
        Limits now = limits.get();
        return FenceDelay.of(
                preferred,
                links.get(),
                peersAgentRan(now.heardWithin()) && !firstLevelFailsAtOnce.getAsBoolean(),
                preferred ? now.times() : new FenceDelay.Times(told, now.times().levelTwo()),
                needs.get());
    }

    /**
     * What it would be if the peer were lost now. It judges nothing for the next order, which may
     * find that the peer's agent has been silent since.
     */
    public FenceDelay.Delay ifThePeerWereLost() {
        Limits now = limits.get();
        boolean agentRuns =
                silence.get().filter(time -> time.compareTo(now.heardWithin()) <= 0).isPresent();
        return FenceDelay.of(
                now.preferred(),
                links.get(),
                agentRuns && !firstLevelFailsAtOnce.getAsBoolean(),
                now.times(),
                needs.get());
    }

    /**
     * Whether the peer's agent was heard just before the peer was lost. The first order after the
     * loss tells; a later one, when all is silent for long, finds it as it was judged then.
     */
    private synchronized boolean peersAgentRan(Duration heardWithin) {
        Optional<Duration> silent = silence.get();
        if (silent.isEmpty()) {
            return false;
        }
        long now = nanos.getAsLong();
        if (judged.filter(last -> silent.get().toNanos() >= now - last.nanos()).isEmpty()) {
            judged = Optional.of(new Judged(now, silent.get().compareTo(heardWithin) <= 0));
        }
        return judged.get().agentRan();
    }
}
