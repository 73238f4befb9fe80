package dev.tandem.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.Proofs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which fence of the second level counts, by what lies in the files. */
class FencingLevelTwoTest {
    @TempDir private Path run;

    /** "-" is a file that is not there, "directory" one that cannot be read. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    ordered   | heard     | deceived  | counts
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
                    # nor that it was not deceived
                    20        | 10        | ''        | false
                    20        | 10        | often     | false
                    20        | 10        | directory | false
                    """)
    void counts(String ordered, String heard, String deceived, boolean counts) throws IOException {
        Path moments = Files.createDirectories(run.resolve("moments"));
        write(run.resolve("south"), ordered);
        write(moments.resolve("peer-heard"), heard);
        write(moments.resolve("bmc-deceived"), deceived);

        FencingLevelTwo second =
                new FencingLevelTwo(
                        run.resolve("south"),
                        new BootTimestamps(moments, () -> 40),
                        () -> Optional.of(Proofs.Machine.THE_PEER));

        assertThat(second.fencedLastHeardBoot()).isEqualTo(counts);
    }

    /** It stayed in the membership, so that order did not switch it off. */
    @ParameterizedTest
    @CsvSource({"39,true", "29,false"})
    void aRecordOfAPeerThatNeverLeftIsDropped(String ordered, boolean kept) throws IOException {
        write(run.resolve("south"), ordered);
        new FencingLevelTwo(
                        run.resolve("south"),
                        new BootTimestamps(run, () -> 40),
                        () -> Optional.of(Proofs.Machine.THE_PEER))
                .peerIsThere(Duration.ofMillis(100));

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
}
