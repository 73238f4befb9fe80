package dev.tandem.core.supervise;

import dev.tandem.core.decision.Policy;
import java.time.Duration;

/**
 * What the administrator chose, and every limit that the supervisor goes by. A model checker may
 * take shorter ones, as long as their order is kept.
 *
 * @param decision what the start decision goes by
 * @param leaderless the servers elect within two seconds; after that, silence between them is no
 *     hiccup
 * @param portsCut longer than a peer's restart in place takes; if both are without a leader for
 *     this long, the ports between them are cut
 * @param repair a repair that takes longer is not in progress any more, whatever it hopes for
 * @param join how long the largest database may take over a slow link
 * @param loadGigabyte how long a server needs at most to load a gigabyte of its database
 * @param end how long a server may take to end before it counts as one that cannot be ended
 * @param kill a process that still exists this long after SIGKILL is held by the kernel
 * @param contradiction how long two live servers of a pair could disagree on whether there is a
 *     leader (ADR 9)
 * @param peerFactsFresh facts that are older say nothing about what the peer's server does now
 * @param ownLookFresh an agent that has not seen its own server for this long does not tell what it
 *     saw last as if it were news
 * @param offWhilePresent a BMC that reads Off for this long while its node is in the membership
 *     tells of something else; longer than Corosync takes to miss a node that lost its power
 * @param missedForSure a peer that is in the membership this long after a fence was not fenced: as
 *     before, and longer than an answer of Corosync may be on its way
 * @param offAgain a second reading of Off counts when it is at least this much later
 * @param heldOff longer than a machine takes from a reset, which may read Off for a moment, to On
 * @param heldOffGap the longest time between two readings that speak for a peer that is off
 * @param falseOffGap the longest time between two that speak against its BMC. The other direction:
 *     a slow BMC of which all is asked is read every 45 s, and may miss a look; two of its restarts
 *     are hours apart
 * @param deathsLately deaths longer ago say nothing about the next
 * @param shortestPause before what failed is tried again; doubled with each failure
 * @param longestPause it is doubled up to this and no further
 * @param shortestSeatPause between two requests for another seat; doubled with each, since each
 *     costs the leader, which serves alone, two changes of its member list
 * @param longestSeatPause it is doubled up to this and no further: who has mended what was in the
 *     way waits no longer
 * @param stepPause before a step of the leader that failed is tried again
 * @param store a write that takes longer is shown as a disk that does not store
 * @param peerCommitInterval the commit index that the peer told is written no more often than this,
 *     where nothing else is to be written; so a disk that stores nothing is noticed within it
 * @param heardLately agents ask each other every two seconds, so one that is up was heard within
 *     this time, and its node is not off
 * @param fenceOrder how long a fence is waited for that Pacemaker orders itself, before this node
 *     orders one: Pacemaker does so some three seconds after it has lost a node, and where both
 *     nodes live the fence that is to be the second is over by then too (ADR 23)
 * @param fenceAgain until the next one, if this node still waits after it; doubled with each
 * @param fenceAgainAtMost it is doubled up to this and no further
 */
public record SupervisorPolicy(
        Policy decision,
        Duration leaderless,
        Duration portsCut,
        Duration repair,
        Duration join,
        Duration loadGigabyte,
        Duration end,
        Duration kill,
        Duration contradiction,
        Duration peerFactsFresh,
        Duration ownLookFresh,
        Duration offWhilePresent,
        Duration missedForSure,
        Duration offAgain,
        Duration heldOff,
        Duration heldOffGap,
        Duration falseOffGap,
        Duration deathsLately,
        Duration shortestPause,
        Duration longestPause,
        Duration shortestSeatPause,
        Duration longestSeatPause,
        Duration stepPause,
        Duration store,
        Duration peerCommitInterval,
        Duration heardLately,
        Duration fenceOrder,
        Duration fenceAgain,
        Duration fenceAgainAtMost) {

    /** How long an answer of Corosync may be on its way. */
    private static final Duration ANSWER = Duration.ofSeconds(10);

    /** Five times what Pacemaker needs for its own order on a quiet machine. */
    private static final Duration PACEMAKERS_ORDER = Duration.ofSeconds(15);

    public static final SupervisorPolicy PAIR =
            of(Policy.PAIR, Duration.ofSeconds(10), Duration.ofSeconds(6));

    /**
     * The usual limits.
     *
     * @param missedWithin how long Corosync takes at most to miss a node that lost its power
     * @param splitDelay how long the second fence of a split is held back
     */
    public static SupervisorPolicy of(Policy decision, Duration missedWithin, Duration splitDelay) {
        return new SupervisorPolicy(
                decision,
                Duration.ofSeconds(3),
                Duration.ofSeconds(15),
                Duration.ofSeconds(60),
                Duration.ofMinutes(15),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                missedWithin,
                missedWithin.plus(ANSWER),
                Duration.ofMillis(300),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                Duration.ofMinutes(2),
                Duration.ofMinutes(2),
                Duration.ofSeconds(1),
                Duration.ofSeconds(8),
                Duration.ofSeconds(8),
                Duration.ofMinutes(5),
                Duration.ofMillis(200),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(3),
                PACEMAKERS_ORDER.plus(splitDelay),
                Duration.ofSeconds(60),
                Duration.ofMinutes(5));
    }
}
