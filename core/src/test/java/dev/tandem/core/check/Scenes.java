package dev.tandem.core.check;

import static dev.tandem.core.check.Beginning.BOTH_BACK_APART;
import static dev.tandem.core.check.Beginning.BOTH_LEAVING;
import static dev.tandem.core.check.Beginning.BOTH_OFF;
import static dev.tandem.core.check.Beginning.HEALTHY;
import static dev.tandem.core.check.Beginning.NORTH_ALONE;
import static dev.tandem.core.check.Beginning.NORTH_ALONE_OFF;
import static dev.tandem.core.check.Beginning.SOUTH_BACK;
import static dev.tandem.core.check.Beginning.SOUTH_LEARNS;
import static dev.tandem.core.check.Beginning.SOUTH_LEFT;
import static dev.tandem.core.check.Beginning.SOUTH_UNCONFIRMED;
import static dev.tandem.core.check.Beginning.SOUTH_WAS_MISLED;
import static dev.tandem.core.check.Beginning.SPLIT;
import static dev.tandem.core.check.Beginning.SPLIT_AFTER_FALSE_OFF;
import static dev.tandem.core.check.Fault.AGENT_DIES;
import static dev.tandem.core.check.Fault.BLIND;
import static dev.tandem.core.check.Fault.BMC_BREAKS;
import static dev.tandem.core.check.Fault.BMC_LIES;
import static dev.tandem.core.check.Fault.COROSYNC_CUT;
import static dev.tandem.core.check.Fault.DISK_LOST;
import static dev.tandem.core.check.Fault.FALSE_STATEMENT;
import static dev.tandem.core.check.Fault.FENCE;
import static dev.tandem.core.check.Fault.FENCE_BY_HAND;
import static dev.tandem.core.check.Fault.KILL;
import static dev.tandem.core.check.Fault.ONE_WAY;
import static dev.tandem.core.check.Fault.ORDER_FAILS;
import static dev.tandem.core.check.Fault.PORTS_CUT;
import static dev.tandem.core.check.Fault.POWER_CUT;
import static dev.tandem.core.check.Fault.RING_CUT;
import static dev.tandem.core.check.Fault.ROLLED_BACK;
import static dev.tandem.core.check.Fault.SECOND_BMC;
import static dev.tandem.core.check.Fault.SLOW;
import static dev.tandem.core.check.Fault.STATEMENT;
import static dev.tandem.core.check.Fault.STATE_LOST;
import static dev.tandem.core.check.Fault.STOCK_FENCE;
import static dev.tandem.core.check.Fault.STOP;
import static dev.tandem.core.check.Fault.STORE_FAILS;
import static dev.tandem.core.check.Fault.TIME;
import static dev.tandem.core.check.Fault.WRONG_MACHINE;

import java.util.ArrayList;
import java.util.List;

/** What is tried: a few faults at a time to the end, and many of them as far as it goes. */
final class Scenes {
    /** Few faults, every interleaving of them, progress from every state. */
    static final List<Scene> EXHAUSTED =
            List.of(
                    Scene.of("a node loses power", HEALTHY, 0, POWER_CUT, 1, FENCE, 1),
                    Scene.of("the network is cut", HEALTHY, 0, RING_CUT, 1, FENCE, 1),
                    Scene.of("both lost power and return", BOTH_OFF, 1),
                    Scene.of("south learns while writes go on", SOUTH_LEARNS, 1),
                    Scene.of("south waits for its confirmation", SOUTH_UNCONFIRMED, 1),
                    Scene.of("etcd ends, hangs or gets stuck", HEALTHY, 0, KILL, 1, TIME, 2),
                    Scene.of("a node that left comes back", SOUTH_LEFT, 1),
                    Scene.of("an agent does not see its etcd", HEALTHY, 0, BLIND, 1, TIME, 2)
                            .withHealthyServers(),
                    Scene.of("a disk is lost", NORTH_ALONE_OFF, 0, DISK_LOST, 1));

