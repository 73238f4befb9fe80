package dev.tandem.agent.bmc;

import dev.tandem.host.bmc.Bmc;

/**
 * A connection to a BMC, which may be replaced while somebody switches power over it. It is closed,
 * and its session with it, when nobody does any more; nobody waits for that.
 */
final class BmcConnection {
    private final Bmc client;
    private int users;
    private boolean replaced;

    BmcConnection(Bmc client) {
        this.client = client;
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
