package dev.tandem.host.etcd.wal;

/**
 * Bytes that are not what they should be. It never leaves this package: readers make it a value.
 */
final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
