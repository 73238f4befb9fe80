package dev.tandem.core.model;

/** One thing that happens to or on a node, or between the two (then the node is the first). */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
record Step(Kind kind, int node, int variant) {
    enum Kind {
        POWER_CUT,
        POWER_ON,
        NOTICE,
        CUT,
        HEAL,
        CUT_PORTS,
        HEAL_PORTS,
        /** The node asks its peer; the peer takes in the question and its reply is on the wire. */
        ASK,
        /** The reply arrives. */
        HEAR,
        FENCE_ORDER,
        /** Variant 1: Off is read, and the answer is still under way. */
        FENCE_DONE,
        FENCE_ANSWER,
        FENCE_TIMEOUT,
        FENCE_LATE,
        /** Variant 1: it lies to the second level. */
        FENCE_LIE,
        STOCK_ORDER,
        /** Variant 1: Off is read, and not recorded yet. */
        STOCK_DONE,
        STOCK_RECORD,
        STOCK_FAILS,
        /** The agent finds what the second level left. */
        FIND_RECORD,
        AGENT_RESTART,
        REFUSED,
        ADMITTED,
        READ_BMC,
        RELEASE_HOLD,
        BMC_BREAKS,
        BMC_SWAPPED,
        /** Variant 1: "off"; 2: "off, loss accepted"; 3: "keep the peer's history". */
        STATE,
        /** The agent decides and carries it out. Variant 1: its time to leave is up. */
        ACT,
        FORCE_START,
        LEAD,
        ELECT,
        WRITE,
        REPLICATE,
        COMMIT,
        LEARN_COMMIT,
        TAKE_EFFECT,
        /** Variant 1: it dies again and again. */
        KILL,
        HANG,
        /** Variant 0: the disk is gone; 1: its content is damaged. */
        DISK,
        ORDER_STOP,
        ORDER_START,
        ORDER_RESTART
    }

    private static final Kind[] KINDS = Kind.values();

    int code() {
        return (kind.ordinal() << 3) | (node << 2) | variant;
    }

    static Step of(int code) {
        return new Step(KINDS[code >>> 3], (code >>> 2) & 1, code & 3);
    }

    static int code(Kind kind, int node, int variant) {
        return (kind.ordinal() << 3) | (node << 2) | variant;
    }
}
