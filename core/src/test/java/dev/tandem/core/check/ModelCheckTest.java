package dev.tandem.core.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Refusal;
import dev.tandem.core.supervise.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The product's supervisors against everything that can go wrong. {@link Checker} does the same for
 * as long as is wanted.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ModelCheckTest {
    private static final int THREADS = 2;
    private static final Duration LONGEST = Duration.ofMinutes(30);
    private static final int STATES_OF_A_WIDE_SCENE = 900_000;
    private static final Path REPORT = Path.of("target", "model-check.json");

    private static final Map<String, String> FIGURES = new TreeMap<>();
    private static final List<String> KILLED = Collections.synchronizedList(new ArrayList<>());
    private static final Set<Class<?>> EVENTS = new HashSet<>();
    private static final Set<Refusal> REFUSALS = EnumSet.noneOf(Refusal.class);
    private static final AtomicLong STATES = new AtomicLong();
    private static final AtomicLong MILLIS = new AtomicLong();

    @AfterAll
    static void report() throws IOException {
        FIGURES.put("states", STATES.toString());
        FIGURES.put("seconds", String.valueOf(MILLIS.get() / 1000.0));
        FIGURES.put("threads", String.valueOf(THREADS));
        FIGURES.put("mutants", String.valueOf(Mutant.all().size()));
        FIGURES.put("mutantsKilled", "[\n    \"" + String.join("\",\n    \"", KILLED) + "\"\n  ]");
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

    static Stream<Scene> exhausted() {
        return Scenes.EXHAUSTED.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("exhausted")
    @Order(1)
    void fewFaultsAreFollowedToTheEnd(Scene scene) {
        Explorer.Result result = holds(scene, 4_000_000, 1);
        assertThat(result.exhausted()).as("all states were reached").isTrue();
    }

    static Stream<Scene> focused() {
        return Scenes.FOCUSED.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("focused")
    @Order(2)
    void moreFaultsHoldEveryLaw(Scene scene) {
        holds(scene, Mutant.limits(scene));
    }

    /** In the others the sound product is not searched as far as a mutant would be. */
    @Test
    @Order(2)
    void mutantsAreLookedForWhereTheSoundProductWasTriedAsFar() {
        assertThat(Mutant.all())
                .extracting(Mutant::scene)
                .isSubsetOf(Stream.concat(exhausted(), focused()).map(Scene::name).toList());
    }

    static Stream<Scene> wide() {
        return Scenes.WIDE.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wide")
    @Order(3)
    void everythingAtATimeHoldsEveryLaw(Scene scene) {
        holds(scene, STATES_OF_A_WIDE_SCENE, 10);
    }

    @Test
    @Order(4)
    void threeMillionStatesWereTried() {
        assertThat(STATES.get()).isGreaterThanOrEqualTo(3_000_000);
    }

    /** As docs/testing.md says. */
    @Test
    @Order(4)
    void whatTheModelNeverProducesIsKnown() {
        assertThat(
                        Stream.of(Event.class.getPermittedSubclasses())
                                .filter(kind -> !EVENTS.contains(kind))
                                .map(Class::getSimpleName))
                .containsExactlyInAnyOrder(
                        "FencingSeen", "FenceExpected", "LearnerUnheard", "InstallationClosed");
        assertThat(EnumSet.complementOf(EnumSet.copyOf(REFUSALS)))
                .containsExactlyInAnyOrder(
                        Refusal.NOT_INSTALLING,
                        Refusal.NO_REPLICA_ALONE,
                        Refusal.LISTS_ANOTHER_VOTER,
                        Refusal.NEEDS_MAJORITY,
                        Refusal.LOG_CHANGES_VOTERS);
    }

    @ParameterizedTest
    @ValueSource(longs = {4711, 20261115, 3, 271828, 314159})
    @Order(5)
    void randomWalksBeyondTheBoundHoldEveryLaw(long seed) {
        for (Scene scene : Scenes.WIDE) {
            MemoizedSupervisors nodes = scene.nodes();
            for (long walk = 0; walk < 50; walk++) {
                Explorer.Violation violation = Walks.walk(scene, nodes, seed + walk);
                assertThat(violation)
                        .as(() ->
                                "a walk from seed "
                                        + seed
                                        + " on: "
                                        + story(scene, nodes, violation))
                        .isNull();
            }
        }
    }

    static Stream<Mutant> mutants() {
        return Mutant.all().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mutants")
    @Order(6)
    void everyFaultOfJudgementIsFound(Mutant mutant)
            throws ReflectiveOperationException, IOException {
        assertThat(mutant.law()).as("the checker does not notice that " + mutant).isNotEmpty();
        KILLED.add(mutant.name());
    }

    static Stream<Assumption> assumptions() {
        return Assumption.all().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("assumptions")
    @Order(7)
    void everyAssumptionIsNeeded(Assumption assumption) {
        assertThat(assumption.harm()).isNotEmpty();
    }

    private static Explorer.Result holds(Scene scene, int states, int progressEvery) {
        return holds(scene, new Explorer.Limits(states, LONGEST, THREADS, progressEvery));
    }

    private static Explorer.Result holds(Scene scene, Explorer.Limits limits) {
        MemoizedSupervisors nodes = scene.nodes();
        Explorer.Result result = new Explorer(scene, nodes, limits).explore();
        FIGURES.put(
                "scene: " + scene,
                "{\"states\": %d, \"depth\": %d, \"exhausted\": %s, \"seconds\": %s}"
                        .formatted(
                                result.states(),
                                result.depth(),
                                result.exhausted(),
                                result.time().toMillis() / 1000.0));
        nodes.addSeen(EVENTS, REFUSALS);
        STATES.addAndGet(result.states());
        MILLIS.addAndGet(result.time().toMillis());
        Explorer.Violation violation = result.violation();
        assertThat(violation).as(() -> story(scene, nodes, violation)).isNull();
        assertThat(result.exhausted() || result.states() >= limits.mostStates())
                .as("as many states were looked at as there are, or as were to be")
                .isTrue();
        return result;
    }

    private static String story(
            Scene scene,
            MemoizedSupervisors nodes,
            Explorer.@org.jspecify.annotations.Nullable Violation violation) {
        return violation == null
                ? ""
                : violation.law()
                        + "\n  - "
                        + String.join("\n  - ", Story.tell(scene, nodes, violation.steps()));
    }
}
