package dev.tandem.core.decision;

/** What a BMC said of its host's power, when it was read after the order. No answer is UNKNOWN. */
public enum PowerReading {
    OFF,
    ON,
    UNKNOWN
}
