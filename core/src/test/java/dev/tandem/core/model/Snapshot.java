package dev.tandem.core.model;

/** A node's facts as a number: what it says of itself on the wire. Never 0. */
final class Snapshot {
    static final int WIDTH = 46;

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
        return add(bits, confirming ? 0 : node.offerIndex, 4);
    }

    private static long add(long bits, int value, int width) {
        return (bits << width) | value;
    }

    static int boot(long bits) {
        return field(bits, 42, 3);
    }

    static int replica(long bits) {
        return field(bits, 40, 2);
    }

    static int epoch(long bits) {
        return field(bits, 38, 2);
    }

    static int length(long bits) {
        return field(bits, 34, 4);
    }

    static int commit(long bits) {
        return field(bits, 30, 4);
    }

    static int seat(long bits) {
        return field(bits, 28, 2);
    }

    static boolean complete(long bits) {
        return field(bits, 27, 1) == 1;
    }

    static int yieldKind(long bits) {
        return field(bits, 25, 2);
    }

    static int yieldId(long bits) {
        return field(bits, 22, 3);
    }

    static boolean claim(long bits) {
        return field(bits, 21, 1) == 1;
    }

    static int server(long bits) {
        return field(bits, 18, 3);
    }

    static int released(long bits) {
        return field(bits, 15, 3);
    }

    static int member(long bits) {
        return field(bits, 12, 3);
    }

    static int offer(long bits) {
        return field(bits, 10, 2);
    }

    static int offerBoot(long bits) {
        return field(bits, 7, 3);
    }

    static int offerMember(long bits) {
        return field(bits, 4, 3);
    }

    static int offerIndex(long bits) {
        return field(bits, 0, 4);
    }

    private static int field(long bits, int shift, int width) {
        return (int) (bits >>> shift) & ((1 << width) - 1);
    }
}
