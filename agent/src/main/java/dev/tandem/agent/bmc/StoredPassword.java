package dev.tandem.agent.bmc;

import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.login.LoginBackoff;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Whether a BMC still takes the password that is stored for it. A session outlives the password
 * that it was opened with, and serves until the BMC restarts, which is when somebody needs it.
 *
 * <p>Tried seldom: BMCs have few sessions, and this takes one for a moment.
 */
final class StoredPassword {
    /** People change passwords over days. An agent that is restarted has not tried yet. */
    static final Duration USUAL = Duration.ofHours(3);

    /** As often as looks try it without a session. */
    static final Duration WHILE_DENIED = LoginBackoff.LONGEST;

    private final Supplier<BmcAnswer<Bmc.Login>> login;
    private final LongSupplier nanos;
    private long tried;
    private volatile Optional<String> refusal = Optional.empty();

    StoredPassword(Supplier<BmcAnswer<Bmc.Login>> login, LongSupplier nanos) {
        this.login = login;
        this.nanos = nanos;
        this.tried = nanos.getAsLong();
    }

    /** What the BMC said when it was last tried and refused; any thread may ask. */
    Optional<String> refusal() {
        return refusal;
    }

    /**
     * Tries it, if it is time to.
     *
     * @param doubted it was denied to somebody, and may be tried again
     */
    synchronized void tryIfDue(boolean doubted) {
        long now = nanos.getAsLong();
        Duration pause = refusal.isPresent() ? WHILE_DENIED : doubted ? LoginBackoff.SOON : USUAL;
        if (now - tried < pause.toNanos()) {
            return;
        }
        tried = now;
        switch (login.get()) {
            case BmcAnswer.Read<Bmc.Login> _ -> refusal = Optional.empty();
            case BmcAnswer.Unknown<Bmc.Login>(BmcFault.Denied denied) ->
                    refusal = Optional.of(denied.sentence());
            // Whether it would be taken is not known; what was known stands.
            case BmcAnswer.Unknown<Bmc.Login> _ -> {}
        }
    }
}
