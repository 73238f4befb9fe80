package dev.tandem.agent.http;

import dev.tandem.agent.bmc.BmcSessions;
import dev.tandem.agent.cluster.Cluster;
import dev.tandem.agent.supervise.EtcdSupervisor;
import dev.tandem.agentapi.AgentMessages;
import dev.tandem.agentapi.HistoryChoice;
import dev.tandem.agentapi.KeepHistoryRequest;
import dev.tandem.agentapi.PeerOffRequest;
import dev.tandem.agentapi.PeerOffStatement;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.History;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.KubernetesReport;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.SupervisorView;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** Accepts what a person states about the peer, if it is about the present incident. */
public final class StatementRoutes {
    private static final Duration SUPERVISOR_LIMIT = Duration.ofSeconds(3);

    /** Agents ask each other every two seconds, so a peer that is up was heard within this time. */
    private static final Duration HEARD_LATELY = Duration.ofSeconds(3);

    private final NodeName self;
    private final NodeName peer;
    private final EtcdSupervisor supervisor;
    private final BmcSessions bmcs;
    private final Cluster cluster;
    private final Supplier<Optional<Duration>> silence;
    private final InstantSource clock;

    /**
     * @param silence for how long the peer has not been heard; empty if it never was
     */
    public StatementRoutes(
            NodeName self,
            NodeName peer,
            EtcdSupervisor supervisor,
            BmcSessions bmcs,
            Cluster cluster,
            Supplier<Optional<Duration>> silence,
            InstantSource clock) {
        this.clock = clock;
        this.silence = silence;
        this.self = self;
        this.peer = peer;
        this.supervisor = supervisor;
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
        Cluster.Reading reading = cluster.presence();
        Membership presence = reading.membership();
        if (!presence.peerPresent() && !heardLately() && nothingWaitsForIt()) {
            return LocalServer.Answer.json(
                    PeerOffStatement.notNeeded(
                            request.node(), request.incident(), power, request.acceptLoss()));
        }
        PeerProof.Statement statement =
                request.acceptLoss()
                        ? PeerProof.Statement.PEER_IS_OFF_LOSS_ACCEPTED
                        : PeerProof.Statement.PEER_IS_OFF;
        Optional<String> refused =
                presence.peerPresent()
                        ? Optional.of(why(Action.StatementRefusal.PEER_IS_PRESENT))
                        : heardLately()
                                ? Optional.of(why(Action.StatementRefusal.PEER_WAS_HEARD))
                                : request.dryRun()
                                        ? supervisor
                                                .view()
                                                .refusalOf(statement, request.incident(), power)
                                                .map(this::why)
                                        : state(
                                                "statement about "
                                                        + request.node()
                                                        + " is not stored yet",
                                                statement,
                                                request.incident(),
                                                power,
                                                () -> cluster.unlessOvertaken(reading),
                                                request.person());
        if (refused.isPresent()) {
            throw new Failure(what, refused.get(), "see the current state: tandem status");
        }
        if (!request.dryRun()) {
            cluster.declarePeerOff(presence);
        }
        return LocalServer.Answer.json(
                new PeerOffStatement(
                        request.node(),
                        request.incident(),
                        power,
                        request.acceptLoss(),
                        !request.dryRun()));
    }

    /**
     * This node serves alone, and a fence or an earlier statement has proven that the peer is off:
     * neither etcd nor Pacemaker nor Kubernetes has to be told. Without such a proof Kubernetes
     * still waits for one, even where etcd does not.
     */
    private boolean nothingWaitsForIt() {
        SupervisorView now = supervisor.view();
        return now.observation().serves()
                && now.observation().replica() instanceof Replica.Intact log
                && log.role() == Replica.MemberRole.SOLE
                && now.forKubernetes().peer() instanceof KubernetesReport.PeerState.Off;
    }

    private boolean heardLately() {
        return silence.get().filter(silent -> silent.compareTo(HEARD_LATELY) < 0).isPresent();
    }

