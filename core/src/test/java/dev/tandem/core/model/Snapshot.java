package dev.tandem.core.model;

/** A node's facts as a number: what it says of itself on the wire. Never 0. */
final class Snapshot {
    static final int WIDTH = 47;

    private Snapshot() {}

    static long of(World.Node node, int server) {
        boolean confirming = node.offer == World.CONFIRMATION && node.commit < node.offerIndex;
        int offer = confirming ? World.NO_OFFER : node.offer;
        long bits = 1;
        bits = add(bits, node.boot, 3);
        bits = add(bits, node.replica, 2);
        bits = add(bits, node.epoch, 2);
        bits = add(bits, node.length, 4);
        bits = add(bits, node.commit, 4);
        bits = add(bits, node.seat, 2);
        bits = add(bits, node.complete ? 1 : 0, 1);
        bits = add(bits, node.yieldKind, 2);
        bits = add(bits, node.yieldId, 3);
        bits = add(bits, node.claim ? 1 : 0, 1);
        bits = add(bits, server, 3);
        bits = add(bits, node.released, 3);
        bits = add(bits, node.member, 3);
        bits = add(bits, offer, 2);
        bits = add(bits, confirming ? 0 : node.offerBoot, 3);
        bits = add(bits, confirming ? 0 : node.offerMember, 3);
        bits = add(bits, confirming ? 0 : node.offerIndex, 4);
        return add(bits, node.offerResumes ? 1 : 0, 1);
    }

    private static long add(long bits, int value, int width) {
        return (bits << width) | value;
    }

    static int boot(long bits) {
        return field(bits, 43, 3);
    }

    static int replica(long bits) {
        return field(bits, 41, 2);
    }

    static int epoch(long bits) {
        return field(bits, 39, 2);
    }

    static int length(long bits) {
        return field(bits, 35, 4);
    }

    static int commit(long bits) {
        return field(bits, 31, 4);
    }

    static int seat(long bits) {
        return field(bits, 29, 2);
    }

    static boolean complete(long bits) {
        return field(bits, 28, 1) == 1;
    }

    static int yieldKind(long bits) {
        return field(bits, 26, 2);
    }

    static int yieldId(long bits) {
        return field(bits, 23, 3);
    }

    static boolean claim(long bits) {
        return field(bits, 22, 1) == 1;
    }

    static int server(long bits) {
        return field(bits, 19, 3);
    }

    static int released(long bits) {
        return field(bits, 16, 3);
    }

    static int member(long bits) {
        return field(bits, 13, 3);
    }

    static int offer(long bits) {
        return field(bits, 11, 2);
    }

    static int offerBoot(long bits) {
        return field(bits, 8, 3);
    }

    static int offerMember(long bits) {
        return field(bits, 5, 3);
    }

    static int offerIndex(long bits) {
        return field(bits, 1, 4);
    }

    static boolean offerResumes(long bits) {
        return (bits & 1) == 1;
    }

    private static int field(long bits, int shift, int width) {
        return (int) (bits >>> shift) & ((1 << width) - 1);
    }
}
