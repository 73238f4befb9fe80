package dev.tandem.agent.cluster;

import dev.tandem.agent.state.BootTimestamps;
import dev.tandem.core.NodeName;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Membership;
import dev.tandem.host.Commands;
import dev.tandem.host.pacemaker.Pacemaker;
import dev.tandem.host.pacemaker.PacemakerStatus;
import dev.tandem.host.pacemaker.Quorum;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Corosync and Pacemaker on this node, as far as recovery asks them. */
public final class Cluster {
    private static final Duration CMAP_LIMIT = Duration.ofSeconds(10);

    /** Between two questions to a Corosync that has not missed the peer yet. */
    private static final Duration GLANCE = Duration.ofMillis(100);

    private final Commands commands;
    private final Pacemaker pacemaker;
    private final NodeName peer;
    private final BootTimestamps moments;
    private final AtomicLong questions = new AtomicLong();
    private boolean missed = true;
    private long newest;
    private long taken;

    public Cluster(Commands commands, NodeName peer, BootTimestamps moments) {
        this.commands = commands;
        this.moments = moments;
        this.pacemaker = new Pacemaker(commands);
        this.peer = peer;
    }

    /**
     * An answer of Corosync.
     *
     * @param number of its question; questions are numbered in the order in which they were put
     * @param quorumKeptByOne whether this node would stay quorate without its peer; of an answer
     *     that did not come, true
     */
    public record Reading(long number, Membership membership, boolean quorumKeptByOne) {}

    /**
     * Who is in the membership. A peer that is back after it was missing is alive, and that is
     * noted before the supervisor learns of it. A peer that was never missing proves nothing:
     * Corosync takes a moment to notice that a node was switched off. Several threads ask; an
     * answer that was overtaken by a younger one is no sign of life.
     */
    public Reading presence() {
        long number = questions.incrementAndGet();
        if (!(Quorum.read(commands) instanceof Quorum.Known known)) {
            return new Reading(number, Membership.UNKNOWN, true);
        }
        boolean there = known.has(peer.value());
        synchronized (this) {
            if (number > newest) {
                newest = number;
                if (there && missed) {
                    moments.note(BootTimestamps.Event.PEER_HEARD);
                }
                missed = !there;
            }
        }
        return new Reading(
                number,
                new Membership(true, there, known.quorate(), known.waitsForAll()),
                known.keptByOneNode());
    }

    /**
     * Waits until Corosync has missed a peer that is off, for {@code limit} at most. A peer that
     * Pacemaker has lost is missing before it is fenced. One that is fenced for another reason is
     * not; if it were switched on at once and joined before it was missed, it would never have been
     * away, and nothing would follow from its end.
     *
     * @param told hears each answer
     */
    public void awaitMissed(Duration limit, Consumer<Reading> told) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            while (true) {
                Reading reading = presence();
                told.accept(reading);
                boolean there = reading.membership().known() && reading.membership().peerPresent();
                if (!there || System.nanoTime() - end >= 0) {
                    return;
                }
                Thread.sleep(GLANCE);
            }
        } catch (InterruptedException e) {
            // The agent ends, and the peer is to be switched on all the same.
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What an answer says at the moment the supervisor takes it in, on its thread: nothing, if an
     * answer to a later question was taken in before.
     */
    public Membership unlessOvertaken(Reading reading) {
        if (!reading.membership().known()) {
            return reading.membership();
        }
        if (reading.number() < taken) {
            return Membership.UNKNOWN;
        }
        taken = reading.number();
        return reading.membership();
    }

    public PacemakerStatus status() {
        return pacemaker.status();
    }

    /** Tells the cluster that the peer is off and need not be waited for. */
    public void declarePeerOff(Membership presence) {
        if (presence.known() && presence.waitsForAll()) {
            commands.run(
                    CMAP_LIMIT,
                    List.of("corosync-cmapctl", "-s", "quorum.cancel_wait_for_all", "u8", "1"));
        }
        pacemaker.confirmFenced(peer.value());
    }

    /** Has the peer fenced as Pacemaker itself would do it; returns when that succeeded. */
    public void fencePeer(Action.FenceKind how) {
        switch (how) {
            case REBOOT -> pacemaker.reboot(peer.value());
            case OFF -> pacemaker.switchOff(peer.value());
        }
    }
}
