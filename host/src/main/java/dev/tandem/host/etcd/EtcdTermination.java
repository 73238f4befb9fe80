package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import dev.tandem.host.Deadline;
import dev.tandem.host.Linux;
import dev.tandem.host.Systemd;
import java.time.Duration;
import java.util.Optional;

/** Ends etcd's process, and returns only when it is gone. */
final class EtcdTermination {
    private static final Duration SYSTEMCTL = Duration.ofSeconds(20);
    private static final Duration UNIT_POLL = Duration.ofMillis(20);

    private final EtcdUnitFile unit;
    private final Systemd systemd;

    EtcdTermination(EtcdUnitFile unit, Systemd systemd) {
        this.unit = unit;
        this.systemd = systemd;
    }

    /**
     * @param process 0 where none is known
     * @throws Failure when the process outlives the limit, or nobody can tell whether there is one
     */
    void end(long process, boolean atOnce, Duration limit) {
        // By a signal, and systemd's stop is not waited for: while the machine shuts down it is
        // held back until Pacemaker has stopped, and Pacemaker waits for this.
        Optional<ProcessHandle> server = ProcessHandle.of(process);
        if (atOnce && server.isPresent()) {
            // The log is made for sudden ends, and a server without a leader takes its time.
            server.get().destroyForcibly();
        } else {
            server.ifPresent(ProcessHandle::destroy);
            // For a start that has not begun, and for a server that does not heed the signal.
            systemd.orderStop(SYSTEMCTL, EtcdUnitFile.NAME);
        }
        EtcdUnitFile.State state = awaitOver(limit.compareTo(SYSTEMCTL) < 0 ? limit : SYSTEMCTL);
        // Whatever systemd says of its unit: a process that lives has the data.
        // One that has ended and that a systemd which hangs has not buried has them no more.
        boolean lives =
                server.filter(ProcessHandle::isAlive)
                        .filter(handle -> !Linux.hasEnded(handle.pid()))
                        .isPresent();
        if (process == 0 && !state.known()) {
            throw new Failure(
                    "cannot tell whether etcd has ended",
                    "systemd did not answer: " + state.words(),
                    "no action needed; this is retried automatically");
        }
        if (lives || state.running()) {
            throw new Failure(
                    "cannot stop etcd",
                    "the process %d is still there: %s".formatted(process, state.words()),
                    "see what holds it: cat /proc/" + process + "/stack");
        }
    }

    /** Only when systemd is done with the unit may a new permit be written. */
    private EtcdUnitFile.State awaitOver(Duration limit) {
        Deadline end = Deadline.in(limit);
        while (true) {
            EtcdUnitFile.State state = unit.state();
            if (state.over() || end.passed()) {
                return state;
            }
            try {
                Thread.sleep(UNIT_POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return state;
            }
        }
    }
}
