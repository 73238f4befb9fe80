package dev.tandem.core.check;

/** A node as it is, whoever knows it: power, etcd, Corosync, Pacemaker, its agent and its BMC. */
final class Machine {
    static final int NO_ORDER = 0;

    /** Pacemaker has ordered a fence of the peer, and this node's agent carries it out. */
    static final int ORDERED = 1;

    /** The peer's BMC has read Off, and the supervisor has not been told yet. */
    static final int READ_OFF = 2;

    /** Nobody waits for it any more, and the BMC may still carry it out. */
    static final int LEFT_BEHIND = 3;

    static final int NO_RECORD = 0;

    /** Ordered before the peer's last sign of life. */
    static final int OLD_RECORD = 1;

    static final int YOUNG_RECORD = 2;

    /** As young, and nobody knows that Off was read twice. */
    static final int READ_ONCE_RECORD = 3;

    /** As young, of a further level of which the plan does not say that it is the peer's power. */
    static final int UNSTATED_RECORD = 4;

    static final int UNHEARD_BOOT = 15;

    /** An order to etcd was not begun; its effect is there and it was not reported; half done. */
    static final int NOT_BEGUN = 0;

    static final int HALF_DONE = 1;
    static final int DONE = 2;

    /** Of a take-over: the lineage is on the disk, and the log does not count as committed yet. */
    static final int LINEAGE_WRITTEN = 3;

    final EtcdModel disk = new EtcdModel();
    final Wire wire = new Wire();

    boolean on = true;
    int boot;

    /** The number of the running agent; 0 while there is none. */
    int agent;

    /** The number of what its agents have stored. */
    int memory;

    int phase;
    boolean leading;

    /** The agent is refused by its own etcd. */
    boolean blind;

    /** The looks of the agent at its own etcd do not come back. */
    boolean looksHang;

    /** Nothing can be stored. */
    boolean diskFull;

    /** Corosync has the peer in the membership, and has had it in this boot. */
    boolean sees;

    boolean met;

    /** Corosync was told not to wait for the peer. */
    boolean waitLifted;

    /** Pacemaker has started etcd here; waits for its stop; was told that it has stopped. */
    boolean started;

    boolean stopping;
    boolean stopReported;

    /** The resource agent's mark of this boot that it has stopped etcd itself. */
    boolean stopMark;

    /** An administrator wants etcd stopped on this node. */
    boolean standby;

    int fence;
    int fenceBoot;

    /** What has read Off was another machine. */
    boolean offOther;

    /** Pacemaker takes the peer, as it was lost, for fenced, or for one that left in order. */
    boolean fenceDone;

    int stock;
    boolean stockOld;
    int record;

    /** The node was not to be switched on again after it. */
    boolean recordStaysOff;

    /** A BMC at an address that was wrong gave it. */
    boolean recordOther;

    /** The second of the peer's BMCs gave it. */
    boolean recordSecond;

    boolean bmcBroken;

    /** Its BMC answers for another machine. */
    boolean bmcOther;

    /** This boot's note that the peer's BMC reads a false Off; and the second of its BMCs. */
    boolean falseOff;

    boolean secondFalseOff;

    /** The boot of the peer that this node last heard or saw has ended. */
    boolean peerEnded;

    /** What this node holds against its peer is false: only the observer knows. */
    boolean bmcLied;

    boolean personLied;

    /** The question under way was asked after the last of these: an answer to it refutes them. */
    boolean askedSince;

    /** A person has given up what only the peer may hold. */
    boolean lossAccepted;

    /**
     * It had given up its right, and its disk has forgotten that; so until its peer hears that it
     * has not.
     */
    boolean yieldLost;

    /** The peer was heard: no fence that was ordered before is one of this boot of it. */
    void ageRecords() {
        record = record == NO_RECORD ? NO_RECORD : OLD_RECORD;
        stockOld |= stock != NO_ORDER;
    }

    void recordIsGone() {
        record = NO_RECORD;
        recordStaysOff = false;
        recordOther = false;
        recordSecond = false;
    }