    /** More at a time, as far as it goes, progress from one state in ten. */
    static final List<Scene> FOCUSED =
            List.of(
                    Scene.of("both leave", BOTH_LEAVING, 0, TIME, 1),
                    Scene.of("the ports of etcd are cut", HEALTHY, 0, PORTS_CUT, 1, TIME, 2),
                    Scene.of("a node leaves", HEALTHY, 0, STOP, 1, TIME, 1),
                    Scene.of("an agent restarts in a split", SPLIT, 0, FENCE, 1, AGENT_DIES, 1),
                    Scene.of(
                            "another machine answers in a split",
                            SPLIT,
                            0,
                            FENCE,
                            1,
                            WRONG_MACHINE,
                            1),
                    Scene.of(
                            "another machine is shot, and then the address is corrected",
                            SPLIT,
                            0,
                            STOCK_FENCE,
                            1,
                            WRONG_MACHINE,
                            1),
                    Scene.of(
                            "a node loses power while clients write",
                            HEALTHY,
                            2,
                            POWER_CUT,
                            1,
                            FENCE,
                            1,
                            SLOW,
                            1),
                    Scene.of("a question is late", HEALTHY, 0, POWER_CUT, 1, FENCE, 1, SLOW, 1),
                    Scene.of("a voter loses its disk", HEALTHY, 0, POWER_CUT, 1, DISK_LOST, 1),
                    Scene.of("power fails twice", HEALTHY, 1, POWER_CUT, 2, FENCE, 2),
                    Scene.of("the network is cut twice", HEALTHY, 0, RING_CUT, 2, FENCE, 2),
                    Scene.of(
                            "messages and answers are late",
                            HEALTHY,
                            0,
                            POWER_CUT,
                            1,
                            RING_CUT,
                            1,
                            FENCE,
                            1,
                            SLOW,
                            2),
                    Scene.of(
                            "a BMC says Off and its host runs on",
                            HEALTHY,
                            0,
                            RING_CUT,
                            2,
                            FENCE,
                            1,
                            BMC_LIES,
                            1),
                    Scene.of(
                            "somebody fences a healthy node",
                            HEALTHY,
                            0,
                            FENCE_BY_HAND,
                            1,
                            BMC_LIES,
                            1,
                            RING_CUT,
                            1),
                    Scene.of(
                            "the peer answers after a false Off and before it is told",
                            HEALTHY,
                            0,
                            FENCE_BY_HAND,
                            1,
                            BMC_LIES,
                            1,
                            SLOW,
                            2),
                    Scene.of(
                            "the peer is back after a false Off and before it is told",
                            SPLIT,
                            0,
                            FENCE,
                            1,
                            BMC_LIES,
                            1,
                            SLOW,
                            1),
                    Scene.of(
                            "an agent restarts after a false Off",
                            HEALTHY,
                            0,
                            RING_CUT,
                            2,
                            FENCE,
                            1,
                            BMC_LIES,
                            1,
                            AGENT_DIES,
                            1),
                    Scene.of(
                            "the second level fences while an agent restarts",
                            HEALTHY,
                            0,
                            RING_CUT,
                            2,
                            STOCK_FENCE,
                            1,
                            AGENT_DIES,
                            1),
                    Scene.of(
                            "the second level is told a false Off",
                            HEALTHY,
                            0,
                            RING_CUT,
                            2,
                            STOCK_FENCE,
                            1,
                            BMC_LIES,
                            1),
                    Scene.of(
                            "the second level reads Off once, and so does this agent",
                            SPLIT,
                            0,
                            STOCK_FENCE,
                            1,
                            BMC_LIES,
                            2,
                            TIME,
                            1),
                    Scene.of(
                            "the second of a peer's BMCs says Off again and again",
                            SPLIT_AFTER_FALSE_OFF,
                            0,
                            STOCK_FENCE,
                            1,
                            SECOND_BMC,
                            1,
                            BMC_LIES,
                            1,
                            AGENT_DIES,
                            1),
                    Scene.of(
                            "a person is wrong",
                            HEALTHY,
                            0,
                            RING_CUT,
                            2,
                            FALSE_STATEMENT,
                            1,
                            BMC_BREAKS,
                            2),
                    Scene.of(
                            "a person was wrong some time ago",
                            SOUTH_WAS_MISLED,
                            0,
                            RING_CUT,
                            1,
                            BMC_BREAKS,
                            1),
                    Scene.of(
                            "a person is wrong about a node that serves",
                            NORTH_ALONE,
                            1,
                            RING_CUT,
                            1,
                            FALSE_STATEMENT,
                            1,
                            BMC_BREAKS,
                            2),
                    Scene.of("a person accepts a loss", NORTH_ALONE, 1, POWER_CUT, 1, STATEMENT, 2),
                    Scene.of(
                                    "a node starts alone by its BMC",
                                    NORTH_ALONE_OFF,
                                    0,
                                    RING_CUT,
                                    1,
                                    FENCE,
                                    1,
                                    TIME,
                                    2)
                            .startingAlone(),
                    Scene.of(
                            "the node that served last loses its disk",
                            NORTH_ALONE,
                            1,
                            POWER_CUT,
                            1,
                            DISK_LOST,
                            1),
                    Scene.of(
                            "a learner loses its disk",
                            SOUTH_LEARNS,
                            0,
                            POWER_CUT,
                            1,
                            DISK_LOST,
                            1,
                            KILL,
                            2),
                    Scene.of(
                            "the leader fails before the vote is confirmed",
                            SOUTH_UNCONFIRMED,
                            1,
                            POWER_CUT,
                            1,
                            FENCE,
                            1),
                    Scene.of(
                            "a replica goes back in time",
                            HEALTHY,
                            1,
                            POWER_CUT,
                            2,
                            FENCE,
                            1,
                            ROLLED_BACK,
                            1),
                    Scene.of(
                            "an unconfirmed replica goes back in time",
                            SOUTH_UNCONFIRMED,
                            1,
                            POWER_CUT,
                            1,
                            ROLLED_BACK,
                            1),
                    Scene.of("the end of a claim is stored late", NORTH_ALONE, 0).withSlowDisk(),
                    Scene.of(
                            "a node leaves and the other fails",
                            HEALTHY,
                            1,
                            STOP,
                            1,
                            POWER_CUT,
                            1,
                            FENCE,
                            1),
                    Scene.of(
                            "both leave and one loses its disk",
                            BOTH_LEAVING,
                            1,
                            POWER_CUT,
                            1,
                            DISK_LOST,
                            1),
                    Scene.of(
                                    "an agent restarts while it leaves",
                                    HEALTHY,
                                    0,
                                    STOP,
                                    1,
                                    AGENT_DIES,
                                    1)
                            .withSlowDisk(),
                    Scene.of(
                            "a node is shut down without its agent",
                            HEALTHY,
                            0,
                            AGENT_DIES,
                            1,
                            STOP,
                            1,
                            POWER_CUT,
                            1,
                            FENCE,
                            1,
                            TIME,
                            1),
                    Scene.of(
                                    "a server dies before it is stopped",
                                    HEALTHY,
                                    0,
                                    KILL,
                                    1,
                                    STOP,
                                    1,
                                    AGENT_DIES,
                                    1)
                            .withSlowDisk(),
                    Scene.of(
                                    "a take-over cannot be stored",
                                    HEALTHY,
                                    0,
                                    POWER_CUT,
                                    2,
                                    FENCE,
                                    1,
                                    STORE_FAILS,
                                    1,
                                    SLOW,
                                    1)
                            .withSlowDisk(),
                    Scene.of(
                                    "a stand-down cannot be stored",
                                    HEALTHY,
                                    0,
                                    PORTS_CUT,
                                    1,
                                    STORE_FAILS,
                                    1,
                                    AGENT_DIES,
                                    1,
                                    TIME,
                                    2)
                            .withSlowDisk(),
                    Scene.of(
                            "the state is lost beside a running server",
                            HEALTHY,
                            0,
                            STATE_LOST,
                            1,
                            POWER_CUT,
                            1,
                            FENCE,
                            1),
                    Scene.of(
                            "the state is lost while the network is cut",
                            HEALTHY,
                            1,
                            STATE_LOST,
                            1,
                            RING_CUT,
                            1,
                            FENCE,
                            1,
                            PORTS_CUT,
                            1,
                            TIME,
                            2),
                    Scene.of(
                            "the state is lost while a node leaves",
                            HEALTHY,
                            1,
                            STATE_LOST,
                            1,
                            STOP,
                            1,
                            RING_CUT,
                            1,
                            FENCE,
                            1,
                            SLOW,
                            1),
                    Scene.of(
                                    "the state is lost by a learner or a sole voter",
                                    SOUTH_LEARNS,
                                    1,
                                    STATE_LOST,
                                    1,
                                    KILL,
                                    1,
                                    SLOW,
                                    1)
                            .withSlowDisk(),
                    Scene.of("a node in a crash loop", HEALTHY, 0, KILL, 3),
                    Scene.of(
                            "the only complete node in a crash loop",
                            SOUTH_UNCONFIRMED,
                            0,
                            KILL,
                            3),
                    Scene.of(
                            "orders fail",
                            HEALTHY,
                            0,
                            POWER_CUT,
                            1,
                            FENCE,
                            1,
                            ORDER_FAILS,
                            2,
                            SLOW,
                            1),
                    Scene.of("messages go one way", HEALTHY, 0, ONE_WAY, 2, STOP, 1, AGENT_DIES, 1),
                    Scene.of(
                            "agents hear each other and Corosync does not",
                            HEALTHY,
                            1,
                            COROSYNC_CUT,
                            1,
                            ONE_WAY,
                            1,
                            FENCE,
                            2,
                            BMC_LIES,
                            1,
                            AGENT_DIES,
                            1),
                    Scene.of(
                                    "a BMC says Off of a peer that the agent hears and Corosync"
                                            + " does not",
                                    BOTH_BACK_APART,
                                    0,
                                    ONE_WAY,
                                    1,
                                    BMC_LIES,
                                    2,
                                    TIME,
                                    2)
                            .startingAlone(),
                    Scene.of(
                            "an agent does not see its etcd in a split",
                            HEALTHY,
                            0,
                            BLIND,
                            1,
                            RING_CUT,
                            1,
                            FENCE,
                            1),
                    Scene.of(
                            "the ports are cut while looks hang",
                            HEALTHY,
                            0,
                            BLIND,
                            1,
                            PORTS_CUT,
                            1,
                            KILL,
                            1,
                            TIME,
                            3));

