package dev.tandem.drill.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/** What a drill leaves to be read. */
class ReportTest {
    private static final Outcome FAILED =
            new Outcome(
                    "leader-loses-power",
                    "The leader loses power <at once>.",
                    List.of("TL7", "TL8"),
                    false,
                    List.of("node-1 lacks 2 acknowledged writes & more"),
                    "2026-01-01T00:00:00Z",
                    20_000,
                    3_400,
                    812,
                    2L,
                    0,
                    0,
                    List.of(new Outcome.Fence(5_000, "node-0")),
                    List.of(
                            new Outcome.Predicted("node-0", 3_000, 3_100),
                            new Outcome.Predicted("node-1", 2_000, 3_400)),
                    List.of(new Outcome.Figure("crash to first write", 3_400, 3_000L)),
                    List.of(new Outcome.Gap(4_000, 7_400)),
                    50,
                    List.of(3, 0, 7),
                    List.of(new Outcome.Span("node-0", "OFF", 4_000, 9_000)),
                    List.of(
                            new Outcome.Mark(4_000, "drill", "step", "cut the power of node-0"),
                            new Outcome.Mark(5_000, "node-1", "fenced", "the peer was read Off")));

    private static final Report REPORT = Report.of("default", List.of(FAILED));

    @Test
    void aFindingAboutTheWholeFailsIt() {
        Report made = Report.of("default", List.of("no agent was killed"), List.of());

        assertThat(Report.of("default", List.of()).passed()).isTrue();
        assertThat(made.passed()).isFalse();
        assertThat(made.asText()).contains("no agent was killed");
    }

    @Test
    void thePageNeedsNothingButItself() {
        assertThat(new ReportPage(REPORT).html())
                .doesNotContain("http:", "https:", "<script", "<link", "<img", "url(");
    }

    @Test
    void wordsOfOthersDoNotBecomeMarkup() {
        assertThat(new ReportPage(REPORT).html())
                .contains("&lt;at once&gt;", "writes &amp; more")
                .doesNotContain("<at once>");
    }

    @Test
    void thePictureIsWellFormedAndHasALaneForEachNodeAndForTheWrites() throws Exception {
        String svg = new TimelinePicture(FAILED).svg();
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)));
        assertThat(svg)
                .contains(">node-0<", ">node-1<", ">writes<")
                .contains("off, 4.0 s to 9.0 s")
                .contains("fenced: read Off")
                .contains("no write acknowledged for 3.4 s")
                .contains("cut the power of node-0");
    }

    @Test
    void aFailureIsTheFirstThingThatIsTold() {
        assertThat(REPORT.passed()).isFalse();
        assertThat(REPORT.asText())
                .startsWith("0 of 1 scenarios passed; 812 writes acknowledged, 2 lost.")
                .contains("FAILED")
                .contains("leader-loses-power: node-1 lacks 2 acknowledged writes");
    }

    /** Of two the one that was further off; the page and the file have both. */
    @Test
    void whatWasPredictedStandsBesideWhatCame() {
        assertThat(REPORT.asText()).contains("predicted", "2.0, was 3.4 s");
        assertThat(new ReportPage(REPORT).html())
                .contains("2.0, was 3.4 s")
                .contains("<td>node-0<td class=n>3.0 s<td class=n>3.1 s<td class=n>-3 %")
                .contains("<td>node-1<td class=n>2.0 s<td class=n>3.4 s<td class=n>-41 %");
    }

    @Test
    void bothFormsAreWritten(@TempDir Path directory) throws Exception {
        REPORT.write(directory.resolve("new"));
        assertThat(Files.readString(directory.resolve("new/report.json")))
                .contains("\"name\" : \"leader-loses-power\"")
                .contains("\"boundMillis\" : 3000")
                .contains("\"predictedMillis\" : 2000", "\"measuredMillis\" : 3400");
        assertThat(directory.resolve("new/report.html")).isNotEmptyFile();
    }
}
