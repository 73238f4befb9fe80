package dev.tandem.host.pacemaker;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the fencer remembers, newest first. It keeps its memory in RAM and shares it among the
 * nodes: after a cold start of all nodes it is empty, which proves nothing. No decision reads it;
 * it is there for what Kubernetes is told about fences (issue 17).
 */
public record FenceLog(List<FenceEvent> events) {

    public FenceLog {
        events =
                events.stream()
                        .sorted(
                                Comparator.comparing(
                                        (FenceEvent event) -> event.completed().orElse(Instant.MAX),
                                        Comparator.reverseOrder()))
                        .toList();
    }

    /** How a fence action stands. */
    public enum Outcome {
        /**
         * The device said the target is off, or has been off since; for {@code on}: that it is on.
         */
        SUCCEEDED,
        FAILED,
        /** Ordered or under way. */
        PENDING
    }

    /**
     * One fence action.
     *
     * @param action reboot, off or on
     * @param client the daemon or program that asked for it
     * @param origin the node where it was asked for
     * @param delegate the node that carried it out, or {@code a human} after {@code stonith_admin
     *     --confirm}
     * @param completed absent while it is pending
     * @param why of a failure, where the fencer tells
     */
    public record FenceEvent(
            String target,
            String action,
            Outcome outcome,
            String client,
            String origin,
            Optional<String> delegate,
            Optional<Instant> completed,
            Optional<String> why) {}

    static FenceLog of(List<XmlElement> elements) {
        return new FenceLog(
                elements.stream()
                        .filter(element -> element.name().equals("fence_event"))
                        .map(FenceLog::event)
                        .toList());
    }

    private static FenceEvent event(XmlElement element) {
        return new FenceEvent(
                element.attribute("target", ""),
                element.attribute("action", ""),
                switch (element.attribute("status", "")) {
                    case "success" -> Outcome.SUCCEEDED;
                    case "failed" -> Outcome.FAILED;
                    // Pending, and whatever a later Pacemaker may call a step before the end.
                    default -> Outcome.PENDING;
                },
                element.attribute("client", ""),
                element.attribute("origin", ""),
                element.attribute("delegate"),
                element.attribute("completed").flatMap(PacemakerTime::instant),
                element.attribute("exit-reason"));
    }
}
