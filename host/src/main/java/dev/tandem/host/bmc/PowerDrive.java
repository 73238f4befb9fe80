package dev.tandem.host.bmc;

import dev.tandem.host.Deadline;
import dev.tandem.host.bmc.BmcAnswer.Read;
import dev.tandem.host.bmc.BmcAnswer.Unknown;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Switches a machine off or on, by whatever protocol, and reads until that is seen. */
public final class PowerDrive {
    // Redfish tells a change of the power state only to those who subscribe, by a connection from
    // the BMC that firewalls and firmware often do not let through; IPMI by traps to an address set
    // in the BMC. So the state is read again and again: soon at first, because a virtual or quick
    // BMC is off within milliseconds, then at a rate that no firmware minds.
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

    /** An accepted request that shows no effect is sent again: BMCs lose some while they boot. */
    private static final Duration REPEAT_ACCEPTED = Duration.ofSeconds(5);

    /** A refused one is repeated more quickly, but not at the rate of reading. */
    private static final Duration REPEAT_REFUSED = Duration.ofSeconds(1);

    /** However long a busy BMC wants to be left alone, it is asked once more before the limit. */
    private static final Duration LAST_TRY = Duration.ofMillis(500);

    /** With less time left nothing is asked: the answer would only be that time ran out. */
    private static final Duration ROOM_TO_ASK = Duration.ofMillis(20);

    /**
     * Off that the order did not bring about is read a second time, this much later: right after a
     * restart of its own a BMC may read Off, or what was true long ago.
     */
    private static final Duration READ_AGAIN = Duration.ofMillis(300);

    /** What a protocol has to offer. */
    public interface Controls {
        /** Asks once; an answer says that the BMC accepted it, and no more. */
        BmcAnswer<?> order(Wanted wanted, Deadline end);

        /** The power state as the BMC tells it now, and of which machine. */
        BmcAnswer<PowerReport> report(Deadline end);
    }

    /** Where the machine shall be. */
    public enum Wanted {
        OFF,
        ON
    }

    private final Controls bmc;

    public PowerDrive(Controls bmc) {
        this.bmc = bmc;
    }

    public PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed) {
        return drive(Wanted.OFF, state -> state == PowerState.OFF, limit, lapsed);
    }

    public PowerOutcome on(Duration limit) {
        return drive(
                Wanted.ON,
                state -> state == PowerState.ON || state == PowerState.POWERING_ON,
                limit,
                Optional::empty);
    }

    /**
     * Asks for it and reads until the goal is seen. The goal counts only when it is read by a
     * request sent after that. What the BMC answered to the order decides nothing: some say 204 and
     * do nothing, some say 400 or 409 because it is done already.
     *
     * <p>Once the order has lapsed no command is sent. One that the BMC had accepted by then is not
     * taken back, and its end is awaited.
     */
    private PowerOutcome drive(
            Wanted wanted,
            Predicate<PowerState> goal,
            Duration limit,
            Supplier<Optional<String>> lapsed) {
        long begin = System.nanoTime();
        Deadline end = Deadline.in(limit);
        Optional<PowerState> lastRead = Optional.empty();
        Optional<BmcFault> lastFault = Optional.empty();
        Duration pause = FIRST_PAUSE;
        boolean accepted = false;
        OptionalLong firstSeen = OptionalLong.empty();
        Deadline nextOrder = new Deadline(begin);
        while (true) {
            Optional<String> why = nextOrder.passed() ? lapsed.get() : Optional.empty();
            if (why.isPresent() && !accepted) {
                return new PowerOutcome.Withheld(why.get());
            }
            if (nextOrder.passed() && why.isEmpty()) {
                switch (bmc.order(wanted, end)) {
                    case Read<?> _ -> {
                        accepted = true;
                        lastFault = Optional.empty();
                        nextOrder = Deadline.in(REPEAT_ACCEPTED);
                    }
                    case Unknown<?>(BmcFault fault) -> {
                        lastFault = Optional.of(telling(lastFault, fault, end));
                        nextOrder =
                                Deadline.in(
                                        fault instanceof BmcFault.Rejected
                                                ? REPEAT_REFUSED
                                                : Duration.ZERO);
                    }
                }
            }
            if (isHopeless(lastFault) || !hasRoom(end)) {
                return new PowerOutcome.NotObserved(lastRead, lastFault, since(begin));
            }
            switch (bmc.report(end)) {
                case Read<PowerReport>(PowerReport(PowerState state, var machine), Duration _) -> {
                    if (!goal.test(state)) {
                        firstSeen = OptionalLong.empty();
                    } else {
                        firstSeen = OptionalLong.of(firstSeen.orElse(System.nanoTime()));
                        Duration span = since(firstSeen.getAsLong());
                        if (accepted
                                || state != PowerState.OFF
                                || span.compareTo(READ_AGAIN) >= 0) {
                            return new PowerOutcome.Observed(
                                    state, machine, accepted, since(begin), span);
                        }
                    }
                    lastRead = Optional.of(state);
                }
                case Unknown<PowerReport>(BmcFault fault) ->
                        lastFault = Optional.of(telling(lastFault, fault, end));
            }
            if (isHopeless(lastFault)
                    || !pause(pauseAfter(lastFault, pause, end.left()))
                    || !hasRoom(end)) {
                return new PowerOutcome.NotObserved(lastRead, lastFault, since(begin));
            }
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
    }

    /**
     * Trying a wrong password again locks the account; a wrong certificate does not change either.
     */
    private static boolean isHopeless(Optional<BmcFault> fault) {
        return fault.filter(f -> f instanceof BmcFault.Denied || f instanceof BmcFault.Untrusted)
                .isPresent();
    }

    private static Duration pauseAfter(Optional<BmcFault> fault, Duration pause, Duration left) {
        if (fault.isPresent() && fault.get() instanceof BmcFault.Busy(Duration wait, String _)) {
            return shorter(wait, longer(left.minus(LAST_TRY), shorter(pause, left)));
        }
        return shorter(pause, left);
    }

    /**
     * The fault worth telling. A request that our own limit has cut short looks like an unreachable
     * BMC, and must not hide what the BMC itself said before.
     */
    private static BmcFault telling(Optional<BmcFault> before, BmcFault now, Deadline end) {
        return now instanceof BmcFault.Unreachable && !hasRoom(end) ? before.orElse(now) : now;
    }

    private static boolean hasRoom(Deadline end) {
        return end.leavesMoreThan(ROOM_TO_ASK);
    }

    /** False if the thread was told to stop. */
    private static boolean pause(Duration time) {
        try {
            if (time.isPositive()) {
                Thread.sleep(time);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
