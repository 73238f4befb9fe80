package dev.tandem.core.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tries every interleaving, breadth first, so that the first violation found is one of the
 * shortest. Of a state that was looked at only a {@linkplain Fingerprints fingerprint} and the way
 * to it are kept; whole states are kept for the level that is being looked at and the next.
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

    record Violation(String law, List<Integer> steps) {}

    /**
     * How far a search goes.
     *
     * @param progressEvery progress is checked for one state in so many; 0 for none
     */
    record Limits(int mostStates, Duration longest, int threads, int progressEvery) {}

    private static final int CHUNK_BITS = 14;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int BATCH = 128;

    private final Scene scene;
    private final MemoizedSupervisors nodes;
    private final Limits limits;
    private final int[] steps;

    private final Fingerprints seen = new Fingerprints();
    private final Fingerprints recovered = new Fingerprints();
    private final long[][] states;
    private final int[][] parents;
    private final short[][] codes;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicReference<@Nullable Found> found = new AtomicReference<>();
    private final AtomicLong transitions = new AtomicLong();
    private final AtomicLong progressChecks = new AtomicLong();
    private volatile boolean stopped;

    private record Found(int state, int code, String law) {}

    Explorer(Scene scene, MemoizedSupervisors nodes, Limits limits) {
        this.scene = scene;
        this.nodes = nodes;
        this.limits = limits;
        this.steps = Step.possible(scene);
        int chunks = (limits.mostStates() >>> CHUNK_BITS) + 64;
        states = new long[chunks][];
        parents = new int[chunks][];
        codes = new short[chunks][];
    }

    Result explore() {
        long begin = System.nanoTime();
        Packer packer = new Packer(World.LONGS);
        scene.start(nodes).pack(packer);
        add(packer.words, -1, 0);
        int low = 0;
        int high = count.get();
        int depth = 0;
        while (low < high && found.get() == null && !stopped) {
            level(low, high, begin);
            forget(low, high);
            low = high;
            high = count.get();
            depth++;
        }
        Found hit = found.get();
        return new Result(
                count.get(),
                transitions.get(),
                depth,
                low == high && !stopped && hit == null,
                Duration.ofNanos(System.nanoTime() - begin),
                progressChecks.get(),
                hit == null ? null : violation(hit));
    }

    /** Whole states of a level that is done are of no more use. */
    private void forget(int low, int high) {
        for (int chunk = low >>> CHUNK_BITS; chunk < high >>> CHUNK_BITS; chunk++) {
            states[chunk] = NOTHING;
        }
    }

    private static final long[] NOTHING = new long[0];

    private void level(int low, int high, long begin) {
        AtomicInteger next = new AtomicInteger(low);
        List<Thread> workers = new ArrayList<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        int threads = high - low < 4 * BATCH ? 1 : limits.threads();
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
        Model model = new Model(nodes, scene);
        ProgressCheck recovery = new ProgressCheck(nodes, scene, recovered);
        World world = new World();
        World successor = new World();
        Packer packer = new Packer(World.LONGS);
        long done = 0;
        long checked = 0;
        while (!stopped && found.get() == null) {
            int from = next.getAndAdd(BATCH);
            if (from >= high) {
                break;
            }
            if (System.nanoTime() - begin > limits.longest().toNanos()) {
                stopped = true;
            }
            for (int state = from;
                    state < Math.min(high, from + BATCH) && found.get() == null;
                    state++) {
                System.arraycopy(
                        states[state >>> CHUNK_BITS], offset(state), packer.words, 0, World.LONGS);
                world.unpack(packer);
                if (limits.progressEvery() > 0 && state % limits.progressEvery() == 0) {
                    checked++;
                    String law = recovery.check(world);
                    if (law != null) {
                        found.compareAndSet(null, new Found(state, -1, law));
                        break;
                    }
                }
                for (int code : steps) {
                    if (!model.mayApply(world, code)) {
                        continue;
                    }
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
                if (count.get() >= limits.mostStates()) {
                    stopped = true;
                }
            }
        }
        transitions.addAndGet(done);
        progressChecks.addAndGet(checked);
    }

    private static int offset(int state) {
        return (state & (CHUNK - 1)) * World.LONGS;
    }

    private void add(long[] words, int parent, int code) {
        if (stopped || !seen.add(Fingerprints.of(words))) {
            return;
        }
        int state = count.getAndIncrement();
        int number = state >>> CHUNK_BITS;
        chunk(number);
        System.arraycopy(words, 0, states[number], offset(state), World.LONGS);
        parents[number][state & (CHUNK - 1)] = parent;
        codes[number][state & (CHUNK - 1)] = (short) code;
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
        while (parents[state >>> CHUNK_BITS][state & (CHUNK - 1)] >= 0) {
            back.add((int) codes[state >>> CHUNK_BITS][state & (CHUNK - 1)]);
            state = parents[state >>> CHUNK_BITS][state & (CHUNK - 1)];
        }
        return new Violation(hit.law(), List.copyOf(back.reversed()));
    }
}
