package dev.tandem.host.bmc.login;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Decides whether a login at a BMC may be tried with credentials that it has denied: BMCs lock
 * accounts, most after 3 to 10 wrong logins, for everybody and also for the right password.
 *
 * <p>As Redfish has it, the BMC counts on until some minutes have passed without a wrong login. So
 * the tries of both nodes together must stay few, and then be far apart; doubling a pause of a
 * minute would lock an account that is locked after five.
 */
public final class LoginBackoff {
    /** The first pause on the node that fences by this BMC: a BMC that restarts denies too. */
    public static final Duration SOON = Duration.ofMinutes(1);

    /**
     * Every other pause on that node. Most BMCs go on counting for 5 min; it is twice that, so that
     * a try of the other node does not join what lies before and after it.
     */
    public static final Duration LONGEST = Duration.ofMinutes(10);

    /**
     * The only pause on the node whose own BMC it is. Three tries of the other node take up to 4
     * min: with 5 min before and after them, no two tries of this one are counted with them.
     */
    public static final Duration OWN = Duration.ofMinutes(15);

    /** So many denials, and orders try no more often than looks. */
    static final int TRIES = 3;

    /**
     * How far apart orders try, by the denials before: a BMC that restarts denies what is right for
     * a minute or so, and Pacemaker repeats a failed fence at once.
     */
    private static final List<Duration> ORDERS_APART =
            List.of(Duration.ZERO, Duration.ofSeconds(20), Duration.ofMinutes(1));

    /**
     * The same for a BMC that had not answered shortly before: while it loads its users it denies
     * what is right, on some for minutes. As many tries, over a longer time.
     */
    private static final List<Duration> APART_AFTER_SILENCE =
            List.of(Duration.ZERO, Duration.ofMinutes(1), Duration.ofMinutes(3));

    /** The first pause of looks at such a BMC: the tries are kept for an order. */
    private static final Duration LOOK_AFTER_SILENCE = Duration.ofMinutes(3);

    /** A BMC that did not answer within this before a denial may still be starting. */
    private static final Duration SHORTLY = Duration.ofMinutes(5);

    /** What a login is for. */
    public enum Purpose {
        /** To see how the BMC is; somebody looks again soon. */
        LOOK,
        /** To switch power; it may be the only thing that helps. */
        ORDER
    }

    /**
     * Where denials outlive the program, and where it finds those of others: one that is restarted
     * often must not try each time.
     */
    public interface Memory {
        Memory NONE =
                new Memory() {
                    @Override
                    public Optional<Denials> kept() {
                        return Optional.empty();
                    }

                    @Override
                    public void keep(Denials denials) {
                        // The next program finds out by itself.
                    }

                    @Override
                    public void forget() {
                        // Nothing was kept.
                    }
                };

        Optional<Denials> kept();

        void keep(Denials denials);

        void forget();
    }

    /**
     * A login that is not tried, or was just denied.
     *
     * @param why what the BMC said, for how long that has been so, and when it is tried again
     */
    public record Held(int status, String why) {}

    private final Duration first;
    private final LongSupplier nanos;
    private final Memory memory;
    private Optional<Denials> denials;
    private OptionalLong lastSilence = OptionalLong.empty();
    private OptionalLong accepted = OptionalLong.empty();

    /** Of the same account by another protocol. */
    private volatile Optional<LoginBackoff> beside = Optional.empty();

    /** This was accepted while the other was denied: then that says nothing about this. */
    private boolean apart;

    /** Of a program that ends soon, where no other tries the same. */
    public LoginBackoff() {
        this(SOON, System::nanoTime, Memory.NONE);
    }

    /**
     * @param first the pause after the first denial
     * @param nanos the monotonic clock
     */
    public LoginBackoff(Duration first, LongSupplier nanos, Memory memory) {
        this.first = first;
        this.nanos = nanos;
        this.memory = memory;
        this.denials = Optional.empty();
    }

    /**
     * What another program of this node was denied since counts like a try of its own, and what it
     * was denied before the last login that was accepted does not.
     */
    private synchronized Optional<Denials> known() {
        memory.kept()
                .filter(kept -> denials.map(own -> kept.last() - own.last() > 0).orElse(true))
                .filter(kept -> accepted.isEmpty() || kept.last() - accepted.getAsLong() > 0)
                .ifPresent(kept -> denials = Optional.of(kept));
        return denials;
    }

    /** Whether the BMC denied these credentials when they were last tried. */
    public synchronized boolean denied() {
        return known().isPresent();
    }

    /**
     * Another way to log in with the same credentials: the BMC counts the wrong logins of both, so
     * both keep to what either was denied. For an order each still tries by itself.
     */
    public void countWith(Optional<LoginBackoff> other) {
        beside = other;
    }

