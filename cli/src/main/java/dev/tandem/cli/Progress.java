package dev.tandem.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Tells how far a long piece of work has come. On a terminal the current step is one line, drawn
 * over; elsewhere it is plain lines, so that a log file stays readable. Always on standard error:
 * the answer is never mixed with it.
 */
public final class Progress implements AutoCloseable {
    /** Quick enough to look alive, slow enough to cost nothing. */
    private static final Duration REDRAW = Duration.ofMillis(120);

    /** A log reader wants to know that a long step lives, not to read a line a second. */
    private static final Duration REMIND = Duration.ofSeconds(15);

    private static final String ERASE_LINE = "\r\033[2K";

    private final PrintWriter err;
    private final boolean redraw;
    private final BooleanSupplier interrupted;
    private final ScheduledExecutorService clock;
    private final long startedNanos = System.nanoTime();
    private Step current = new Step("", startedNanos);
    private boolean running;
    private int frame;

    public Progress(Terminal terminal) {
        this(terminal, Interruption::underWay);
    }

    Progress(Terminal terminal, BooleanSupplier interrupted) {
        this.interrupted = interrupted;
        this.err = terminal.err();
        this.redraw = terminal.canRedraw();
        this.clock =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("progress").factory());
        Duration beat = redraw ? REDRAW : REMIND;
        // The handle is not needed: close() ends the whole executor.
        var _ =
                clock.scheduleAtFixedRate(
                        this::beat, beat.toMillis(), beat.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Begins a step; the one before it is done. */
    public synchronized Step step(String what) {
        finish();
        current = new Step(what, System.nanoTime());
        running = true;
        if (redraw) {
            draw();
        } else {
            err.println(what + " ...");
        }
        return current;
    }

    /** A line that stays, such as something worth knowing in the middle of a step. */
    public synchronized void note(String line) {
        err.println(redraw ? ERASE_LINE + line : line);
        if (redraw && running && !ending()) {
            draw();
        }
    }

    /**
     * Ends the last step as done. A step that failed is left to the error message: call {@link
     * #abandon} then.
     */
    @Override
    public synchronized void close() {
        finish();
        clock.shutdownNow();
    }

    /** Ends the display without calling the current step done. */
    public synchronized void abandon() {
        if (redraw && running) {
            err.print(ERASE_LINE);
            err.flush();
        }
        running = false;
        clock.shutdownNow();
    }

    private void finish() {
        if (!running) {
            return;
        }
        running = false;
        String took = seconds(System.nanoTime() - current.startedNanos);
        err.println(
                (redraw ? ERASE_LINE : "") + current.what + current.suffix() + " (" + took + ")");
    }

    /** Told to end, the process undoes its work and says so; the step is not going on any more. */
    private boolean ending() {
        if (!interrupted.getAsBoolean()) {
            return false;
        }
        running = false;
        if (redraw) {
            err.print(ERASE_LINE);
            err.flush();
        }
        return true;
    }

    private synchronized void beat() {
        if (!running || ending()) {
            return;
        }
        if (redraw) {
            draw();
        } else {
            err.println(
                    current.what
                            + current.suffix()
                            + ", "
                            + seconds(System.nanoTime() - current.startedNanos)
                            + " so far");
        }
    }

    private void draw() {
        String spinner = "|/-\\".substring(frame % 4, frame % 4 + 1);
        frame++;
        err.print(
                ERASE_LINE
                        + spinner
                        + " "
                        + current.what
                        + current.suffix()
                        + "  "
                        + seconds(System.nanoTime() - current.startedNanos));
        err.flush();
    }

    static String seconds(long nanos) {
        double seconds = nanos / 1e9;
        if (seconds < 60) {
            return "%.1f s".formatted(seconds);
        }
        long whole = Math.round(seconds);
        return "%d min %02d s".formatted(whole / 60, whole % 60);
    }

    /** One step of the work. */
    public final class Step {
        private final String what;
        private final long startedNanos;
        private String detail = "";

        private Step(String what, long startedNanos) {
            this.what = what;
            this.startedNanos = startedNanos;
        }

        /** What is being done right now within the step. */
        public void detail(String text) {
            synchronized (Progress.this) {
                detail = text;
            }
        }

        /** How far the step has come. */
        public void done(long part, long whole) {
            detail(whole == 0 ? "" : (100 * part / whole) + " %");
        }

        private String suffix() {
            return detail.isEmpty() ? "" : ": " + detail;
        }
    }
}
