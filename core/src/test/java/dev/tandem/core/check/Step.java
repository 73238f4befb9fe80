package dev.tandem.core.check;

import java.util.ArrayList;
import java.util.List;

/** One thing that happens to or on a node, or between the two (then the node is the first). */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
record Step(Kind kind, int node, int variant) {
    enum Kind {
        // Power and agents. Variant 1: what was being stored has reached the disk.
        /** Variant 2: the node is shut down in order. */
        POWER_CUT(3),
        POWER_ON(1),
        AGENT_DIES(2),
        AGENT_STARTS(1),
        STATE_LOST(1),

        // The network and Corosync.
        RING_CUT(1),
        RING_HEALS(1),
        COROSYNC_CUT(1),
        COROSYNC_HEALS(1),
        WAY_CUT(1),
        WAY_HEALS(1),
        PORTS_CUT(1),
        PORTS_HEAL(1),
        /** Corosync on the node notices that the peer is gone, or there; its agent is told. */
        NOTICE(1),
        /** The agent asks Corosync, which knew it before. */
        READ_MEMBERSHIP(1),

        // Messages.
        /**
         * The node asks, and is answered. Variant 1: the answer is under way for a while; 2: the
         * question is.
         */
        ASK(3),
        DELIVER(1),
        /** By the attributes of the cluster, while the way over HTTPS is cut. */
        WRITE_LETTER(1),
        READ_LETTER(1),
        HEAR(1),
        GIVE_UP(1),

        // The agent and its own etcd.
        LOOK(1),
        LOOK_BEGINS(1),
        LOOK_ENDS(1),
        /** Variant 1: its looks do not come back at all. */
        BLIND(2),
        SEES_AGAIN(1),
        /** Variant 1: it fails; 2: it fails, and the content is there all the same. */
        STORE(3),
        /** Variant 1: it is half done, or done and not reported; 2: it fails. */
        ORDER(3),
        REPORT(1),
        /** Variant 1: it is reported as failed. */
        LEAD(2),
        HAND_OVER(2),
        MARK(2),

        // Pacemaker.
        START(1),
        /** Variant 1: the resource agent stops etcd, for the agent does not answer. */
        STOP(2),
        STOP_REPORTED(1),
        /** Variant 1: by hand, whatever the state of the peer. */
        FENCE_ORDER(2),
        /**
         * The peer was heard in a newer boot, and nothing is switched yet: it is about that one.
         */
        FENCE_RENEW(1),
        /** Variant 1: the answer is under way for a while. */
        FENCE_OFF(2),
        FENCE_ANSWER(1),
        FENCE_TIMEOUT(1),
        FENCE_LATE(1),
        /**
         * Variant 1: Off is read once, and the order was not accepted; 2: the answer is under way
         * for a while.
         */
        FENCE_LIE(3),
        STOCK_ORDER(1),
        /**
         * Variant 1: the BMC lies; 2: so it does, to a shim that is content with one reading; 3:
         * somebody else answers for it, which the agent would notice, and the node was to stay off;
         * 4: a further level switches something of which nobody has said that it is the peer; 5: by
         * the second of the peer's BMCs; 6: which lies.
         */
        STOCK_OFF(7),
        /** Variant 1: the BMC, when it is asked, reads Off and the host is on. */
        FIND_RECORD(2),
        /** Variant 1: it reads Off and the host is on. */
        READ_BMC(2),
        /** The same of the second of the peer's BMCs. */
        READ_SECOND(2),
        /** Variant 1: it answers again. */
        BMC_BREAKS(2),
        BMC_SWAPPED(1),
        /** Its address is corrected while everything goes on. */
        BMC_MENDED(1),

        /** Variant 1: "off"; 2: "off, loss accepted"; 3: "keep the peer's history". */
        STATE(4),

        // etcd by itself.
        SERVES(1),
        ELECT(1),
        WRITE(1),
        SYNC(1),
        REPLICATE(1),
        COMMIT(1),
        LEARN_COMMIT(1),
        TAKE_EFFECT(1),
        /** Variant 0: it dies; 1: it hangs; 2: it answers its agent and does nothing. */
        KILL(3),
        /** Variant 0: the disk is gone; 1: its content is damaged; 2: it is older than it was. */
        DISK(3),

        TIME(1);

        private final int variants;

        Kind(int variants) {
            this.variants = variants;
        }
    }

    private static final Kind[] KINDS = Kind.values();

    static Step of(int code) {
        return new Step(KINDS[code >>> 4], (code >>> 3) & 1, code & 7);
    }

    static Kind kind(int code) {
        return KINDS[code >>> 4];
    }

    static int code(Kind kind, int node, int variant) {
        return (kind.ordinal() << 4) | (node << 3) | variant;
    }

    /** All steps that may be possible somewhere in the scene. */
    static int[] possible(Scene scene) {
        List<Integer> codes = new ArrayList<>();
        for (Kind kind : KINDS) {
            boolean global =
                    switch (kind) {
                        case RING_CUT,
                                RING_HEALS,
                                COROSYNC_CUT,
                                COROSYNC_HEALS,
                                PORTS_CUT,
                                PORTS_HEAL ->
                                true;
                        default -> false;
                    };
            for (int node = 0; node < (global ? 1 : 2); node++) {
                for (int variant = 0; variant < kind.variants; variant++) {
                    if (scene.allows(kind, variant)) {
                        codes.add(code(kind, node, variant));
                    }
                }
            }
        }
        return codes.stream().mapToInt(Integer::intValue).toArray();
    }
}
