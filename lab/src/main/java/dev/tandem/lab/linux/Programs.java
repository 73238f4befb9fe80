package dev.tandem.lab.linux;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.SystemCommands;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Programs of the host that have to succeed: what else they say is a failure of the lab. */
public final class Programs {
    /**
     * For programs that only talk to the kernel: they answer in milliseconds, on an overloaded host
     * in seconds, or hang for good.
     */
    public static final Duration QUICK = Duration.ofSeconds(60);

    private final Commands commands;

    public Programs(Commands commands) {
        this.commands = commands;
    }

    public static Programs ofHost() {
        return new Programs(new SystemCommands());
    }

    public Commands commands() {
        return commands;
    }

    /**
     * Runs the program and returns what it printed; {@code what} names the purpose in a failure.
     */
    public String run(String what, String... command) {
        return run(what, QUICK, List.of(command), "");
    }

    public String run(String what, Duration limit, List<String> command, String stdin) {
        Commands.Output output = commands.run(limit, command, stdin);
        if (!output.ok()) {
            throw failure(what, command, output);
        }
        return output.out();
    }

    /**
     * Runs a long program whose output is shown as it comes and kept in {@code log}. Without a
     * limit: how long a download takes depends on the network, and its progress is visible.
     */
    public static void follow(String what, List<String> command, Path log, Consumer<String> line)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        Process process = builder.start();
        process.getOutputStream().close();
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter kept =
                        Files.newBufferedWriter(
                                log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String next = output.readLine(); next != null; next = output.readLine()) {
                kept.write(next);
                kept.newLine();
                line.accept(next);
            }
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                kept.flush();
                throw failure(
                        what, command, new Commands.Output(exitCode, Files.readString(log), ""));
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    public static Failure failure(String what, List<String> command, Commands.Output output) {
        String said = output.err().isBlank() ? output.out() : output.err();
        String how =
                switch (output.exitCode()) {
                    case Commands.Output.NOT_STARTED ->
                            command.getFirst() + " could not be started";
                    case Commands.Output.TIMED_OUT -> command.getFirst() + " hung";
                    default -> command.getFirst() + " ended with " + output.exitCode();
                };
        return new Failure(
                "cannot " + what,
                how + lastLines(said),
                "run it by hand to see its output: " + String.join(" ", command));
    }

    /** The end of an output is where programs say what went wrong. */
    private static String lastLines(String said) {
        List<String> lines = said.lines().filter(line -> !line.isBlank()).toList();
        List<String> last = lines.subList(Math.max(0, lines.size() - 4), lines.size());
        return last.isEmpty() ? "" : ": " + String.join(" / ", last).strip();
    }
}
