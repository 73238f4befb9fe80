package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.lab.pair.Writer;
import java.time.Duration;
import java.util.concurrent.Callable;

/** What a scenario waits for, each with a limit. */
interface Waits extends Observations {
    /** Longer than the delay of the node that lets its peer fence first, and the fence itself. */
    Duration STEADY_FOR = Duration.ofSeconds(15);

    /** A write of this age is one of now. */
    Duration FRESH = Duration.ofMillis(300);

    int SOME_WRITES = 30;

    Writer writer();

    default void await(String what, Duration limit, Callable<Boolean> condition) {
        lab().await(what, limit, condition);
    }

    /** Waits until some writes have been acknowledged from now on. */
    default void awaitWrites() {
        int before = writer().acknowledgedSoFar();
        await(
                "writes are acknowledged",
                RECOVERY,
                () -> writer().acknowledgedSoFar() > before + SOME_WRITES);
    }

    default void awaitHealth(String node, NodeHealth health, Duration limit) {
        await(node + " says that it is " + health, limit, () -> pair().is(node, health));
    }

    /** Waits until a node serves without its peer, and writes are acknowledged. */
    default void awaitAlone(String node) {
        awaitHealth(node, NodeHealth.ALONE, RECOVERY);
        await(
                "writes go on",
                RECOVERY,
                () -> writer().firstAfter(System.nanoTime() - FRESH.toNanos()).isPresent());
    }

    default void awaitEvent(
            String node, Class<? extends JournalEvent> event, long sinceNanos, Duration limit) {
        await(
                "the journal of %s has %s".formatted(node, event.getSimpleName()),
                limit,
                () -> happened(node, event, sinceNanos));
    }

    default void awaitSettled() {
        pair().awaitRedundant(REDUNDANCY);
    }

    /**
     * Waits until the pair is settled and stays so: a fence that was ordered before the fault ended
     * may come after it.
     */
    default void awaitSteady() {
        awaitHolding(
                "the pair is settled, and still is 15 s later",
                STEADY_FOR,
                REDUNDANCY,
                () -> pair().isRedundant());
    }

    /**
     * Waits until something has held for a time, at each look; a look at which it does not begins
     * that time again.
     */
    default void awaitHolding(
            String what, Duration time, Duration limit, Callable<Boolean> condition) {
        long[] since = {0};
        await(
                what,
                limit,
                () -> {
                    long before = since[0];
                    // Also where it cannot be asked.
                    since[0] = 0;
                    if (!condition.call()) {
                        return false;
                    }
                    long now = System.nanoTime();
                    since[0] = before == 0 ? now : before;
                    return now - since[0] > time.toNanos();
                });
    }

    default void awaitOff(String node, Duration limit) {
        await(node + " is off", limit, () -> node(node).isOff());
    }

    default void awaitUp(String node) {
        await(node + " has booted", RECOVERY, () -> node(node).isUp());
    }

    /** Waits until the agent of a node answers. */
    default void awaitAgent(String node) {
        await("the agent of " + node + " answers", RECOVERY, () -> pair().status(node).isPresent());
    }

    /** Lets time pass, where the incident is that nothing happens for a while. */
    default void pause(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }
}
