package dev.tandem.core.supervise;

import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.decision.OwnLog;
import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.decision.Proofs;
import dev.tandem.core.decision.Situation;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.replica.Epoch;
import dev.tandem.core.replica.Replica;
import java.util.List;

/** What the journal is told of. Nothing is judged by it. */
public sealed interface Notice {
    record Serving(EtcdState server, Replica replica) implements Notice {}

    record EtcdExited(int inARow, int lately) implements Notice {}

    record EtcdStopped() implements Notice {}

    record EtcdHung(String words) implements Notice {}

    record ReplicaComplete(Replica replica) implements Notice {}

    /** The log ends before what the peer had told as committed. */
    record LogLacksEntries(long lastIndex, long peerCommit) implements Notice {}

    record MembershipChanged(boolean peerPresent, boolean quorate) implements Notice {}

    record PeerHeard(NodeFacts facts) implements Notice {}

    record Fenced(PeerProof.Fenced proof) implements Notice {}

    /** Of this node's own accord. */
    record FenceRequested(NodeName peer) implements Notice {}

    record FenceProvesNothing(
            String method, PowerReading observed, Proofs.Machine machine, String boot)
            implements Notice {}

    record OffNotBelieved(String method, Action.Disbelief reason) implements Notice {}

    record Stated(PeerProof.Stated statement) implements Notice {}

    record ProofsVoid(String how, List<PeerProof> proofs) implements Notice {
        public ProofsVoid {
            proofs = List.copyOf(proofs);
        }
    }

    record StartRequested() implements Notice {}

    record StopRequested() implements Notice {}

    record DepartureAsked(Abdication abdication) implements Notice {}

    record Decided(String sentence, Decision decision, Situation situation, OwnLog log)
            implements Notice {}

    record TakeOver(Phase phase, Epoch epoch) implements Notice {
        public enum Phase {
            STOPPING,
            FORCING,
            STARTED
        }
    }

    record LearnerRestarted() implements Notice {}

    record AnotherSeatRequested(long memberId) implements Notice {}

    record MembershipStep(Step step, String outcome) implements Notice {}

    record ActionFailed(String what, String why, String remedy) implements Notice {}

    record NotStored(String why) implements Notice {}

    record StoredAgain() implements Notice {}

    record LoneStart() implements Notice {}

    record Installed() implements Notice {}
}
