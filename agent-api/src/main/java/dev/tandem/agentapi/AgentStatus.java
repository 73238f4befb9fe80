package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.core.health.Impediment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a node is, for people and programs; the first thing in it is a sentence.
 *
 * @param health REDUNDANT, ALONE, LEARNING or DOWN, from the server alone
 * @param well either node can fail without an outage, by all that is known here
 * @param ageMillis how old this is: more than 0 while the agent is busy with an action
 * @param recovery whether a failure would be recovered without a person
 * @param prediction absent where nothing, or not by itself, would be recovered
 * @param agentsTalkOver https, cluster attributes or nothing
 * @param kubernetes what the API knows of the peer; absent where the agent has no say in it
 * @param incident what a person's statement would be bound to
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentStatus(
        String sentence,
        long ageMillis,
        String node,
        String peer,
        String health,
        boolean well,
        List<NodeLine> nodes,
        List<FencingLine> fencing,
        PacemakerLine pacemaker,
        String agentsTalkOver,
        Recovery recovery,
        @Nullable Prediction prediction,
        @Nullable PendingLine pending,
        @Nullable String trouble,
        @Nullable KubernetesLine kubernetes,
        String incident,
        String profile,
        Map<String, Long> agent) {

    /** Instead of a health, while the agent is busy. */
    static final String BUSY = "BUSY";

    /**
     * What is left of it while the agent is busy. Whether etcd serves cannot be told then: the
     * action may be the very end of it.
     */
    public AgentStatus aged(long millis) {
        return new AgentStatus(
                "The agent is busy with an action; whether etcd serves will be known in a moment.",
                millis,
                node,
                peer,
                BUSY,
                false,
                nodes,
                fencing,
                pacemaker,
                agentsTalkOver,
                recovery,
                prediction,
                pending,
                trouble,
                kubernetes,
                incident,
                profile,
                agent);
    }

    /**
     * A node and its replica.
     *
     * @param heardMillis how old this is; 0 for the own node, absent if it was never heard
     * @param lag entries behind the other replica
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record NodeLine(
            String name,
            boolean present,
            @Nullable Long heardMillis,
            String server,
            String seat,
            boolean complete,
            long epoch,
            long term,
            long index,
            long lag,
            @Nullable String yielded,
            String memberId) {}

    /** A BMC as this node sees it. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FencingLine(
            String node,
            String power,
            @Nullable Long checkedMillisAgo,
            @Nullable Long latencyMillis,
            String fault,
            String identity) {}

    /** What Kubernetes has been told of the peer. */
    public record KubernetesLine(String state, String sentence, long sinceMillis) {}

    /** The cluster manager in one line. */
    public record PacemakerLine(
            boolean known, boolean quorate, boolean peerPresent, boolean waitsForAll) {}

    /**
     * Whether a failure would be recovered without a person, and why not.
     *
     * @param warnings something is to be mended, but recovery would work
     */
    public record Recovery(
            boolean automatic, List<ImpedimentLine> impediments, List<ImpedimentLine> warnings) {}

    /**
     * A known reason why recovery from a failure would need a person.
     *
     * @param node what the cause is about
     * @param failureOf from whose failure there is no automatic recovery; absent for either node's
     * @param runbook the page about it, on this node; absent where the remedy is one command
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ImpedimentLine(
            Impediment.Cause cause,
            String node,
            @Nullable String failureOf,
            String sentence,
            String remedy,
            long sinceMillis,
            @Nullable String runbook) {}

    /** How long a crash of the peer would stop writes, as of now. */
    public record Prediction(long millis, Map<String, Long> parts, long objectiveMillis) {
        public boolean withinObjective() {
            return millis <= objectiveMillis;
        }
    }

    /**
     * What is waited for, who owes it, until when it is in order, and what a person may do.
     *
     * @param runbook the page about it, on this node
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PendingLine(
            String sentence,
            long sinceMillis,
            @Nullable String owner,
            @Nullable Long limitMillis,
            boolean overdue,
            @Nullable String missing,
            @Nullable String remedy,
            @Nullable String runbook) {}
}
