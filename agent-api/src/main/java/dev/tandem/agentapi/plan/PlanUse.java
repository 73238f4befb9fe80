package dev.tandem.agentapi.plan;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a changed plan in the agents, or would. */
public record PlanUse(int version, List<NodeUse> nodes) {
    public PlanUse {
        nodes = nodes == null ? List.of() : List.copyOf(nodes);
    }

    /**
     * The agents shall run by the plan that was written to the disk of this node. A plan holds no
     * secrets.
     *
     * @param plan as a node keeps it; it says which plan is meant, and the disk must have the same
     * @param dryRun only asks what would follow; the disk may have another plan then
     */
    public record Request(int version, String plan, String person, boolean dryRun) {}

    /** Whether a node was found that does not run by the plan, and would not. */
    public boolean leavesOut() {
        return nodes.stream().anyMatch(node -> !node.outcome().isFine());
    }

    /** Where the agent of a node stands. */
    public enum Outcome {
        /** It runs by this plan already. */
        SAME,
        TAKEN,
        /** For a dry run. */
        WOULD_BE_TAKEN,
        /** It runs by what it had; the reason is told. */
        NOT_TAKEN,
        /** Its node is in the cluster; it does not answer, or its release does not know how. */
        SILENT,
        /** It does not answer, and its node is not in the cluster. */
        AWAY,
        UNKNOWN;

        boolean isFine() {
            return this == SAME || this == TAKEN || this == WOULD_BE_TAKEN;
        }
    }

    /** What of a plan an agent goes by. */
    public enum Setting {
        NAME("name"),
        NODES("nodes"),
        PREFERRED_NODE("order of the nodes"),
        TIMING("timing"),
        LONE_START("loneStart"),
        BMC_OFF("bmcOff"),
        ADDRESSES("addresses"),
        API("api"),
        KUBELET("kubelet"),
        ETCD_TIMERS("etcd heartbeat and election"),
        ETCD_QUOTA("etcd quota"),
        ETCD_PORTS("etcd ports"),
        BMC("bmc"),
        IDENTITY("identity"),
        UNKNOWN("a setting that this release does not know");

        private final String words;

        Setting(String words) {
            this.words = words;
        }

        /** As the plan calls it. */
        public String words() {
            return words;
        }
    }

    /** When a setting counts. */
    public enum Effect {
        /** From the moment in which the agent takes the plan. */
        NOW,
        /** The agent has it, and a program beside it reads it when it starts the next time. */
        AFTER_A_RESTART,
        /** On that node by a command of its own. */
        BY_HAND,
        /** It was tried and did not succeed; what was in use before is used still. */
        FAILED,
        /** Not in a pair that runs. */
        NOT_POSSIBLE,
        UNKNOWN
    }

    /**
     * The agent of one node.
     *
     * @param settings those in which the plan differs from the one that it ran by
     * @param why it was not taken; empty where it was
     * @param remedy what to do about that
     */
    public record NodeUse(
            String node, Outcome outcome, List<Changed> settings, String why, String remedy) {
        public NodeUse {
            node = node == null ? "" : node;
            outcome = outcome == null ? Outcome.UNKNOWN : outcome;
            settings = settings == null ? List.of() : List.copyOf(settings);
            why = why == null ? "" : why;
            remedy = remedy == null ? "" : remedy;
        }
    }

    /**
     * A setting that is another than before.
     *
     * @param of the node that it is about; absent where it is the pair's
     * @param why it does not count at once; empty where it does
     * @param remedy what to do then
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Changed(
            Setting setting, @Nullable String of, Effect effect, String why, String remedy) {
        public Changed {
            setting = setting == null ? Setting.UNKNOWN : setting;
            effect = effect == null ? Effect.UNKNOWN : effect;
            why = why == null ? "" : why;
            remedy = remedy == null ? "" : remedy;
        }

        /** For people: the setting, and whose it is. */
        public String subject() {
            return of == null ? setting.words() : "%s of %s".formatted(setting.words(), of);
        }
    }
}
