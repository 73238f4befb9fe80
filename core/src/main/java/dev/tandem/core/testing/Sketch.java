package dev.tandem.core.testing;

import dev.tandem.core.BootId;
import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.Incident;
import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.PeerMembership;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PeerProof.Statement;
import dev.tandem.core.decision.Policy;
import dev.tandem.core.decision.Policy.Shape;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Refusal;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.decision.WaitFor;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A situation in a few words, as the decision table and the page made from it write it. The
 * deciding node is north, its peer south.
 *
 * <ul>
 *   <li>A replica reads "role epoch:last/commit" with flags: {@code two 1:7/5 left} is one of two
 *       voters in epoch 1, log to 7, commit known to 5, with a departure recorded. {@code 2n6} is
 *       epoch 2 begun by north after index 6, {@code 2s6} by south.
 *   <li>Cluster: {@code never met}, {@code gone} (met, now absent), {@code there}; with {@code
 *       known}: the peer was known not to be ahead.
 * </ul>
 */
public final class Sketch {
    public static final NodeName NORTH = new NodeName("north");
    public static final NodeName SOUTH = new NodeName("south");
    public static final BootId NORTH_BOOT = new BootId("north-boot-2");
    public static final BootId SOUTH_BOOT = new BootId("south-boot-2");
    private static final BootId EARLIER = new BootId("earlier-boot");
    private static final Instant TIME = Instant.parse("2026-11-15T03:00:00Z");
    private static final long MEMBER = 11;

    private Sketch() {}

    public static Situation situation(
            String shape, String mine, String peer, String cluster, String proofs, String intent) {
        NodeFacts north = facts(mine, NORTH, NORTH_BOOT, SOUTH, SOUTH_BOOT);
        PeerView view =
                peer.equals("unheard")
                        ? PeerView.unheard()
                        : peer.equals("greeted")
                                ? new PeerView.BootKnown(SOUTH_BOOT)
                                : new PeerView.FactsKnown(
                                        facts(peer, SOUTH, SOUTH_BOOT, NORTH, NORTH_BOOT));
        List<PeerProof> evidence = new ArrayList<>();
        for (String one : words(proofs, ", ")) {
            if (!one.equals("-")) {
                evidence.add(proof(one, north, view));
            }
        }
        Policy policy =
                switch (shape) {
                    case "pair" -> Policy.PAIR;
                    case "pair, BMC start" -> new Policy(Shape.PAIR, true, 5);
                    case "single" -> new Policy(Shape.SINGLE, false, 5);
                    case "arbiter" -> new Policy(Shape.MAJORITY, false, 5);
                    default -> throw new IllegalArgumentException("shape " + shape);
                };
        return new Situation(north, view, evidence, membership(cluster), policy, intent(intent));
    }

    private static PeerMembership membership(String cluster) {
        return new PeerMembership(
                SOUTH,
                !cluster.startsWith("never met"),
                cluster.startsWith("there"),
                cluster.endsWith("known"));
    }

    /** What the deciding node says of itself. */
    public static NodeFacts north(String facts) {
        return facts(facts, NORTH, NORTH_BOOT, SOUTH, SOUTH_BOOT);
    }

    /** What the peer says of itself. */
    public static NodeFacts south(String facts) {
        return facts(facts, SOUTH, SOUTH_BOOT, NORTH, NORTH_BOOT);
    }

