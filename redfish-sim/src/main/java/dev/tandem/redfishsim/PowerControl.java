package dev.tandem.redfishsim;

import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.PowerState;
import dev.tandem.host.bmc.ResetType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The wire between a BMC and its machine. One operation is under way at most; a later request takes
 * its place, as pressing another button does, except where it asks for the same.
 */
final class PowerControl implements AutoCloseable {
    /**
     * systemd gives a service 90 s to stop; a machine that has not shut down after this ignores the
     * button.
     */
    private static final Duration SHUTDOWN_LIMIT = Duration.ofMinutes(2);

    /** A machine does not tell when it has shut down on its own, so it is looked at this often. */
    private static final Duration SHUTDOWN_GLANCE = Duration.ofMillis(20);

    enum Outcome {
        ACCEPTED,
        /** The machine is in the state asked for, or in one in which this cannot be asked. */
        ALREADY_THERE
    }

    private enum Step {
        CUT(PowerState.POWERING_OFF),
        SHUT_DOWN(PowerState.POWERING_OFF),
        START(PowerState.POWERING_ON);

        private final PowerState meanwhile;

        Step(PowerState meanwhile) {
            this.meanwhile = meanwhile;
        }
    }

    private static final class Operation {
        private final List<Step> steps;
        private final String by;
        private Step step;

        Operation(List<Step> steps, String by) {
            this.steps = steps;
            this.by = by;
            this.step = steps.getFirst();
        }
    }

    private final SimulatedMachine machine;
    private final Supplier<BmcBehaviour> behaviour;
    private final BmcEvent.Listener listener;

    /** Guards the fields below, and is never held while the machine acts. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private @Nullable Operation current;
    private Instant lastReset = Instant.EPOCH;

    /** Held while the machine acts, so that its acts do not overlap. */
    private final ReentrantLock acting = new ReentrantLock();

    PowerControl(
            SimulatedMachine machine,
            Supplier<BmcBehaviour> behaviour,
            BmcEvent.Listener listener) {
        this.machine = machine;
        this.behaviour = behaviour;
        this.listener = listener;
    }

    /** The truth, whatever the BMC tells. */
    PowerState read() {
        lock.lock();
        try {
            if (current != null) {
                return current.step.meanwhile;
            }
            return machine.isRunning() ? PowerState.ON : PowerState.OFF;
        } finally {
            lock.unlock();
        }
    }

