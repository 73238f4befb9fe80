package dev.tandem.agent;

import dev.tandem.core.decision.NodeName;
import java.time.Duration;

/** Keeps the sessions of the BMCs warm, and tells the keeper what the peer's reads. */
final class BmcWatch {
    /** Sessions and connections to a BMC end after 30 s of idleness. */
    static final Duration INTERVAL = Duration.ofSeconds(15);

    private static final int IDENTITY_EVERY = 20;

    private final NodeName peer;
    private final Bmcs bmcs;
    private final Keeper keeper;
    private final Actor actor;
    private int round;

    BmcWatch(NodeName peer, Bmcs bmcs, Keeper keeper, Actor actor) {
        this.peer = peer;
        this.bmcs = bmcs;
        this.keeper = keeper;
        this.actor = actor;
    }

    void look() {
        bmcs.check(round++ % IDENTITY_EVERY == 0);
        Bmcs.Check check = bmcs.checks().get(peer.value());
        if (check != null) {
            actor.post(() -> keeper.peerPower(check.reading()));
        }
    }
}
