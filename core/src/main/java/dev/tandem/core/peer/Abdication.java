package dev.tandem.core.peer;

/**
 * A node's durable word that it gives up its right to take over, written before anything is done
 * about it and kept with the data. It ends in one of two ways: the peer releases it (and will never
 * use it), or the node joins the peer again. An abdication alone is harmless; no node withdraws its
 * own.
 */
public sealed interface Abdication {
    /** Nothing given up. */
    record None() implements Abdication {}

    /** The node stops cleanly and asks the peer to remove it from the member list. */
    record Departure(long id) implements Abdication {
        public Departure {
            checkId(id);
        }
    }

    /**
     * The node's etcd is stopped for the peer's sake: no usable replica, a crash loop, or a cut
     * between the servers.
     */
    record StandDown(long id) implements Abdication {
        public StandDown {
            checkId(id);
        }
    }

    static Abdication none() {
        return new None();
    }

    /** Rises with each abdication of a node; 0 where nothing was given up. */
    default long number() {
        return switch (this) {
            case None() -> 0;
            case Departure(long id) -> id;
            case StandDown(long id) -> id;
        };
    }

    private static void checkId(long id) {
        if (id < 1) {
            throw new IllegalArgumentException(
                    "abdications of a node are numbered from 1, not " + id);
        }
    }
}
