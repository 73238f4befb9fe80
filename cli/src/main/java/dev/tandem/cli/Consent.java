package dev.tandem.cli;

import dev.tandem.core.Failure;
import picocli.CommandLine.Option;

/** Mixed into every command that changes something: look first, or say yes beforehand. */
public final class Consent {
    @Option(names = "--dry-run", description = "Show what would change, and change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    public boolean dryRun() {
        return dryRun;
    }

    /**
     * Whether the person agrees to {@code what}. Without a terminal there is nobody to ask: that is
     * refused rather than taken for a yes or a no.
     */
    public boolean given(Terminal terminal, String what) {
        if (yes) {
            return true;
        }
        if (!terminal.interactive()) {
            throw new Failure(
                    "not done: " + what,
                    "there is no terminal to ask for consent",
                    "add --yes, or look first with --dry-run");
        }
        return terminal.ask(what + " Go on? [y/N]")
                .map(answer -> answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes"))
                .orElse(false);
    }
}
