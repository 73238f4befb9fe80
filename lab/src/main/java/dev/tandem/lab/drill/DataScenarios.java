package dev.tandem.lab.drill;

import java.util.List;

/** Replicas are torn, damaged, missing or cut off from space. */
final class DataScenarios {
    private DataScenarios() {}

    static List<Scenario> all() {
        return List.of();
    }
}
