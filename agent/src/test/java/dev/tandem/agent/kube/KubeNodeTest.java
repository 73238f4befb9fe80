package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.tandem.core.BootId;
import dev.tandem.core.supervise.KubernetesReport.PeerState;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeNodeTest {
    private static final String OTHERS =
            "{\"key\":\"example.com/gpu\",\"value\":\"yes\",\"effect\":\"NoSchedule\"}";

    /**
     * Ready reads "status reason"; taints are values of the out-of-service taint; the peer is off
     * or alive in a boot, or unsure.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    ready                    | taints                       | peer    | step
                    # it was fenced
                    True KubeletReady        |                              | off b1  | Mark
                    Unknown NodeFencedOff    |                              | off b1  | Mark
                    Unknown NodeFencedOff    | fenced-by-tandem.b1          | off b1  | Nothing
                    Unknown NodeFencedOff    | fenced-by-tandem.b0          | off b1  | Mark
                    True KubeletReady        | fenced-by-tandem.b1          | off b1  | Mark
                    # an administrator was first
                    True KubeletReady        | nodeshutdown                 | off b1  | LeaveAlone
                    True KubeletReady        | ''                           | off b1  | LeaveAlone
                    True KubeletReady        | fenced-by-tandem.b1 mine     | off b1  | LeaveAlone
                    # it came back
                    True KubeletReady        | fenced-by-tandem.b1          | alive b2 | Clear
                    Unknown NodeFencedOff    | fenced-by-tandem.b1          | alive b2 | AwaitReady
                    False KubeletNotReady    | fenced-by-tandem.b1          | alive b2 | AwaitReady
                    True KubeletReady        | nodeshutdown                 | alive b2 | Nothing
                    True KubeletReady        | mine fenced-by-tandem.b1     | alive b2 | Clear
                    True KubeletReady        |                              | alive b2 | Nothing
                    # the boot that was fenced cannot speak
                    True KubeletReady        | fenced-by-tandem.b1          | alive b1 | Nothing
                    # silence and departure say nothing
                    True KubeletReady        |                              | unsure  | Nothing
                    True KubeletReady        | fenced-by-tandem.b1          | unsure  | Nothing
                    """)
    void decides(String ready, @Nullable String taints, String peer, String step) {
        KubeNode node = node(ready, taints);

        assertThat(node.step(fate(peer)).getClass().getSimpleName()).isEqualTo(step);
    }

    @Test
    void otherTaintsStayAsTheyAreAndInTheirOrder() throws JsonProcessingException {
        KubeNode node = node("True KubeletReady", "fenced-by-tandem.b0");

        JsonNode marked = node.taintsWithOurs(new BootId("b1"));
        JsonNode cleared = node.taintsWithoutOurs();

        assertThat(marked)
                .isEqualTo(
                        json(
                                """
                                [{"op":"test","path":"/spec/taints","value":[%1$s,
                                   {"key":"node.kubernetes.io/out-of-service","value":"fenced-by-tandem.b0","effect":"NoExecute"}]},
                                 {"op":"add","path":"/spec/taints","value":[%1$s,
                                   {"key":"node.kubernetes.io/out-of-service","value":"fenced-by-tandem.b1","effect":"NoExecute"}]}]
                                """
                                        .formatted(OTHERS)));
        assertThat(cleared.at("/1/value")).isEqualTo(json("[" + OTHERS + "]"));
    }

    @Test
    void aNodeWithoutTaintsIsTestedForHavingNone() throws JsonProcessingException {
        JsonNode patch = new KubeNode(json("{\"spec\":{}}")).taintsWithOurs(new BootId("b1"));

        assertThat(patch.at("/0"))
                .isEqualTo(json("{\"op\":\"test\",\"path\":\"/spec/taints\",\"value\":null}"));
    }

    @Test
    void theValueOfTheTaintFitsWithAWholeBootId() {
        JsonNode patch =
                node("True KubeletReady", null)
                        .taintsWithOurs(new BootId("0f3c8a52-6c0f-4c3e-9f0e-3a7c56a1b2c3"));

        assertThat(patch.at("/1/value/1/value").asText())
                .hasSizeLessThanOrEqualTo(63)
                .matches("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");
    }

    @Test
    void theTimeOfTheLastHeartbeatIsNotTouchedAndThatOfTheChangeOnlyOnce() {
        Instant now = Instant.parse("2026-01-02T03:04:05.678Z");

        JsonNode first = node("True KubeletReady", null).readyUnknown("node-0", now);
        JsonNode again = node("Unknown NodeStatusUnknown", null).readyUnknown("node-0", now);

        JsonNode condition = first.at("/status/conditions/0");
        assertThat(condition.path("lastTransitionTime").asText()).isEqualTo("2026-01-02T03:04:05Z");
        assertThat(condition.has("lastHeartbeatTime")).isFalse();
        assertThat(first.at("/metadata/resourceVersion").asText()).isEqualTo("7");
        assertThat(again.at("/status/conditions/0").has("lastTransitionTime")).isFalse();
    }

    private static PeerState fate(String words) {
        String[] parts = words.split(" ", -1);
        return switch (parts[0]) {
            case "off" -> new PeerState.Off(new BootId(parts[1]));
            case "alive" -> new PeerState.Alive(new BootId(parts[1]));
            default -> new PeerState.Unsure();
        };
    }

    private static KubeNode node(String ready, @Nullable String values) {
        String[] condition = ready.split(" ", -1);
        String taints =
                values == null
                        ? ""
                        : Arrays.stream(values.split(" ", -1))
                                .map(value ->
                                        ",{\"key\":\"%s\",\"value\":\"%s\",\"effect\":\"NoExecute\"}"
                                                .formatted(KubeNode.OUT_OF_SERVICE, value))
                                .collect(Collectors.joining());
        try {
            return new KubeNode(
                    json(
                            """
                            {"metadata":{"name":"node-1","resourceVersion":"7"},
                             "spec":{"taints":[%s%s]},
                             "status":{"conditions":[
                               {"type":"MemoryPressure","status":"False"},
                               {"type":"Ready","status":"%s","reason":"%s"}]}}
                            """
                                    .formatted(OTHERS, taints, condition[0], condition[1])));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return KubeApi.JSON.readTree(text);
    }
}
