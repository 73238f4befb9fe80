package dev.tandem.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A terminal in memory: what was typed goes in, what was written can be read. */
final class ScreenTerminal {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Terminal terminal;

    private ScreenTerminal(String typed, boolean attended) {
        this.terminal =
                new Terminal(
                        new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8)),
                        out,
                        err,
                        attended,
                        attended,
                        attended,
                        true,
                        true);
    }

    /** Pipes and files instead of a screen, as in a script. */
    static ScreenTerminal unattended() {
        return new ScreenTerminal("", false);
    }

    /** A person at a screen who types this. */
    static ScreenTerminal attended(String typed) {
        return new ScreenTerminal(typed, true);
    }

    Terminal terminal() {
        return terminal;
    }

    int run(String... arguments) {
        return Main.run(terminal, arguments);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
