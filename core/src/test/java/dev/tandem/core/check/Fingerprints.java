package dev.tandem.core.check;

/**
 * A growing set of 64-bit fingerprints, shared by the threads of a search (hash compaction: of a
 * state only its fingerprint is kept). Among a hundred million states the chance that any two of
 * them share one is below 1 in 3,000; then one of them would not be looked at.
 */
final class Fingerprints {
    private static final int SHARDS = 256;

    private final long[][] tables = new long[SHARDS][];
    private final int[] filled = new int[SHARDS];
    private final Object[] locks = new Object[SHARDS];

    Fingerprints() {
        for (int i = 0; i < SHARDS; i++) {
            tables[i] = new long[1 << 8];
            locks[i] = new Object();
        }
    }

    /** True if it was not in the set before. */
    boolean add(long fingerprint) {
        // Zero marks an empty slot.
        long key = fingerprint == 0 ? 1 : fingerprint;
        int shard = (int) (key >>> 56);
        synchronized (locks[shard]) {
            long[] table = tables[shard];
            int slot = slot(table, key);
            if (table[slot] == key) {
                return false;
            }
            table[slot] = key;
            if (++filled[shard] * 4L > table.length * 3L) {
                grow(shard);
            }
            return true;
        }
    }

    boolean contains(long fingerprint) {
        long key = fingerprint == 0 ? 1 : fingerprint;
        int shard = (int) (key >>> 56);
        synchronized (locks[shard]) {
            long[] table = tables[shard];
            return table[slot(table, key)] == key;
        }
    }

    private static int slot(long[] table, long key) {
        int mask = table.length - 1;
        int slot = (int) key & mask;
        while (table[slot] != 0 && table[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow(int shard) {
        long[] old = tables[shard];
        long[] wider = new long[old.length * 2];
        for (long key : old) {
            if (key != 0) {
                wider[slot(wider, key)] = key;
            }
        }
        tables[shard] = wider;
    }

    /** Every bit of the words counts. */
    static long of(long[] words) {
        long hash = 0x9E3779B97F4A7C15L;
        for (long word : words) {
            hash ^= word;
            hash *= 0xFF51AFD7ED558CCDL;
            hash ^= hash >>> 32;
            hash *= 0xC4CEB9FE1A85EC53L;
            hash ^= hash >>> 29;
        }
        return hash;
    }
}
