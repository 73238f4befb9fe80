package dev.tandem.core.check;

/** What can go wrong, or be ordered by people. Each scene says how often. */
enum Fault {
    POWER_CUT,
    /** Not a fault, but every order may power a node off: bounded like one. */
    FENCE,
    /** The second level of fencing, which works without the agent. */
    STOCK_FENCE,
    /** The second level fences by the second of the peer's BMCs, and that one is read, too. */
    SECOND_BMC,
    /** Ordered by a person, whatever the state of the peer. */
    FENCE_BY_HAND,
    RING_CUT,
    /** Corosync's packets alone are lost: agents hear each other, and etcd goes on. */
    COROSYNC_CUT,
    /** Messages from one agent do not reach the other; each way counts by itself. */
    ONE_WAY,
    PORTS_CUT,
    KILL,
    DISK_LOST,
    /** A disk that had said "synced" goes back to what it was before. */
    ROLLED_BACK,
    STOP,
    STATEMENT,
    FALSE_STATEMENT,
    BMC_BREAKS,
    /** The fence device says Off, and the host runs on. */
    BMC_LIES,
    WRONG_MACHINE,
    AGENT_DIES,
    /** The file with the state of an agent is lost beside a running server, and the agent ends. */
    STATE_LOST,
    /** An agent is refused by its own etcd, or does not see it at all. */
    BLIND,
    /** A write of the agent fails, or is not known to have succeeded. */
    STORE_FAILS,
    /** An order to etcd, or a step of the leader, fails or is reported as failed. */
    ORDER_FAILS,
    /** A message, a look, an answer or a report takes its time. */
    SLOW,
    /** A step of time that any limit of the supervisor can notice. */
    TIME
}
