package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeldLeaseTest {
    private static final Map<String, Set<String>> PODS = Map.of("shop", Set.of("cart-7d9-x2"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    namespace       | holder           | freed
                    kube-system     | node-1_5e0c      | true
                    kube-system     | node-1           | true
                    kube-system     | node-0_5e0c      | false
                    # another node whose name begins alike
                    kube-system     | node-10_5e0c     | false
                    kube-system     | node-1-b_5e0c    | false
                    # already free
                    kube-system     | ''               | false
                    # heartbeats of kubelets
                    kube-node-lease | node-1           | false
                    # a pod of that node, in its own namespace
                    shop            | cart-7d9-x2_77aa | true
                    shop            | cart-7d9-x2      | true
                    shop            | cart-7d9-y9_77aa | false
                    kube-system     | cart-7d9-x2_77aa | false
                    """)
    void isHeldByTheNodeThatIsOff(String namespace, String holder, boolean freed)
            throws JsonProcessingException {
        assertThat(HeldLease.of(lease(namespace, holder), "node-1", PODS).isPresent())
                .isEqualTo(freed);
    }

    @Test
    void isFreedWithTheVersionThatWasReadAndItsCountOfHolders() throws JsonProcessingException {
        HeldLease held =
                HeldLease.of(lease("kube-system", "node-1_5e0c"), "node-1", Map.of()).orElseThrow();

        JsonNode freed = held.freed();

        assertThat(freed.at("/spec/holderIdentity").asText("missing")).isEmpty();
        assertThat(freed.at("/spec/leaseTransitions").asInt()).isEqualTo(3);
        assertThat(freed.at("/metadata/resourceVersion").asText()).isEqualTo("42");
        assertThat(held.path())
                .isEqualTo("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/leader");
    }

    private static JsonNode lease(String namespace, String holder) throws JsonProcessingException {
        return KubeApi.JSON.readTree(
                """
                {"metadata":{"namespace":"%s","name":"leader","resourceVersion":"42"},
                 "spec":{"holderIdentity":"%s","leaseDurationSeconds":15,"leaseTransitions":3}}
                """
                        .formatted(namespace, holder));
    }
}
