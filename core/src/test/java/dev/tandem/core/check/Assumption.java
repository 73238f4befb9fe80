package dev.tandem.core.check;

import java.time.Duration;
import java.util.List;

/** Where a guarantee cannot hold. The checker finds the smallest case; the page tells it. */
record Assumption(String id, String title, String otherwise, String still, Scene scene) {

    public static List<Assumption> all() {
        return List.of(
                new Assumption(
                        "AS1",
                        "A BMC that reads Off is right.",
                        "A BMC that says Off while its host runs on, in the same moment in which"
                                + " the network is cut, lets both nodes go on.",
                        "Tandem reads the state back and checks each BMC against its host all the"
                                + " time; both histories are kept and reported.",
                        Scene.of(
                                        "AS1",
                                        Beginning.HEALTHY,
                                        1,
                                        Fault.RING_CUT,
                                        1,
                                        Fault.FENCE,
                                        2,
                                        Fault.BMC_LIES,
                                        2)
                                .plain()),
                new Assumption(
                        "AS2",
                        "A person who states that the peer is off has seen it, if its BMC does not"
                                + " answer.",
                        "While the nodes have not met since the boot, or cannot meet, and the BMC"
                                + " is silent, nobody can contradict a false statement.",
                        "With a BMC that answers, or a network that works, the same statement is"
                                + " refused. Nothing is erased.",
                        Scene.of(
                                        "AS2",
                                        Beginning.NORTH_ALONE,
                                        1,
                                        Fault.FALSE_STATEMENT,
                                        1,
                                        Fault.BMC_BREAKS,
                                        1,
                                        Fault.RING_CUT,
                                        1)
                                .plain()),
                new Assumption(
                        "AS3",
                        "One complete replica is left.",
                        "When the disk of the node that served last is lost, the other node cannot"
                                + " know what is missing and does not start automatically.",
                        "It names the statement it needs; what it lost is then stated by a person,"
                                + " and nothing is erased.",
                        Scene.of(
                                        "AS3",
                                        Beginning.NORTH_ALONE,
                                        1,
                                        Fault.POWER_CUT,
                                        1,
                                        Fault.DISK_LOST,
                                        1)
                                .plain()),
                new Assumption(
                        "AS4",
                        "A node whose writes a person gave up is not started alone.",
                        "It concludes that it served last, and cannot know that a person moved its"
                                + " peer on.",
                        "When the two meet they see the fork and stop; both histories are kept and"
                                + " reported.",
                        Scene.of(
                                        "AS4",
                                        Beginning.NORTH_ALONE_OFF,
                                        1,
                                        Fault.STATEMENT,
                                        2,
                                        Fault.POWER_CUT,
                                        1)
                                .plain()),
                new Assumption(
                        "AS5",
                        "A disk keeps what it said it had stored.",
                        "A node whose log goes back to an older copy, while its peer is off, does"
                            + " not know of writes that its peer had not yet told it as committed.",
                        "What the peer had told is kept apart from the log: a log that ends before"
                                + " it is not taken over, and a peer that is there gives it back.",
                        Scene.of(
                                        "AS5",
                                        Beginning.HEALTHY,
                                        1,
                                        Fault.POWER_CUT,
                                        2,
                                        Fault.FENCE,
                                        1,
                                        Fault.ROLLED_BACK,
                                        1)
                                .plain()));
    }

    /** One of the shortest, and always the same one: a single thread searches. */
    private Explorer.Violation counterexample() {
        Explorer.Violation violation =
                new Explorer(
                                scene,
                                scene.nodes(),
                                new Explorer.Limits(
                                        2_000_000,
                                        // States are the bound; a busy machine is no verdict.
                                        Duration.ofHours(1),
                                        1,
                                        id.equals("AS3") ? 1 : 0))
                        .explore()
                        .violation();
        if (violation == null) {
            throw new IllegalStateException(id + " is not needed in these bounds");
        }
        return violation;
    }

    /** How it begins. */
    public String beginning() {
        return switch (scene.beginning()) {
            case HEALTHY -> "Both nodes vote and serve.";
            case NORTH_ALONE -> "South lost power; north fenced it and serves alone.";
            case NORTH_ALONE_OFF ->
                    "South lost power, north fenced it and served alone, then north lost power"
                            + " too.";
            default -> throw new IllegalStateException("nobody told how " + scene + " begins");
        };
    }

    public List<String> story() {
        MemoizedSupervisors nodes = scene.nodes();
        return Story.tell(scene, nodes, counterexample().steps());
    }

    public String harm() {
        return counterexample().law();
    }

    @Override
    public String toString() {
        return id + ". " + title;
    }
}
