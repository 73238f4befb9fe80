package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.Runbook;
import dev.tandem.core.check.AssumptionsPage;
import dev.tandem.core.testing.Sketch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Keeps docs/decisions.md equal to the code. {@code -Dgolden.update} rewrites it. */
class DecisionsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "decisions.md");

    @Test
    void thePageSaysWhatTheCodeDoes() throws IOException {
        String page = page();
        if (System.getProperty("golden.update") != null) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page);
    }

    private static String page() {
        StringBuilder page = new StringBuilder();
        page.append(
                """
                # How etcd runs on a node

                Made from the code by `mvn -pl core test -Dgolden.update`; a test keeps it equal. The two nodes are called north and
                south here, and north decides. The function is `StartDecision.decide`; `tandem explain` shows its inputs on a live node.

                ## Reading the tables

                - A replica is written as member role, epoch, end of the log and known commit: `two 1:7/5` is one of two voters in epoch 1 whose log
                  ends at 7 and which knows that 5 is committed. `2n6` is epoch 2, begun by north after index 6; `2s6` was begun by south.
                  `unconfirmed` has a vote, but its leader has not yet confirmed that it holds everything.
                - `left` and `stood-down` are recorded abdications, `claim` is a take-over that was written down and not finished,
                  `releases` says that the node will not use the other's abdication, `invites` that it offers a seat as a learner,
                  `leaves-founding` that it leaves creating the cluster of a new pair to the other (`-marked`: and has a mark of the installation).
                - Cluster: `never met` since boot; `gone` was met and is absent; `there` is in the membership; `known` means that south's history was
                  seen in this boot and was not ahead.
                - `unheard`: south told nothing in this boot of north. `greeted`: it spoke, but to an earlier boot of north.

                """);
        String section = "";
        for (DecisionTable.Row row : DecisionTable.rows()) {
            if (!row.section().equals(section)) {
                section = row.section();
                page.append("## ").append(section).append("\n\n");
                page.append(
                        """
                        | kind | north | south | cluster | proof | why asked | decision | because |
                        | --- | --- | --- | --- | --- | --- | --- | --- |
                        """);
            }
            page.append("| ")
                    .append(
                            String.join(
                                    " | ",
                                    row.shape(),
                                    row.mine(),
                                    row.peer(),
                                    row.cluster(),
                                    row.proofs(),
                                    row.intent(),
                                    "**" + row.decision() + "**",
                                    row.note()))
                    .append(" |\n");
            if (lastOf(row)) {
                page.append('\n');
            }
        }
        waits(page);
        refusals(page);
        page.append("## Assumptions\n\n").append(AssumptionsPage.markdown());
        return page.toString();
    }

    private static boolean lastOf(DecisionTable.Row row) {
        return DecisionTable.rows().stream()
                .filter(other -> other.section().equals(row.section()))
                .toList()
                .getLast()
                .equals(row);
    }

    private static void waits(StringBuilder page) {
        page.append(
                """
                ## Waits

                | wait | owner | overdue after | sentence | a person can do | runbook |
                | --- | --- | --- | --- | --- | --- |
                """);
        for (WaitFor wait : WaitFor.values()) {
            page.append(
                    "| %s | %s | %d s | %s | %s | %s |%n"
                            .formatted(
                                    Sketch.words(wait),
                                    Sketch.words(wait.owner()),
                                    wait.limit().toSeconds(),
                                    new Decision.Wait(wait).sentence(Sketch.NORTH, Sketch.SOUTH),
                                    wait.remedy(Sketch.NORTH, Sketch.SOUTH).orElse(""),
                                    link(wait.runbook())));
        }
        page.append('\n');
    }

    private static void refusals(StringBuilder page) {
        page.append(
                """
                ## Refusals

                Each clears automatically once what is missing arrives.

                | refusal | why | missing | what to do | runbook |
                | --- | --- | --- | --- | --- |
                """);
        Incident incident = new Incident(Sketch.NORTH_BOOT, "unheard", 1);
        for (Refusal refusal : Refusal.values()) {
            page.append(
                    "| %s | %s | %s | %s | %s |%n"
                            .formatted(
                                    Sketch.words(refusal),
                                    refusal.why(Sketch.NORTH, Sketch.SOUTH),
                                    refusal.missing(Sketch.NORTH, Sketch.SOUTH),
                                    refusal.remedy(Sketch.NORTH, Sketch.SOUTH, incident)
                                            .replace(incident.code(), "INCIDENT"),
                                    link(refusal.runbook())));
        }
        page.append('\n');
    }

    private static String link(Runbook runbook) {
        return "[%1$s](runbooks/%1$s)".formatted(runbook.file());
    }
}
