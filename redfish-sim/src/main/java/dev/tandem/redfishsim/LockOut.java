package dev.tandem.redfishsim;

import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Locks accounts after wrong logins, by the rules of Redfish's AccountService: the counter is reset
 * by a right login, and when AccountLockoutCounterResetAfter has passed since the last wrong one.
 */
final class LockOut {
    private record Wrong(int times, Instant last) {}

    private final InstantSource clock;
    private final Map<String, Wrong> wrong = new HashMap<>();
    private final Map<String, Instant> lockedUntil = new HashMap<>();

    LockOut(InstantSource clock) {
        this.clock = clock;
    }

    synchronized boolean isLocked(String user) {
        Instant until = lockedUntil.get(user);
        return until != null && clock.instant().isBefore(until);
    }

    /** Returns whether this one has locked the account. */
    synchronized boolean wrong(String user, int lockAfter) {
        if (isLocked(user)) {
            return false;
        }
        Instant now = clock.instant();
        int times =
                1
                        + Optional.ofNullable(wrong.get(user))
                                .filter(known ->
                                        known.last().plus(BmcBehaviour.LOCKED).isAfter(now))
                                .map(Wrong::times)
                                .orElse(0);
        if (times < lockAfter) {
            wrong.put(user, new Wrong(times, now));
            return false;
        }
        wrong.remove(user);
        lockedUntil.put(user, now.plus(BmcBehaviour.LOCKED));
        return true;
    }

    synchronized void right(String user) {
        wrong.remove(user);
    }

    synchronized void forget() {
        wrong.clear();
        lockedUntil.clear();
    }
}
