package dev.tandem.lab.command.fault;

import dev.tandem.cli.Output;
import dev.tandem.cli.Terminal;

/**
 * What a command did to a lab.
 *
 * @param done a sentence without its full stop
 */
record Done(String done) {
    void print(Output output, Terminal terminal) {
        output.print(terminal, "LabDone", this, Done::done);
    }
}
