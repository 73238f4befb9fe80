package dev.tandem.core.check;

/** A growing map from long to long that the threads of a search share. Neither is ever 0. */
final class LongMap {
    private static final int SHARDS = 64;

    private final long[][] tables = new long[SHARDS][];
    private final int[] filled = new int[SHARDS];
    private final Object[] locks = new Object[SHARDS];

    LongMap() {
        for (int i = 0; i < SHARDS; i++) {
            tables[i] = new long[1 << 9];
            locks[i] = new Object();
        }
    }

    /** 0 if there is none. */
    long get(long key) {
        long hash = hash(key);
        int shard = (int) (hash >>> 58);
        synchronized (locks[shard]) {
            long[] table = tables[shard];
            int slot = slot(table, hash, key);
            return table[slot] == 0 ? 0 : table[slot + 1];
        }
    }

    void put(long key, long value) {
        long hash = hash(key);
        int shard = (int) (hash >>> 58);
        synchronized (locks[shard]) {
            long[] table = tables[shard];
            int slot = slot(table, hash, key);
            if (table[slot] == 0) {
                filled[shard]++;
            }
            table[slot] = key;
            table[slot + 1] = value;
            if (filled[shard] * 4 > table.length) {
                grow(shard);
            }
        }
    }

    private static int slot(long[] table, long hash, long key) {
        int mask = table.length - 1;
        int slot = ((int) hash << 1) & mask;
        while (table[slot] != 0 && table[slot] != key) {
            slot = (slot + 2) & mask;
        }
        return slot;
    }

    private void grow(int shard) {
        long[] old = tables[shard];
        long[] wider = new long[old.length * 2];
        for (int i = 0; i < old.length; i += 2) {
            if (old[i] != 0) {
                int slot = slot(wider, hash(old[i]), old[i]);
                wider[slot] = old[i];
                wider[slot + 1] = old[i + 1];
            }
        }
        tables[shard] = wider;
    }

    private static long hash(long key) {
        long hash = key * 0xFF51AFD7ED558CCDL;
        hash ^= hash >>> 32;
        hash *= 0xC4CEB9FE1A85EC53L;
        return hash ^ (hash >>> 29);
    }
}
