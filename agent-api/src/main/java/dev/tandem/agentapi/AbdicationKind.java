package dev.tandem.agentapi;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import dev.tandem.core.peer.Abdication;
import org.jspecify.annotations.Nullable;

/** How a node gave up its right to take over. */
public enum AbdicationKind {
    DEPARTED,
    STOOD_DOWN,
    /** Never written: what a reader makes of a kind that it does not know. */
    @JsonEnumDefaultValue
    UNKNOWN;

    /** Nothing for a node that gave up nothing. */
    public static @Nullable AbdicationKind of(Abdication abdication) {
        return switch (abdication) {
            case Abdication.None() -> null;
            case Abdication.Departure _ -> DEPARTED;
            case Abdication.StandDown _ -> STOOD_DOWN;
        };
    }
}
