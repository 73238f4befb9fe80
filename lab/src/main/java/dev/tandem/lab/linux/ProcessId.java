package dev.tandem.lab.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A process that cannot be mistaken for a later one with the same number. */
public record ProcessId(long pid, long startTicks) {

    public static ProcessId ofThis() {
        return of(ProcessHandle.current().pid())
                .orElseThrow(() -> new IllegalStateException("this process is not in /proc"));
    }

    public static Optional<ProcessId> of(long pid) {
        return stat(pid)
                .filter(fields -> !fields[0].equals("Z") && !fields[0].equals("X"))
                .map(fields -> new ProcessId(pid, Long.parseLong(fields[19])));
    }

    /** The fields of /proc/PID/stat from the state on. */
    private static Optional<String[]> stat(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The field before is the program's name in parentheses and may hold anything.
            return Optional.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
        } catch (IOException e) {
            // No such process, or it ended while being read.
            return Optional.empty();
        }
    }

    /** Whether the kernel still lists it, be it as a dead one that nobody has asked about. */
    public boolean listed() {
        return stat(pid).filter(fields -> Long.parseLong(fields[19]) == startTicks).isPresent();
    }

    public boolean alive() {
        return of(pid).filter(this::equals).isPresent();
    }

    public void kill() {
        if (alive()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
