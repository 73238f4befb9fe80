package dev.tandem.agent.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BoundedParallelTest {
    private static final List<Integer> ALL = IntStream.range(0, 500).boxed().toList();

    private final Set<Integer> done = ConcurrentHashMap.newKeySet();

    @Test
    void eachIsDoneOnceAndNeverMoreThanSoManyAtATime() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        new BoundedParallel<Integer>(4)
                .each(
                        ALL,
                        one -> {
                            most.accumulateAndGet(now.incrementAndGet(), Math::max);
                            assertThat(done.add(one)).isTrue();
                            now.decrementAndGet();
                        });

        assertThat(done).containsExactlyInAnyOrderElementsOf(ALL);
        assertThat(most.get()).isBetween(1, 4);
    }

    @Test
    void afterAFailureNoOtherIsBegun() {
        assertThatThrownBy(() ->
                        new BoundedParallel<Integer>(2)
                                .each(
                                        ALL,
                                        one -> {
                                            done.add(one);
                                            throw new IOException("gone");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("gone");

        assertThat(done).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void nothingIsNothingToDo() throws Exception {
        new BoundedParallel<Integer>(2).each(List.of(), done::add);

        assertThat(done).isEmpty();
    }
}
