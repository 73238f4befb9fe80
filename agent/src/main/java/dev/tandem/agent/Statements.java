package dev.tandem.agent;

import dev.tandem.core.Failure;
import dev.tandem.core.decision.NodeName;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Takes what a person states about the peer, if it is about this very situation. */
final class Statements {
    private static final Duration GLANCE = Duration.ofSeconds(3);

    private final NodeName self;
    private final NodeName peer;
    private final Keeper keeper;
    private final Actor actor;
    private final Bmcs bmcs;
    private final Cluster cluster;

    Statements(
            NodeName self, NodeName peer, Keeper keeper, Actor actor, Bmcs bmcs, Cluster cluster) {
        this.self = self;
        this.peer = peer;
        this.keeper = keeper;
        this.actor = actor;
        this.bmcs = bmcs;
        this.cluster = cluster;
    }

    /** What a person states, in the form of the command line. */
    private record Confirmation(String node, String incident, String person, boolean acceptLoss) {}

    LocalServer.Answer peerIsOff(String body) {
        Confirmation word;
        try {
            word = AgentJson.MAPPER.readValue(body, Confirmation.class);
        } catch (IOException e) {
            return new LocalServer.Answer(400, "text/plain", "not understood\n");
        }
        String what = "not taken as a statement about " + word.node();
        if (!word.node().equals(peer.value())) {
            throw new Failure(
                    what,
                    "the peer of " + self + " is " + peer,
                    "on " + self + ": tandem confirm-peer-off " + peer);
        }
        PowerReading power = bmcs.read(peer.value());
        if (power == PowerReading.ON) {
            throw new Failure(
                    what,
                    "its BMC reads On",
                    "look at "
                            + peer
                            + " again; if the BMC is another machine's: tandem fencing"
                            + " check");
        }
        Keeper.Presence presence = cluster.presence();
        Optional<String> refused = actor.call(() -> state(word, presence, power), GLANCE);
        if (!refused.equals(Optional.of(""))) {
            throw new Failure(
                    what, refused.orElse("tandem-agent is busy"), "look at it anew: tandem status");
        }
        cluster.peerIsOff(presence);
        return LocalServer.Answer.json(Map.of("taken", true));
    }

    /** On the keeper's thread; returns why not, or nothing. */
    private String state(Confirmation word, Keeper.Presence presence, PowerReading power) {
        keeper.membership(presence);
        if (!keeper.incident().code().equals(word.incident())) {
            return "the situation has changed: it is incident " + keeper.incident().code() + " now";
        }
        if (presence.peerPresent()) {
            return peer + " is in the membership: it is not off";
        }
        keeper.stated(
                word.acceptLoss()
                        ? PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED
                        : PeerProof.Statement.PEER_IS_OFF,
                power,
                word.person());
        return "";
    }
}
