package dev.tandem.lab.command;

import picocli.CommandLine.Option;

/** How true a power cut is. */
public final class KeepCache {
    @Option(
            names = "--keep-cache",
            description =
                    "Let power cuts lose nothing that was written, synced or not; real hardware"
                            + " loses what was not synced.")
    private boolean kept;

    public boolean kept() {
        return kept;
    }
}
