package dev.tandem.host.bmc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.BmcAnswer;
import dev.tandem.host.bmc.BmcFault;
import dev.tandem.host.bmc.BmcPower;
import dev.tandem.host.bmc.HardwareIdentity;
import dev.tandem.host.bmc.PowerOutcome;
import dev.tandem.host.bmc.PowerState;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FenceAgentTest {
    private static final BmcFault FAULT = new BmcFault.Unreachable("no answer within 6.0 s");

    private final List<String> seen = new ArrayList<>();
    private Optional<String> doubt = Optional.empty();

    /** Answers the same each time, and notes what it was asked. */
    private final class Scripted implements BmcPower {
        private final Optional<PowerState> state;
        private final boolean obeys;

        Scripted(Optional<PowerState> state, boolean obeys) {
            this.state = state;
            this.obeys = obeys;
        }

        @Override
        public BmcAnswer<PowerState> read() {
            return state.<BmcAnswer<PowerState>>map(s -> new BmcAnswer.Read<>(s, Duration.ZERO))
                    .orElseGet(() -> new BmcAnswer.Unknown<>(FAULT));
        }

        @Override
        public PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed) {
            seen.add("off");
            return outcome(PowerState.OFF);
        }

        @Override
        public PowerOutcome on(Duration limit) {
            seen.add("on");
            return outcome(PowerState.ON);
        }

        private PowerOutcome outcome(PowerState reached) {
            return obeys
                    ? new PowerOutcome.Observed(
                            reached, HardwareIdentity.UNTOLD, true, Duration.ZERO, Duration.ZERO)
                    : new PowerOutcome.NotObserved(state, Optional.of(FAULT), Duration.ZERO);
        }
    }

    private FenceAgent agent(Optional<PowerState> state, boolean obeys) {
        return new FenceAgent(
                () -> Map.of("north", new Scripted(state, obeys)),
                (node, observed) -> {
                    seen.add(node + " read " + observed.state());
                    return doubt;
                });
    }

    @Test
    void aNodeWhoseOffIsNotBelievedIsNotFencedAndNotSwitchedOn() {
        doubt = Optional.of("it proves nothing");

        FenceAgent.Result result =
                agent(Optional.of(PowerState.ON), true)
                        .run(List.of(), "action=reboot\nplug=north\n");

        assertThat(result.exitCode()).isEqualTo(FenceAgent.FAILURE);
        assertThat(result.err()).isEqualTo("it proves nothing\n");
        // Some BMCs switch off late, and take an order to switch on in between for a change of
        // mind.
        assertThat(seen).containsExactly("off", "north read OFF");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    action  | state       | obeys | exit | seen
                    status  | ON          | true  | 0    |
                    status  | POWERING_ON | true  | 0    |
                    status  | POWERING_OFF| true  | 0    |
                    status  | OFF         | true  | 2    |
                    status  |             | true  | 1    |
                    monitor | OFF         | true  | 0    |
                    monitor |             | true  | 1    |
                    off     | ON          | true  | 0    | off;north read OFF
                    off     | ON          | false | 1    | off
                    on      | OFF         | true  | 0    | on
                    on      | OFF         | false | 1    | on
                    reboot  | ON          | true  | 0    | off;north read OFF;on
                    # never switched on, nor told to be off, when off was not seen
                    reboot  | ON          | false | 1    | off
                    """)
    void answersWithTheExitCodesOfTheInterface(
            String action, PowerState state, boolean obeys, int exit, String asked) {
        FenceAgent.Result result =
                agent(Optional.ofNullable(state), obeys)
                        .run(List.of(), "action=" + action + "\nplug=north\n");

        assertThat(result.exitCode()).as(result.err()).isEqualTo(exit);
        assertThat(String.join(";", seen)).isEqualTo(asked == null ? "" : asked);
        assertThat(result.err().isEmpty()).isEqualTo(exit != 1);
    }

    @Test
    void aRebootHasFencedThoughTheNodeDoesNotComeBack() {
        BmcPower offOnly =
                new BmcPower() {
                    @Override
                    public BmcAnswer<PowerState> read() {
                        return new BmcAnswer.Read<>(PowerState.OFF, Duration.ZERO);
                    }

                    @Override
                    public PowerOutcome off(Duration limit, Supplier<Optional<String>> lapsed) {
                        return new PowerOutcome.Observed(
                                PowerState.OFF,
                                HardwareIdentity.UNTOLD,
                                true,
                                Duration.ZERO,
                                Duration.ZERO);
                    }

                    @Override
                    public PowerOutcome on(Duration limit) {
                        return new PowerOutcome.NotObserved(
                                Optional.of(PowerState.OFF), Optional.empty(), limit);
                    }
                };

        FenceAgent.Result result =
                new FenceAgent(() -> Map.of("north", offOnly), (_, _) -> Optional.empty())
                        .run(List.of("-o", "reboot", "-n", "north"), "");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).contains("not seen to come back");
    }

    @Test
    void anUnknownNodeIsNamedWithTheKnownOnes() {
        FenceAgent.Result result =
                agent(Optional.of(PowerState.ON), true).run(List.of(), "action=off\nplug=west");

        assertThat(result.exitCode()).isEqualTo(FenceAgent.FAILURE);
        assertThat(result.err()).contains("west").contains("north");
        assertThat(seen).isEmpty();
    }

    @Test
    void listsAreInTheStockAgentsForm() {
        FenceAgent agent = agent(Optional.of(PowerState.OFF), true);

        assertThat(agent.run(List.of(), "action=list").out()).isEqualTo("north,\n");
        assertThat(agent.run(List.of(), "action=list-status").out()).isEqualTo("north,,OFF\n");
        assertThat(agent(Optional.empty(), true).run(List.of(), "action=list-status").out())
                .isEqualTo("north,,UNKNOWN\n");
    }

    @Test
    void theMetadataNamesEveryAction() throws Exception {
        String xml = agent(Optional.empty(), true).run(List.of("-o", "metadata"), "").out();
        TreeSet<String> actions = new TreeSet<>();
        XMLStreamReader reader =
                XMLInputFactory.newDefaultFactory().createXMLStreamReader(new StringReader(xml));
        while (reader.hasNext()) {
            if (reader.next() == XMLStreamReader.START_ELEMENT
                    && reader.getLocalName().equals("action")) {
                actions.add(reader.getAttributeValue(null, "name"));
            }
        }

        assertThat(actions)
                .containsExactlyInAnyOrder(
                        Arrays.stream(FenceRequest.Action.values())
                                .map(FenceRequest.Action::word)
                                .toArray(String[]::new));
        assertThat(xml).doesNotContain("password");
    }
}
