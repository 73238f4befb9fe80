package dev.tandem.core.check;

/**
 * The data directory of etcd on a node, and the server that runs on it. Entries of a log are small
 * numbers; within one epoch of a pair two logs never differ but in length, so no entry needs a term
 * of its own.
 */
final class EtcdModel {
    static final int MISSING = 0;
    static final int LOG = 1;
    static final int DAMAGED = 2;

    static final int TWO = 0;
    static final int SOLE = 1;
    static final int LEARNER = 2;
    static final int REMOVED = 3;

    static final int STOPPED = 0;
    static final int RUNNING = 1;
    static final int HUNG = 2;

    /** It answers its agent as if all were well, and does nothing. */
    static final int STUCK = 3;

    /** Entries 1 to 4 are writes of clients, the others belong to the cluster itself. */
    static final int WRITES = 4;

    static final int PROMOTION = 5;
    static final int NOTE = 6;

    /** Takes the peer of its author off the member list. */
    static final int REMOVAL = 7;

    static final int LONGEST = 10;

    int replica = LOG;
    int epoch;
    int log;
    int length;

    /** What lies behind it is lost with the power. */
    int synced;

    int commit;
    int term = 1;
    int seat;
    boolean complete = true;

    /** The promotion of the peer, or its removal, is in the log and has not taken effect. */
    boolean changing;

    int member;
    boolean learnerListed;
    int peerMember;

    int server;

    /** The server was started and has not had a leader since. */
    boolean starting;

    /** It was started as a cluster of one, which it becomes when it serves. */
    boolean forced;

    /** The running leader counts on what the learner of its list has stored. */
    boolean seatUsed;

    /** It joined with a seat whose data are gone: etcd panics on the leader's first message. */
    boolean doomed;

    /** It led when it got stuck. */
    boolean stuckLeading;

    int entry(int index) {
        return (log >>> (3 * (index - 1))) & 7;
    }

    void append(int entry) {
        log |= entry << (3 * length);
        length++;
    }

    void sync() {
        synced = length;
    }

    void truncate(int newLength) {
        length = newLength;
        log &= newLength == 0 ? 0 : -1 >>> (32 - 3 * newLength);
        synced = Math.min(synced, newLength);
        commit = Math.min(commit, newLength);
    }

    /** The clients' writes in the log, a bit each. */
    int writes() {
        return writes(length);
    }

    private int writes(int upTo) {
        int set = 0;
        for (int i = 1; i <= upTo; i++) {
            int entry = entry(i);
            if (entry <= WRITES) {
                set |= 1 << (entry - 1);
            }
        }
        return set;
    }

    /** Where the last entry of this kind stands; 0 if there is none. */
    int last(int kind) {
        for (int i = length; i > 0; i--) {
            if (entry(i) == kind) {
                return i;
            }
        }
        return 0;
    }

    boolean runs() {
        return server == RUNNING;
    }

    /** The process is gone; what it had written stays, for the kernel writes it out. */
    void stop() {
        server = STOPPED;
        starting = false;
        forced = false;
        stuckLeading = false;
        seatUsed = false;
    }

    void start() {
        server = RUNNING;
        starting = true;
    }

    void powerLost() {
        stop();
        if (replica == LOG) {
            truncate(synced);
            // What was proposed and is lost is proposed no more.
            changing &= last(PROMOTION) > 0 || last(REMOVAL) > 0;
        }
    }

    void lose(int left) {
        replica = left;
        epoch = 0;
        truncate(0);
        term = 1;
        seat = TWO;
        complete = false;
        changing = false;
        member = 0;
        learnerListed = false;
        peerMember = 0;
        doomed = false;
        stop();
    }

    /** How far the logs agree. */
    int matching(EtcdModel other) {
        int same = 0;
        while (same < length && same < other.length && entry(same + 1) == other.entry(same + 1)) {
            same++;
        }
        return same;
    }

    void set(EtcdModel from) {
        replica = from.replica;
        epoch = from.epoch;
        log = from.log;
        length = from.length;
        synced = from.synced;
        commit = from.commit;
        term = from.term;
        seat = from.seat;
        complete = from.complete;
        changing = from.changing;
        member = from.member;
        learnerListed = from.learnerListed;
        peerMember = from.peerMember;
        server = from.server;
        starting = from.starting;
        forced = from.forced;
        seatUsed = from.seatUsed;
        doomed = from.doomed;
        stuckLeading = from.stuckLeading;
    }

    void pack(Packer bits) {
        bits.put(replica, 2);
        bits.put(epoch, 2);
        bits.put(log, 3 * LONGEST);
        bits.put(length, 4);
        bits.put(synced, 4);
        bits.put(commit, 4);
        bits.put(term, 3);
        bits.put(seat, 2);
        bits.put(complete);
        bits.put(changing);
        bits.put(member, 3);
        bits.put(learnerListed);
        bits.put(peerMember, 3);
        bits.put(server, 2);
        bits.put(starting);
        bits.put(forced);
        bits.put(seatUsed);
        bits.put(doomed);
        bits.put(stuckLeading);
    }

    void unpack(Packer bits) {
        replica = bits.take(2);
        epoch = bits.take(2);
        log = bits.take(3 * LONGEST);
        length = bits.take(4);
        synced = bits.take(4);
        commit = bits.take(4);
        term = bits.take(3);
        seat = bits.take(2);
        complete = bits.take();
        changing = bits.take();
        member = bits.take(3);
        learnerListed = bits.take();
        peerMember = bits.take(3);
        server = bits.take(2);
        starting = bits.take();
        forced = bits.take();
        seatUsed = bits.take();
        doomed = bits.take();
        stuckLeading = bits.take();
    }
}
