package dev.tandem.drill.audit;

import dev.tandem.host.Commands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Looks for passwords where none may stand: in arguments and environments of processes, in logs and
 * kept state, in Pacemaker's configuration and in what Tandem tells. The searching program gets the
 * passwords on its standard input: in its arguments it would find itself.
 *
 * @param node runs programs where it is looked
 */
public record SecretScan(Commands node) {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Where files are kept that people copy, send and back up without a thought. */
    private static final List<String> DIRECTORIES =
            List.of(
                    "/run/tandem",
                    "/var/lib/corosync",
                    "/var/lib/pacemaker",
                    "/var/lib/systemd/coredump",
                    "/var/lib/tandem",
                    "/var/log");

    /** What answers to root; each within a minute. */
    private static final List<List<String>> ANSWERS =
            List.of(
                    List.of("cibadmin", "--query"),
                    List.of("journalctl", "--output=cat", "--lines=50000"),
                    List.of("tandem", "explain", "-o", "json"),
                    List.of("tandem", "status", "-o", "json"));

    /** Where one of them stands; empty if nowhere. */
    public List<String> leaks(Set<String> passwords) {
        List<String> found = new ArrayList<>(inProcesses(passwords));
        found.addAll(inFiles(passwords, DIRECTORIES));
        for (List<String> command : ANSWERS) {
            String answer = node.run(LIMIT, command).out();
            if (passwords.stream().anyMatch(answer::contains)) {
                found.add("the answer of " + String.join(" ", command));
            }
        }
        return found;
    }

    List<String> inProcesses(Set<String> passwords) {
        List<String> files =
                node.run(
                                LIMIT,
                                List.of(
                                        "find",
                                        "/proc",
                                        "-maxdepth",
                                        "2",
                                        "(",
                                        "-name",
                                        "cmdline",
                                        "-o",
                                        "-name",
                                        "environ",
                                        ")"))
                        .out()
                        .lines()
                        .toList();
        // A search that finds nothing at all proves nothing.
        if (grep(List.of(), files, Set.of("PATH=")).isEmpty()) {
            throw new IllegalStateException("the environments of processes cannot be searched");
        }
        return grep(List.of(), files, passwords);
    }

    List<String> inFiles(Set<String> passwords, List<String> directories) {
        return grep(List.of("--recursive"), directories, passwords);
    }

    /** Processes end while it is looked, and not every directory is there: that is no fault. */
    private List<String> grep(List<String> how, List<String> where, Set<String> words) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "grep",
                                "--no-messages",
                                "--files-with-matches",
                                "--text",
                                "--fixed-strings",
                                "--file=/dev/stdin"));
        command.addAll(how);
        command.add("--");
        command.addAll(where);
        Commands.Output output = node.run(LIMIT, command, String.join("\n", words) + "\n");
        if (output.exitCode() < 0) {
            throw new IllegalStateException("cannot search: " + output.err());
        }
        return output.out().lines().toList();
    }
}
