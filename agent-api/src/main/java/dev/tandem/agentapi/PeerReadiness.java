package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;

/** Whether the peer would recover automatically from the failure of this node, by its own word. */
public enum PeerReadiness {
    AUTOMATIC,
    /** A person would be needed; the impediments that it reported say why. */
    IMPEDED,
    /** Its agent is of a release that does not say. */
    NOT_TOLD,
    /** It is not heard, or what it said is too old. */
    @JsonEnumDefaultValue
    UNKNOWN
}
