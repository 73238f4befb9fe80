package dev.tandem.host.etcd;

import dev.tandem.host.Commands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A systemd with one unit, whose process is a real one that does nothing. */
final class FakeSystemd implements Commands, AutoCloseable {
    final List<String> ran = new CopyOnWriteArrayList<>();

    /** Whether it answers questions for the state of the unit. */
    volatile boolean answers = true;

    /** Whether it takes an order to start. */
    volatile boolean takesOrders = true;

    /** Whether it calls a unit failed whose process still lives. */
    volatile boolean gaveUp;

    /** Whether the process of the next start heeds SIGTERM. */
    volatile boolean obedient = true;

    /** Whether a start comes to its end before anybody sees a process. */
    volatile boolean startsNothing;

    private final CountDownLatch started = new CountDownLatch(1);
    private volatile boolean ready;
    private volatile @Nullable Process process;

    @Override
    public Output run(Duration limit, List<String> command, String stdin) {
        ran.add(String.join(" ", command));
        return switch (command.get(1)) {
            case "show" -> show();
            case "start" -> command.contains("--no-block") ? begin() : awaitStarted();
            default -> new Output(0, "", "");
        };
    }

    private Output show() {
        if (!answers) {
            return new Output(1, "", "Failed to connect to bus");
        }
        Process unit = process;
        long pid = unit != null && unit.isAlive() ? unit.pid() : 0;
        boolean lives = pid > 0;
        String active = lives ? gaveUp ? "failed" : ready ? "active" : "activating" : "inactive";
        return new Output(
                0,
                "ActiveState=%s\nSubState=x\nResult=y\nMainPID=%d\nExecMainStatus=0\n"
                        .formatted(active, pid),
                "");
    }

    private Output begin() {
        if (!takesOrders) {
            return new Output(1, "", "did not end in time");
        }
        if (startsNothing) {
            started.countDown();
            return new Output(0, "", "");
        }
        String deaf = obedient ? "" : "trap '' TERM; ";
        try {
            Process unit =
                    new ProcessBuilder("sh", "-c", deaf + "echo up; while :; do sleep 0.1; done")
                            .start();
            unit.inputReader().readLine();
            process = unit;
            return new Output(0, "", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Output awaitStarted() {
        try {
            boolean over = started.await(60, TimeUnit.SECONDS);
            return new Output(over && ready ? 0 : 1, "", "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Output(1, "", "interrupted");
        }
    }

    /** The server says that it serves. */
    void becomeReady() {
        ready = true;
        started.countDown();
    }

    Process process() {
        Process unit = process;
        if (unit == null) {
            throw new AssertionError("nothing was started");
        }
        return unit;
    }

    @Override
    public void close() {
        started.countDown();
        Process unit = process;
        if (unit != null) {
            unit.destroyForcibly();
        }
    }
}
