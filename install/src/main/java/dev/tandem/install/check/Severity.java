package dev.tandem.install.check;

/** How much a finding matters. */
public enum Severity {
    /** Nothing is generated from this file. */
    ERROR,
    /** It would work, and probably not as meant. */
    WARNING,
    /** Worth knowing; no action needed. */
    NOTE
}
