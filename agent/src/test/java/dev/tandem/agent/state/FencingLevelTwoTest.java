package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.BmcAddress;
import dev.tandem.core.decision.LevelTwoRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read of a fence of the second level. What follows from it is the core's to test. */
class FencingLevelTwoTest {
    @TempDir private Path run;

    private final List<String> told = new ArrayList<>();

    /** "-" is a file that is not there, "directory" one that cannot be read. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    ordered   | heard     | false Off | counts
                    20        | 10        | -         | true
                    20        | 10        | 15        | true
                    # of one moment nobody knows what came first
                    20        | 20        | -         | false
                    20        | 10        | 20        | false
                    20        | 30        | -         | false
                    20        | 10        | 30        | false
                    # what is not known does not count
                    -         | 10        | -         | false
                    20        | -         | -         | false
                    soon      | 10        | -         | false
                    directory | 10        | -         | false
                    20        | once      | -         | false
                    20        | directory | -         | false
                    # nor that there was no false Off
                    20        | 10        | ''        | false
                    20        | 10        | often     | false
                    20        | 10        | directory | false
                    """)
    void counts(String ordered, String heard, String falseOff, boolean counts) throws IOException {
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(
                run.resolve("south"),
                ordered.matches("[0-9]+")
                        ? "version=2;ordered=%s;off=%s;again=200".formatted(ordered, ordered)
                        : ordered);
        write(moments.resolve("peer-heard"), heard);
        write(moments.resolve("false-off-ended"), falseOff);

        FencingLevelTwo second = secondLevel(new BootTimestamps(moments, () -> 240));

        assertThat(second.read().filter(LevelTwoRecord::isOfLastHeardBoot).isPresent())
                .isEqualTo(counts);
    }

    private FencingLevelTwo secondLevel(BootTimestamps moments) {
        return new FencingLevelTwo(
                () -> "fence_redfish",
                run.resolve("south"),
                moments,
                moments,
                Optional::empty,
                (_, why) -> told.add(why));
    }

    /** What the other BMC read says nothing of this one. */
    @Test
    void aFalseOffIsOneOfTheBmcThatFenced() throws IOException {
        Path its = Files.createDirectories(run.resolve("second"));
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(moments.resolve("peer-heard"), "10");
        write(moments.resolve("false-off-ended"), "150");
        write(run.resolve("south"), "version=2;action=off;ordered=100;off=110;again=210");
        FencingLevelTwo second =
                new FencingLevelTwo(
                        () -> FencingLevelTwo.IPMI,
                        run.resolve("south"),
                        new BootTimestamps(moments, () -> 240),
                        new BootTimestamps(its, () -> 240),
                        Optional::empty,
                        (_, why) -> told.add(why));

        assertThat(second.read().filter(LevelTwoRecord::isOfLastHeardBoot)).isPresent();
        write(its.resolve("false-off-ended"), "150");
        assertThat(second.read().filter(LevelTwoRecord::isOfLastHeardBoot)).isEmpty();
    }

    private FencingLevelTwo afterRecord(String record) throws IOException {
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(moments.resolve("peer-heard"), "10");
        write(run.resolve("south"), record);
        return secondLevel(new BootTimestamps(moments, () -> 1000));
    }

    @ParameterizedTest
    @CsvSource({"off, true", "reboot, false", "'', false"})
    void theRecordSaysWhetherTheMachineWasToStayOff(String action, boolean staysOff)
            throws IOException {
        assertThat(
                        afterRecord(
                                        "version=2;action=%s;ordered=20;off=30;again=140"
                                                .formatted(action))
                                .read()
                                .map(LevelTwoRecord::staysOff))
                .contains(staysOff);
    }

    /** What the supervisor is told was read, in milliseconds between two readings of Off. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    record                                               | span
                    version=2;ordered=20;off=300;again=405               | 1050
                    version=3;readableBy=2;ordered=20;off=300;again=405;by=x | 1050
                    # it could not read the clock, or the clock went back
                    version=2;ordered=20;off=;again=405                  |
                    version=2;ordered=20;off=300;again=                  |
                    version=2;ordered=20                                 |
                    version=2;ordered=20;off=405;again=300               |
                    # a shim of an earlier release: one reading, and perhaps no order
                    20                                                   |
                    """)
    void theRecordSaysWhatWasRead(String record, @Nullable Long span) throws IOException {
        assertThat(afterRecord(record).read())
                .contains(
                        new LevelTwoRecord(
                                20,
                                Optional.ofNullable(span).map(Duration::ofMillis),
                                false,
                                new LevelTwoRecord.SinceBoot.At(10),
                                new LevelTwoRecord.SinceBoot.Never()));
        assertThat(told).isEmpty();
    }

    /** Nor are they passed over in silence, or told at every look. */
    @ParameterizedTest
    @CsvSource({
        "version=3;ordered=20;off=300;again=405, version 3",
        "version=x;ordered=20;off=300;again=405, no number",
        "version=2;off=300;again=405, when the fence was ordered",
        "ordered=20;off=300;again=405, when the fence was ordered",
        "soon, when the fence was ordered"
    })
    void aRecordThatIsNotUnderstoodDoesNotCount(String record, String why) throws IOException {
        FencingLevelTwo second = afterRecord(record);

        assertThat(second.read()).isEmpty();
        assertThat(second.read()).isEmpty();
        assertThat(told).singleElement().asString().contains(why);
    }

    /** It stayed in the membership, so that order did not switch it off. */
    @ParameterizedTest
    @CsvSource({
        "39,true",
        "29,false",
        "version=2;ordered=39;off=39;again=39,true",
        "version=2;ordered=29;off=39;again=39,false"
    })
    void aRecordOfAPeerThatNeverLeftIsDropped(String record, boolean kept) throws IOException {
        write(run.resolve("south"), record);
        secondLevel(new BootTimestamps(run, () -> 40)).peerIsThere(Duration.ofMillis(100));

        assertThat(Files.exists(run.resolve("south"))).isEqualTo(kept);
    }

    private static void write(Path file, String text) throws IOException {
        switch (text) {
            case "-" -> {
                // There is none.
            }
            case "directory" -> Files.createDirectory(file);
            default -> Files.writeString(file, text + "\n");
        }
    }

    @Test
    void theMethodIsTheStockAgentOfTheProtocol() {
        assertThat(FencingLevelTwo.method(BmcAddress.of("ipmi://198.51.100.2")))
                .isEqualTo("fence_ipmilan");
        assertThat(
                        FencingLevelTwo.method(
                                BmcAddress.of("redfish+https://198.51.100.2/redfish/v1/Systems/1")))
                .isEqualTo("fence_redfish");
    }
}
