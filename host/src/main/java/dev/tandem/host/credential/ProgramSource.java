package dev.tandem.host.credential;

import dev.tandem.core.Failure;
import dev.tandem.host.Commands;
import dev.tandem.host.Secrets;
import dev.tandem.host.credential.SourceAnswer.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Runs a program of the administrator's, which prints the password as one line. Its environment is
 * empty but for a path and a language, its input is empty, and it gets the arguments of the plan:
 * no secret goes in, and the password comes out by its standard output alone. What it complains of
 * is shown only with the exit codes that say what it means, and never a line with a secret in it.
 *
 * <p>It runs as the caller does. The agent, which is root in a sandbox without the capability to
 * become somebody else, is the usual one: ADR 31.
 *
 * @param kept the password that is in use, as far as there is one
 */
record ProgramSource(Commands commands, Supplier<Optional<String>> kept, OnlyRootWrites rule) {
    /** A fence does not wait for it, but a person at a prompt does. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    /** The store cannot be reached now (EX_TEMPFAIL of sysexits.h). */
    static final int TRY_LATER = 75;

    /** The store does not give it the password (EX_NOPERM of sysexits.h). */
    static final int NO_PERMISSION = 77;

    private static final int MOST_WORDS = 200;

    /** What a shell puts before each command that {@code set -x} shows, with all its values. */
    private static final String SHELL_TRACE = "+";

    SourceAnswer read(PasswordSource.Program program) {
        Optional<String> fault = rule.fault(program.path());
        if (fault.isPresent()) {
            return new SourceAnswer.Unread(
                    Kind.FAULTY,
                    fault.get(),
                    "give the program and the directories above it to root, writable by root"
                            + " alone: chown root: FILE; chmod 0755 FILE");
        }
        Commands.Output output = commands.run(LIMIT, command(program));
        return switch (output.exitCode()) {
            case 0 -> printed(program, output.out());
            case TRY_LATER ->
                    unread(
                            Kind.UNREACHABLE,
                            "it says that its store cannot be reached" + said(output),
                            program);
            case NO_PERMISSION ->
                    unread(
                            Kind.REFUSED,
                            "it says that its store refuses to give the password" + said(output),
                            program);
            case Commands.Output.TIMED_OUT ->
                    unread(
                            Kind.UNREACHABLE,
                            "it did not end within %d s, or printed too much"
                                    .formatted(LIMIT.toSeconds()),
                            program);
            default ->
                    unread(
                            Kind.FAULTY,
                            // What it says then was not written for people: it may be a trace.
                            "it ended with exit code %d".formatted(output.exitCode()),
                            program);
        };
    }

    private static SourceAnswer.Unread unread(
            Kind kind, String why, PasswordSource.Program program) {
        return new SourceAnswer.Unread(
                kind, why, "to see why, run it as root: " + String.join(" ", program.command()));
    }

    private static List<String> command(PasswordSource.Program program) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "env",
                                "--ignore-environment",
                                "--chdir=/",
                                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                "LC_ALL=C.UTF-8",
                                real(program.path()).toString()));
        command.addAll(program.command().subList(1, program.command().size()));
        return command;
    }

    /** What was looked at is what is run. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException("it was there a moment ago", e);
        }
    }

    private static SourceAnswer printed(PasswordSource.Program program, String out) {
        if (out.indexOf('\uFFFD') >= 0) {
            return unread(Kind.FAULTY, "what it printed is not UTF-8 text", program);
        }
        try {
            return new SourceAnswer.Read(
                    Secrets.read(
                            new ByteArrayInputStream(out.getBytes(StandardCharsets.UTF_8)),
                            program.words()));
        } catch (Failure e) {
            return unread(Kind.FAULTY, "what it printed is not a password: " + e.why(), program);
        }
    }

    /** The first line of its complaint that holds no secret, as far as that can be told. */
    private String said(Commands.Output output) {
        if (output.err().isBlank()) {
            return "";
        }
        List<String> secrets =
                Stream.concat(output.out().lines().map(String::strip), kept.get().stream())
                        .filter(secret -> !secret.isEmpty())
                        .toList();
        return output.err()
                .lines()
                .filter(line -> !line.startsWith(SHELL_TRACE))
                .filter(line -> secrets.stream().noneMatch(line::contains))
                .map(line -> SourceWords.of(line, MOST_WORDS))
                // What a control character divided is whole now.
                .filter(line -> secrets.stream().noneMatch(line::contains))
                .filter(line -> !line.isEmpty())
                .findFirst()
                .map(line -> ": " + line)
                .orElse("");
    }
}
