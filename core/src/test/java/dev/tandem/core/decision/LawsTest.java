package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.testing.Sketch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Laws over the whole small input space: both nodes decide alone, so they are tested as a pair. */
class LawsTest {
    private static final List<String> REPLICAS =
            List.of(
                    "none",
                    "damaged",
                    "two 1:7",
                    "two 1:7/5",
                    "two 1:9/6",
                    "unconfirmed 1:7",
                    "sole 1:9",
                    "learner 1:5",
                    "removed 1:8",
                    "two 2n6:8",
                    "two 2s6:8",
                    "sole 2n6:9",
                    "sole 2s6:9",
                    "two 2n7:7 claim",
                    "two 2s7:7 claim",
                    "sole x:4");
    private static final List<String> MARKS =
            List.of(
                    "",
                    " left",
                    " stood-down",
                    " releases",
                    " leading invites",
                    " leaderless",
                    " following");
    private static final List<String> CLUSTERS =
            List.of("never met", "gone", "gone known", "there", "there known");
    private static final List<String> PROOFS =
            List.of(
                    "-",
                    "fenced",
                    "fence timed out",
                    "fenced before its boot",
                    "abdicated",
                    "held off",
                    "person: off",
                    "person: off; BMC reads On",
                    "person: off (earlier incident)",
                    "person: off and loss accepted",
                    "person: keep south's history");
    private static final List<String> INTENTS =
            List.of(
                    "start",
                    "recover",
                    "died",
                    "died 5 times",
                    "hung",
                    "ports cut",
                    "restart in place",
                    "restart in place (earlier boot)",
                    "leave",
                    "leave, time is up",
                    "install",
                    "install (closed)");

    private static List<String> facts() {
        List<String> all = new ArrayList<>();
        for (String replica : REPLICAS) {
            for (String mark : MARKS) {
                all.add(replica + mark);
            }
        }
        return all;
    }

    @Test
    void everySituationGetsAnAnswerThatNamesItsNodes() {
        for (String mine : facts()) {
            for (String peer :
                    List.of(
                            "unheard",
                            "greeted",
                            "two 1:7",
                            "sole 2s6:9 leading invites",
                            "none")) {
                for (String cluster : CLUSTERS) {
                    for (String proof : PROOFS) {
                        for (String intent : INTENTS) {
                            Situation now =
                                    Sketch.situation("pair", mine, peer, cluster, proof, intent);
                            Decision decision = StartDecision.decide(now);
                            assertThat(decision.sentence(Sketch.NORTH, Sketch.SOUTH))
                                    .doesNotContain("{")
                                    .containsAnyOf("north", "south");
                            if (decision instanceof Decision.Refuse(Refusal refusal)) {
                                assertThat(
                                                refusal.remedy(
                                                        Sketch.NORTH,
                                                        Sketch.SOUTH,
                                                        Incident.of(now.mine(), now.peer())))
                                        .doesNotContain("{")
                                        .contains("tandem ");
                            }
                        }
                    }
                }
            }
        }
    }

    /**
     * I10: fed the same facts, the two never both lead, never both join, and never both wait for
     * each other.
     */
    @Test
    void twoNodesThatHearEachOtherReachComplementaryDecisions() {
        for (String north : facts()) {
            for (String south : facts()) {
                Decision first = meeting(north, south, false);
                Decision second = meeting(north, south, true);
                assertThat(
                                first instanceof Decision.StartAsSoleVoter
                                        && second instanceof Decision.StartAsSoleVoter)
                        .as("%s and %s both go on alone", north, south)
                        .isFalse();
                assertThat(
                                first instanceof Decision.JoinAsLearner
                                        && second instanceof Decision.JoinAsLearner)
                        .as("%s and %s both join", north, south)
                        .isFalse();
                boolean bothWait =
                        first instanceof Decision.Wait(WaitFor one)
                                && second instanceof Decision.Wait(WaitFor other)
                                && one == WaitFor.PEER_SERVES
                                && other == WaitFor.PEER_SERVES;
                // Two abdications at once are released when the nodes hear each other:
                // PeerConversation,
                // not the
                // start, settles that.
                boolean bothYield = marked(north) && marked(south);
                assertThat(bothWait && !bothYield)
                        .as("%s and %s wait for each other", north, south)
                        .isFalse();
            }
        }
    }

    private static boolean marked(String facts) {
        return facts.contains("left") || facts.contains("stood-down");
    }

