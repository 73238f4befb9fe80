package dev.tandem.lab.spec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.BooleanNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LabRequestTest {
    static Stream<LabRequest> requests() {
        return Stream.of(
                new LabRequest.Status(),
                new LabRequest.Power("node-0", LabRequest.PowerAction.CYCLE, true),
                new LabRequest.Crash("node-0", LabRequest.CrashKind.PANIC, false),
                new LabRequest.Inject(
                        new NetworkFault.Cut(
                                "cluster0",
                                "node-0",
                                NetworkFault.ANYBODY,
                                true,
                                List.of(NetworkFault.Port.parse("tcp/2380")))),
                new LabRequest.Inject(new NetworkFault.Loss("cluster0", "node-0", 3)),
                new LabRequest.Inject(new NetworkFault.Delay("cluster0", "node-0", 3, 1)),
                new LabRequest.Inject(new NetworkFault.Unplugged("cluster0", "node-0")),
                new LabRequest.Heal(""),
                new LabRequest.Freeze("node-1", true),
                new LabRequest.Kill("node-1", "etcd", "KILL"),
                new LabRequest.Hold("node-1", "etcd"),
                new LabRequest.FillDisk("node-1", LabRequest.Disk.TANDEM, 5),
                new LabRequest.StallDisks("node-1", 2000),
                new LabRequest.Snapshot("node-1"),
                new LabRequest.RollBack("node-1"),
                new LabRequest.ReadState("node-1", "journal.jsonl"),
                new LabRequest.Corrupt("node-1", "/etc/hosts", -1, 16),
                new LabRequest.Bmc("node-1", Map.of("lies", BooleanNode.TRUE)),
                new LabRequest.BmcStatus("node-1"),
                new LabRequest.Relay("node-1", 2379),
                new LabRequest.BeginScenario("split"),
                new LabRequest.Down());
    }

    @ParameterizedTest
    @MethodSource("requests")
    void everyRequestArrivesAsItWasSent(LabRequest request) throws Exception {
        String line = Json.MAPPER.writerFor(LabRequest.class).writeValueAsString(request);

        assertThat(Json.MAPPER.readValue(line, LabRequest.class)).isEqualTo(request);
    }
}
