package dev.tandem.agent.status;

import dev.tandem.agentapi.AgentStatus;
import dev.tandem.agentapi.NodeHealth;
import dev.tandem.core.Failure;
import dev.tandem.core.health.Impediment;
import dev.tandem.host.pacemaker.NodeAttributes;
import dev.tandem.host.pacemaker.NodeAttributes.Lifetime;
import dev.tandem.host.pacemaker.NodeAttributes.Reading;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tells Pacemaker whether either node can fail, for whoever reads {@code pcs status}: Pacemaker
 * itself is told by monitor whether to act (ADR 6), and is not to act on this.
 *
 * <p>Each change of a transient attribute makes Pacemaker compute a transition. So it is written
 * only when it changes and lasts, and never in the middle of a recovery.
 */
public final class RecoveryAttribute {
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    static final String NAME = "tandem-recovery";
    static final String YES = "yes";

    /** A restart of Pacemaker alone deletes it and causes no event: asked once a minute. */
    private static final int LOOKS_PER_CHECK = 12;

    private final String self;
    private final NodeAttributes attributes;
    private final Supplier<AgentStatus> status;
    private String seen = "";
    private String written = "";
    private int looks;

    public RecoveryAttribute(String self, NodeAttributes attributes, Supplier<AgentStatus> status) {
        this.self = self;
        this.attributes = attributes;
        this.status = status;
    }

    public void look() {
        AgentStatus now = status.get();
        if (now.health() != NodeHealth.REDUNDANT && now.health() != NodeHealth.ALONE) {
            return;
        }
        looks++;
        String value = value(now);
        boolean lasts = value.equals(seen);
        seen = value;
        boolean due = looks % LOOKS_PER_CHECK == 0;
        if (lasts && (due ? !isThere(value) : !value.equals(written))) {
            write(value);
        }
    }

    /** Where Pacemaker does not answer there is nobody to tell either. */
    private boolean isThere(String value) {
        return switch (attributes.read(Lifetime.TRANSIENT, self, NAME)) {
            case Reading.Present(String there) -> there.equals(value);
            case Reading.Absent() -> false;
            case Reading.Unknown _ -> true;
        };
    }

    private void write(String value) {
        // Also if it fails: it is asked for again within a minute.
        written = value;
        try {
            attributes.write(Lifetime.TRANSIENT, self, NAME, value);
        } catch (Failure e) {
            // Pacemaker is not there; that has a cause of its own in the status.
            looks = 0;
        }
    }

    /** The name of the cause stands in the status and in its runbook, with what to do. */
    static String value(AgentStatus status) {
        if (status.eitherNodeCanFail()) {
            return YES;
        }
        return "no: "
                + status.recovery().impediments().stream()
                        .findFirst()
                        .map(RecoveryAttribute::cause)
                        .orElseGet(() -> status.health().name());
    }

    private static String cause(AgentStatus.ImpedimentLine line) {
        return Optional.ofNullable(line.cause()).map(Impediment.Cause::name).orElse("UNKNOWN")
                + " ("
                + line.node()
                + ")";
    }
}
