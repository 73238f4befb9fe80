package dev.tandem.core.check;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives equal values the same small number, so that a state holds numbers instead of values.
 * Numbers begin with 1; 0 is for "none". Shared by the threads of a search.
 */
final class Interner<T> {
    private static final int CHUNK_BITS = 14;
    private static final int CHUNKS = 1 << 12;

    private final ConcurrentHashMap<T, Integer> numbers = new ConcurrentHashMap<>();
    private final Object[][] values = new Object[CHUNKS][];
    private int next = 1;

    int number(T value) {
        Integer known = numbers.get(value);
        return known != null ? known : add(value);
    }

    private synchronized int add(T value) {
        Integer known = numbers.get(value);
        if (known != null) {
            return known;
        }
        int number = next++;
        int chunk = number >>> CHUNK_BITS;
        if (chunk >= CHUNKS) {
            throw new IllegalStateException("more than " + number + " different values");
        }
        if (values[chunk] == null) {
            values[chunk] = new Object[1 << CHUNK_BITS];
        }
        values[chunk][number & ((1 << CHUNK_BITS) - 1)] = value;
        // Last: whoever finds the number finds the value.
        numbers.put(value, number);
        return number;
    }

    @SuppressWarnings("unchecked")
    T value(int number) {
        return (T) values[number >>> CHUNK_BITS][number & ((1 << CHUNK_BITS) - 1)];
    }

    int size() {
        return next - 1;
    }
}