    /**
     * Has it taken in and stored; returns why it was refused. What is not stored yet is not
     * refused: it stays wanted on the disk, and counts once it is there.
     *
     * @param notStored says so, for people
     */
    private Optional<String> state(
            String notStored,
            PeerProof.Statement statement,
            String incident,
            PowerReading power,
            Supplier<Membership> presence,
            String person) {
        return supervisor
                .ask(
                        caller ->
                                new Event.PersonStated(
                                        caller,
                                        statement,
                                        incident,
                                        power,
                                        presence.get(),
                                        person,
                                        clock.instant()),
                        SUPERVISOR_LIMIT)
                .map(answer ->
                        switch (answer) {
                            case Action.Acknowledgement.Done() -> Optional.<String>empty();
                            case Action.Acknowledgement.NotTaken(Action.StatementRefusal why) ->
                                    Optional.of(why(why));
                            case Action.Acknowledgement.NotStored(String why) ->
                                    throw notStored(notStored, why);
                            case Action.Acknowledgement.NotBelieved(Action.Disbelief why) ->
                                    throw new IllegalStateException(
                                            "a statement is no fence: " + why);
                        })
                .orElseThrow(() ->
                        notStored(
                                notStored,
                                "it was not on the disk within %d s"
                                        .formatted(SUPERVISOR_LIMIT.toSeconds())));
    }

    private static Failure notStored(String what, String why) {
        return new Failure(
                what,
                why + "; it may still take effect",
                "check the disk, then look again: df /var/lib/tandem; tandem status");
    }

    private String why(Action.StatementRefusal refusal) {
        return switch (refusal) {
            case SITUATION_CHANGED ->
                    "the situation has changed: the current incident is %s"
                            .formatted(supervisor.view().incident().code());
            case BMC_READS_ON -> "its BMC reads On";
            case PEER_IS_PRESENT -> peer + " is in the membership: it is not off";
            case PEER_WAS_HEARD ->
                    "the agent of "
                            + peer
                            + " answered a moment ago; if it was switched off just now, state it"
                            + " again";
            case NO_FORK -> why(HistoryChoice.Refusal.NO_FORK);
            case PEER_DOES_NOT_SERVE -> why(HistoryChoice.Refusal.PEER_DOES_NOT_SERVE);
        };
    }

    /** A person keeps the peer's history and gives up what only this node holds. */
    public LocalServer.Answer keepPeersHistory(String body) {
        KeepHistoryRequest choice = understood(body, KeepHistoryRequest.class);
        PowerReading power = bmcs.read(peer.value());
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
        SupervisorView now = supervisor.view();
        Optional<Action.StatementRefusal> refusal =
                now.refusalOf(PeerProof.Statement.KEEP_PEERS_HISTORY, choice.incident(), power);
        if (refusal.isPresent()) {
            throw notChosen(choice, why(refusal.get()), remedy(refusal.get()));
        }
        SupervisorView.Fork fork = now.fork().orElseThrow();
        HistoryChoice chosen =
                new HistoryChoice(
                        now.incident().code(),
                        side(peer, fork.theirs()),
                        side(self, fork.mine()),
                        History.sharedUpTo(fork.mine(), fork.theirs()));
        if (!choice.dryRun()) {
            Optional<String> notTaken =
                    state(
                            "choice is not stored yet: keep the history of " + choice.node(),
                            PeerProof.Statement.KEEP_PEERS_HISTORY,
                            choice.incident(),
                            power,
                            () -> Membership.UNKNOWN,
                            choice.person());
            if (notTaken.isPresent()) {
                throw notChosen(choice, notTaken.get(), "see the current state: tandem status");
            }
        }
        return LocalServer.Answer.json(chosen);
    }

    private String remedy(Action.StatementRefusal refusal) {
        return switch (refusal) {
            case NO_FORK -> "see what there is: tandem status";
            case PEER_DOES_NOT_SERVE ->
                    "shut %s down; then on %s: tandem confirm-peer-off %s --accept-loss; then switch"
                                    .formatted(self, peer, self)
                            + " %s on and run this again".formatted(self);
            case SITUATION_CHANGED, BMC_READS_ON, PEER_IS_PRESENT, PEER_WAS_HEARD ->
                    "see the current state: tandem status";
        };
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
}
