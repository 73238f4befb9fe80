package dev.tandem.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.core.decision.FenceDelay.Needs;
import dev.tandem.core.decision.FenceDelay.Times;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
        assertThat(
                        FenceDelay.of(
                                preferred,
                                links(own),
                                agent.equals("runs"),
                                TIMES,
                                Needs.AS_PLANNED))
                .isEqualTo(new FenceDelay.Delay(Duration.ofSeconds(seconds), reason));
    }

    /** How long each way to a BMC needs, as measured, and what is made of it; see ADR 30. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    preferred | own links | peer's agent | own needs | peer's needs | seconds
                    # the node that waits, waits for the peer's way, and for nothing else
                    false     | UP        | runs         | 0         | 2.9          | 5
                    false     | UP        | runs         | 0         | 3.5          | 5.5
                    false     | UP        | runs         | 17        | 8            | 10
                    false     | DOWN      | runs         | 3         | 8            | 10
                    # never less than the plan says, nor longer than for the second level
                    false     | UP        | runs         | 0         | 0            | 5
                    false     | UP        | runs         | 0         | 18           | 20
                    false     | UP        | runs         | 0         | 60           | 20
                    false     | UP        | is silent    | 0         | 8            | 20
                    # the first to fence waits for nothing
                    true      | UP        | runs         | 17        | 17           | 0
                    # alone, it waits for the longest of all if either way is not as planned
                    true      | DOWN      | runs         | 3         | 3            | 10
                    true      | DOWN      | runs         | 3.1       | 3            | 40
                    true      | DOWN      | runs         | 3         | 3.1          | 40
                    true      | DOWN      | is silent    | 3         | 3            | 40
                    """)
    void waitsForASlowBmc(
            boolean preferred,
            String own,
            String agent,
            double ownNeeds,
            double peersNeeds,
            double seconds) {
        Needs needs = new Needs(time(ownNeeds), time(peersNeeds));

        assertThat(FenceDelay.of(preferred, links(own), agent.equals("runs"), TIMES, needs).time())
                .isEqualTo(time(seconds));
    }

    private static Duration time(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    switching off | answer | needs
                    -             | -      | 3
                    2.6           | 0.1    | 3
                    2.6           | 0.4    | 3.4
                    6             | 0.5    | 7
                    # it was never switched off: by the plan, which has room for quick answers
                    -             | 0.5    | 3
                    -             | 4      | 10
                    """)
    void needsWhatWasMeasuredAndNeverLessThanThePlanSays(
            String switchedOff, String answer, double needs) {
        assertThat(FenceDelay.needs(BMC_OFF, measured(switchedOff), measured(answer)))
                .isEqualTo(time(needs));
    }

    private static Optional<Duration> measured(String seconds) {
        return seconds.equals("-")
                ? Optional.empty()
                : Optional.of(time(Double.parseDouble(seconds)));
    }

    /**
     * Both nodes live and hear nothing of each other. Whatever each sees of its own links,
     * whichever level each has left, whatever each thinks of the other's agent, and however slow
     * the BMCs are: the power of one is gone before the other gives its order.
     */
    @Test
    void inASplitOneIsOffBeforeTheOtherBegins() {
        for (View preferred : views(true)) {
            for (View other : views(false)) {
                if (preferred.takesForRunning(other) || other.takesForRunning(preferred)) {
                    // It ended seconds before the split; nobody can know.
                    continue;
                }
                for (Duration toOther : WAYS) {
                    for (Duration toPreferred : WAYS) {
                        if (!(preferred.hasAgent && other.hasAgent)
                                && !(toOther.equals(BMC_OFF) && toPreferred.equals(BMC_OFF))) {
                            // The second level waits for a time of the plan, and the status says
                            // so.
                            continue;
                        }
                        Fence one = fence(preferred, new Needs(toOther, toPreferred));
                        Fence two = fence(other, new Needs(toPreferred, toOther));
                        Fence first = one.off().compareTo(two.off()) < 0 ? one : two;
                        Fence second = first.equals(one) ? two : one;

                        assertThat(second.ordered())
                                .as(
                                        "%s, %s, BMCs %s and %s",
                                        preferred, other, toOther, toPreferred)
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
            for (boolean agentOfIsolated : BOTH) {
                for (boolean othersAgentRuns : BOTH) {
                    Needs needs = new Needs(BMC_OFF, BMC_OFF);
                    Fence isolated =
                            fence(
                                    new View(
                                            isolatedIsPreferred,
                                            Link.DOWN,
                                            agentOfIsolated,
                                            othersAgentRuns),
                                    needs);
                    Fence healthy =
                            fence(
                                    new View(
                                            !isolatedIsPreferred,
                                            Link.UP,
                                            othersAgentRuns,
                                            agentOfIsolated),
                                    needs);

                    assertThat(isolated.ordered()).isGreaterThan(healthy.off());
                }
            }
        }
    }

    /** From the order until the power is gone, by way of an agent. */
    private static final List<Duration> WAYS =
            List.of(BMC_OFF, time(3.5), time(8), time(12), time(17));

    /**
     * A node in a split.
     *
     * @param thinksPeerHasAgent which is wrong if that was not heard for some seconds
     */
    private record View(
            boolean preferred, Link link, boolean hasAgent, boolean thinksPeerHasAgent) {
        boolean takesForRunning(View other) {
            return thinksPeerHasAgent && !other.hasAgent();
        }
    }

    private static List<View> views(boolean preferred) {
        return BOTH.stream()
                .flatMap(hasAgent ->
                        BOTH.stream()
                                .flatMap(thinks ->
                                        Stream.of(Link.UP, Link.DOWN)
                                                .map(link ->
                                                        new View(
                                                                preferred, link, hasAgent,
                                                                thinks))))
                .toList();
    }

    /**
     * @param ordered when the BMC is told at the earliest
     * @param off when the power is gone at the latest
     */
    private record Fence(Duration ordered, Duration off) {}

    /** By the first level with an agent, by the second without; see ADR 30 for the times. */
    private static Fence fence(View node, Needs needs) {
        if (node.hasAgent()) {
            Duration delay =
                    FenceDelay.of(
                                    node.preferred(),
                                    List.of(node.link()),
                                    node.thinksPeerHasAgent(),
                                    TIMES,
                                    needs)
                            .time();
            return new Fence(delay, delay.plus(BY_THE_AGENT).plus(needs.own()));
        }
        Duration delay = node.preferred() ? Duration.ZERO : TIMES.split().plus(TIMES.levelTwo());
        if (node.link() == Link.DOWN) {
            // As the shim of the second level reckons: the power may take 20 s.
            delay = delay.plus(Duration.ofSeconds(2 * (20 + 5)));
        }
        // At least the wait for an agent that restarts, and the start of a Python program.
        return new Fence(
                delay.plus(Duration.ofSeconds(4)), delay.plus(TIMES.levelTwo()).plus(BMC_OFF));
    }
}
