package dev.tandem.agent.supervise;

import dev.tandem.agentapi.JournalEvent;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.Notice;

/** What the supervisor notes, as lines of the journal. */
final class Notices {
    private Notices() {}

    static JournalEvent event(Notice notice) {
        return switch (notice) {
            case Notice.Serving it -> new JournalEvent.Serving(it.server(), it.replica());
            case Notice.EtcdExited it -> new JournalEvent.EtcdExited(it.inARow(), it.lately());
            case Notice.EtcdStopped() -> new JournalEvent.EtcdStopped();
            case Notice.EtcdHung it -> new JournalEvent.EtcdHung(it.words());
            case Notice.ReplicaComplete it -> new JournalEvent.ReplicaComplete(it.replica());
            case Notice.LogLacksEntries it ->
                    new JournalEvent.LogLacksEntries(it.lastIndex(), it.peerCommit());
            case Notice.MembershipChanged it ->
                    new JournalEvent.MembershipChanged(it.peerPresent(), it.quorate());
            case Notice.PeerHeard it -> new JournalEvent.PeerHeard(it.facts());
            case Notice.Fenced it -> new JournalEvent.Fenced(it.proof());
            case Notice.FenceRequested it -> new JournalEvent.FenceRequested(it.peer().value());
            case Notice.FenceProvesNothing it ->
                    new JournalEvent.FenceProvesNothing(
                            it.method(), it.observed(), it.machine(), it.boot());
            case Notice.OffNotBelieved it ->
                    new JournalEvent.OffNotBelieved(it.method(), reason(it.reason()));
            case Notice.Stated it -> new JournalEvent.Stated(it.statement());
            case Notice.ProofsVoid it -> new JournalEvent.ProofsVoid(it.how(), it.proofs());
            case Notice.StartRequested() -> new JournalEvent.StartRequested();
            case Notice.StopRequested() -> new JournalEvent.StopRequested();
            case Notice.DepartureAsked it -> new JournalEvent.DepartureAsked(it.abdication());
            case Notice.Decided it ->
                    new JournalEvent.Decided(
                            it.sentence(), it.decision(), it.situation(), it.log());
            case Notice.TakeOver it -> new JournalEvent.TakeOver(phase(it.phase()), it.epoch());
            case Notice.LearnerRestarted() -> new JournalEvent.LearnerRestarted();
            case Notice.AnotherSeatRequested it ->
                    new JournalEvent.AnotherSeatRequested(it.memberId());
            case Notice.MembershipStep it ->
                    new JournalEvent.MembershipStep(it.step(), it.outcome());
            case Notice.ActionFailed it ->
                    new JournalEvent.ActionFailed(it.what(), it.why(), it.remedy());
            case Notice.NotStored it -> new JournalEvent.NotStored(it.why());
            case Notice.StoredAgain() -> new JournalEvent.StoredAgain();
            case Notice.LoneStart() -> new JournalEvent.LoneStart(true);
            case Notice.Installed() -> new JournalEvent.Installed();
        };
    }

    private static JournalEvent.OffNotBelieved.Reason reason(Action.Disbelief why) {
        return switch (why) {
            case ANOTHER_MACHINE -> JournalEvent.OffNotBelieved.Reason.ANOTHER_MACHINE;
            case OFF_WHILE_ALIVE -> JournalEvent.OffNotBelieved.Reason.OFF_WHILE_ALIVE;
            case ALIVE_SINCE -> JournalEvent.OffNotBelieved.Reason.ALIVE_SINCE;
            case MACHINE_NOT_TOLD -> JournalEvent.OffNotBelieved.Reason.MACHINE_NOT_TOLD;
            case NOT_STATED -> JournalEvent.OffNotBelieved.Reason.NOT_STATED;
            case UNKNOWN_BMC -> JournalEvent.OffNotBelieved.Reason.UNKNOWN_BMC;
            case OTHER_BOOT -> JournalEvent.OffNotBelieved.Reason.OTHER_BOOT;
            case NOT_OFF -> JournalEvent.OffNotBelieved.Reason.NOT_OFF;
            case READ_ONCE -> JournalEvent.OffNotBelieved.Reason.READ_ONCE;
        };
    }

    private static JournalEvent.TakeOver.Phase phase(Notice.TakeOver.Phase phase) {
        return switch (phase) {
            case STOPPING -> JournalEvent.TakeOver.Phase.STOPPING;
            case FORCING -> JournalEvent.TakeOver.Phase.FORCING;
            case STARTED -> JournalEvent.TakeOver.Phase.STARTED;
        };
    }
}
