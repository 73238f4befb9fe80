package dev.tandem.core.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tries every interleaving, breadth first, so that the first violation found is one of the
 * shortest. States are stored whole (72 bytes) and compared whole: a hash only finds the place, so
 * no state is ever taken for another.
 */
final class Explorer {
    /** What an exploration found. */
    record Result(
            long states,
            long transitions,
            int depth,
            boolean exhausted,
            Duration time,
            long progressChecks,
            @Nullable Violation violation) {}

    record Violation(String law, List<Integer> steps, World start) {}

    private static final int SHARDS = 64;
    private static final int CHUNK_BITS = 16;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int BATCH = 256;

    private final Judgement judgement;
    private final Bounds bounds;
    private final List<World> starts;
    private final int mostStates;
    private final Duration longest;
    private final int threads;

    /** Progress is checked for one state in so many; 0 for none. */
    private final int progressEvery;

    private final int[] steps = Model.allSteps();
    private final long[][] states;
    private final int[][] parents;
    private final short[][] codes;
    private final AtomicInteger count = new AtomicInteger();
    private final int[][] tables = new int[SHARDS][1 << 10];
    private final int[] filled = new int[SHARDS];
    private final AtomicReference<@Nullable Found> found = new AtomicReference<>();
    private final AtomicLong transitions = new AtomicLong();
    private final AtomicLong progressChecks = new AtomicLong();
    private volatile boolean stopped;

    private record Found(int state, int code, String law) {}

    Explorer(
            Judgement judgement,
            Bounds bounds,
            List<World> starts,
            int mostStates,
            Duration longest,
            int threads,
            int progressEvery) {
        this.judgement = judgement;
        this.bounds = bounds;
        this.starts = List.copyOf(starts);
        this.mostStates = mostStates;
        this.longest = longest;
        this.threads = threads;
        this.progressEvery = progressEvery;
        int chunks = (mostStates >>> CHUNK_BITS) + 2;
        states = new long[chunks][];
        parents = new int[chunks][];
        codes = new short[chunks][];
    }

    Result explore() {
        long begin = System.nanoTime();
        Packer packer = new Packer();
        for (int i = 0; i < starts.size(); i++) {
            starts.get(i).pack(packer);
            add(packer.words, -1 - i, 0);
        }
        int low = 0;
        int high = count.get();
        int depth = 0;
        while (low < high && found.get() == null && !stopped) {
            level(low, high, begin);
            low = high;
            high = count.get();
            depth++;
        }
        Found hit = found.get();
        return new Result(
                count.get(),
                transitions.get(),
                depth,
                low == high && !stopped,
                Duration.ofNanos(System.nanoTime() - begin),
                progressChecks.get(),
                hit == null ? null : violation(hit));
    }

