package dev.tandem.agent.cluster;

import dev.tandem.host.Systemd;
import java.time.Duration;

/**
 * Whether systemd answers. Beside an etcd that serves nobody asks it anything, so that it hangs
 * would show only when it is needed.
 */
public final class SystemdWatch {
    public static final Duration INTERVAL = Duration.ofSeconds(7);

    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** A reload of many units takes longer than one question may. */
    private static final int MISSED = 2;

    private final Systemd systemd;
    private int missed;
    private volatile boolean answers = true;

    public SystemdWatch(Systemd systemd) {
        this.systemd = systemd;
    }

    public void look() {
        missed = systemd.answers(LIMIT) ? 0 : missed + 1;
        answers = missed < MISSED;
    }

    public boolean answers() {
        return answers;
    }
}
