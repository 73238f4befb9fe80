package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.core.testing.Sketch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the core tells people to type works as it is printed. */
class PrintedCommandsTest {
    @ParameterizedTest
    @EnumSource
    void ofAWait(WaitFor wait) {
        String sentence = new Decision.Wait(wait).sentence(Sketch.NORTH, Sketch.SOUTH);

        // A status ends the sentence with a full stop, so no command can stand in it.
        assertThat(PrintedCommands.faults(sentence + ".")).isEmpty();
        assertThat(wait.remedy(Sketch.NORTH, Sketch.SOUTH).stream())
                .allSatisfy(remedy -> assertThat(PrintedCommands.faults(remedy)).isEmpty());
    }

    @Test
    void whoWaitsForAPersonTellsItWhatToDo() {
        assertThat(WaitFor.values())
                .filteredOn(wait -> wait.owner() == WaitFor.Owner.PERSON)
                .allSatisfy(wait ->
                        assertThat(wait.remedy(Sketch.NORTH, Sketch.SOUTH))
                                .hasValueSatisfying(remedy ->
                                        assertThat(remedy)
                                                .endsWith(": tandem confirm-peer-off south")));
    }

    @ParameterizedTest
    @EnumSource
    void ofARefusal(Refusal refusal) {
        assertThat(
                        Stream.of(
                                refusal.why(Sketch.NORTH, Sketch.SOUTH) + ".",
                                refusal.missing(Sketch.NORTH, Sketch.SOUTH) + ".",
                                refusal.remedy(
                                        Sketch.NORTH,
                                        Sketch.SOUTH,
                                        new Incident(Sketch.NORTH_BOOT, "south", 1))))
                .allSatisfy(text -> assertThat(PrintedCommands.faults(text)).isEmpty());
    }

    @Test
    void whatCannotBePastedIsFound() {
        assertThat(PrintedCommands.faults("if it is off: tandem confirm-peer-off node-1."))
                .hasSize(1);
        assertThat(PrintedCommands.faults("All: tandem cluster plan example. More: look"))
                .hasSize(1);
        assertThat(PrintedCommands.faults("tandem confirm-peer-off NODE")).hasSize(1);
        assertThat(PrintedCommands.faults("tandem confirm-peer-off {peer}")).hasSize(1);
        assertThat(PrintedCommands.faults("tandem cluster apply /etc/tandem/cluster.yaml"))
                .isEmpty();
        assertThat(
                        PrintedCommands.faults(
                                "tandem-agent is silent. Fix: systemctl status x (see y.)"))
                .isEmpty();
    }
}