    void agentEnds() {
        agent = 0;
        phase = NOT_BEGUN;
        leading = false;
        looksHang = false;
        wire.reply = 0;
        // The BMC may still carry out what was ordered; nobody waits for the answer.
        fence = fence == ORDERED || fence == LEFT_BEHIND ? LEFT_BEHIND : NO_ORDER;
        fenceBoot = 0;
        offOther = false;
        askedSince = false;
    }

    void set(Machine from) {
        disk.set(from.disk);
        wire.set(from.wire);
        on = from.on;
        boot = from.boot;
        agent = from.agent;
        memory = from.memory;
        phase = from.phase;
        leading = from.leading;
        blind = from.blind;
        looksHang = from.looksHang;
        diskFull = from.diskFull;
        sees = from.sees;
        met = from.met;
        waitLifted = from.waitLifted;
        started = from.started;
        stopping = from.stopping;
        stopReported = from.stopReported;
        stopMark = from.stopMark;
        standby = from.standby;
        fence = from.fence;
        fenceBoot = from.fenceBoot;
        offOther = from.offOther;
        fenceDone = from.fenceDone;
        stock = from.stock;
        stockOld = from.stockOld;
        record = from.record;
        recordStaysOff = from.recordStaysOff;
        recordOther = from.recordOther;
        recordSecond = from.recordSecond;
        bmcBroken = from.bmcBroken;
        bmcOther = from.bmcOther;
        falseOff = from.falseOff;
        secondFalseOff = from.secondFalseOff;
        bmcLied = from.bmcLied;
        peerEnded = from.peerEnded;
        personLied = from.personLied;
        askedSince = from.askedSince;
        lossAccepted = from.lossAccepted;
        yieldLost = from.yieldLost;
    }

    void pack(Packer bits) {
        disk.pack(bits);
        wire.pack(bits);
        bits.put(on);
        bits.put(boot, 3);
        bits.put(agent, 26);
        bits.put(memory, 20);
        bits.put(phase, 2);
        bits.put(leading);
        bits.put(blind);
        bits.put(looksHang);
        bits.put(diskFull);
        bits.put(sees);
        bits.put(met);
        bits.put(waitLifted);
        bits.put(started);
        bits.put(stopping);
        bits.put(stopReported);
        bits.put(stopMark);
        bits.put(standby);
        bits.put(fence, 2);
        bits.put(fenceBoot, 4);
        bits.put(offOther);
        bits.put(fenceDone);
        bits.put(stock, 2);
        bits.put(stockOld);
        bits.put(record, 3);
        bits.put(recordStaysOff);
        bits.put(recordOther);
        bits.put(recordSecond);
        bits.put(bmcBroken);
        bits.put(bmcOther);
        bits.put(falseOff);
        bits.put(secondFalseOff);
        bits.put(bmcLied);
        bits.put(peerEnded);
        bits.put(personLied);
        bits.put(askedSince);
        bits.put(lossAccepted);
        bits.put(yieldLost);
    }

    void unpack(Packer bits) {
        disk.unpack(bits);
        wire.unpack(bits);
        on = bits.take();
        boot = bits.take(3);
        agent = bits.take(26);
        memory = bits.take(20);
        phase = bits.take(2);
        leading = bits.take();
        blind = bits.take();
        looksHang = bits.take();
        diskFull = bits.take();
        sees = bits.take();
        met = bits.take();
        waitLifted = bits.take();
        started = bits.take();
        stopping = bits.take();
        stopReported = bits.take();
        stopMark = bits.take();
        standby = bits.take();
        fence = bits.take(2);
        fenceBoot = bits.take(4);
        offOther = bits.take();
        fenceDone = bits.take();
        stock = bits.take(2);
        stockOld = bits.take();
        record = bits.take(3);
        recordStaysOff = bits.take();
        recordOther = bits.take();
        recordSecond = bits.take();
        bmcBroken = bits.take();
        bmcOther = bits.take();
        falseOff = bits.take();
        secondFalseOff = bits.take();
        bmcLied = bits.take();
        peerEnded = bits.take();
        personLied = bits.take();
        askedSince = bits.take();
        lossAccepted = bits.take();
        yieldLost = bits.take();
    }
}
