package dev.tandem.agent.bmc;

import dev.tandem.core.Failure;
import dev.tandem.host.bmc.Bmc;
import dev.tandem.host.bmc.BmcCredentials;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.check.BmcPreflight;
import dev.tandem.host.bmc.login.LoginBackoff;
import dev.tandem.host.bmc.login.SessionStore;
import dev.tandem.host.plan.ClusterPlan;
import java.util.Optional;

/**
 * A connection to a BMC, which may be replaced while somebody switches power over it. It is closed,
 * and its session with it, when nobody does any more; nobody waits for that.
 */
final class BmcConnection {
    private final Optional<BmcCredentials> credentials;
    private final Optional<Failure> unread;
    private final LoginBackoff backoff;
    private final Bmc client;
    private int users;
    private boolean replaced;

    BmcConnection(
            ClusterPlan.Node node,
            BmcCredentials credentials,
            LoginBackoff backoff,
            SessionStore session) {
        this.credentials = Optional.of(credentials);
        this.unread = Optional.empty();
        this.backoff = backoff;
        this.client = BmcPreflight.connect(node, credentials, backoff, session);
    }

    /**
     * To nobody, until there is a password.
     *
     * @param unread why there is none
     */
    BmcConnection(Failure unread) {
        this.credentials = Optional.empty();
        this.unread = Optional.of(unread);
        this.backoff = new LoginBackoff();
        this.client = new BmcWithoutPassword(unread);
    }

    /** Why it has no password, if it has none. */
    Optional<Failure> unread() {
        return unread;
    }

    /** With what it logs in; throws why it does not. */
    BmcCredentials credentials() {
        return credentials.orElseThrow(unread::orElseThrow);
    }

    boolean logsInWith(BmcCredentials others) {
        return credentials.equals(Optional.of(others));
    }

    boolean logsInLike(BmcConnection other) {
        return credentials.isPresent() && credentials.equals(other.credentials);
    }

    /** Decides for all that is asked over this connection. */
    LoginBackoff backoff() {
        return backoff;
    }

    /** Why these credentials must not be tried now; empty where they may be. */
    Optional<String> denies(BmcCredentials others) {
        return logsInWith(others)
                ? backoff.lastDenial()
                        .map(held -> new BmcFault.Denied(held.status(), held.why()).sentence())
                : Optional.empty();
    }

    Bmc client() {
        return client;
    }

    synchronized void begin() {
        users++;
    }

    synchronized void end() {
        users--;
        closeIfUnused();
    }

    synchronized void replace() {
        replaced = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (replaced && users == 0) {
            Thread.ofVirtual().name("bmc-log-out").start(client::close);
        }
    }
}
