package dev.tandem.host.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.core.IpAddress;
import dev.tandem.core.decision.FenceDelay.Link;
import dev.tandem.core.health.Impediment;
import dev.tandem.core.health.Impediment.Cause;
import dev.tandem.core.testing.PrintedCommands;
import dev.tandem.host.pacemaker.CorosyncLinks;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node with two links, and what a person is told of them. */
class LinkWatchTest {
    private static final IpAddress FIRST = IpAddress.parse("192.0.2.1").orElseThrow();
    private static final IpAddress SECOND = IpAddress.parse("2001:db8::1").orElseThrow();

    private List<IpAddress> planned = List.of(FIRST, SECOND);
    private final Map<IpAddress, Link> links = new HashMap<>();
    private final Set<IpAddress> listens = new HashSet<>(List.of(FIRST, SECOND));
    private final List<IpAddress> tried = new ArrayList<>();
    private List<CorosyncLinks.Lost> lost = List.of();
    private boolean serves = true;
    private long generation = 1;

    private final LinkWatch watch =
            new LinkWatch(
                    () -> planned,
                    addresses ->
                            addresses.stream()
                                    .map(address -> links.getOrDefault(address, Link.UNKNOWN))
                                    .toList(),
                    () -> lost,
                    () -> serves,
                    () -> generation,
                    address -> {
                        tried.add(address);
                        return listens.contains(address);
                    });

    @BeforeEach
    void bothAreUp() {
        links.put(FIRST, Link.UP);
        links.put(SECOND, Link.UP);
    }

    private Map<Cause, String> told() {
        watch.look();
        Impediments found = LinkImpediments.of(watch.seen(), "node-0");
        assertThat(found.impediments()).as("the pair still recovers").isEmpty();
        Map<Cause, String> told = new EnumMap<>(Cause.class);
        for (Impediment warning : found.warnings()) {
            assertThat(PrintedCommands.faults(warning.sentence() + ".")).isEmpty();
            assertThat(PrintedCommands.faults(warning.remedy())).isEmpty();
            assertThat(warning.cause().runbook()).isNotNull();
            assertThat(warning.node()).isEqualTo("node-0");
            told.put(warning.cause(), warning.sentence());
        }
        return told;
    }

    @Test
    void nothingIsToldOfLinksThatAreWell() {
        assertThat(told()).isEmpty();

        links.put(SECOND, Link.UNKNOWN);
        assertThat(told()).as("what is not known is not down").isEmpty();
    }

    @Test
    void aLinkThatIsDownIsToldUntilItIsBack() {
        links.put(SECOND, Link.DOWN);

        assertThat(told())
                .containsOnlyKeys(Cause.LINK_DOWN)
                .containsValue(
                        "a link of node-0 is down: no connected interface has the address"
                                + " 2001:db8::1");

        links.put(SECOND, Link.UP);
        assertThat(told()).isEmpty();
    }

    /** As behind a switch that fails and keeps the carrier of its ports. */
    @Test
    void aLinkThatIsUpAndDoesNotReachThePeerIsTold() {
        IpAddress theirs = IpAddress.parse("2001:db8::2").orElseThrow();
        lost = List.of(new CorosyncLinks.Lost(SECOND, theirs));

        assertThat(told())
                .containsOnlyKeys(Cause.LINK_LOST)
                .containsValue(
                        "node-0 does not reach its peer over the link from 2001:db8::1 to"
                                + " 2001:db8::2: Corosync hears nothing there, and goes on over"
                                + " the other links");

        links.put(SECOND, Link.DOWN);
        assertThat(told()).as("one thing is told once").containsOnlyKeys(Cause.LINK_DOWN);
    }

    /** It was started while the address was missing, and keeps to what it had until it ends. */
    @Test
    void anEtcdThatListensOnOneLinkIsToldWhenTheOtherIsBack() {
        listens.remove(SECOND);
        links.put(SECOND, Link.DOWN);
        assertThat(told()).containsOnlyKeys(Cause.LINK_DOWN);

        links.put(SECOND, Link.UP);
        assertThat(told())
                .containsOnlyKeys(Cause.ETCD_NOT_ON_ALL_LINKS)
                .containsValue(
                        "etcd on node-0 does not listen on 2001:db8::1: its peer cannot reach it"
                                + " over that link");

        listens.add(SECOND);
        generation = 2;
        assertThat(told()).isEmpty();
    }

    @Test
    void anEtcdThatDoesNotServeIsNotTold() {
        listens.clear();
        serves = false;

        assertThat(told()).isEmpty();
    }

    /** Every connection that says nothing is a line in etcd's log. */
    @Test
    void whereEtcdListensIsTriedOnceForEachServer() {
        told();
        told();
        assertThat(tried).containsExactly(FIRST, SECOND);

        generation = 2;
        listens.remove(FIRST);
        assertThat(told()).containsOnlyKeys(Cause.ETCD_NOT_ON_ALL_LINKS);
        assertThat(tried).containsExactly(FIRST, SECOND, FIRST, SECOND);
    }

    /** A pair with one link that is down has lost its peer, and says so. */
    @Test
    void aPlanWithOneLinkIsNotLookedAt() {
        planned = List.of(FIRST);
        links.put(FIRST, Link.DOWN);
        lost = List.of(new CorosyncLinks.Lost(FIRST, FIRST));
        listens.clear();

        assertThat(told()).isEmpty();
    }
}
