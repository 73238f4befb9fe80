package dev.tandem.host.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class AgentRbacTest {
    private static final List<String> NODES = List.of("node-0", "node-1");

    /** Where neither names nor the policy bind what is written, anything could be. */
    private static final Set<String> HELD_BY_THE_POLICY =
            Set.of("pods/status patch", "leases update", "leases create");

    private static List<Map<?, ?>> objects() {
        List<Map<?, ?>> objects = new ArrayList<>();
        for (Object each :
                new Load(LoadSettings.builder().build())
                        .loadAllFromString(AgentRbac.manifest(NODES))) {
            objects.add((Map<?, ?>) each);
        }
        return objects;
    }

    private static List<?> list(Map<?, ?> holder, String field) {
        return holder.get(field) instanceof List<?> list ? list : List.of();
    }

    @Test
    void whateverIsWrittenIsBoundByNameOrByThePolicy() {
        List<String> unbound = new ArrayList<>();
        for (Map<?, ?> object : objects()) {
            for (Object each : list(object, "rules")) {
                Map<?, ?> rule = (Map<?, ?>) each;
                for (Object verb : list(rule, "verbs")) {
                    for (Object resource : list(rule, "resources")) {
                        if (!verb.equals("list") && list(rule, "resourceNames").isEmpty()) {
                            unbound.add(resource + " " + verb);
                        }
                    }
                }
            }
        }

        assertThat(unbound).containsExactlyInAnyOrderElementsOf(HELD_BY_THE_POLICY);
        assertThat(objects().stream().map(object -> String.valueOf(object.get("kind"))).toList())
                .contains("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");
    }

    @Test
    void thePolicyNamesTheNodesAndTheirLeases() {
        assertThat(AgentRbac.manifest(NODES))
                .contains("oldObject.spec.nodeName in ['node-0', 'node-1']")
                .contains("object.metadata.name in ['tandem-agent-node-0', 'tandem-agent-node-1']")
                .doesNotContain("@");
    }
}
