package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;

/**
 * A fence device. It stands under the node it can switch off.
 *
 * @param conditions see {@link ResourceCondition}; all of them
 */
public record FencingAgent(
        @JsonPropertyDescription("The name of the device in Pacemaker, such as node-0_redfish.")
                @Required
                // A node name of 253, an underscore and a method, with room to spare.
                @Size(min = 1, max = 300)
                @ValidationRule(
                        value = "self.matches('^[a-zA-Z0-9._-]+$')",
                        message =
                                "the name of a fencing agent has letters, digits, dots, hyphens and"
                                        + " underscores only")
                String name,
        @JsonPropertyDescription("How it speaks to the machine.") @Required Method method,
        @JsonPropertyDescription("The state of this device.")
                @Required
                @Size(min = ResourceCondition.COUNT, max = 16)
                List<Condition> conditions) {

    /** How a machine is switched off. */
    public enum Method {
        @JsonProperty("Redfish")
        REDFISH,
        @JsonProperty("IPMI")
        IPMI
    }

    public FencingAgent {
        conditions = List.copyOf(conditions);
    }
}
