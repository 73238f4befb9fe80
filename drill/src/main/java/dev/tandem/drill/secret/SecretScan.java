package dev.tandem.drill.secret;

import dev.tandem.agentapi.AgentRoutes;
import dev.tandem.agentapi.client.AgentClient;
import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Looks for secrets on a node as it is now: in arguments and environments of processes, in kept
 * state, in what was logged since the last look, in Pacemaker's configuration and in what Tandem
 * tells. The searching program gets the secrets on its standard input: in its arguments it would
 * find itself.
 *
 * @param node runs programs where it is looked
 * @param directories where files are kept that people copy, send and back up without a thought
 * @param answers what answers to root
 */
record SecretScan(Commands node, List<String> directories, List<Answer> answers) {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Where journalctl keeps how far it has read: on the disk, as a node may be off in between. */
    private static final String CURSOR = "/var/tmp/drill-secret-scan.cursor";

    /**
     * A command and its answer.
     *
     * @param control a word that is in each such answer: where it is not found, nothing was
     *     searched; empty where an answer may be empty
     */
    record Answer(String control, List<String> command) {
        Answer {
            command = List.copyOf(command);
        }
    }

    /**
     * What was found.
     *
     * @param leaks where which secret stands
     * @param blind what could not be searched, and why
     */
    record Findings(Set<String> leaks, List<String> blind) {
        Findings {
            leaks = Set.copyOf(leaks);
            blind = List.copyOf(blind);
        }
    }

    static SecretScan of(Commands node) {
        return new SecretScan(
                node,
                List.of(
                        "/run/tandem",
                        "/var/lib/corosync",
                        "/var/lib/pacemaker",
                        "/var/lib/systemd/coredump",
                        "/var/lib/tandem",
                        "/var/log"),
                List.of(
                        new Answer("<cib ", List.of("cibadmin", "--query")),
                        new Answer(
                                "\"sentence\"",
                                List.of(
                                        "curl",
                                        "--silent",
                                        "--show-error",
                                        "--fail",
                                        "--unix-socket",
                                        AgentClient.SOCKET.toString(),
                                        "http://tandem" + AgentRoutes.STATUS)),
                        // All fields: the journal notes the arguments of whoever logs. Only what
                        // is new: a drill of a hundred scenarios would else read everything a
                        // hundred times.
                        new Answer(
                                "",
                                List.of(
                                        "journalctl",
                                        "--quiet",
                                        "--output=export",
                                        "--cursor-file=" + CURSOR))));
    }

    /** Tells after the matches how the command ended, and how the search. */
    private static final String PIPE =
            "exec 3<&0; \"$@\" 3<&- </dev/null | grep --text --fixed-strings --only-matching"
                    + " --file=/dev/fd/3 | sort --unique;"
                    + " echo \"${PIPESTATUS[0]} ${PIPESTATUS[1]}\"";

    /** The search itself ends with 0 or 1. */
    private static final Pattern SEARCHED = Pattern.compile("0 [01]");

    /** The last is what tests meet that are not root. */
    private static final Pattern VANISHED =
            Pattern.compile(".*: (No such file or directory|No such process|Permission denied)");

    Findings look(Map<String, Secret> byForm) {
        Set<String> leaks = new LinkedHashSet<>();
        List<String> blind = new ArrayList<>();
        inProcesses(byForm, leaks, blind);
        inFiles(byForm, leaks, blind);
        for (Answer answer : answers) {
            inAnswer(answer, byForm, leaks, blind);
        }
        return new Findings(leaks, blind);
    }

    private void inProcesses(Map<String, Secret> byForm, Set<String> leaks, List<String> blind) {
        // Of what nobody hides; a search that finds nothing at all proves nothing.
        String control = "PATH=";
        List<Match> matches =
                grep(
                        List.of(
                                "bash",
                                "-c",
                                "exec grep \"$@\" /proc/[0-9]*/cmdline /proc/[0-9]*/environ",
                                "grep"),
                        words(byForm, control),
                        "processes",
                        blind);
        if (matches.stream().noneMatch(match -> match.text().equals(control))) {
            blind.add("processes: no environment has a path");
        }
        add(matches, byForm, leaks);
    }

    private void inFiles(Map<String, Secret> byForm, Set<String> leaks, List<String> blind) {
        List<String> command = new ArrayList<>(List.of("grep", "--recursive"));
        // journalctl reads those, and what is compressed in them.
        command.add("--exclude-dir=journal");
        List<Match> matches = grep(command, words(byForm, ""), "files", blind, directories);
        add(matches, byForm, leaks);
    }

    /** A secret and where it stands. */
    private record Match(String place, String text) {}

    private static void add(List<Match> matches, Map<String, Secret> byForm, Set<String> leaks) {
        for (Match match : matches) {
            Optional.ofNullable(byForm.get(match.text()))
                    .filter(secret -> !secret.isAtHome(match.place()))
                    .ifPresent(secret -> leaks.add(secret.what() + " stands in " + match.place()));
        }
    }

    private static String words(Map<String, Secret> byForm, String control) {
        return String.join("\n", byForm.keySet())
                + (control.isEmpty() ? "" : "\n" + control)
                + "\n";
    }

    private List<Match> grep(List<String> how, String words, String channel, List<String> blind) {
        return grep(how, words, channel, blind, List.of());
    }

    private List<Match> grep(
            List<String> how,
            String words,
            String channel,
            List<String> blind,
            List<String> where) {
        List<String> command = new ArrayList<>(how);
        command.addAll(
                List.of(
                        "--text",
                        "--fixed-strings",
                        "--only-matching",
                        "--with-filename",
                        "--null",
                        "--max-count=5",
                        "--file=/dev/stdin"));
        if (!where.isEmpty()) {
            command.add("--");
            command.addAll(where);
        }
        Commands.Output output = node.run(LIMIT, command, words);
        Optional<String> trouble =
                output.err()
                        .lines()
                        .filter(line -> !line.isBlank() && !VANISHED.matcher(line).matches())
                        .findFirst();
        // What ends or is deleted while it is looked is no fault: grep ends with 2 for that too.
        if (output.exitCode() < 0 || (output.exitCode() > 1 && trouble.isPresent())) {
            blind.add("%s: exit code %d: %s".formatted(channel, output.exitCode(), output.err()));
        }
        return output.out()
                .lines()
                .map(line -> line.split("\0", 2))
                .filter(parts -> parts.length == 2)
                .map(parts -> new Match(parts[0], parts[1]))
                .toList();
    }

    private void inAnswer(
            Answer answer, Map<String, Secret> byForm, Set<String> leaks, List<String> blind) {
        List<String> command = new ArrayList<>(List.of("bash", "-c", PIPE, "bash"));
        command.addAll(answer.command());
        String place = "the answer of " + String.join(" ", answer.command());
        Commands.Output output = node.run(LIMIT, command, words(byForm, answer.control()));
        List<String> lines = output.out().lines().toList();
        if (lines.isEmpty() || !SEARCHED.matcher(lines.getLast()).matches()) {
            blind.add(
                    "%s: exit codes %s: %s"
                            .formatted(
                                    place,
                                    lines.isEmpty() ? output.exitCode() : lines.getLast(),
                                    output.err()));
        } else if (!answer.control().isEmpty() && !lines.contains(answer.control())) {
            blind.add("%s: it has no %s".formatted(place, answer.control()));
        }
        add(lines.stream().map(line -> new Match(place, line)).toList(), byForm, leaks);
    }
}
