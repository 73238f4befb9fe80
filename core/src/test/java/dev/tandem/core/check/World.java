package dev.tandem.core.check;

/**
 * One state of the model: two nodes, what is between them, and what the observer above them knows
 * (which writes were acknowledged). {@link #pack} is the only place that knows the widths.
 */
// Ordinals are the model's own encoding; they live no longer than a run.
@SuppressWarnings("EnumOrdinal")
final class World {
    static final int LONGS = 10;
    static final int EPOCHS = 4;

    final Machine[] nodes = {new Machine(), new Machine()};

    /** The network; the way from each agent to the other; the ports of etcd, and Corosync's. */
    boolean ring = true;

    final boolean[] way = {true, true};
    boolean portsCut;
    boolean corosyncCut;

    /** 0 none, else 1 + the node that leads the pair. */
    int leader;

    int acknowledged;
    int givenUp;

    /** 1 + the node whose history a person gave up, until it joins again. */
    int abandoned;

    int written;
    int members = 2;

    /** The node that the last removal in a log takes off the list. */
    int removed;

    int epochs = 1;
    final int[] parent = new int[EPOCHS];
    final int[] fork = new int[EPOCHS];
    final int[] founder = new int[EPOCHS];
    final int[] founderBoot = new int[EPOCHS];

    /** What is left of each kind of fault. */
    final int[] budget = new int[Fault.values().length];

    void set(World from) {
        nodes[0].set(from.nodes[0]);
        nodes[1].set(from.nodes[1]);
        ring = from.ring;
        way[0] = from.way[0];
        way[1] = from.way[1];
        portsCut = from.portsCut;
        corosyncCut = from.corosyncCut;
        leader = from.leader;
        acknowledged = from.acknowledged;
        givenUp = from.givenUp;
        abandoned = from.abandoned;
        written = from.written;
        members = from.members;
        removed = from.removed;
        epochs = from.epochs;
        System.arraycopy(from.parent, 0, parent, 0, EPOCHS);
        System.arraycopy(from.fork, 0, fork, 0, EPOCHS);
        System.arraycopy(from.founder, 0, founder, 0, EPOCHS);
        System.arraycopy(from.founderBoot, 0, founderBoot, 0, EPOCHS);
        System.arraycopy(from.budget, 0, budget, 0, budget.length);
    }

    void pack(Packer bits) {
        bits.reset();
        nodes[0].pack(bits);
        nodes[1].pack(bits);
        bits.put(ring);
        bits.put(way[0]);
        bits.put(way[1]);
        bits.put(portsCut);
        bits.put(corosyncCut);
        bits.put(leader, 2);
        bits.put(acknowledged, EtcdModel.WRITES);
        bits.put(givenUp, EtcdModel.WRITES);
        bits.put(abandoned, 2);
        bits.put(written, 3);
        bits.put(members, 3);
        bits.put(removed, 1);
        bits.put(epochs, 3);
        for (int i = 1; i < EPOCHS; i++) {
            bits.put(parent[i], 2);
            bits.put(fork[i], 4);
            bits.put(founder[i], 1);
            bits.put(founderBoot[i], 3);
        }
        for (int left : budget) {
            bits.put(left, 3);
        }
    }

    void unpack(Packer bits) {
        bits.rewind();
        nodes[0].unpack(bits);
        nodes[1].unpack(bits);
        ring = bits.take();
        way[0] = bits.take();
        way[1] = bits.take();
        portsCut = bits.take();
        corosyncCut = bits.take();
        leader = bits.take(2);
        acknowledged = bits.take(EtcdModel.WRITES);
        givenUp = bits.take(EtcdModel.WRITES);
        abandoned = bits.take(2);
        written = bits.take(3);
        members = bits.take(3);
        removed = bits.take(1);
        epochs = bits.take(3);
        for (int i = 1; i < EPOCHS; i++) {
            parent[i] = bits.take(2);
            fork[i] = bits.take(4);
            founder[i] = bits.take(1);
            founderBoot[i] = bits.take(3);
        }
        for (int i = 0; i < budget.length; i++) {
            budget[i] = bits.take(3);
        }
    }

    boolean spend(Fault fault) {
        if (budget[fault.ordinal()] == 0) {
            return false;
        }
        budget[fault.ordinal()]--;
        return true;
    }

    boolean left(Fault fault) {
        return budget[fault.ordinal()] > 0;
    }

    /** What Corosync sends reaches the other node: of the membership, and of its attributes. */
    boolean ringed() {
        return ring && !corosyncCut;
    }

    // ---- etcd between the nodes

    private boolean connected() {
        return ring && !portsCut && runs(0) && runs(1);
    }

    boolean runs(int node) {
        return nodes[node].on && nodes[node].disk.runs() && !nodes[node].disk.forced;
    }

    /**
     * Both servers run and count each other as voters, or the one that does not know it yet will
     * learn it.
     */
    boolean paired() {
        EtcdModel a = nodes[0].disk;
        EtcdModel b = nodes[1].disk;
        if (!connected() || a.epoch != b.epoch) {
            return false;
        }
        if (a.seat == EtcdModel.TWO && b.seat == EtcdModel.TWO) {
            return a.peerMember == b.member && b.peerMember == a.member;
        }
        return (a.seat == EtcdModel.TWO && b.seat == EtcdModel.LEARNER && a.peerMember == b.member)
                || (b.seat == EtcdModel.TWO
                        && a.seat == EtcdModel.LEARNER
                        && b.peerMember == a.member);
    }

    /** The node gets entries from a sole voter that lists it as a learner. */
    boolean taught(int learner) {
        EtcdModel me = nodes[learner].disk;
        EtcdModel teacher = nodes[1 - learner].disk;
        return connected()
                && me.epoch == teacher.epoch
                && (me.seat == EtcdModel.LEARNER || (me.seat == EtcdModel.TWO && teacher.changing))
                && teacher.seat == EtcdModel.SOLE
                && (teacher.learnerListed || teacher.changing)
                && teacher.peerMember == me.member;
    }

    boolean leads(int node) {
        return runs(node)
                && !nodes[node].disk.starting
                && (nodes[node].disk.seat == EtcdModel.SOLE || leader == node + 1);
    }

    /** What follows at once from a change: a pair that is no pair has no leader. */
    void settle() {
        if (leader != 0 && !paired()) {
            leader = 0;
        }
        for (int node = 0; node < 2; node++) {
            EtcdModel disk = nodes[node].disk;
            boolean served =
                    runs(node)
                            && (disk.seat == EtcdModel.SOLE
                                    || (leader != 0 && paired())
                                    || taught(node));
            disk.starting &= !served;
        }
    }
}
