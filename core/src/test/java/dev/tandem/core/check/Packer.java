package dev.tandem.core.check;

import java.util.Arrays;

/** Writes small numbers bit by bit into longs and reads them back in the same order. */
final class Packer {
    final long[] words;
    private int at;

    Packer(int longs) {
        words = new long[longs];
    }

    void reset() {
        Arrays.fill(words, 0);
        at = 0;
    }

    void rewind() {
        at = 0;
    }

    void put(long value, int width) {
        if (value < 0 || value >>> width != 0) {
            throw new IllegalStateException(value + " does not fit in " + width + " bits");
        }
        int word = at >>> 6;
        int shift = at & 63;
        words[word] |= value << shift;
        if (shift + width > 64) {
            words[word + 1] |= value >>> (64 - shift);
        }
        at += width;
    }

    void put(boolean value) {
        put(value ? 1 : 0, 1);
    }

    int take(int width) {
        int word = at >>> 6;
        int shift = at & 63;
        long value = words[word] >>> shift;
        if (shift + width > 64) {
            value |= words[word + 1] << (64 - shift);
        }
        at += width;
        return (int) (value & (-1L >>> (64 - width)));
    }

    boolean take() {
        return take(1) == 1;
    }
}
