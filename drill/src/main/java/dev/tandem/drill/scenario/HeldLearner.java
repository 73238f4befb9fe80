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

    private final ScenarioContext stage;

    private HeldLearner(ScenarioContext stage) {
        this.stage = stage;
    }

    /** Cuts the node's power, so that it comes back as a learner, and keeps it one. */
    static HeldLearner begin(ScenarioContext stage, String learner) {
        String leader = Pair.peerOf(learner);
        long cut = stage.step("cut the power of %s, so that it has to learn".formatted(learner));
        stage.node(learner).cutPower();
        stage.awaitAlone(leader);
        stage.lab()
                .inject(
                        new NetworkFault.Cut(
                                NETWORK,
                                NetworkFault.ANYBODY,
                                NetworkFault.ANYBODY,
                                true,
                                List.of(NetworkFault.Port.parse("tcp/2380"))));
        stage.await(
                learner + " was invited and has started etcd",
                ScenarioContext.REDUNDANCY,
                () -> joined(stage, learner, cut) && stage.runsEtcd(learner));
        stage.step(learner + " is a learner and cannot catch up");
        return new HeldLearner(stage);
    }

    private static boolean joined(ScenarioContext stage, String learner, long since) {
        return stage.journal(learner, JournalEvent.Decided.class, since).stream()
                .anyMatch(made -> made.decision() instanceof Decision.JoinAsLearner);
    }

    /** Lets the servers talk to each other. */
    void goOn() {
        stage.step("the port between the servers is open again");
        stage.lab().heal(NETWORK);
    }
}
