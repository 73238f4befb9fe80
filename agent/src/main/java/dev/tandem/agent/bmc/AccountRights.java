package dev.tandem.agent.bmc;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcPrivileges;
import dev.tandem.host.bmc.BmcPrivileges.MayReset;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Whether the account of a BMC may switch power, as far as the BMC tells. An account that may only
 * read answers every look, and shows that it is of no use when a fence is ordered.
 *
 * <p>It is a handful of requests, so it is asked for seldom, and never by a fence.
 */
final class AccountRights {
    /** A role is changed by people, and seldom; and each time costs a BMC a handful of requests. */
    static final Duration USUAL = Duration.ofMinutes(5);

    /** Somebody is changing the role just now, and looks at the status. */
    static final Duration WHILE_DENIED = Duration.ofMinutes(1);

    /** A BMC that did not answer; it may be another one, or have another role, when it does. */
    static final Duration AFTER_A_FAULT = Duration.ofMinutes(1);

    /**
     * Who does not tell will not tell in five minutes. And a BMC that hides its accounts behind 401
     * is logged in to once more by each such question, and has one session more until that one
     * ends.
     */
    static final Duration WHILE_NOT_TOLD = Duration.ofDays(1);

    private final Supplier<BmcAnswer<BmcPrivileges>> question;
    private final LongSupplier nanos;
    private volatile MayReset known = MayReset.NOT_TOLD;
    private volatile boolean refused;
    private Optional<Long> asked = Optional.empty();
    private Duration pause = Duration.ZERO;

    AccountRights(Supplier<BmcAnswer<BmcPrivileges>> question, LongSupplier nanos) {
        this.question = question;
        this.nanos = nanos;
    }

    /** What was told last, or what an order met since; any thread may ask. */
    MayReset known() {
        return refused ? MayReset.NO : known;
    }

    /**
     * An order to switch power was refused for lack of privileges. That counts for more than what
     * the BMC tells, or told minutes ago, until it tells of the lack itself or an order is
     * accepted.
     */
    synchronized void onOrderRefused() {
        refused = true;
        pause = Duration.ZERO;
    }

    /** An order was accepted, or somebody has given the login once more. */
    synchronized void onOrderAccepted() {
        refused = false;
    }

    /** The BMC did not answer a look. */
    synchronized void onFault() {
        if (pause.compareTo(AFTER_A_FAULT) > 0) {
            pause = AFTER_A_FAULT;
        }
    }

    /** Asks, if it is time to. */
    synchronized void askIfDue() {
        long now = nanos.getAsLong();
        if (asked.filter(at -> now - at < pause.toNanos()).isPresent()) {
            return;
        }
        asked = Optional.of(now);
        switch (question.get()) {
            case BmcAnswer.Read<BmcPrivileges>(BmcPrivileges told, Duration _) -> {
                known = told.mayReset();
                refused = refused && known != MayReset.NO;
                pause =
                        switch (known) {
                            case YES -> USUAL;
                            case NO -> WHILE_DENIED;
                            case NOT_TOLD -> WHILE_NOT_TOLD;
                        };
            }
            // What it told before stands: that it does not answer is told elsewhere.
            case BmcAnswer.Unknown<BmcPrivileges> _ -> pause = AFTER_A_FAULT;
        }
    }
}
