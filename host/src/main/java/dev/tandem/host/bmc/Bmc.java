package dev.tandem.host.bmc;

import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The BMC of one machine, whatever protocol reaches it. Nothing here throws for what a BMC does or
 * does not do, and no answer is remembered: a power state is always one that was asked for.
 */
public interface Bmc extends BmcPower, AutoCloseable {
    /** Real BMCs take up to 2 s for an answer, and more while their machine boots. */
    Duration REQUEST_LIMIT = Duration.ofSeconds(6);

    /** Where a BMC is, and by what it is believed; everything but the login. */
    interface Endpoint {
        Bmc connect(BmcCredentials credentials);

        /**
         * The same for a program that is there for long.
         *
         * @param backoff when these credentials may be tried
         * @param sessions where an open session outlives this program, if the protocol has any
         */
        Bmc connect(BmcCredentials credentials, LoginBackoff backoff, SessionStore sessions);
    }

    /** The power state as the BMC tells it now, and of which machine, if it comes in that time. */
    BmcAnswer<PowerReport> report(Duration limit);

    /** The same for a proof that waits for it: it is asked also while looks leave it alone. */
    default BmcAnswer<PowerReport> reportForProof(Duration limit) {
        return report(limit);
    }

    /** Whether looks do not ask it just now, so that orders can. */
    default boolean isLeftAlone() {
        return false;
    }

    /** Which machine this BMC switches: all that it tells of it. */
    BmcAnswer<HardwareIdentity> identity(Duration limit);

    /** What the account may do. A BMC that does not say so lists no privileges. */
    BmcAnswer<BmcPrivileges> privileges(Duration limit);

    /** What is known of the password after it was tried. */
    enum Login {
        ACCEPTED,
        /** It is sent with every request: what the last one met says it. */
        WITH_EVERY_REQUEST
    }

    /**
     * Logs in with the password, though a session may be open, and out again: a session outlives
     * the password that it was opened with. Not while the back-off forbids it.
     */
    BmcAnswer<Login> proveLogin(Duration limit);

    /**
     * The paths of all systems that the BMC has, for a caller that was given one it does not have.
     */
    BmcAnswer<List<String>> systems();

    /** How long the last answers took; empty before the first. */
    Optional<LatencyFigures> latency();

    /** When the certificate that it last showed expires; empty where it showed none. */
    Optional<Instant> certificateEnds();

    /**
     * Logs out: BMCs have few sessions. A caller that still asks gets no answer and no new session.
     */
    @Override
    void close();
}
