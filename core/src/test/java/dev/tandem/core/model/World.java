package dev.tandem.core.model;

/**
 * One state of the model: two nodes, what is on their disks, what they hold in memory, what is on
 * the wire, and what the observer above them knows (which writes were acknowledged). Small numbers
 * throughout, so that millions of states fit in memory; {@link #pack} is the only place that knows
 * the widths.
 */
final class World {
    /** Log entries: 1 to 5 are writes of clients, the others belong to the cluster itself. */
    static final int WRITES = 5;

    static final int PROMOTION = 6;
    static final int NOTE = 7;
    static final int LONGEST_LOG = 10;
    static final int EPOCHS = 4;

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
    static final int DIED = 3;

    static final int NO_ORDER = 0;
    static final int ORDERED = 1;
    static final int ORDER_TIMED_OUT = 2;

    /** Off was read, and whoever ordered it does not know yet. */
    static final int UNANSWERED = 3;

    static final int NO_RECORD = 0;

    /** Ordered before the peer's last sign of life. */
    static final int OLD_RECORD = 1;

    static final int YOUNG_RECORD = 2;

    static final int NO_RECEIPT = 0;
    static final int READ_OFF = 1;
    static final int READ_NOTHING = 2;

    static final int NO_OFFER = 0;
    static final int TOKEN = 1;
    static final int CONFIRMATION = 2;

    static final int UNHEARD_BOOT = 15;
    static final int LONGS = 9;

    /** A node: what its disk holds comes first, what a power cut takes away second. */
    static final class Node {
        int replica = LOG;
        int epoch;
        int log;
        int length;
        int commit;
        int seat;
        boolean complete = true;

        /** The promotion of the peer is in the log and has not taken effect. */
        boolean promoting;

        int member;
        boolean learnerListed;
        int peerMember;
        int yieldKind;
        int yieldId;
        int yields;
        boolean claim;
        int restartFlag;

        boolean on = true;
        int boot;
        int server;
        boolean diesOften;
        boolean wanted = true;
        boolean met;
        boolean present;
        boolean known;
        int released;
        int fence;
        int receipt;
        int receiptBoot;
        boolean held;
        int statement;
        int statementEpoch;
        int statementPeer;
        int offer;
        int offerBoot;
        int offerMember;
        int offerIndex;
        boolean forcing;
        boolean bmcBroken;

        /** Its BMC answers for another machine. */
        boolean bmcOther;

        /** The agent was restarted and has not looked at the membership yet. */
        boolean unsure;

        /** The agent is refused by its own etcd. */
        boolean blind;

        /** The peer's boot that was known when the fence was ordered. */
        int orderBoot;

        /** A fence by the second level, its record, and whether it is older than the last word. */
        int stock;

        boolean stockOld;
        int record;

        /** What this node holds against its peer is false: only the observer knows. */
        boolean bmcLied;

        boolean personLied;

        /** The reply on the wire answers a question that was asked before the latest proof. */
        boolean replyOld;

        /** The peer's facts as heard last, and those of a reply still on the wire; 0 is none. */
        long heard;

        long reply;

        /** 8 + the peer's boot, if it spoke but told nothing that counts. */
        int greeted;

        int entry(int index) {
            return (log >>> (3 * (index - 1))) & 7;
        }

        void append(int entry) {
            log |= entry << (3 * length);
            length++;
        }

        void truncate(int newLength) {
            length = newLength;
            log &= newLength == 0 ? 0 : -1 >>> (32 - 3 * newLength);
        }

        /** The clients' writes in the log, a bit each. */
        int writes() {
            int set = 0;
            for (int i = 1; i <= length; i++) {
                int entry = entry(i);
                if (entry <= WRITES) {
                    set |= 1 << (entry - 1);
                }
            }
            return set;
        }

        int lastPromotion() {
            for (int i = length; i > 0; i--) {
                if (entry(i) == PROMOTION) {
                    return i;
                }
            }
            return 0;
        }

        void loseReplica(int left) {
            replica = left;
            epoch = 0;
            truncate(0);
            commit = 0;
            seat = TWO;
            complete = false;
            promoting = false;
            member = 0;
            learnerListed = false;
            peerMember = 0;
            yieldKind = 0;
            yieldId = 0;
            yields = 0;
            claim = false;
            restartFlag = 0;
        }

