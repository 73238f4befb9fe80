package dev.tandem.host.bmc.fence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.host.bmc.fence.FenceRequest.Action;
import dev.tandem.host.bmc.fence.FenceRequest.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FenceRequestTest {

    @Test
    void pacemakersLinesAreUnderstood() {
        Reading reading =
                FenceRequest.parse(
                        List.of(),
                        """
                        # a comment
                        action=reboot
                        crm_feature_set=3.20.0

                        nodename=other
                        plug="north"
                        power_timeout=45
                        no equals sign
                        """);

        assertThat(reading)
                .isEqualTo(
                        new Reading.Good(
                                new FenceRequest(
                                        Action.REBOOT,
                                        Optional.of("north"),
                                        Duration.ofSeconds(45),
                                        Optional.empty())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    arguments                     | action   | target
                    -o status -n north            | STATUS   | north
                    --action=off --plug=north     | OFF      | north
                    --action off --plug north     | OFF      | north
                    -o metadata                   | METADATA |
                    """)
    void optionsAreUnderstood(String arguments, Action action, String target) {
        assertThat(FenceRequest.parse(List.of(arguments.split(" ")), ""))
                .isEqualTo(
                        new Reading.Good(
                                new FenceRequest(
                                        action,
                                        Optional.ofNullable(target),
                                        FenceRequest.POWER_TIMEOUT,
                                        Optional.empty())));
    }

    @Test
    void anOrderHasANameAndAnEnd() {
        assertThat(FenceRequest.parse(List.of(), "action=off\nplug=north\norder=1-a\nexpires=4711"))
                .isEqualTo(
                        new Reading.Good(
                                new FenceRequest(
                                        Action.OFF,
                                        Optional.of("north"),
                                        FenceRequest.POWER_TIMEOUT,
                                        Optional.of(new FenceRequest.Order("1-a", 4711)))));
    }

    /** It might be one that is over. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "order=1",
                "expires=1",
                "order=1\nexpires=soon",
                "order=1\nexpires=-1",
                "order=a b\nexpires=1",
                "order=1\nexpires=9999999999999999"
            })
    void anOrderThatIsNotUnderstoodIsNone(String lines) {
        assertThat(FenceRequest.parse(List.of(), "action=off\nplug=north\n" + lines))
                .isInstanceOf(Reading.Bad.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    stdin                         | why
                    plug=north                    | no action
                    action=explode                | no action 'explode'
                    action=off                    | needs a node
                    action=off,plug=              | needs a node
                    action=on,port=n,power_timeout=0   | power_timeout
                    action=on,port=n,power_timeout=1h  | power_timeout
                    """)
    void whatIsWrongIsNamed(String stdin, String why) {
        assertThat(FenceRequest.parse(List.of(), stdin.replace(',', '\n')))
                .isInstanceOfSatisfying(
                        Reading.Bad.class, bad -> assertThat(bad.why()).contains(why));
    }

    @Test
    void aLooseWordIsRefused() {
        assertThat(FenceRequest.parse(List.of("off"), "")).isInstanceOf(Reading.Bad.class);
    }
}
