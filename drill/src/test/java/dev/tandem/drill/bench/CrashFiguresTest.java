package dev.tandem.drill.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.cli.UsageException;
import dev.tandem.drill.client.KubeClients;
import dev.tandem.drill.command.LabBenchCrashCommand;
import java.io.StringReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class CrashFiguresTest {
    private static CrashBench.Run run(
            BenchIncident incident, long firstWrite, long cuts, int lost, String... findings) {
        return new CrashBench.Run(
                incident,
                0,
                "node-1",
                true,
                Map.of("fenced", firstWrite / 2, CrashBench.FIRST_WRITE, firstWrite),
                cuts,
                0,
                0,
                1000,
                lost,
                List.of(findings));
    }

    private static CrashFigures.Group group(BenchIncident incident, CrashBench.Run... runs) {
        return CrashFigures.groups(incident, List.of(runs)).getFirst();
    }

    @Test
    void aPercentileIsAValueThatWasMeasured() {
        List<CrashBench.Run> runs =
                LongStream.rangeClosed(1, 100)
                        .mapToObj(i -> run(BenchIncident.POWER, i * 10, 1, 0))
                        .toList();

        assertThat(CrashFigures.groups(BenchIncident.POWER, runs).getFirst().phases())
                .contains(
                        new CrashFigures.Figure(CrashBench.FIRST_WRITE, 100, 500, 900, 990, 1000));
    }

    @Test
    void thePredictionIsComparedWithWhatWasMeasured() {
        CrashBench.Run[] runs =
                LongStream.of(2000, 3000, 6000)
                        .mapToObj(predicted ->
                                new CrashBench.Run(
                                        BenchIncident.POWER,
                                        0,
                                        "node-1",
                                        true,
                                        Map.of(
                                                CrashBench.FIRST_WRITE,
                                                4000L,
                                                CrashBench.PREDICTED,
                                                predicted),
                                        1,
                                        0,
                                        0,
                                        1000,
                                        0,
                                        List.of()))
                        .toArray(CrashBench.Run[]::new);

        assertThat(group(BenchIncident.POWER, runs).predictionErrorPercent()).isEqualTo(50);
        assertThat(
                        group(BenchIncident.POWER, run(BenchIncident.POWER, 3000, 1, 0))
                                .predictionErrorPercent())
                .isNull();
    }

    @Test
    void oneLostWriteFailsTheBench() {
        assertThat(group(BenchIncident.POWER, run(BenchIncident.POWER, 3000, 1, 0)).met()).isTrue();
        assertThat(group(BenchIncident.POWER, run(BenchIncident.POWER, 3000, 1, 1)).met())
                .isFalse();
    }

    @Test
    void oneFindingFailsTheBench() {
        assertThat(
                        group(
                                        BenchIncident.POWER,
                                        run(
                                                BenchIncident.POWER,
                                                3000,
                                                1,
                                                0,
                                                "a proof of a living boot"))
                                .met())
                .isFalse();
    }

    @Test
    void aSlowTailFailsTheBenchThoughTheMedianIsGood() {
        assertThat(
                        group(
                                        BenchIncident.POWER,
                                        run(BenchIncident.POWER, 3000, 1, 0),
                                        run(BenchIncident.POWER, 3000, 1, 0),
                                        run(BenchIncident.POWER, 10_001, 1, 0))
                                .met())
                .isFalse();
    }

    @Test
    void aKilledAgentExcusesItsOwnRunAlone() {
        CrashBench.Run slow = run(BenchIncident.POWER, 20_000, 1, 0);
        CrashBench.Run killed =
                new CrashBench.Run(
                        slow.incident(),
                        0,
                        slow.victim(),
                        true,
                        slow.millis(),
                        1,
                        2,
                        0,
                        1000,
                        0,
                        List.of());
        CrashBench.Run quick = run(BenchIncident.POWER, 3000, 1, 0);

        assertThat(group(BenchIncident.POWER, killed).met()).isTrue();
        assertThat(group(BenchIncident.POWER, killed, quick).met()).isTrue();
        assertThat(group(BenchIncident.POWER, killed, slow).met()).isFalse();
    }

    @Test
    void aSplitThatShootsBothFailsTheBench() {
        assertThat(group(BenchIncident.SPLIT, run(BenchIncident.SPLIT, 4000, 1, 0)).met()).isTrue();
        assertThat(group(BenchIncident.SPLIT, run(BenchIncident.SPLIT, 4000, 2, 0)).met())
                .isFalse();
    }

    @Test
    void aKilledServerThatShootsAnybodyFailsTheBench() {
        assertThat(group(BenchIncident.ETCD, run(BenchIncident.ETCD, 900, 0, 0)).met()).isTrue();
        assertThat(group(BenchIncident.ETCD, run(BenchIncident.ETCD, 900, 1, 0)).met()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    api write | pods after fence | met
                    6000      | 10000            | true
                    6001      | 10000            | false
                    6000      | 10001            | false
                    """)
    void whatClientsOfKubernetesSeeFailsTheBenchToo(long apiWrite, long pods, boolean met) {
        CrashBench.Run run =
                seenByClients(
                        Map.of(
                                KubeClients.API_WRITE,
                                apiWrite,
                                KubeClients.PODS_AFTER_FENCE,
                                pods));

        assertThat(group(BenchIncident.POWER, run).met()).isEqualTo(met);
    }

    @Test
    void podsThatNeverMovedFailTheBench() {
        CrashBench.Run moved =
                seenByClients(
                        Map.of(KubeClients.API_WRITE, 4000L, KubeClients.PODS_AFTER_FENCE, 5000L));
        CrashBench.Run stayed = seenByClients(Map.of(KubeClients.API_WRITE, 4000L));

        assertThat(group(BenchIncident.POWER, moved, moved).met()).isTrue();
        assertThat(group(BenchIncident.POWER, moved, stayed).met()).isFalse();
    }

    private static CrashBench.Run seenByClients(Map<String, Long> seen) {
        CrashBench.Run etcd = run(BenchIncident.POWER, 3000, 1, 0);
        Map<String, Long> millis = new HashMap<>(etcd.millis());
        millis.putAll(seen);
        return new CrashBench.Run(
                etcd.incident(), 0, etcd.victim(), true, millis, 1, 0, 0, 1000, 0, List.of());
    }

    @ParameterizedTest
    @CsvSource({"0,0", "250,250", "100MB,100", "1gb,1000"})
    void sizesAreReadAsMegabytes(String text, long megabytes) {
        assertThat(LabBenchCrashCommand.megabytes(text)).isEqualTo(megabytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1TB", "9GB", "much"})
    void otherSizesAreRefused(String text) {
        assertThatThrownBy(() -> LabBenchCrashCommand.megabytes(text))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void thePictureHasABarForEachPhaseOfEachRun() throws Exception {
        String svg =
                CrashPicture.of(
                        "2 < 3 \"runs\"",
                        List.of(
                                run(BenchIncident.POWER, 3000, 1, 0),
                                run(BenchIncident.POWER, 4000, 1, 0)));

        Document picture =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg)));

        // Two phases of two runs.
        assertThat(picture.getElementsByTagName("title").getLength()).isEqualTo(4);
    }
}
