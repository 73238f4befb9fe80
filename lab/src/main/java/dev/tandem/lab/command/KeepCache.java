package dev.tandem.lab.command;

import picocli.CommandLine.Option;

/** How true a power cut is. */
public final class KeepCache {
    @Option(
            names = "--keep-cache",
            description =
                    "Power cuts lose nothing that was written, synced or not, as it never is on"
                            + " hardware.")
    private boolean kept;

    public boolean kept() {
        return kept;
    }
}
