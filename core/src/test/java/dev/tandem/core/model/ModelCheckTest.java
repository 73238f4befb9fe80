package dev.tandem.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The product's decisions against everything that can go wrong. {@code -Dmodel.minutes=30} explores
 * for so long instead of to a number of states.
 */
class ModelCheckTest {
    private static final int THREADS = 2;
    private static final int STATES = 1_500_000;
    private static final int STATES_OF_AGENTS = 500_000;
    private static final int STATES_OF_A_LONG_RUN = 40_000_000;
    private static final long MINUTES = Long.getLong("model.minutes", 0);
    private static final Duration LONGEST = Duration.ofMinutes(MINUTES > 0 ? MINUTES : 15);
    private static final Path REPORT = Path.of("target", "model-check.json");

    /** Everything may go wrong, each kind of it so often. Nobody lies. */
    private static final Bounds EVERYTHING =
            Bounds.of(
                            2,
                            Fault.POWER_CUT,
                            2,
                            Fault.FENCE,
                            2,
                            Fault.LINK_CUT,
                            1,
                            Fault.PORTS_CUT,
                            1,
                            Fault.KILL,
                            1,
                            Fault.DISK,
                            1,
                            Fault.STOP,
                            2,
                            Fault.RESTART,
                            1,
                            Fault.STATEMENT,
                            1,
                            Fault.BMC_BREAKS,
                            1)
                    .startingAlone();

    /** What goes wrong around fencing and in the agents themselves, one lie of a BMC included. */
    private static final Bounds AGENTS =
            Bounds.of(
                    0,
                    Fault.POWER_CUT,
                    1,
                    Fault.LINK_CUT,
                    2,
                    Fault.FENCE,
                    1,
                    Fault.STOCK_FENCE,
                    1,
                    Fault.LATE_ANSWER,
                    1,
                    Fault.AGENT_RESTART,
                    1,
                    Fault.WRONG_MACHINE,
                    1,
                    Fault.REFUSED,
                    1,
                    Fault.BMC_LIES,
                    1);

    private static final Map<String, String> FIGURES = new TreeMap<>();
    private static final List<String> KILLED = new ArrayList<>();

    @AfterAll
    static void report() throws IOException {
        FIGURES.put("mutantsKilled", "[\n    \"" + String.join("\",\n    \"", KILLED) + "\"\n  ]");
        FIGURES.put("mutants", String.valueOf(Mutants.all().size()));
        FIGURES.put("laws", "[\n    \"" + String.join("\",\n    \"", Laws.ALL) + "\"\n  ]");
        StringBuilder json = new StringBuilder("{\n");
        FIGURES.forEach((name, value) ->
                json.append(json.length() > 2 ? ",\n" : "")
                        .append("  \"")
                        .append(name)
                        .append("\": ")
                        .append(value));
        Files.createDirectories(REPORT.getParent());
        Files.writeString(REPORT, json.append("\n}\n"));
    }

    @Test
    void aMillionStatesHoldEveryLaw() {
        Explorer.Result result =
                new Explorer(
                                Judgement.PRODUCT,
                                EVERYTHING,
                                Arrays.stream(Scene.values())
                                        .map(scene -> scene.world(EVERYTHING))
                                        .toList(),
                                MINUTES > 0 ? STATES_OF_A_LONG_RUN : STATES,
                                LONGEST,
                                THREADS,
                                50)
                        .explore();
        double seconds = Math.max(0.001, result.time().toMillis() / 1000.0);
        FIGURES.put("states", String.valueOf(result.states()));
        FIGURES.put("depth", String.valueOf(result.depth()));
        FIGURES.put("transitions", String.valueOf(result.transitions()));
        FIGURES.put("seconds", String.valueOf(seconds));
        FIGURES.put(
                "transitionsPerSecond", String.valueOf(Math.round(result.transitions() / seconds)));
        FIGURES.put("progressChecks", String.valueOf(result.progressChecks()));
        FIGURES.put("threads", String.valueOf(THREADS));
        holds(result, Judgement.PRODUCT, EVERYTHING);
        assertThat(result.states()).isGreaterThanOrEqualTo(MINUTES > 0 ? 1 : 1_000_000);
    }