    Instant lastReset() {
        lock.lock();
        try {
            return lastReset;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins what was asked for.
     *
     * @param tell hears the outcome before anything comes of it: a record in which the power is off
     *     before somebody asked for it misleads
     */
    Outcome request(ResetType type, String by, Consumer<Outcome> tell) {
        lock.lock();
        try {
            Outcome outcome = begin(type, by);
            tell.accept(outcome);
            return outcome;
        } finally {
            lock.unlock();
        }
    }

    /** No step of it is taken before {@link #lock} is free. */
    private Outcome begin(ResetType type, String by) {
        Operation under = current;
        boolean running = machine.isRunning();
        List<Step> steps =
                switch (type) {
                    case ON, FORCE_ON -> steps(under != null || !running, Step.START);
                    case FORCE_OFF -> steps(under != null || running, hardOff());
                    case GRACEFUL_SHUTDOWN -> steps(running, Step.SHUT_DOWN);
                    case GRACEFUL_RESTART -> steps(running, Step.SHUT_DOWN, Step.START);
                    case FORCE_RESTART -> steps(running, hardOff(), Step.START);
                    case POWER_CYCLE, FULL_POWER_CYCLE ->
                            running ? List.of(hardOff(), Step.START) : List.of(Step.START);
                    case PUSH_POWER_BUTTON -> List.of(running ? Step.SHUT_DOWN : Step.START);
                    case NMI -> List.of();
                };
        if (type == ResetType.NMI) {
            // Linux notes an NMI it cannot explain and goes on, unless it is told to panic.
            return running ? Outcome.ACCEPTED : Outcome.ALREADY_THERE;
        }
        if (steps.isEmpty()) {
            return Outcome.ALREADY_THERE;
        }
        if (under != null && under.steps.equals(steps)) {
            return Outcome.ACCEPTED;
        }
        if (type == ResetType.ON && under != null && under.step == Step.START) {
            return Outcome.ACCEPTED;
        }
        Operation operation = new Operation(steps, by);
        current = operation;
        lastReset = Instant.now();
        changed.signalAll();
        Thread.ofVirtual().name("bmc-power").start(() -> run(operation));
        return Outcome.ACCEPTED;
    }

    /** Cuts the power now, whatever is under way; returns once all processes are gone. */
    void cutNow(String by) throws IOException {
        abandon();
        act(by, Step.CUT);
    }

    /** Forgets what is under way and has not yet reached the machine. */
    private void abandon() {
        lock.lock();
        try {
            current = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        abandon();
    }

    private static List<Step> steps(boolean possible, Step... steps) {
        return possible ? List.of(steps) : List.of();
    }

    private Step hardOff() {
        return behaviour.get().hardOff() == BmcBehaviour.HardOff.SHUTS_DOWN
                ? Step.SHUT_DOWN
                : Step.CUT;
    }

    private void run(Operation operation) {
        try {
            for (Step step : operation.steps) {
                if (!begin(operation, step)) {
                    return;
                }
                acting.lock();
                try {
                    // An act may have been waited for, and the operation overtaken meanwhile.
                    if (!isCurrent(operation)) {
                        return;
                    }
                    act(operation.by, step);
                } finally {
                    acting.unlock();
                }
                if (step == Step.SHUT_DOWN && !awaitShutdown(operation)) {
                    return;
                }
            }
        } catch (IOException e) {
            listener.happened(BmcEvent.Kind.POWER_ACTION_FAILED, operation.by, String.valueOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            finish(operation);
        }
    }

    /** Lets the step's latency pass; false if another request came in between. */
    private boolean begin(Operation operation, Step step) throws InterruptedException {
        lock.lock();
        try {
            if (current != operation) {
                return false;
            }
            operation.step = step;
            BmcBehaviour now = behaviour.get();
            Duration latency = step == Step.START ? now.onLatency() : now.offLatency();
            return awaitWhileCurrent(operation, latency);
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitWhileCurrent(Operation operation, Duration time)
            throws InterruptedException {
        long left = time.toNanos();
        while (left > 0 && current == operation) {
            left = changed.awaitNanos(left);
        }
        return current == operation;
    }

    private boolean awaitShutdown(Operation operation) throws InterruptedException {
        Deadline deadline = Deadline.in(SHUTDOWN_LIMIT);
        lock.lock();
        try {
            while (machine.isRunning()) {
                if (!awaitWhileCurrent(operation, SHUTDOWN_GLANCE)) {
                    return false;
                }
                if (deadline.passed()) {
                    listener.happened(
                            BmcEvent.Kind.POWER_ACTION_FAILED,
                            operation.by,
                            "the machine has not shut down within "
                                    + SHUTDOWN_LIMIT.toSeconds()
                                    + " s");
                    return false;
                }
            }
        } finally {
            lock.unlock();
        }
        listener.happened(BmcEvent.Kind.POWERED_OFF, operation.by, "shut down");
        return true;
    }

    private void act(String by, Step step) throws IOException {
        acting.lock();
        try {
            switch (step) {
                case CUT -> {
                    machine.cutPower();
                    listener.happened(BmcEvent.Kind.POWERED_OFF, by, "power cut");
                }
                case SHUT_DOWN -> {
                    machine.pressPowerButton();
                    listener.happened(BmcEvent.Kind.BUTTON_PRESSED, by, "power button");
                }
                case START -> {
                    // It still runs when this request overtook a power-off.
                    if (!machine.isRunning()) {
                        machine.powerOn();
                    }
                    listener.happened(BmcEvent.Kind.POWERED_ON, by, "power on");
                }
            }
        } finally {
            acting.unlock();
        }
    }

    private boolean isCurrent(Operation operation) {
        lock.lock();
        try {
            return current == operation;
        } finally {
            lock.unlock();
        }
    }

    private void finish(Operation operation) {
        lock.lock();
        try {
            if (current == operation) {
                current = null;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
