package dev.tandem.agent;

import dev.tandem.agent.thread.BoundedShutdown;
import dev.tandem.core.Failure;
import dev.tandem.host.IoErrors;
import dev.tandem.host.Linux;
import dev.tandem.host.NodePaths;
import dev.tandem.host.SystemCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Starts the agent; systemd looks after it. */
public final class Main {
    /** A third of the unit's watchdog: one late round must not end the agent. */
    private static final Duration ROUND = Duration.ofSeconds(10);

    /** Far below the unit's TimeoutStopSec: Pacemaker may wait for a restart. */
    private static final Duration LONGEST_END = Duration.ofSeconds(3);

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        String socket = System.getenv("NOTIFY_SOCKET");
        try (Agent agent = new Agent(hostName(), AgentPaths.STANDARD, new SystemCommands())) {
            BoundedShutdown.atExit(agent, LONGEST_END);
            agent.run();
            tell(socket, "READY=1");
            while (true) {
                if (agent.alive(ROUND)) {
                    tell(socket, "WATCHDOG=1");
                }
                Thread.sleep(ROUND);
            }
        } catch (Failure e) {
            System.err.println(e.what());
            System.err.println("cause: " + e.why());
            System.err.println("fix: " + e.remedy());
            System.exit(1);
        }
    }

    /** Corosync and Pacemaker know a node by its host name. */
    private static String hostName() {
        try {
            return Files.readString(NodePaths.HOST_NAME).strip();
        } catch (IOException e) {
            throw new Failure(
                    "cannot tell which node this is", IoErrors.words(e), "mount /proc", e);
        }
    }

    private static void tell(@Nullable String socket, String text) {
        if (socket != null && !socket.isEmpty()) {
            Linux.notifySystemd(socket, text);
        }
    }
}
