package dev.tandem.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.core.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ConsentTest {

    private static Consent parsed(String... arguments) {
        Consent consent = new Consent();
        new CommandLine(
                        CommandLine.Model.CommandSpec.create()
                                .addMixin(
                                        "consent",
                                        CommandLine.Model.CommandSpec.forAnnotatedObject(consent)))
                .parseArgs(arguments);
        return consent;
    }

    @ParameterizedTest
    @CsvSource({"y,true", "YES,true", "n,false", "'',false", "yep,false"})
    void aPersonIsAsked(String typed, boolean agreed) {
        ScreenTerminal person = ScreenTerminal.attended(typed + "\n");

        assertThat(parsed().given(person.terminal(), "node-1 is powered off.")).isEqualTo(agreed);
        assertThat(person.err()).contains("node-1 is powered off. Go on?");
    }

    @Test
    void theEndOfInputIsNoConsent() {
        assertThat(parsed().given(ScreenTerminal.attended("").terminal(), "x")).isFalse();
    }

    @Test
    void yesBeforehandNeedsNobody() {
        assertThat(parsed("--yes").given(ScreenTerminal.unattended().terminal(), "x")).isTrue();
    }

    @Test
    void withNobodyThereItIsRefusedRatherThanGuessed() {
        assertThatThrownBy(() ->
                        parsed().given(
                                        ScreenTerminal.unattended().terminal(),
                                        "node-1 is powered off"))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.remedy()).contains("--yes"));
    }
}
