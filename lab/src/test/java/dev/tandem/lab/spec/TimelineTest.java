package dev.tandem.lab.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.redfishsim.BmcEvent;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class TimelineTest {
    private static final Instant AT = Instant.parse("2026-11-15T20:00:00.123456Z");

    private static final NetworkFault CUT =
            new NetworkFault.Cut(
                    "cluster0",
                    "node-0",
                    NetworkFault.ANYBODY,
                    true,
                    List.of(NetworkFault.Port.parse("tcp/2380")));

    static Stream<TimelineEvent> events() {
        return Stream.concat(
                Stream.of(
                        new TimelineEvent.LabStarts("lab"),
                        new TimelineEvent.LabStarted(),
                        new TimelineEvent.ScenarioBegins("split"),
                        new TimelineEvent.Failed("a \"quoted\"\nline"),
                        new TimelineEvent.PowerOn(),
                        new TimelineEvent.PowerButton(),
                        new TimelineEvent.ShutDown(0),
                        new TimelineEvent.Reboot(133),
                        new TimelineEvent.PowerCut(),
                        new TimelineEvent.PowerOff(),
                        new TimelineEvent.Crash(LabRequest.CrashKind.PLUG),
                        new TimelineEvent.Crashed(LabRequest.CrashKind.PANIC),
                        new TimelineEvent.FaultBegins(CUT),
                        new TimelineEvent.FaultInForce(CUT),
                        new TimelineEvent.Healed(),
                        new TimelineEvent.Freeze(),
                        new TimelineEvent.Frozen(),
                        new TimelineEvent.Thaw(),
                        new TimelineEvent.Thawed(),
                        new TimelineEvent.Kill("etcd", "KILL", 1),
                        new TimelineEvent.Hold("etcd", 1),
                        new TimelineEvent.Held("etcd"),
                        new TimelineEvent.FillDisk(LabRequest.Disk.ETCD, 0),
                        new TimelineEvent.DiskFull(LabRequest.Disk.TANDEM),
                        new TimelineEvent.DiskFreed(LabRequest.Disk.TANDEM),
                        new TimelineEvent.DisksStall(2000),
                        new TimelineEvent.DisksMove(),
                        new TimelineEvent.Snapshot(),
                        new TimelineEvent.RolledBack(),
                        new TimelineEvent.Corrupt("/etc/hosts", 7, 16)),
                Arrays.stream(BmcEvent.Kind.values())
                        .map(kind -> new TimelineEvent.Bmc(kind, "admin from ::1", "ForceOff")));
    }

    @Test
    void everyEventIsTriedHere() {
        assertThat(events().<Class<?>>map(Object::getClass))
                .contains(
                        Arrays.stream(TimelineEvent.class.getPermittedSubclasses())
                                .filter(event -> event != TimelineEvent.Unknown.class)
                                .toArray(Class<?>[]::new));
    }

    @ParameterizedTest
    @MethodSource("events")
    void whatIsRecordedIsReadBack(TimelineEvent event, @TempDir Path directory) throws Exception {
        Path file = directory.resolve("timeline.jsonl");
        Timeline timeline = new Timeline(file, Clock.fixed(AT, ZoneOffset.UTC));

        timeline.record(event, "node-1");
        timeline.record(new TimelineEvent.Healed(), Timeline.LAB);

        assertThat(Timeline.read(file))
                .containsExactly(
                        new Timeline.Entry(AT, "node-1", event),
                        new Timeline.Entry(AT, Timeline.LAB, new TimelineEvent.Healed()));
    }

    /** People and programs look for these names. */
    @Test
    void namesInTheFile() {
        TimelineEvent off =
                new TimelineEvent.Bmc(BmcEvent.Kind.POWERED_OFF, BmcEvent.OWNER, "power cut");

        assertThat(Timeline.line(new Timeline.Entry(AT, "node-1", off)))
                .isEqualTo(
                        """
                        {"at":"2026-11-15T20:00:00.123456Z","event":"bmc-powered-off",\
                        "subject":"node-1","detail":{"by":"lab","detail":"power cut"}}
                        """);
        assertThat(new Timeline.Entry(AT, "node-1", new TimelineEvent.PowerCut()).name())
                .isEqualTo("power-cut");
        assertThat(new Timeline.Entry(AT, "node-1", off).name()).isEqualTo("bmc-powered-off");
    }

    /** Somebody renames an event, a kind, a field or a value, and forgets the reader. */
    @ParameterizedTest
    @CsvSource({
        "\"event\":\"crashed\", \"event\":\"died\"",
        "\"event\":, \"what\":",
        "\"how\", \"way\"",
        "PANIC, OOPS",
        "\"detail\", \"more\"",
        "\"subject\", \"who\"",
        "2026-11, someday",
    })
    void whatIsRenamedIsUnknown(String name, String renamed) {
        String line =
                Timeline.line(
                        new Timeline.Entry(
                                AT,
                                "node-1",
                                new TimelineEvent.Crashed(LabRequest.CrashKind.PANIC)));
        String other = line.replace(name, renamed);
        assertThat(other).isNotEqualTo(line);

        assertThat(Timeline.parse(other).event()).isInstanceOf(TimelineEvent.Unknown.class);
    }

    @Test
    void aKindOfBmcEventThatIsRenamedIsUnknown() {
        String line =
                Timeline.line(
                        new Timeline.Entry(
                                AT,
                                "node-1",
                                new TimelineEvent.Bmc(BmcEvent.Kind.OFF_FEIGNED, "admin", "")));

        assertThat(Timeline.parse(line.replace("bmc-off-feigned", "bmc-off-pretended")).event())
                .isInstanceOfSatisfying(
                        TimelineEvent.Unknown.class,
                        unknown -> assertThat(unknown.name()).isEqualTo("bmc-off-pretended"));
    }

    @Test
    void aTornLineIsUnknown() {
        assertThat(Timeline.parse("{\"at\":\"2026-").event())
                .isInstanceOf(TimelineEvent.Unknown.class);
        assertThat(Timeline.parse("").event()).isInstanceOf(TimelineEvent.Unknown.class);
    }

    @Test
    void aLabThatNeverStartedHasAnEmptyTimeline(@TempDir Path directory) throws Exception {
        assertThat(Timeline.read(directory.resolve("none"))).isEmpty();
    }
}
