package dev.tandem.lab;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What can be asked of a lab's daemon: one JSON object on a line. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LabRequest.Status.class, name = "status"),
    @JsonSubTypes.Type(value = LabRequest.Power.class, name = "power"),
    @JsonSubTypes.Type(value = LabRequest.Note.class, name = "note"),
    @JsonSubTypes.Type(value = LabRequest.Down.class, name = "down"),
})
public sealed interface LabRequest {

    /** How is everything? */
    record Status() implements LabRequest {}

    /** Ask a node's BMC for something. */
    record Power(String node, PowerAction action) implements LabRequest {}

    /** Write something into the timeline. */
    record Note(String event, String subject, Map<String, String> detail) implements LabRequest {
        public Note {
            detail = Map.copyOf(detail);
        }
    }

    /** Cut all power and end. */
    record Down() implements LabRequest {}

    /** What a BMC can do to its machine. */
    enum PowerAction {
        ON,
        OFF,
        CYCLE,
        SHUTDOWN,
        STATUS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The daemon's last line to a request: one of the two is set. */
    record Answer(@Nullable JsonNode result, @Nullable Refusal refusal) {}

    /** A {@link dev.tandem.core.Failure} on its way to the command line. */
    record Refusal(String what, String why, String remedy) {}
}
