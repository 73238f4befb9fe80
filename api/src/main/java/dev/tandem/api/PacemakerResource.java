package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/**
 * Something Pacemaker starts, stops and watches on a node.
 *
 * @param conditions see {@link ResourceCondition}; all of them
 */
public record PacemakerResource(
        @JsonPropertyDescription("Which one.") @Required Name name,
        @JsonPropertyDescription("The state of this resource.")
                @Required
                @Size(min = ResourceCondition.COUNT, max = 16)
                List<Condition> conditions) {

    /** What runs on a node; etcd needs the kubelet. */
    public enum Name {
        @JsonProperty("Kubelet")
        KUBELET,
        @JsonProperty("Etcd")
        ETCD
    }

    public PacemakerResource {
        conditions = List.copyOf(conditions);
    }
}