    /** Empty if it may be tried now. */
    public Optional<Held> held(Purpose purpose) {
        Optional<Held> here = heldHere(purpose);
        return here.isEmpty() && purpose == Purpose.LOOK
                ? besideUnlessApart().flatMap(other -> other.heldHere(Purpose.LOOK))
                : here;
    }

    /** Never called while this is locked: the other may be asking for this one. */
    private Optional<LoginBackoff> besideUnlessApart() {
        Optional<LoginBackoff> other = beside;
        return other.isPresent() && isApart() ? Optional.empty() : other;
    }

    private synchronized boolean isApart() {
        return apart;
    }

    private synchronized Optional<Held> heldHere(Purpose purpose) {
        long now = nanos.getAsLong();
        return known().filter(known ->
                        switch (purpose) {
                            case LOOK -> !untilNextLook(known, now).isZero();
                            case ORDER -> holdsOrders(known, now);
                        })
                .map(known -> held(known, now));
    }

    /** What was denied last, for somebody who will not try. */
    public synchronized Optional<Held> lastDenial() {
        long now = nanos.getAsLong();
        return known().map(known -> held(known, now));
    }

    /** Until a look tries again what was denied; empty where nothing was. */
    public synchronized Optional<Duration> untilNextTry() {
        long now = nanos.getAsLong();
        return known().map(known -> untilNextLook(known, now));
    }

    /** The BMC did not answer, whatever it was asked. */
    public synchronized void onSilent() {
        lastSilence = OptionalLong.of(nanos.getAsLong());
    }

    /** It was tried and denied. */
    public Held onDenied(Purpose purpose, int status, String why) {
        Optional<LoginBackoff> other = besideUnlessApart();
        Held held = deniedHere(purpose, status, why, other.flatMap(LoginBackoff::known));
        other.ifPresent(LoginBackoff::onOtherDenied);
        return held;
    }

    private synchronized Held deniedHere(
            Purpose purpose, int status, String why, Optional<Denials> theirs) {
        long now = nanos.getAsLong();
        boolean order = purpose == Purpose.ORDER;
        apart = false;
        Denials known =
                known().or(() -> theirs)
                        .map(before -> before.andNow(status, why, now, order))
                        .orElseGet(() -> Denials.first(status, why, now, order, wasSilent(now)));
        denials = Optional.of(known);
        memory.keep(known);
        return held(known, now);
    }

    /**
     * Another password for the same account was denied. While these are denied too, the BMC counts
     * both as one row of wrong logins; otherwise that says nothing about these.
     */
    public synchronized void onOtherDenied() {
        known().ifPresent(known -> {
            Denials more = known.andNow(known.status(), known.why(), nanos.getAsLong(), false);
            denials = Optional.of(more);
            memory.keep(more);
        });
    }

    /** It was tried and accepted, or somebody else has shown that it would be. */
    public void onAccepted() {
        boolean otherIsDenied = beside.filter(LoginBackoff::denied).isPresent();
        acceptedHere(otherIsDenied);
    }

    private synchronized void acceptedHere(boolean otherIsDenied) {
        apart = otherIsDenied;
        denials = Optional.empty();
        // Also where nothing is known: another program may have kept something for itself.
        memory.forget();
        accepted = OptionalLong.of(nanos.getAsLong());
    }

    private boolean wasSilent(long now) {
        return lastSilence.isPresent() && now - lastSilence.getAsLong() <= SHORTLY.toNanos();
    }

    private Duration untilNextLook(Denials known, long now) {
        Duration longest = first.compareTo(LONGEST) > 0 ? first : LONGEST;
        Duration soon =
                known.afterSilence() && first.compareTo(LOOK_AFTER_SILENCE) < 0
                        ? LOOK_AFTER_SILENCE
                        : first;
        Duration pause = known.count() == 1 ? soon : longest;
        Duration left = pause.minusNanos(now - known.last());
        return left.isPositive() ? left : Duration.ZERO;
    }

    /** The first order always may try: only the BMC knows what is set by now. */
    private static boolean holdsOrders(Denials known, long now) {
        OptionalLong order = known.lastOrder();
        if (order.isEmpty()) {
            return false;
        }
        if (known.count() < TRIES) {
            List<Duration> apart = known.afterSilence() ? APART_AFTER_SILENCE : ORDERS_APART;
            return now - order.getAsLong() < apart.get(known.count()).toNanos();
        }
        // A look that was denied in between has tried for the order too.
        return now - known.last() < LONGEST.toNanos();
    }

    private Held held(Denials known, long now) {
        Duration left = untilNextLook(known, now);
        return new Held(
                known.status(),
                "%s (for %s; the next try is %s, because BMCs lock accounts)"
                        .formatted(
                                known.why(),
                                words(Duration.ofNanos(now - known.since())),
                                left.isZero() ? "now" : "in " + words(left)));
    }

    private static String words(Duration duration) {
        return duration.compareTo(Duration.ofMinutes(2)) < 0
                ? duration.toSeconds() + " s"
                : duration.toMinutes() + " min";
    }
}
