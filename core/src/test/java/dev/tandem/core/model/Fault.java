package dev.tandem.core.model;

/** What can go wrong, or be ordered by people. Each exploration says how often. */
enum Fault {
    POWER_CUT,
    /** Not a fault, but every order may power a node off: bounded like one. */
    FENCE,
    LINK_CUT,
    PORTS_CUT,
    KILL,
    DISK,
    STOP,
    RESTART,
    STATEMENT,
    BMC_BREAKS,
    /** The fence device reports Off, and the host runs on. */
    BMC_LIES,
    /** A person says that the peer is off, and it is not. */
    FALSE_STATEMENT,
    /** The agent of a node is restarted; its etcd runs on. */
    AGENT_RESTART,
    /** Off was read, and the answer takes its time. */
    LATE_ANSWER,
    /** The second level of fencing, which works without the agent. */
    STOCK_FENCE,
    /** The BMC of a node answers for another machine from now on, and tells so. */
    WRONG_MACHINE,
    /** An agent is refused by its own etcd. */
    REFUSED
}
