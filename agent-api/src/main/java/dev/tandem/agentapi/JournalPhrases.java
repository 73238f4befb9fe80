package dev.tandem.agentapi;

import dev.tandem.core.decision.Intent;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Replica;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Values of the core in words, for a line of the journal. */
final class JournalPhrases {
    private static final int SHORT = 100;

    private JournalPhrases() {}

    /** {@code ONE_OF_TWO} as "one of two". */
    static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static String shortened(String text) {
        return text.length() <= SHORT ? text : text.substring(0, SHORT - 1) + "…";
    }

    static String replica(NodeFacts facts) {
        return switch (facts.replica()) {
            case Replica.Missing() -> "no replica, etcd " + name(facts.server());
            case Replica.Damaged(String finding) ->
                    "damaged replica (%s), etcd %s"
                            .formatted(shortened(finding), name(facts.server()));
            case Replica.Intact intact ->
                    "epoch %d, index %d (committed %d), %s, %s, etcd %s"
                            .formatted(
                                    intact.lineage().current().number(),
                                    intact.lastIndex(),
                                    intact.commitIndex(),
                                    name(intact.role()),
                                    intact.complete() ? "complete" : "incomplete",
                                    name(facts.server()));
        };
    }

    static List<String> reasons(Situation situation) {
        String peer =
                situation.peer() instanceof PeerView.FactsKnown(NodeFacts facts)
                        ? replica(facts)
                        : "not heard from since this node booted";
        String proofs =
                situation.proofs().stream()
                        .map(JournalPhrases::proof)
                        .collect(Collectors.joining(", "));
        return List.of(
                "trigger:       " + intent(situation.intent()),
                "this replica:  " + replica(situation.mine()),
                "peer:          "
                        + peer
                        + (situation.membership().peerPresent() ? ", present" : ", absent"),
                "proof:         " + (proofs.isEmpty() ? "none" : proofs));
    }

    private static String intent(Intent intent) {
        return switch (intent) {
            case Intent.Start() -> "Pacemaker wants etcd to run here";
            case Intent.Recover() -> "etcd cannot serve as it is";
            case Intent.LeaderLost() -> "both etcd servers run and find no leader";
            case Intent.ServerDied(int _) -> "etcd exited unexpectedly";
            case Intent.ServerHung() -> "etcd hangs";
            case Intent.RestartInPlace _ -> "a restart was asked for";
            case Intent.Install(boolean _) -> "the site is being installed";
            case Intent.Leave(boolean _) -> "Pacemaker stops etcd here";
        };
    }

    private static String proof(PeerProof proof) {
        return switch (proof) {
            case PeerProof.Fenced _ -> "its BMC read Off after a fence";
            case PeerProof.HeldOff _ -> "its BMC has read Off for long enough";
            case PeerProof.Stated _ -> "a person's statement";
            case PeerProof.Yielded _ -> "it has given up its right to take over";
        };
    }

    static String step(Step step) {
        return switch (step) {
            case Step.Nothing() -> "does nothing";
            case Step.AddLearner _ -> "adds the peer as a learner";
            case Step.OfferSeat _ -> "offers the peer its place in the member list";
            case Step.Promote _ -> "makes the peer a voter";
            case Step.Confirm _ ->
                    "confirms to the peer from which index on its replica is complete";
            case Step.MarkComplete _ -> "marks its own replica complete";
            case Step.DropLearner _ -> "removes the peer's learner from the member list";
            case Step.RemovePeer _ -> "removes the peer from the member list, as it asked";
        };
    }
}
