package dev.tandem.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Through the mapper of fabric8's client, which is the one that meets these types. */
class PacemakerClusterTest {
    private static final KubernetesSerialization MAPPER = new KubernetesSerialization();

    @Test
    void aStatusComesBackAsItWasSent() {
        PacemakerCluster sent = PacemakerCluster.empty();
        sent.setStatus(
                new PacemakerClusterStatus(
                        List.of(
                                new Condition(
                                        ClusterCondition.HEALTHY.type(),
                                        Condition.Status.UNKNOWN,
                                        null,
                                        Instant.parse("2026-11-15T10:00:00Z"),
                                        "NoReport",
                                        "")),
                        Instant.parse("2026-11-15T10:00:30Z"),
                        List.of(
                                new PacemakerNode(
                                        "node-0",
                                        List.of(
                                                new NodeAddress(
                                                        NodeAddress.Type.INTERNAL_IP,
                                                        "192.0.2.10")),
                                        List.of(),
                                        List.of(
                                                new PacemakerResource(
                                                        PacemakerResource.Name.ETCD, List.of())),
                                        List.of()))));

        JsonNode json = MAPPER.unmarshal(MAPPER.asJson(sent), JsonNode.class);

        assertThat(json.at("/apiVersion").asText()).isEqualTo("etcd.openshift.io/v1");
        assertThat(json.at("/status/lastUpdated").asText()).isEqualTo("2026-11-15T10:00:30Z");
        assertThat(json.at("/status/conditions/0/status").asText()).isEqualTo("Unknown");
        assertThat(json.at("/status/nodes/0/addresses/0/type").asText()).isEqualTo("InternalIP");
        assertThat(json.at("/status/nodes/0/fencingAgents").isArray())
                .as("an empty list of agents is sent")
                .isTrue();
        assertThat(json.at("/status/conditions/0").has("observedGeneration")).isFalse();
        PacemakerCluster received = MAPPER.unmarshal(MAPPER.asJson(sent), PacemakerCluster.class);
        assertThat(received.getStatus()).isEqualTo(sent.getStatus());
    }

    @Test
    void aNewOneHasNoStatus() {
        JsonNode json = MAPPER.unmarshal(MAPPER.asJson(PacemakerCluster.empty()), JsonNode.class);

        assertThat(json.has("status")).isFalse();
        assertThat(json.at("/metadata/name").asText()).isEqualTo("cluster");
    }
}