        void loseMemory() {
            server = STOPPED;
            diesOften = false;
            wanted = true;
            met = false;
            present = false;
            known = false;
            released = 0;
            receipt = NO_RECEIPT;
            receiptBoot = 0;
            held = false;
            statement = 0;
            statementEpoch = 0;
            statementPeer = 0;
            withdrawOffer();
            forcing = false;
            heard = 0;
            reply = 0;
            greeted = 0;
            unsure = false;
            blind = false;
            // The BMC may still carry out what was ordered; nobody waits for the answer any more.
            boolean ordered = fence == ORDERED || fence == ORDER_TIMED_OUT || stock == ORDERED;
            fence = ordered ? ORDER_TIMED_OUT : NO_ORDER;
            orderBoot = 0;
            stock = NO_ORDER;
            stockOld = false;
            record = NO_RECORD;
            bmcLied = false;
            personLied = false;
            replyOld = false;
        }

        /** The peer gave a sign of life: no fence that was ordered before is one of this boot. */
        void ageRecords() {
            record = record == YOUNG_RECORD ? OLD_RECORD : record;
            stockOld |= stock != NO_ORDER;
        }

        /** A proof is made: no reply that is on the wire by now can contradict it. */
        void proofMade() {
            replyOld = reply != 0;
        }

        void withdrawOffer() {
            offer = NO_OFFER;
            offerBoot = 0;
            offerMember = 0;
            offerIndex = 0;
        }

        void clearYield() {
            yieldKind = 0;
            yieldId = 0;
        }

        private void set(Node from) {
            replica = from.replica;
            epoch = from.epoch;
            log = from.log;
            length = from.length;
            commit = from.commit;
            seat = from.seat;
            complete = from.complete;
            promoting = from.promoting;
            member = from.member;
            learnerListed = from.learnerListed;
            peerMember = from.peerMember;
            yieldKind = from.yieldKind;
            yieldId = from.yieldId;
            yields = from.yields;
            claim = from.claim;
            restartFlag = from.restartFlag;
            on = from.on;
            boot = from.boot;
            server = from.server;
            diesOften = from.diesOften;
            wanted = from.wanted;
            met = from.met;
            present = from.present;
            known = from.known;
            released = from.released;
            fence = from.fence;
            receipt = from.receipt;
            receiptBoot = from.receiptBoot;
            held = from.held;
            statement = from.statement;
            statementEpoch = from.statementEpoch;
            statementPeer = from.statementPeer;
            offer = from.offer;
            offerBoot = from.offerBoot;
            offerMember = from.offerMember;
            offerIndex = from.offerIndex;
            forcing = from.forcing;
            bmcBroken = from.bmcBroken;
            bmcOther = from.bmcOther;
            unsure = from.unsure;
            blind = from.blind;
            orderBoot = from.orderBoot;
            stock = from.stock;
            stockOld = from.stockOld;
            record = from.record;
            bmcLied = from.bmcLied;
            personLied = from.personLied;
            replyOld = from.replyOld;
            heard = from.heard;
            reply = from.reply;
            greeted = from.greeted;
        }

        private void pack(Packer bits) {
            bits.put(replica, 2);
            bits.put(epoch, 2);
            bits.put(log, 3 * LONGEST_LOG);
            bits.put(length, 4);
            bits.put(commit, 4);
            bits.put(seat, 2);
            bits.put(complete);
            bits.put(promoting);
            bits.put(member, 3);
            bits.put(learnerListed);
            bits.put(peerMember, 3);
            bits.put(yieldKind, 2);
            bits.put(yieldId, 3);
            bits.put(yields, 3);
            bits.put(claim);
            bits.put(restartFlag, 4);
            bits.put(on);
            bits.put(boot, 3);
            bits.put(server, 2);
            bits.put(diesOften);
            bits.put(wanted);
            bits.put(met);
            bits.put(present);
            bits.put(known);
            bits.put(released, 3);
            bits.put(fence, 2);
            bits.put(receipt, 2);
            bits.put(receiptBoot, 4);
            bits.put(held);
            bits.put(statement, 2);
            bits.put(statementEpoch, 3);
            bits.put(statementPeer, 4);
            bits.put(offer, 2);
            bits.put(offerBoot, 3);
            bits.put(offerMember, 3);
            bits.put(offerIndex, 4);
            bits.put(forcing);
            bits.put(bmcBroken);
            bits.put(bmcOther);
            bits.put(unsure);
            bits.put(blind);
            bits.put(orderBoot, 4);
            bits.put(stock, 2);
            bits.put(stockOld);
            bits.put(record, 2);
            bits.put(bmcLied);
            bits.put(personLied);
            bits.put(replyOld);
            bits.put(heard, Snapshot.WIDTH);
            bits.put(reply, Snapshot.WIDTH);
            bits.put(greeted, 4);
        }

