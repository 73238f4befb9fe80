package dev.tandem.lab.command;

import dev.tandem.cli.Progress;
import dev.tandem.cli.Terminal;
import dev.tandem.lab.image.ProgressListener;
import org.jspecify.annotations.Nullable;

/** The steps of the lab on the command line's progress display. */
public final class ConsoleProgressListener implements ProgressListener, AutoCloseable {
    private final Progress progress;
    private Progress.@Nullable Step current;

    public ConsoleProgressListener(Terminal terminal) {
        this.progress = new Progress(terminal);
    }

    @Override
    public void step(String what) {
        current = progress.step(what);
    }

    @Override
    public void detail(String text) {
        if (current != null) {
            current.detail(text);
        }
    }

    @Override
    public void note(String line) {
        progress.note(line);
    }

    /** The last step went well. */
    public void done() {
        if (current != null) {
            current.detail("");
        }
        progress.close();
    }

    /** A step that was not called done is left to the error message. */
    @Override
    public void close() {
        progress.abandon();
    }
}
