package dev.tandem.agent.http;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agent.thread.Actor;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.KeepHistoryRequest;
import dev.tandem.agentapi.PeerOffRequest;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.History;
import dev.tandem.core.replica.Replica;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Accepts what a person states about the peer, if it is about the present incident. */
public final class OperatorStatements {
    private static final Duration SUPERVISOR_LIMIT = Duration.ofSeconds(3);

    /** Agents ask each other every two seconds, so a peer that is up was heard within this time. */
    private static final Duration HEARD_LATELY = Duration.ofSeconds(3);

    private final NodeName self;
    private final NodeName peer;
    private final EtcdSupervisor supervisor;
    private final Actor actor;
    private final BmcSessions bmcs;
    private final Cluster cluster;
    private final Supplier<Optional<Duration>> silence;

    /**
     * @param silence for how long the peer has not been heard; empty if it never was
     */
    public OperatorStatements(
            NodeName self,
            NodeName peer,
            EtcdSupervisor supervisor,
            Actor actor,
            BmcSessions bmcs,
            Cluster cluster,
            Supplier<Optional<Duration>> silence) {
        this.silence = silence;
        this.self = self;
        this.peer = peer;
        this.supervisor = supervisor;
        this.actor = actor;
        this.bmcs = bmcs;
        this.cluster = cluster;
    }

    /** What a statement leaves out is not guessed. */
    private static <T extends Record> T understood(String body, Class<T> kind) {
        try {
            return AgentMessages.readExactly(body, kind);
        } catch (IllegalArgumentException e) {
            throw new Failure(
                    "the statement was not understood",
                    String.valueOf(e.getMessage()),
                    "use the command line that was installed with this agent",
                    e);
        }
    }

    public LocalServer.Answer peerIsOff(String body) {
        PeerOffRequest request = understood(body, PeerOffRequest.class);
        String what = "statement about " + request.node() + " rejected";
        if (!request.node().equals(peer.value())) {
            throw new Failure(
                    what,
                    "the peer of " + self + " is " + peer,
                    "see which node is silent: tandem status");
        }
        PowerReading power = bmcs.read(peer.value());
        if (power == PowerReading.ON) {
            throw new Failure(
                    what,
                    "its BMC reads On",
                    "check "
                            + peer
                            + " again; to see whether this BMC belongs to it: tandem"
                            + " fencing check");
        }
        EtcdSupervisor.Presence presence = cluster.presence();
        Optional<String> refused =
                actor.call(() -> state(request, presence, power), SUPERVISOR_LIMIT);
        if (!refused.equals(Optional.of(""))) {
            throw new Failure(
                    what, refused.orElse("tandem-agent is busy"), "look again: tandem status");
        }
        if (!request.dryRun()) {
            cluster.peerIsOff(presence);
        }
        return LocalServer.Answer.json(
                new PeerOffStatement(
                        request.node(),
                        request.incident(),
                        power,
                        request.acceptLoss(),
                        !request.dryRun()));
    }

    /** A person keeps the peer's history and gives up what only this node holds. */
    public LocalServer.Answer keepPeersHistory(String body) {
        KeepHistoryRequest choice = understood(body, KeepHistoryRequest.class);
        PowerReading power = bmcs.read(peer.value());
        Optional<HistoryChoice> chosen = actor.call(() -> choose(choice, power), SUPERVISOR_LIMIT);
        return LocalServer.Answer.json(
                chosen.orElseThrow(() ->
                        notChosen(choice, "tandem-agent is busy", "look again: tandem status")));
    }

    /** On the supervisor's thread. */
    private HistoryChoice choose(KeepHistoryRequest choice, PowerReading power) {
        if (!choice.node().equals(peer.value())) {
            throw notChosen(
                    choice,
                    choice.node().equals(self.value())
                            ? "this is "
                                    + self
                                    + ", and a history is given up on the node that has it"
                            : "the peer of " + self + " is " + peer,
                    choice.node().equals(self.value())
                            ? "on " + peer + ": tandem keep-history " + self
                            : "tandem keep-history " + peer);
        }
        EtcdSupervisor.Fork fork =
                supervisor
                        .fork()
                        .orElseThrow(() ->
                                notChosen(
                                        choice,
                                        why(HistoryChoice.Refusal.NO_FORK),
                                        "see what there is: tandem status"));
        if (!choice.incident().isEmpty()
                && !choice.incident().equals(supervisor.incident().code())) {
            throw notChosen(
                    choice,
                    "the situation has changed: it is incident "
                            + supervisor.incident().code()
                            + " now",
                    "look again: tandem status");
        }
        if (fork.peer().server() != EtcdState.LEADING) {
            // Without a server to copy from, this node would have nothing in place of what it
            // gives up.
            throw notChosen(
                    choice,
                    why(HistoryChoice.Refusal.PEER_DOES_NOT_SERVE),
                    "shut %s down; then on %s: tandem confirm-peer-off %s --accept-loss; then switch"
                                    .formatted(self, peer, self)
                            + " %s on and run this again".formatted(self));
        }
        HistoryChoice chosen =
                new HistoryChoice(
                        supervisor.incident().code(),
                        side(peer, fork.theirs()),
                        side(self, fork.mine()),
                        History.sharedUpTo(fork.mine(), fork.theirs()));
        if (!choice.dryRun()) {
            supervisor.stated(PeerProof.Statement.KEEP_PEERS_HISTORY, power, choice.person());
            actor.post(supervisor::reconsider);
        }
        return chosen;
    }

    private String why(HistoryChoice.Refusal refusal) {
        return refusal.why(self.value(), peer.value());
    }

    private static HistoryChoice.Side side(NodeName node, Replica.Intact log) {
        return new HistoryChoice.Side(
                node.value(), log.lineage().current().number(), log.lastIndex());
    }

    private static Failure notChosen(KeepHistoryRequest choice, String why, String remedy) {
        return new Failure("choice rejected: keep the history of " + choice.node(), why, remedy);
    }

    /** On the supervisor's thread; returns why not, or nothing. */
    private String state(
            PeerOffRequest request, EtcdSupervisor.Presence presence, PowerReading power) {
        supervisor.membership(presence);
        if (!supervisor.incident().code().equals(request.incident())) {
            return "the situation has changed: it is incident "
                    + supervisor.incident().code()
                    + " now";
        }
        if (presence.peerPresent()) {
            return peer + " is in the membership: it is not off";
        }
        if (silence.get().filter(silent -> silent.compareTo(HEARD_LATELY) < 0).isPresent()) {
            return "the agent of " + peer + " answered a moment ago: it is not off";
        }
        if (request.dryRun()) {
            return "";
        }
        supervisor.stated(
                request.acceptLoss()
                        ? PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED
                        : PeerProof.Statement.PEER_IS_OFF,
                power,
                request.person());
        actor.post(supervisor::reconsider);
        return "";
    }
}
