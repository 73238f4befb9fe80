package dev.tandem.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The real programs. */
public final class SystemCommands implements Commands {

    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        Process process;
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            // Programs are parsed by machine: their words must not depend on the caller's language.
            builder.environment().put("LC_ALL", "C.UTF-8");
            process = builder.start();
        } catch (IOException e) {
            return new Output(Output.NOT_STARTED, "", String.valueOf(e.getMessage()));
        }
        // Both pipes are drained while the process runs: a full pipe would stop it until the limit.
        try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> out = readers.submit(() -> read(process.getInputStream()));
            Future<String> err = readers.submit(() -> read(process.getErrorStream()));
            Thread.startVirtualThread(() -> write(process.getOutputStream(), stdin));
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                end(process);
                return new Output(
                        Output.TIMED_OUT, "", command.getFirst() + " did not end within " + limit);
            }
            return new Output(process.exitValue(), out.get(), err.get());
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            return new Output(Output.TIMED_OUT, "", command.getFirst() + " was interrupted");
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "reading from " + command.getFirst() + " failed", e.getCause());
        }
    }

    /** Children first: one that keeps the pipe open would keep the readers waiting. */
    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static String read(InputStream stream) throws IOException {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void write(OutputStream stream, String text) {
        try (stream) {
            stream.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A program that does not read its input closes the pipe; its exit code tells the rest.
            return;
        }
    }
}
