package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.time.Instant;
import java.util.List;

/**
 * The pair at one moment.
 *
 * @param conditions see {@link ClusterCondition}; all of them
 * @param lastUpdated when it was observed; readers call it stale after five minutes
 * @param nodes empty when Pacemaker names none
 */
@ValidationRule(
        value = "!has(oldSelf.lastUpdated) || self.lastUpdated >= oldSelf.lastUpdated",
        message =
                "lastUpdated may not go back: a newer report is stored already, read it before you"
                        + " write")
public record PacemakerClusterStatus(
        @JsonPropertyDescription("The state of the cluster as a whole.")
                @Required
                @Size(min = ClusterCondition.COUNT, max = 8)
                List<Condition> conditions,
        @JsonPropertyDescription("When this was observed. It never goes back.") @Required
                Instant lastUpdated,
        @JsonPropertyDescription(
                        "The control-plane nodes Pacemaker knows; two in health, none when it"
                                + " cannot say.")
                @Required
                @Size(max = 5)
                List<PacemakerNode> nodes) {

    public PacemakerClusterStatus {
        conditions = List.copyOf(conditions);
        nodes = List.copyOf(nodes);
    }
}
