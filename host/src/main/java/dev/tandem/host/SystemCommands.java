package dev.tandem.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * The real programs.
 *
 * <p>What a program has printed is what is in its pipes when it ends. Nobody waits for the pipes to
 * be closed: a daemon that it left behind keeps them open for as long as it likes, and so does a
 * process that the kernel holds. That is also why nothing here reads a pipe that may be empty: such
 * a thread could not be woken up.
 */
public final class SystemCommands implements Commands {
    // Between two looks at the pipes. The end of the program is told at once; a look is for what
    // would not fit into a pipe, which holds 64 KiB.
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(20);

    /** A cluster's whole configuration has some hundred kilobytes; the agent's heap has 64 MB. */
    static final int MOST_OUTPUT = 8 << 20;

    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        Deadline end = Deadline.in(limit);
        Process process;
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            // Programs are parsed by machine: their words must not depend on the caller's language.
            builder.environment().put("LC_ALL", "C.UTF-8");
            process = builder.start();
        } catch (IOException e) {
            return new Output(Output.NOT_STARTED, "", String.valueOf(e.getMessage()));
        }
        write(process.getOutputStream(), stdin);
        try (Pipe out = new Pipe(process.getInputStream());
                Pipe err = new Pipe(process.getErrorStream())) {
            Duration pause = FIRST_PAUSE;
            while (!process.waitFor(pause)) {
                if (end.passed()) {
                    end(process);
                    return new Output(
                            Output.TIMED_OUT,
                            "",
                            command.getFirst() + " did not end within " + limit);
                }
                // Both are drained: a full pipe would stop the program until the limit.
                boolean printed = out.drain();
                boolean complained = err.drain();
                if (out.tooMuch() || err.tooMuch()) {
                    end(process);
                    return tooMuch(command);
                }
                pause =
                        printed || complained
                                ? FIRST_PAUSE
                                : shorter(pause.multipliedBy(2), LONGEST_PAUSE);
            }
            out.drain();
            err.drain();
            return out.tooMuch() || err.tooMuch()
                    ? tooMuch(command)
                    : new Output(process.exitValue(), out.text(), err.text());
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            return new Output(Output.TIMED_OUT, "", command.getFirst() + " was interrupted");
        } catch (IOException e) {
            end(process);
            throw new UncheckedIOException("reading from " + command.getFirst() + " failed", e);
        }
    }

    /** What it said is not known, as with a program that was ended at its limit. */
    private static Output tooMuch(List<String> command) {
        return new Output(
                Output.TIMED_OUT,
                "",
                "%s printed more than %d MB".formatted(command.getFirst(), MOST_OUTPUT >> 20));
    }

    /** One end of a pipe, and what came out of it. */
    private record Pipe(InputStream stream, ByteArrayOutputStream read) implements AutoCloseable {
        Pipe(InputStream stream) {
            this(stream, new ByteArrayOutputStream());
        }

        /** Takes what is in it now, without waiting for more; whether that was anything. */
        boolean drain() throws IOException {
            // Once: a program that never stops printing must not keep us from looking at the clock.
            byte[] there = stream.readNBytes(stream.available());
            read.writeBytes(there);
            return there.length > 0;
        }

        boolean tooMuch() {
            return read.size() > MOST_OUTPUT;
        }

        String text() {
            return read.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }

    /** With its children, as far as they are still known as such. */
    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Beside the program: one that does not read its input would hold the writer back. */
    private static void write(OutputStream stream, String text) {
        Thread.startVirtualThread(() -> {
            try (stream) {
                stream.write(text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // A program that does not read its input closes the pipe; its exit code tells the
                // rest.
                return;
            }
        });
    }
}
