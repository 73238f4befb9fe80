package dev.tandem.drill.scenario;

import dev.tandem.core.Failure;
import dev.tandem.core.Nearest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All scenarios there are, theme by theme. */
public final class Scenarios {
    private static final List<Scenario> ALL =
            Stream.of(
                            CrashScenarios.all(),
                            SplitScenarios.all(),
                            ProcessScenarios.all(),
                            HangScenarios.all(),
                            BmcScenarios.all(),
                            PasswordScenarios.all(),
                            ProofScenarios.all(),
                            ImpedimentScenarios.all(),
                            BootScenarios.all(),
                            DataScenarios.all(),
                            DiskScenarios.all(),
                            ForcedStartScenarios.all(),
                            HostScenarios.all(),
                            KubeletScenarios.all(),
                            LeaveScenarios.all(),
                            StaleRecordScenarios.all(),
                            // Last: they need a pair with Kubernetes, which is made once.
                            ApiScenarios.all())
                    .flatMap(List::stream)
                    .toList();

    private Scenarios() {}

    public static List<Scenario> all() {
        return ALL;
    }

    public static List<Scenario> quick() {
        return ALL.stream().filter(Scenario::isQuick).toList();
    }

    public static Scenario byName(String name) {
        Map<String, Scenario> byName = new LinkedHashMap<>();
        ALL.forEach(scenario -> byName.put(scenario.name(), scenario));
        Scenario found = byName.get(name);
        if (found == null) {
            throw new Failure(
                    "unknown scenario: " + name,
                    "none of the " + ALL.size() + " has that name",
                    Nearest.to(name, byName.keySet()).stream()
                            .findFirst()
                            .map(nearest -> "did you mean: tandem lab drill " + nearest)
                            .orElse("see which there are: tandem lab drill list"));
        }
        return found;
    }
}
