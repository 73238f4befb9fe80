package dev.tandem.drill.scenario;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.decision.Decision;
import dev.tandem.lab.pair.Pair;
import dev.tandem.lab.spec.NetworkFault;
import java.util.List;

/**
 * A node that is a learner and stays one: the port between the servers is cut before it can catch
 * up, which with a small database would take no time.
 */
final class HeldLearner {
    private static final String NETWORK = "cluster0";

    private final ScenarioContext drill;

    private HeldLearner(ScenarioContext drill) {
        this.drill = drill;
    }

    /** Cuts the node's power, so that it comes back as a learner, and keeps it one. */
    static HeldLearner begin(ScenarioContext drill, String learner) {
        String leader = Pair.peerOf(learner);
        long cut = drill.step("cut the power of %s, so that it has to learn".formatted(learner));
        drill.node(learner).cutPower();
        drill.awaitAlone(leader);
        drill.lab()
                .inject(
                        new NetworkFault.Cut(
                                NETWORK,
                                NetworkFault.ANYBODY,
                                NetworkFault.ANYBODY,
                                true,
                                List.of(NetworkFault.Port.parse("tcp/2380"))));
        drill.await(
                learner + " was offered a place and has started etcd",
                ScenarioContext.REDUNDANCY,
                () -> joined(drill, learner, cut) && drill.runsEtcd(learner));
        drill.step(learner + " is a learner and cannot catch up");
        return new HeldLearner(drill);
    }

    private static boolean joined(ScenarioContext drill, String learner, long since) {
        return drill.journal(learner, JournalEvent.Decided.class, since).stream()
                .anyMatch(made -> made.decision() instanceof Decision.JoinAsLearner);
    }

    /** Lets the servers talk to each other. */
    void goOn() {
        drill.step("the port between the servers is open again");
        drill.lab().heal(NETWORK);
    }
}
