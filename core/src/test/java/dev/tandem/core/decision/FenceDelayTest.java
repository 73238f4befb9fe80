package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.core.decision.FenceDelay.Times;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FenceDelayTest {
    private static final Duration BMC_OFF = Duration.ofSeconds(3);
    private static final Times TIMES = new Times(Duration.ofSeconds(5), Duration.ofSeconds(15));

    /** What a fence costs beyond the time of the BMC: the agent's, and that of the second level. */
    private static final Duration BY_THE_AGENT = Duration.ofSeconds(1);

    private static final List<Boolean> BOTH = List.of(true, false);

    private static List<Link> links(String words) {
        return words.equals("none")
                ? List.of()
                : Stream.of(words.split(" ")).map(Link::valueOf).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    preferred | own links       | peer's agent | seconds | reason
                    # a switch fails between them, or the peer alone is cut off
                    true      | UP              | runs         | 0       | NONE
                    false     | UP              | runs         | 5       | PEER_PREFERRED
                    true      | UP              | is silent    | 0       | NONE
                    false     | UP              | is silent    | 20      | PEER_PREFERRED
                    # this node alone is cut off, or the cable between the two
                    true      | DOWN            | runs         | 10      | ISOLATED
                    true      | DOWN DOWN       | runs         | 10      | ISOLATED
                    true      | DOWN            | is silent    | 40      | ISOLATED
                    # the other one waits anyway
                    false     | DOWN            | runs         | 5       | PEER_PREFERRED
                    false     | DOWN            | is silent    | 20      | PEER_PREFERRED
                    # what is not known, and one link that is left, is no isolation
                    true      | DOWN UP         | runs         | 0       | NONE
                    true      | UNKNOWN         | runs         | 0       | NONE
                    true      | DOWN UNKNOWN    | runs         | 0       | NONE
                    true      | none            | runs         | 0       | NONE
                    """)
    void decides(
            boolean preferred, String own, String agent, long seconds, FenceDelay.Reason reason) {
        assertThat(FenceDelay.of(preferred, links(own), agent.equals("runs"), TIMES))
                .isEqualTo(new FenceDelay.Delay(Duration.ofSeconds(seconds), reason));
    }

    /**
     * Both nodes live and hear nothing of each other. Whatever each sees of its own links, and
     * whichever level each has left, the power of one is gone before the other gives its order.
     */
    @Test
    void inASplitOneIsOffBeforeTheOtherBegins() {
        for (List<Link> preferredLinks : List.of(List.of(Link.UP), List.of(Link.DOWN))) {
            for (List<Link> otherLinks : List.of(List.of(Link.UP), List.of(Link.DOWN))) {
                for (boolean preferredHasAgent : BOTH) {
                    for (boolean otherHasAgent : BOTH) {
                        if (preferredLinks.equals(List.of(Link.DOWN)) && !preferredHasAgent) {
                            // Nobody looks at the links then: the node fences at once.
                            continue;
                        }
                        Fence one = fence(true, preferredLinks, preferredHasAgent, otherHasAgent);
                        Fence two = fence(false, otherLinks, otherHasAgent, preferredHasAgent);
                        Fence first = one.off().compareTo(two.off()) < 0 ? one : two;
                        Fence second = first.equals(one) ? two : one;

                        assertThat(second.ordered())
                                .as(
                                        "preferred %s agent %s, other %s agent %s",
                                        preferredLinks,
                                        preferredHasAgent,
                                        otherLinks,
                                        otherHasAgent)
                                .isGreaterThan(first.off());
                    }
                }
            }
        }
    }

    /** A node that alone is cut off loses, and one that keeps a link wins. */
    @Test
    void theIsolatedNodeLosesWhicheverItIs() {
        for (boolean isolatedIsPreferred : BOTH) {
            for (boolean othersAgentRuns : BOTH) {
                Fence isolated =
                        fence(isolatedIsPreferred, List.of(Link.DOWN), true, othersAgentRuns);
                Fence healthy =
                        fence(!isolatedIsPreferred, List.of(Link.UP), othersAgentRuns, true);

                assertThat(isolated.ordered()).isGreaterThan(healthy.off());
            }
        }
    }

    /**
     * @param ordered when the BMC is told at the earliest
     * @param off when the power is gone at the latest
     */
    private record Fence(Duration ordered, Duration off) {}

    /** By the first level with an agent, by the second without; see ADR 30 for the times. */
    private static Fence fence(
            boolean preferred, List<Link> own, boolean hasAgent, boolean peerHasAgent) {
        if (hasAgent) {
            Duration delay = FenceDelay.of(preferred, own, peerHasAgent, TIMES).time();
            return new Fence(delay, delay.plus(BY_THE_AGENT).plus(BMC_OFF));
        }
        Duration delay = preferred ? Duration.ZERO : TIMES.split().plus(TIMES.levelTwo());
        // At least the wait for an agent that restarts, and the start of a Python program.
        return new Fence(
                delay.plus(Duration.ofSeconds(4)), delay.plus(TIMES.levelTwo()).plus(BMC_OFF));
    }
}