    /** Everything at a time. */
    static final List<Scene> WIDE =
            List.of(
                    Scene.of(
                                    "everything from a healthy pair",
                                    HEALTHY,
                                    2,
                                    POWER_CUT,
                                    2,
                                    FENCE,
                                    2,
                                    RING_CUT,
                                    2,
                                    PORTS_CUT,
                                    1,
                                    KILL,
                                    1,
                                    STOP,
                                    1,
                                    STATEMENT,
                                    1,
                                    BMC_BREAKS,
                                    1,
                                    AGENT_DIES,
                                    1,
                                    SLOW,
                                    1,
                                    ORDER_FAILS,
                                    1,
                                    TIME,
                                    2)
                            .startingAlone(),
                    Scene.of(
                                    "everything from epoch 2",
                                    SOUTH_BACK,
                                    1,
                                    POWER_CUT,
                                    1,
                                    FENCE,
                                    1,
                                    STOCK_FENCE,
                                    1,
                                    RING_CUT,
                                    1,
                                    STOP,
                                    1,
                                    AGENT_DIES,
                                    1,
                                    DISK_LOST,
                                    1,
                                    BLIND,
                                    1,
                                    STORE_FAILS,
                                    1,
                                    TIME,
                                    1)
                            .withSlowDisk());

    private Scenes() {}

    static List<Scene> all() {
        List<Scene> all = new ArrayList<>(EXHAUSTED);
        all.addAll(FOCUSED);
        all.addAll(WIDE);
        return all;
    }

    static Scene named(String name) {
        return all().stream()
                .filter(scene -> scene.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no scene " + name));
    }
}
