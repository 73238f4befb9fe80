package dev.tandem.agent.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionSlotsTest {
    private final ConnectionSlots<String> slots =
            new ConnectionSlots<>("peer"::equals, new ConnectionSlots.Limits(2, 3, 5));

    private int taken(String caller, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += slots.take(caller).isPresent() ? 1 : 0;
        }
        return taken;
    }

    @Test
    void nobodyHasMoreThanHisShareAndStrangersTogetherNoMoreThanTheirs() {
        assertThat(taken("one", 10)).isEqualTo(3);
        assertThat(taken("two", 10)).isEqualTo(2);
        assertThat(taken("three", 10)).isZero();
        assertThat(taken("peer", 10)).isEqualTo(2);
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() {
        for (int i = 0; i < 100; i++) {
            List<ConnectionSlots.Slot> held = new ArrayList<>();
            for (String caller : List.of("one", "one", "one", "two", "two", "peer", "peer")) {
                held.add(slots.take(caller).orElseThrow());
            }
            assertThat(slots.take("peer")).isEmpty();
            assertThat(slots.take("three")).isEmpty();
            held.forEach(ConnectionSlots.Slot::close);
        }
    }
}