    public static NodeFacts facts(
            String text, NodeName node, BootId boot, NodeName other, BootId otherBoot) {
        List<String> words = words(text, " ");
        Replica replica = replica(words);
        Abdication abdication =
                words.contains("left")
                        ? new Abdication.Departure(1)
                        : words.contains("stood-down")
                                ? new Abdication.StandDown(1)
                                : Abdication.none();
        Claim claim =
                words.contains("claim") && replica instanceof Replica.Intact log
                        ? new Claim.TakeOver(log.lineage().current())
                        : Claim.none();
        Offer offer =
                words.contains("invites")
                        ? new Offer.JoinToken(other, otherBoot, MEMBER + 1)
                        : words.contains("invites-again")
                                ? new Offer.JoinToken(other, otherBoot, MEMBER)
                                : words.contains("invited-earlier")
                                        ? new Offer.JoinToken(other, EARLIER, MEMBER + 1)
                                        : words.contains("leaves-founding")
                                                ? new Offer.Founding(false)
                                                : words.contains("leaves-founding-marked")
                                                        ? new Offer.Founding(true)
                                                        : Offer.none();
        EtcdState server =
                words.contains("leading")
                        ? EtcdState.LEADING
                        : words.contains("following")
                                ? EtcdState.FOLLOWING
                                : words.contains("leaderless")
                                        ? EtcdState.LEADERLESS
                                        : words.contains("hung")
                                                ? EtcdState.HUNG
                                                : EtcdState.STOPPED;
        return new NodeFacts(
                node,
                boot,
                replica,
                server,
                abdication,
                claim,
                words.contains("releases") ? 1 : 0,
                offer);
    }

    private static Replica replica(List<String> words) {
        String kind = words.getFirst();
        if (kind.equals("none")) {
            return new Replica.Missing();
        }
        if (kind.equals("damaged")) {
            return new Replica.Damaged("checksum of record 12");
        }
        MemberRole role =
                switch (kind) {
                    case "two", "unconfirmed" -> MemberRole.ONE_OF_TWO;
                    case "sole" -> MemberRole.SOLE;
                    case "three" -> MemberRole.ONE_OF_MANY;
                    case "learner" -> MemberRole.LEARNER;
                    case "removed" -> MemberRole.REMOVED;
                    default -> throw new IllegalArgumentException("replica " + words);
                };
        boolean complete = List.of("two", "sole", "three").contains(kind);
        List<String> at = words(words.get(1), "[:/]");
        long last = Long.parseLong(at.get(1));
        long commit = at.size() > 2 ? Long.parseLong(at.get(2)) : last;
        return new Replica.Intact(lineage(at.getFirst()), 3, last, commit, role, complete, MEMBER);
    }

    /** "1", "2n6", "x" for the first epoch of an unrelated cluster. */
    private static Lineage lineage(String text) {
        Lineage first = Lineage.installed(text.equals("x") ? "other" : "tandem", NORTH, EARLIER);
        if (text.length() < 3) {
            return first;
        }
        long fork = Long.parseLong(text.substring(2));
        return text.charAt(1) == 'n'
                ? first.takenOver(NORTH, EARLIER, fork)
                : first.takenOver(SOUTH, EARLIER, fork);
    }

    private static PeerProof proof(String text, NodeFacts mine, PeerView view) {
        Incident incident = Incident.of(mine, view);
        Incident other = new Incident(EARLIER, "unheard", 1);
        return switch (text) {
            case "fenced" -> fenced(SOUTH, SOUTH_BOOT, PowerReading.OFF);
            case "fence timed out" -> fenced(SOUTH, SOUTH_BOOT, PowerReading.UNKNOWN);
            case "fence reads On" -> fenced(SOUTH, SOUTH_BOOT, PowerReading.ON);
            case "fenced before its boot" -> fenced(SOUTH, EARLIER, PowerReading.OFF);
            case "another node fenced" ->
                    fenced(new NodeName("east"), SOUTH_BOOT, PowerReading.OFF);
            case "abdicated" ->
                    new PeerProof.Yielded(
                            view instanceof PeerView.FactsKnown(NodeFacts peer)
                                            && !(peer.abdication() instanceof Abdication.None)
                                    ? peer.abdication()
                                    : new Abdication.StandDown(1));
            case "person: off" -> word(Statement.PEER_IS_OFF, incident, PowerReading.UNKNOWN);
            case "person: off; BMC reads On" ->
                    word(Statement.PEER_IS_OFF, incident, PowerReading.ON);
            case "person: off (earlier incident)" ->
                    word(Statement.PEER_IS_OFF_LOSS_ACCEPTED, other, PowerReading.UNKNOWN);
            case "person: off and loss accepted" ->
                    word(Statement.PEER_IS_OFF_LOSS_ACCEPTED, incident, PowerReading.UNKNOWN);
            case "person: loss accepted; BMC reads On" ->
                    word(Statement.PEER_IS_OFF_LOSS_ACCEPTED, incident, PowerReading.ON);
            case "person: keep south's history" ->
                    word(Statement.KEEP_PEERS_HISTORY, incident, PowerReading.ON);
            case "held off" -> new PeerProof.HeldOff(SOUTH, PowerReading.OFF, TIME);
            case "BMC unreadable" -> new PeerProof.HeldOff(SOUTH, PowerReading.UNKNOWN, TIME);
            default -> throw new IllegalArgumentException("proof " + text);
        };
    }

