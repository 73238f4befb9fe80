package dev.tandem.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A condition as every Kubernetes object has them.
 *
 * @param lastTransitionTime when the status changed, which is not when it was looked at
 * @param message may be empty, and is sent then too
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Condition(
        @JsonPropertyDescription("What the condition is about.")
                @Required
                @Size(max = 316)
                @Pattern(
                        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$")
                String type,
        @JsonPropertyDescription("True, False, or Unknown when the data is missing or too old.")
                @Required
                Status status,
        @JsonPropertyDescription("The generation of the object this was seen at.") @Min(0)
                @Nullable Long observedGeneration,
        @JsonPropertyDescription("When the status changed last.") @Required
                Instant lastTransitionTime,
        @JsonPropertyDescription("Why, in one word for programs.")
                @Required
                @Size(min = 1, max = 1024)
                @Pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
                String reason,
        @JsonPropertyDescription("Why, in words for people.") @Required @Size(max = 32768)
                String message) {

    /** What is not known is {@link #UNKNOWN}, never {@link #FALSE}. */
    public enum Status {
        @JsonProperty("True")
        TRUE,
        @JsonProperty("False")
        FALSE,
        @JsonProperty("Unknown")
        UNKNOWN
    }
}
