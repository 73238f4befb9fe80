package dev.tandem.agentapi;

/** Whether a fence device could be used, apart from what its BMC answers. */
public enum DeviceUse {
    USABLE,
    MISSING,
    DISABLED,
    BLOCKED,
    /** Pacemaker asks it all the same, and it may fail again. */
    FAILED,
    /** Not started on the node that would use it: a constraint bans it there. */
    STOPPED,
    /** A file or a program that it needs is missing or cannot be read. */
    BROKEN,
    /** Pacemaker does not answer; or a word of another release. */
    UNKNOWN
}