    private static PeerProof fenced(NodeName target, BootId boot, PowerReading observed) {
        return new PeerProof.Fenced(target, boot, "redfish", observed, TIME);
    }

    private static PeerProof word(Statement statement, Incident incident, PowerReading bmc) {
        return new PeerProof.Stated(statement, SOUTH, incident, bmc, "anna", TIME);
    }

    private static Intent intent(String text) {
        return switch (text) {
            case "start" -> new Intent.Start();
            case "recover" -> new Intent.Recover();
            case "died" -> new Intent.ServerDied(1);
            case "died 5 times" -> new Intent.ServerDied(5);
            case "hung" -> new Intent.ServerHung();
            case "ports cut" -> new Intent.LeaderLost();
            case "restart in place" -> new Intent.RestartInPlace(NORTH_BOOT);
            case "restart in place (earlier boot)" -> new Intent.RestartInPlace(EARLIER);
            case "install" -> new Intent.Install(true);
            case "install (closed)" -> new Intent.Install(false);
            case "leave" -> new Intent.Leave(false);
            case "leave, time is up" -> new Intent.Leave(true);
            default -> throw new IllegalArgumentException("intent " + text);
        };
    }

    /** The decision in the words of the table. */
    public static String name(Decision decision) {
        return switch (decision) {
            case Decision.StartAsVoter() -> "start as voter";
            case Decision.StartAsSoleVoter(Lineage lineage, Decision.Alone how) ->
                    switch (how) {
                        case CONTINUE -> "go on alone";
                        case TAKE_OVER -> "take over, epoch " + lineage.current().number();
                        case FINISH_TAKE_OVER -> "finish take-over";
                    };
            case Decision.Bootstrap() -> "bootstrap";
            case Decision.JoinAsLearner(Offer.JoinToken _, Decision.DataStep data) ->
                    switch (data) {
                        case NOTHING_THERE -> "join";
                        case SET_ASIDE -> "set aside, join";
                        case KEEP -> "join with own data";
                    };
            case Decision.RestartInPlace(boolean kill) ->
                    kill ? "kill, restart in place" : "restart in place";
            case Decision.StandDown(Decision.StandDownReason reason) ->
                    "stand down: " + words(reason);
            case Decision.HandLeadershipOver() -> "hand leadership over";
            case Decision.Depart() -> "depart";
            case Decision.Stop(Decision.StopReason reason) -> "stop: " + words(reason);
            case Decision.Wait(WaitFor what) -> "wait: " + words(what);
            case Decision.Refuse(Refusal refusal) -> "refuse: " + words(refusal);
        };
    }

    private static List<String> words(String text, String separator) {
        return Arrays.asList(text.split(separator, -1));
    }

    /** Where the name that is stored is an older word than the glossary's, the glossary's. */
    public static String words(Enum<?> constant) {
        if (constant == Refusal.YIELDED) {
            return "abdicated";
        }
        if (constant == Decision.StopReason.NO_HEIR) {
            return "peer cannot continue";
        }
        return constant.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
}
