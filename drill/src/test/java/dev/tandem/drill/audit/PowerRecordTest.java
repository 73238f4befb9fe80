package dev.tandem.drill.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.lab.spec.LabRequest;
import dev.tandem.lab.spec.Timeline;
import dev.tandem.lab.spec.TimelineEvent;
import dev.tandem.redfishsim.BmcEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PowerRecordTest {
    private static final Moment BEGAN = new Moment(Instant.parse("2026-01-01T00:00:00Z"), 0);

    private static Timeline.Entry at(long second, TimelineEvent event) {
        return new Timeline.Entry(BEGAN.instant().plusSeconds(second), "node-1", event);
    }

    private static PowerRecord of(Timeline.Entry... entries) {
        return PowerRecord.of(List.of(entries), BEGAN);
    }

    private static long nanos(long second) {
        return Duration.ofSeconds(second).toNanos();
    }

    @Test
    void aNodeIsDarkFromItsEndToItsStart() {
        PowerRecord record =
                of(
                        at(10, new TimelineEvent.PowerOff()),
                        at(20, new TimelineEvent.PowerOn()),
                        at(30, new TimelineEvent.ShutDown(0)));

        assertThat(record.dark())
                .containsExactly(
                        new PowerRecord.Dark("node-1", nanos(10), nanos(20)),
                        new PowerRecord.Dark("node-1", nanos(30), Long.MAX_VALUE));
        assertThat(record.losses())
                .as("a node that shut down was asked to")
                .containsExactly(new PowerRecord.Loss("node-1", nanos(10), PowerRecord.How.POWER));
    }

    /** To its peer it is as silent as one without power, and has to be switched off first. */
    @Test
    void aNodeThatIsFrozenIsLostAndKeepsItsPower() {
        PowerRecord record =
                of(at(10, new TimelineEvent.Frozen()), at(20, new TimelineEvent.Thawed()));

        assertThat(record.losses())
                .containsExactly(new PowerRecord.Loss("node-1", nanos(10), PowerRecord.How.FROZEN));
        assertThat(record.dark()).isEmpty();
        assertThat(record.faults()).as("a survivor that is frozen cannot act").hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(LabRequest.CrashKind.class)
    void onlyAKernelThatStopsIsALossWithoutAPowerCut(LabRequest.CrashKind how) {
        assertThat(of(at(10, new TimelineEvent.Crashed(how))).losses())
                .hasSize(how == LabRequest.CrashKind.PANIC ? 1 : 0);
    }

    @Test
    void whatABmcFeigned() {
        PowerRecord record =
                of(at(10, new TimelineEvent.Bmc(BmcEvent.Kind.OFF_FEIGNED, "admin", "ForceOff")));

        assertThat(record.feigned()).containsExactly(new PowerRecord.Event("node-1", nanos(10)));
    }

    /** Somebody renames an event of the timeline; the audit must not take it for nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "power-off",
                "power-on",
                "crashed",
                "fault-in-force",
                "frozen",
                "bmc-off-feigned"
            })
    void aNameThatIsNotKnownIsAFinding(String name) {
        Timeline.Entry renamed =
                Timeline.parse(
                        """
                        {"at":"2026-01-01T00:00:10Z","event":"re%s","subject":"node-1","detail":{}}
                        """
                                .formatted(name));

        assertThat(of(renamed).unknown()).singleElement().asString().contains("re" + name);
    }

    @Test
    void whatIsKnownIsNone() {
        assertThat(
                        PowerRecord.of(
                                        Stream.of(
                                                        new TimelineEvent.PowerOff(),
                                                        new TimelineEvent.PowerOn(),
                                                        new TimelineEvent.Healed())
                                                .map(event -> at(10, event))
                                                .toList(),
                                        BEGAN)
                                .unknown())
                .isEmpty();
    }
}
