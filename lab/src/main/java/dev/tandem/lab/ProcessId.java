package dev.tandem.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A process that cannot be mistaken for a later one with the same number. */
record ProcessId(long pid, long startTicks) {

    static ProcessId ofThis() {
        return of(ProcessHandle.current().pid())
                .orElseThrow(() -> new IllegalStateException("this process is not in /proc"));
    }

    static Optional<ProcessId> of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The second field is the program's name in parentheses and may hold anything.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            boolean dead = fields[0].equals("Z") || fields[0].equals("X");
            return dead
                    ? Optional.empty()
                    : Optional.of(new ProcessId(pid, Long.parseLong(fields[19])));
        } catch (IOException e) {
            // No such process, or it ended while being read.
            return Optional.empty();
        }
    }

    boolean alive() {
        return of(pid).filter(this::equals).isPresent();
    }

    void kill() {
        if (alive()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
