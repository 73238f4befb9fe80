package dev.tandem.agentapi;

/** Why a BMC cannot be asked, or what it says cannot be believed. */
public enum BmcFaultKind {
    UNREACHABLE,
    /** Its certificate is not trusted. */
    UNTRUSTED,
    /** It refuses the credentials, or they do not suffice. */
    DENIED,
    /** It was not asked: the password that this node keeps for it cannot be read. */
    NO_PASSWORD,
    BUSY,
    REJECTED,
    UNINTELLIGIBLE,
    /** It reads Off while its node is in the cluster. */
    READS_OFF_WHILE_UP,
    /** Never written: what a reader makes of a fault that it does not know. */
    UNKNOWN
}
