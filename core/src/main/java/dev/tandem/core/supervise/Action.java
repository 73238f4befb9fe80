package dev.tandem.core.supervise;

import dev.tandem.core.decision.LeaderDecision.Step;
import dev.tandem.core.peer.PeerMessage;

/**
 * What is to be done about an event. The shell does it away from the thread of the events, begins
 * the actions of one event in their order, and reports those of the first group, each exactly once.
 */
public sealed interface Action {

    // ---- reported ----------------------------------------------------------------------------

    /** Brings it to the disk. At most one is under way. Ends with Stored or NotStored. */
    record Store(long write, DurableState content) implements Action {}

    /** At most one is under way. Ends with {@link Event.EtcdOrderEnded}. */
    record Etcd(long id, EtcdOrder order) implements Action {}

    /** Ends with {@link Event.StepEnded}. */
    record ChangeMembership(long id, Step step) implements Action {}

    /** Ends with {@link Event.HandOverEnded}, and then etcd is looked at. */
    record HandLeadershipOver(long id) implements Action {}

    /** Takes the mark of an incomplete replica away. Ends with {@link Event.MarkEnded}. */
    record MarkComplete(long id) implements Action {}

    /**
     * Has Pacemaker fence the peer, by the devices and levels that it would use itself. At most one
     * is under way. Ends with {@link Event.FenceOrderEnded}; what the fence proves comes by {@link
     * Event.FenceAnswered}, as always.
     *
     * @param how what is to be left behind
     */
    record OrderFence(long id, FenceKind how) implements Action {}

    /** What becomes of the peer after a fence that this node orders. */
    enum FenceKind {
        /** As after a fence of Pacemaker's own: it is switched on again. */
        REBOOT,
        /** It was off already, and whoever switched it off may want it so. */
        OFF
    }

    /** The installation is over, for good. Ends with {@link Event.InstallationClosed}. */
    record CloseInstallation() implements Action {}

    // ---- not reported: losing one does no harm to the data ------------------------------------

    /** The answer to the question that this event was; it may get lost on its way. */
    record AnswerPeer(PeerMessage message) implements Action {}

    /** Exchange messages with the peer now rather than at the next heartbeat. */
    record TellPeer() implements Action {}

    /** Look at etcd now rather than at the next round. */
    record LookAtEtcd() implements Action {}

    /** Tells the caller of a fence or of a statement what became of it. */
    record Acknowledge(long caller, Acknowledgement what) implements Action {}

    /** Tells Corosync and Pacemaker that the peer is off and need not be waited for. */
    record DeclarePeerOff(Membership membership) implements Action {}

    /** Keeps a moment of this boot for an agent that is restarted. */
    record NoteBmc(BmcMark mark) implements Action {}

    /** What a restarted agent must know of the peer's BMC. */
    enum BmcMark {
        /** It reads Off while the peer is there. */
        FALSE_OFF_BEGAN,
        /** It did, until now. */
        FALSE_OFF_ENDED,
        /** The second of the peer's BMCs reads Off while the peer is there. */
        SECOND_FALSE_OFF_BEGAN,
        /** It did, until now. */
        SECOND_FALSE_OFF_ENDED
    }

    /** For people; written down in the order in which it happened. */
    record Journal(Notice notice) implements Action {}

    /** What a caller is told. */
    sealed interface Acknowledgement {
        /** What followed from it is on the disk. */
        record Done() implements Acknowledgement {}

        record NotBelieved(Disbelief why) implements Acknowledgement {}

        record NotTaken(StatementRefusal why) implements Acknowledgement {}

        /** It may still be stored later, and counts then. */
        record NotStored(String why) implements Acknowledgement {}
    }

    /** Why an Off proves nothing. */
    enum Disbelief {
        ANOTHER_MACHINE,
        MACHINE_NOT_TOLD,
        /** A further level read it, and the plan does not say that it is the peer's power. */
        NOT_STATED,
        /** The second level read it, and nobody knows by whose BMC. */
        UNKNOWN_BMC,
        OFF_WHILE_ALIVE,
        /** The peer gave a sign of life after Off had been read. */
        ALIVE_SINCE,
        /** It was read once, and the order that should have caused it was not accepted. */
        READ_ONCE,
        /** The peer was heard in another boot than the one that the order was for. */
        OTHER_BOOT,
        /** The BMC did not read Off. */
        NOT_OFF
    }

    /** Why a person's statement is not taken. */
    enum StatementRefusal {
        SITUATION_CHANGED,
        BMC_READS_ON,
        PEER_IS_PRESENT,
        PEER_WAS_HEARD,
        NO_FORK,
        PEER_DOES_NOT_SERVE
    }
}
