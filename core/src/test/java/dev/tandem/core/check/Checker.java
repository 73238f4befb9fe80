package dev.tandem.core.check;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Runs scenes from the command line, for as long and as far as is wanted: {@code Checker STATES
 * MINUTES PROGRESS SCENE...}, or {@code Checker mutants STATES MUTANT...}. A search keeps some 25
 * bytes of a state, and 80 more of those at its edge, which are most of them where much can happen:
 * a hundred million states of such a scene need up to 18 GB.
 */
public final class Checker {
    private Checker() {}

    public static void main(String[] arguments) throws ReflectiveOperationException, IOException {
        if (arguments[0].equals("mutants")) {
            mutants(Integer.parseInt(arguments[1]), List.of(arguments));
            return;
        }
        int states = Integer.parseInt(arguments[0]);
        Duration longest = Duration.ofMinutes(Long.parseLong(arguments[1]));
        int progress = Integer.parseInt(arguments[2]);
        List<Scene> scenes =
                arguments.length == 3
                        ? Scenes.all()
                        : List.of(arguments).subList(3, arguments.length).stream()
                                .map(Scenes::named)
                                .toList();
        for (Scene scene : scenes) {
            System.out.println(report(scene, new Explorer.Limits(states, longest, 2, progress)));
        }
    }

    private static void mutants(int states, List<String> names)
            throws ReflectiveOperationException, IOException {
        for (Mutant mutant : Mutant.all()) {
            if (names.size() > 2 && !names.contains(mutant.name())) {
                continue;
            }
            long begin = System.nanoTime();
            String law = mutant.within(states).law();
            System.out.printf(
                    "%-8s %5.1f s  %s: %s%n",
                    law.isEmpty() ? "ALIVE" : "killed",
                    (System.nanoTime() - begin) / 1e9,
                    mutant,
                    law);
        }
    }

    /** The law that is broken in a scene; empty if none is. Called through other class loaders. */
    public static String law(String scene, int states) {
        Scene found = Scenes.named(scene);
        Explorer.Result result =
                new Explorer(found, found.nodes(), Mutant.limits(states)).explore();
        Explorer.Violation violation = result.violation();
        return violation == null
                ? ""
                : "%s (among %d states)".formatted(violation.law(), result.states());
    }

    static String report(Scene scene, Explorer.Limits limits) {
        MemoizedSupervisors nodes = scene.nodes();
        Explorer.Result result = new Explorer(scene, nodes, limits).explore();
        StringBuilder text =
                new StringBuilder(
                        "%-45s %9d states %9d transitions depth %3d %s %.1f s, progress %d, agents %d"
                                .formatted(
                                        scene.name(),
                                        result.states(),
                                        result.transitions(),
                                        result.depth(),
                                        result.exhausted() ? "exhausted" : "bounded",
                                        result.time().toMillis() / 1000.0,
                                        result.progressChecks(),
                                        nodes.agents.size()));
        Explorer.Violation violation = result.violation();
        if (violation != null) {
            text.append("\n  VIOLATION: ").append(violation.law());
            for (String line : Story.tell(scene, nodes, violation.steps())) {
                text.append("\n  - ").append(line);
            }
            for (String line : Story.afterwards(scene, nodes, violation.steps())) {
                text.append("\n  ... ").append(line);
            }
        }
        return text.toString();
    }
}