    /** Both are present, and each holds the other's abdication if there is one. */
    private static Decision meeting(String north, String south, boolean fromSouth) {
        NodeFacts n =
                Sketch.facts(
                        north, Sketch.NORTH, Sketch.NORTH_BOOT, Sketch.SOUTH, Sketch.SOUTH_BOOT);
        NodeFacts s =
                Sketch.facts(
                        south, Sketch.SOUTH, Sketch.SOUTH_BOOT, Sketch.NORTH, Sketch.NORTH_BOOT);
        NodeFacts mine = fromSouth ? s : n;
        NodeFacts peer = fromSouth ? n : s;
        List<PeerProof> proofs =
                peer.abdication() instanceof Abdication.None
                        ? List.of()
                        : List.of(new PeerProof.Yielded(peer.abdication()));
        return StartDecision.decide(
                new Situation(
                        mine,
                        new PeerView.FactsKnown(peer),
                        proofs,
                        new PeerMembership(peer.node(), true, true, History.notAhead(mine, peer)),
                        Policy.PAIR,
                        new Intent.Start()));
    }

    @Test
    void historiesRelateTheSameWayFromBothSides() {
        for (String one : REPLICAS) {
            for (String two : REPLICAS) {
                if (Sketch.facts(
                                                one,
                                                Sketch.NORTH,
                                                Sketch.NORTH_BOOT,
                                                Sketch.SOUTH,
                                                Sketch.SOUTH_BOOT)
                                        .replica()
                                instanceof Replica.Intact mine
                        && Sketch.facts(
                                                two,
                                                Sketch.SOUTH,
                                                Sketch.SOUTH_BOOT,
                                                Sketch.NORTH,
                                                Sketch.NORTH_BOOT)
                                        .replica()
                                instanceof Replica.Intact peer) {
                    assertThat(mirrored(History.relate(mine, peer)))
                            .as("%s and %s", one, two)
                            .isEqualTo(History.relate(peer, mine));
                }
            }
        }
    }

    private static History.Relation mirrored(History.Relation relation) {
        return switch (relation) {
            case MINE_AHEAD -> History.Relation.PEER_AHEAD;
            case PEER_AHEAD -> History.Relation.MINE_AHEAD;
            case SAME, FORKED -> relation;
        };
    }

    /** TL43: clocks of two nodes are never compared, so no time changes a decision. */
    @Test
    void noClockChangesADecision() {
        for (String mine : facts()) {
            for (String proof : List.of("fenced", "held off", "person: off")) {
                Situation now =
                        Sketch.situation("pair", mine, "two 1:7", "gone known", proof, "recover");
                assertThat(StartDecision.decide(at(now, Instant.MIN)))
                        .isEqualTo(StartDecision.decide(at(now, Instant.MAX)));
            }
        }
    }

    private static Situation at(Situation now, Instant time) {
        List<PeerProof> moved =
                now.proofs().stream()
                        .<PeerProof>map(proof ->
                                switch (proof) {
                                    case PeerProof.Fenced f ->
                                            new PeerProof.Fenced(
                                                    f.target(),
                                                    f.peerBoot(),
                                                    f.method(),
                                                    f.observed(),
                                                    time);
                                    case PeerProof.HeldOff h ->
                                            new PeerProof.HeldOff(h.target(), h.observed(), time);
                                    case PeerProof.Stated s ->
                                            new PeerProof.Stated(
                                                    s.statement(),
                                                    s.about(),
                                                    s.incident(),
                                                    s.bmc(),
                                                    s.person(),
                                                    time);
                                    case PeerProof.Yielded y -> y;
                                })
                        .toList();
        return new Situation(
                now.mine(), now.peer(), moved, now.membership(), now.policy(), now.intent());
    }

    @Test
    void anEmptyClusterIsBegunOnlyByAnOpenInstallation() {
        for (String mine : facts()) {
            for (String cluster : CLUSTERS) {
                for (String proof : PROOFS) {
                    for (String intent : INTENTS) {
                        for (String shape : List.of("pair", "single", "arbiter")) {
                            for (String peer : List.of("unheard", "none leaves-founding")) {
                                Decision decision =
                                        StartDecision.decide(
                                                Sketch.situation(
                                                        shape, mine, peer, cluster, proof, intent));
                                if (decision instanceof Decision.Bootstrap) {
                                    assertThat(intent).isEqualTo("install");
                                    assertThat(mine).startsWith("none");
                                    assertThat(shape.equals("pair") && peer.equals("unheard"))
                                            .isFalse();
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test
    void aWaitThatIsOverdueNamesWhoOwesIt() {
        for (WaitFor wait : WaitFor.values()) {
            assertThat(wait.limit()).isPositive();
            assertThat(wait.owner()).isNotNull();
        }
    }
}
