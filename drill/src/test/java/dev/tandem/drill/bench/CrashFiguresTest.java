package dev.tandem.drill.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.cli.UsageException;
import dev.tandem.drill.client.KubeClients;
import dev.tandem.drill.command.LabBenchCrashCommand;
import java.io.StringReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
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
                Map.of(
                        "fenced",
                        firstWrite / 2,
                        CrashBench.FIRST_WRITE,
                        firstWrite,
                        CrashBench.PREDICTED,
                        firstWrite),
                cuts,
                0,
                0,
                1000,
                lost,
                List.of(findings));
    }

    private static CrashFigures.Group group(BenchIncident incident, CrashBench.Run... runs) {
        return group(incident, Duration.ZERO, runs);
    }

    private static CrashFigures.Group group(
            BenchIncident incident, Duration bmcOff, CrashBench.Run... runs) {
        return CrashFigures.groups(incident, bmcOff, List.of(runs)).getFirst();
    }

    @Test
    void aPercentileIsAValueThatWasMeasured() {
        List<CrashBench.Run> runs =
                LongStream.rangeClosed(1, 100)
                        .mapToObj(i -> run(BenchIncident.POWER, i * 10, 1, 0))
                        .toList();

        assertThat(
                        CrashFigures.groups(BenchIncident.POWER, Duration.ZERO, runs)
                                .getFirst()
                                .phases())
                .contains(
                        new CrashFigures.Figure(CrashBench.FIRST_WRITE, 100, 500, 900, 990, 1000));
    }

    private static CrashBench.Run measured(long megabytes, int agentKills, Object... millis) {
        Map<String, Long> named = new HashMap<>();
        for (int i = 0; i < millis.length; i += 2) {
            named.put((String) millis[i], ((Integer) millis[i + 1]).longValue());
        }
        return new CrashBench.Run(
                BenchIncident.POWER,
                megabytes,
                "node-1",
                true,
                named,
                1,
                agentKills,
                0,
                1000,
                0,
                List.of());
    }

    private static CrashBench.Run predicted(int millis) {
        return measured(0, 0, CrashBench.FIRST_WRITE, 4000, CrashBench.PREDICTED, millis);
    }

    /** One run that is far off is an outlier; half of them are a prediction that does not hold. */
    @Test
    void aPredictionThatIsMostlyWrongFailsTheBench() {
        CrashFigures.Group off =
                group(BenchIncident.POWER, predicted(2000), predicted(3000), predicted(6000));

        assertThat(off.predictionErrors())
                .containsExactly(
                        new CrashFigures.PredictionErrors(
                                CrashBench.FIRST_WRITE, List.of(-50L, -25L, 50L), 50, 50, 50));
        assertThat(off.met()).isFalse();
        assertThat(off.findings())
                .singleElement()
                .asString()
                .contains(CrashBench.FIRST_WRITE, "50 %", "30 % are allowed");
        assertThat(
                        group(
                                        BenchIncident.POWER,
                                        predicted(2900),
                                        predicted(5200),
                                        predicted(9000))
                                .met())
                .isTrue();
    }

    @Test
    void thePredictionOfTheApiIsJudgedToo() {
        CrashFigures.Group off =
                group(
                        BenchIncident.POWER,
                        measured(
                                0,
                                0,
                                CrashBench.FIRST_WRITE,
                                3000,
                                CrashBench.PREDICTED,
                                3000,
                                KubeClients.API_WRITE,
                                5000,
                                CrashBench.API_PREDICTED,
                                3400));

        assertThat(off.predictionErrors())
                .extracting(CrashFigures.PredictionErrors::what)
                .containsExactly(CrashBench.FIRST_WRITE, KubeClients.API_WRITE);
        assertThat(off.met()).isFalse();
        assertThat(off.findings()).singleElement().asString().contains(KubeClients.API_WRITE);
    }

    /** Else the bench would be content with an agent that predicts nothing. */
    @Test
    void aRunThatNobodyPredictedFailsTheBench() {
        CrashFigures.Group silent =
                group(
                        BenchIncident.POWER,
                        predicted(4000),
                        measured(0, 0, CrashBench.FIRST_WRITE, 4000));

        assertThat(silent.met()).isFalse();
        assertThat(silent.findings()).singleElement().asString().contains("1 of 2 runs");
        assertThat(
                        group(
                                        BenchIncident.POWER,
                                        predicted(4000),
                                        measured(0, 3, CrashBench.FIRST_WRITE, 9000))
                                .findings())
                .as("nobody predicts that agents are killed")
                .isEmpty();
        assertThat(
                        group(BenchIncident.ETCD, measured(0, 0, CrashBench.FIRST_WRITE, 900))
                                .findings())
                .as("nobody is fenced for a server")
                .isEmpty();
    }

    /** What the hardware takes is no fault of the recovery; a quick BMC gets no discount. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    incident | seconds off | MB   | first write | met
                    POWER    | 6           | 0    | 5000        | true
                    POWER    | 6           | 0    | 5001        | false
                    POWER    | 0           | 1000 | 15000       | true
                    POWER    | 0           | 1000 | 15001       | false
                    PANIC    | 0           | 0    | 10000       | true
                    PANIC    | 0           | 0    | 10001       | false
                    PANIC    | 6           | 0    | 19000       | true
                    PANIC    | 6           | 0    | 19001       | false
                    SPLIT    | 6           | 100  | 20000       | true
                    SPLIT    | 6           | 100  | 20001       | false
                    """)
    void theObjectiveGrowsWithTheBmcAndTheDatabase(
            BenchIncident incident, int secondsOff, long megabytes, int firstWrite, boolean met) {
        CrashBench.Run run =
                measured(
                        megabytes,
                        0,
                        CrashBench.FIRST_WRITE,
                        firstWrite,
                        CrashBench.PREDICTED,
                        firstWrite);

        assertThat(group(incident, Duration.ofSeconds(secondsOff), run).met()).isEqualTo(met);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            nullValues = "none",
            textBlock =
                    """
                    incident | etcd | api
                    POWER    | 3000 | 3600
                    PANIC    | 9000 | 9600
                    SPLIT    | 9000 | 9600
                    ETCD     | none | none
                    """)
    void eachIncidentIsHeldAgainstThePredictionThatIsAboutIt(
            BenchIncident incident, @Nullable Long etcd, @Nullable Long api) {
        AgentStatus.Prediction said =
                new AgentStatus.Prediction(
                        3000, 9000L, 3600L, true, Map.of("switch-off", 6000L, "api", 600L), 10_000);

        assertThat(incident.predicted(said).map(BenchIncident.Predicted::etcd))
                .isEqualTo(Optional.ofNullable(etcd));
        assertThat(incident.predicted(said).flatMap(BenchIncident.Predicted::api))
                .isEqualTo(Optional.ofNullable(api));
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
        millis.put(CrashBench.API_PREDICTED, seen.get(KubeClients.API_WRITE));
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

        // Two phases of two runs; what was predicted is none.
        assertThat(picture.getElementsByTagName("title").getLength()).isEqualTo(4);
    }
}