    private void level(int low, int high, long begin) {
        AtomicInteger next = new AtomicInteger(low);
        List<Thread> workers = new ArrayList<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < threads; i++) {
            workers.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try {
                                    work(next, high, begin);
                                } catch (Throwable e) {
                                    failure.set(e);
                                    stopped = true;
                                }
                            }));
        }
        for (Thread worker : workers) {
            try {
                worker.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                stopped = true;
            }
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("the exploration failed", thrown);
        }
    }

    private void work(AtomicInteger next, int high, long begin) {
        Model model = new Model(judgement, bounds);
        Recovery recovery = new Recovery(model, bounds);
        World world = new World();
        World successor = new World();
        Packer packer = new Packer();
        long done = 0;
        long checked = 0;
        while (!stopped && found.get() == null) {
            int from = next.getAndAdd(BATCH);
            if (from >= high) {
                break;
            }
            if (System.nanoTime() - begin > longest.toNanos()) {
                stopped = true;
            }
            for (int state = from;
                    state < Math.min(high, from + BATCH) && found.get() == null;
                    state++) {
                System.arraycopy(
                        states[state >>> CHUNK_BITS], offset(state), packer.words, 0, World.LONGS);
                world.unpack(packer);
                if (progressEvery > 0 && state % progressEvery == 0) {
                    checked++;
                    String law = progress(recovery, world);
                    if (law != null) {
                        found.compareAndSet(null, new Found(state, -1, law));
                        break;
                    }
                }
                for (int code : steps) {
                    successor.set(world);
                    if (!model.apply(successor, code)) {
                        continue;
                    }
                    done++;
                    String law = model.broken();
                    if (law != null) {
                        found.compareAndSet(null, new Found(state, code, law));
                        break;
                    }
                    successor.pack(packer);
                    add(packer.words, state, code);
                }
                if (count.get() >= mostStates) {
                    stopped = true;
                }
            }
        }
        transitions.addAndGet(done);
        progressChecks.addAndGet(checked);
    }

    static @Nullable String progress(Recovery recovery, World world) {
        String law = recovery.whenBothReturn(world);
        for (int self = 0; self < 2 && law == null; self++) {
            law = recovery.whenOnlyOneReturns(world, self);
        }
        return law;
    }

    private static int offset(int state) {
        return (state & (CHUNK - 1)) * World.LONGS;
    }

    private void add(long[] words, int parent, int code) {
        long hash = 0;
        for (long word : words) {
            hash = (hash ^ word) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        int shard = (int) (hash >>> 58);
        synchronized (tables[shard]) {
            // The table itself is replaced when it grows; the array that is the lock is not.
            int[] table = grown(shard);
            int mask = table.length - 1;
            int slot = (int) hash & mask;
            while (table[slot] != 0) {
                int other = table[slot] - 1;
                long[] chunk = states[other >>> CHUNK_BITS];
                int at = offset(other);
                if (Arrays.equals(chunk, at, at + World.LONGS, words, 0, World.LONGS)) {
                    return;
                }
                slot = (slot + 1) & mask;
            }
            if (stopped) {
                return;
            }
            int state = count.getAndIncrement();
            chunk(state >>> CHUNK_BITS);
            System.arraycopy(words, 0, states[state >>> CHUNK_BITS], offset(state), World.LONGS);
            parents[state >>> CHUNK_BITS][state & (CHUNK - 1)] = parent;
            codes[state >>> CHUNK_BITS][state & (CHUNK - 1)] = (short) code;
            table[slot] = state + 1;
            filled[shard]++;
        }
    }

    private final int[][] grown = new int[SHARDS][];

    private int[] grown(int shard) {
        int[] table = grown[shard] == null ? tables[shard] : grown[shard];
        if (filled[shard] * 2 < table.length) {
            return table;
        }
        int[] wider = new int[table.length * 4];
        int mask = wider.length - 1;
        for (int entry : table) {
            if (entry != 0) {
                long hash = 0;
                long[] chunk = states[(entry - 1) >>> CHUNK_BITS];
                int at = offset(entry - 1);
                for (int i = 0; i < World.LONGS; i++) {
                    hash = (hash ^ chunk[at + i]) * 0x9E3779B97F4A7C15L;
                    hash ^= hash >>> 29;
                }
                int slot = (int) hash & mask;
                while (wider[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                wider[slot] = entry;
            }
        }
        grown[shard] = wider;
        return wider;
    }

    private void chunk(int number) {
        if (states[number] == null) {
            synchronized (states) {
                if (states[number] == null) {
                    parents[number] = new int[CHUNK];
                    codes[number] = new short[CHUNK];
                    states[number] = new long[CHUNK * World.LONGS];
                }
            }
        }
    }

    private Violation violation(Found hit) {
        List<Integer> back = new ArrayList<>();
        if (hit.code() >= 0) {
            back.add(hit.code());
        }
        int state = hit.state();
        while (parent(state) >= 0) {
            back.add((int) codes[state >>> CHUNK_BITS][state & (CHUNK - 1)]);
            state = parent(state);
        }
        return new Violation(
                hit.law(), List.copyOf(back.reversed()), starts.get(-1 - parent(state)));
    }

    /** Negative for a start. */
    private int parent(int state) {
        return parents[state >>> CHUNK_BITS][state & (CHUNK - 1)];
    }
}