        private void unpack(Packer bits) {
            replica = bits.take(2);
            epoch = bits.take(2);
            log = bits.take(3 * LONGEST_LOG);
            length = bits.take(4);
            commit = bits.take(4);
            seat = bits.take(2);
            complete = bits.take();
            promoting = bits.take();
            member = bits.take(3);
            learnerListed = bits.take();
            peerMember = bits.take(3);
            yieldKind = bits.take(2);
            yieldId = bits.take(3);
            yields = bits.take(3);
            claim = bits.take();
            restartFlag = bits.take(4);
            on = bits.take();
            boot = bits.take(3);
            server = bits.take(2);
            diesOften = bits.take();
            wanted = bits.take();
            met = bits.take();
            present = bits.take();
            known = bits.take();
            released = bits.take(3);
            fence = bits.take(2);
            receipt = bits.take(2);
            receiptBoot = bits.take(4);
            held = bits.take();
            statement = bits.take(2);
            statementEpoch = bits.take(3);
            statementPeer = bits.take(4);
            offer = bits.take(2);
            offerBoot = bits.take(3);
            offerMember = bits.take(3);
            offerIndex = bits.take(4);
            forcing = bits.take();
            bmcBroken = bits.take();
            bmcOther = bits.take();
            unsure = bits.take();
            blind = bits.take();
            orderBoot = bits.take(4);
            stock = bits.take(2);
            stockOld = bits.take();
            record = bits.take(2);
            bmcLied = bits.take();
            personLied = bits.take();
            replyOld = bits.take();
            heard = bits.takeLong(Snapshot.WIDTH);
            reply = bits.takeLong(Snapshot.WIDTH);
            greeted = bits.take(4);
        }
    }

    final Node[] nodes = {new Node(), new Node()};
    boolean link = true;
    boolean portsCut;

    /** 0 none, else 1 + the node that leads the pair. */
    int leader;

    int acknowledged;
    int givenUp;

    /** 1 + the node whose history a person gave up, until it joins again. */
    int abandoned;

    int written;
    int members = 2;
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
        link = from.link;
        portsCut = from.portsCut;
        leader = from.leader;
        acknowledged = from.acknowledged;
        givenUp = from.givenUp;
        abandoned = from.abandoned;
        written = from.written;
        members = from.members;
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
        bits.put(link);
        bits.put(portsCut);
        bits.put(leader, 2);
        bits.put(acknowledged, WRITES);
        bits.put(givenUp, WRITES);
        bits.put(abandoned, 2);
        bits.put(written, 3);
        bits.put(members, 3);
        bits.put(epochs, 3);
        for (int i = 1; i < EPOCHS; i++) {
            bits.put(parent[i], 2);
            bits.put(fork[i], 4);
            bits.put(founder[i], 1);
            bits.put(founderBoot[i], 3);
        }
        for (int left : budget) {
            bits.put(left, 2);
        }
    }

    void unpack(Packer bits) {
        bits.rewind();
        nodes[0].unpack(bits);
        nodes[1].unpack(bits);
        link = bits.take();
        portsCut = bits.take();
        leader = bits.take(2);
        acknowledged = bits.take(WRITES);
        givenUp = bits.take(WRITES);
        abandoned = bits.take(2);
        written = bits.take(3);
        members = bits.take(3);
        epochs = bits.take(3);
        for (int i = 1; i < EPOCHS; i++) {
            parent[i] = bits.take(2);
            fork[i] = bits.take(4);
            founder[i] = bits.take(1);
            founderBoot[i] = bits.take(3);
        }
        for (int i = 0; i < budget.length; i++) {
            budget[i] = bits.take(2);
        }
    }
}