    @Test
    void halfAMillionStatesAroundTheAgentsHoldEveryLaw() {
        Explorer.Result result =
                new Explorer(
                                Judgement.PRODUCT,
                                AGENTS,
                                List.of(
                                        Scene.HEALTHY.world(AGENTS),
                                        Scene.NORTH_ALONE.world(AGENTS),
                                        Scene.SOUTH_BACK.world(AGENTS)),
                                MINUTES > 0 ? STATES_OF_A_LONG_RUN : STATES_OF_AGENTS,
                                LONGEST,
                                THREADS,
                                50)
                        .explore();
        FIGURES.put("statesAroundAgents", String.valueOf(result.states()));
        FIGURES.put("depthAroundAgents", String.valueOf(result.depth()));
        FIGURES.put("secondsAroundAgents", String.valueOf(result.time().toMillis() / 1000.0));
        holds(result, Judgement.PRODUCT, AGENTS);
    }

    /** Few faults, but every interleaving of them to the end. */
    static Stream<Focus> focuses() {
        return Stream.of(
                new Focus(
                        "both stop and start in every order",
                        Scene.BOTH_LEAVING,
                        Bounds.of(0, Fault.STOP, 0)),
                new Focus("etcd's ports are cut", Scene.HEALTHY, Bounds.of(0, Fault.PORTS_CUT, 1)),
                new Focus(
                        "both lost power and return", Scene.BOTH_OFF, Bounds.of(1, Fault.FENCE, 0)),
                new Focus(
                        "a learner joins while writes go on",
                        Scene.SOUTH_LEARNS,
                        Bounds.of(1, Fault.FENCE, 0)),
                new Focus("etcd is killed", Scene.HEALTHY, Bounds.of(1, Fault.KILL, 1)),
                new Focus(
                        "an agent restarts while a fence is under way",
                        Scene.HEALTHY,
                        Bounds.of(0, Fault.LINK_CUT, 1, Fault.FENCE, 1, Fault.AGENT_RESTART, 1)),
                new Focus(
                        "the second level fences while an agent restarts",
                        Scene.HEALTHY,
                        Bounds.of(
                                0,
                                Fault.LINK_CUT,
                                1,
                                Fault.STOCK_FENCE,
                                1,
                                Fault.AGENT_RESTART,
                                1)),
                new Focus(
                        "a fence is answered late",
                        Scene.HEALTHY,
                        Bounds.of(0, Fault.POWER_CUT, 1, Fault.FENCE, 1, Fault.LATE_ANSWER, 1)),
                new Focus(
                        "a false Off, and a second split",
                        Scene.HEALTHY,
                        Bounds.of(0, Fault.LINK_CUT, 2, Fault.FENCE, 1, Fault.BMC_LIES, 1)),
                new Focus(
                        "a false Off for the second level, and a second split",
                        Scene.HEALTHY,
                        Bounds.of(0, Fault.LINK_CUT, 2, Fault.STOCK_FENCE, 1, Fault.BMC_LIES, 1)),
                new Focus(
                        "a false statement, and a second split",
                        Scene.HEALTHY,
                        Bounds.of(
                                0,
                                Fault.LINK_CUT,
                                2,
                                Fault.FALSE_STATEMENT,
                                1,
                                Fault.BMC_BREAKS,
                                1)),
                new Focus(
                        "a BMC answers for another machine",
                        Scene.HEALTHY,
                        Bounds.of(0, Fault.LINK_CUT, 1, Fault.FENCE, 1, Fault.WRONG_MACHINE, 1)),
                new Focus(
                        "an agent is refused by its own etcd",
                        Scene.HEALTHY,
                        Bounds.of(0, Fault.LINK_CUT, 1, Fault.FENCE, 1, Fault.REFUSED, 1)));
    }

    record Focus(String name, Scene scene, Bounds bounds) {
        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("focuses")
    void fewFaultsAreFollowedToTheEnd(Focus focus) {
        Explorer.Result result =
                new Explorer(
                                Judgement.PRODUCT,
                                focus.bounds(),
                                List.of(focus.scene().world(focus.bounds())),
                                5_000_000,
                                LONGEST,
                                THREADS,
                                10)
                        .explore();
        FIGURES.put("exhausted: " + focus, String.valueOf(result.states()));
        holds(result, Judgement.PRODUCT, focus.bounds());
        assertThat(result.exhausted()).as("all states were reached").isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {4711, 20261115, 3, 271828, 314159})
    void randomWalksBeyondTheBoundHoldEveryLaw(long seed) {
        Bounds far =
                Bounds.of(
                                4,
                                Fault.POWER_CUT,
                                3,
                                Fault.FENCE,
                                3,
                                Fault.LINK_CUT,
                                3,
                                Fault.PORTS_CUT,
                                2,
                                Fault.KILL,
                                3,
                                Fault.DISK,
                                1,
                                Fault.STOP,
                                3,
                                Fault.RESTART,
                                2,
                                Fault.STATEMENT,
                                1,
                                Fault.BMC_BREAKS,
                                1,
                                Fault.AGENT_RESTART,
                                3,
                                Fault.LATE_ANSWER,
                                2,
                                Fault.STOCK_FENCE,
                                3,
                                Fault.WRONG_MACHINE,
                                1,
                                Fault.REFUSED,
                                1,
                                Fault.BMC_LIES,
                                1,
                                Fault.FALSE_STATEMENT,
                                1)
                        .startingAlone();
        for (long walk = 0; walk < 400; walk++) {
            Explorer.Violation violation = Walks.walk(Judgement.PRODUCT, far, seed + walk);
            assertThat(violation)
                    .as(() ->
                            "a walk from seed "
                                    + seed
                                    + " on: "
                                    + story(Judgement.PRODUCT, far, violation))
                    .isNull();
        }
        FIGURES.merge(
                "seeds", "[" + seed + "]", (all, one) -> all.replace("]", ", ") + one.substring(1));
        FIGURES.put("walksPerSeed", "400");
    }

    @Test
    void oneFalseStatementAloneMakesNoSecondHistory() {
        Bounds bounds =
                Bounds.of(
                        1,
                        Fault.FALSE_STATEMENT,
                        1,
                        Fault.LINK_CUT,
                        1,
                        Fault.FENCE,
                        1,
                        Fault.POWER_CUT,
                        1);
        Explorer.Result result =
                new Explorer(
                                Judgement.PRODUCT,
                                bounds,
                                List.of(
                                        Scene.HEALTHY.world(bounds),
                                        Scene.NORTH_ALONE.world(bounds),
                                        Scene.SOUTH_LEFT.world(bounds)),
                                200_000,
                                LONGEST,
                                THREADS,
                                0)
                        .explore();
        holds(result, Judgement.PRODUCT, bounds);
    }

    static Stream<Mutants.Mutant> mutants() {
        return Mutants.all().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    void everyFaultOfJudgementIsFound(Mutants.Mutant mutant) {
        List<World> starts = List.of(mutant.scene().world(mutant.bounds()));
        Explorer.Result result =
                new Explorer(
                                mutant.judgement(),
                                mutant.bounds(),
                                starts,
                                1_000_000,
                                LONGEST,
                                THREADS,
                                5)
                        .explore();
        assertThat(result.violation()).as("the checker does not notice that " + mutant).isNotNull();
        // The same search with the product's judgement finds nothing, so it was the mutant's fault.
        Explorer.Result product =
                new Explorer(
                                Judgement.PRODUCT,
                                mutant.bounds(),
                                starts,
                                (int) Math.min(50_000, result.states() + 1_000),
                                LONGEST,
                                THREADS,
                                5)
                        .explore();
        holds(product, Judgement.PRODUCT, mutant.bounds());
        KILLED.add(mutant.name());
    }

    static Stream<Assumption> assumptions() {
        return Assumption.all().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("assumptions")
    void everyAssumptionIsNeeded(Assumption assumption) {
        assertThat(assumption.counterexample().law()).isNotEmpty();
    }

    private static void holds(Explorer.Result result, Judgement judgement, Bounds bounds) {
        Explorer.Violation violation = result.violation();
        assertThat(violation).as(() -> story(judgement, bounds, violation)).isNull();
    }

    private static String story(
            Judgement judgement,
            Bounds bounds,
            Explorer.@org.jspecify.annotations.Nullable Violation violation) {
        return violation == null
                ? ""
                : violation.law()
                        + "\n  - "
                        + String.join(
                                "\n  - ",
                                Story.tell(
                                        new Model(judgement, bounds),
                                        violation.start(),
                                        violation.steps()));
    }
}
