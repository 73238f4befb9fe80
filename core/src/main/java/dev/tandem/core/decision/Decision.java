package dev.tandem.core.decision;

import dev.tandem.core.NodeName;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.replica.Lineage;

/** What etcd on this node does next. Carrying out the same decision twice changes nothing. */
public sealed interface Decision {

    /** Start on the existing data as the member it names; etcd's own election does the rest. */
    record StartAsVoter() implements Decision {}

    enum Alone {
        /** The member list names only this node: a plain start. */
        CONTINUE,
        /**
         * Write the new lineage and the claim, advance the commit index to the last entry, then
         * force. The whole log is kept.
         */
        TAKE_OVER,
        /** As a take-over, for a claim that was written before this node went down. */
        FINISH_TAKE_OVER
    }

    /**
     * Serve alone.
     *
     * @param lineage to be stored with the data before anything is started
     */
    record StartAsSoleVoter(Lineage lineage, Alone how) implements Decision {}

    /** Begin an empty cluster. Only an installation in progress does that. */
    record Bootstrap() implements Decision {}

    enum DataStep {
        NOTHING_THERE,
        /** Rename the data directory, never erase it; the new one starts marked as incomplete. */
        SET_ASIDE,
        /** The data belong to this very member: go on with them. */
        KEEP
    }

    record JoinAsLearner(Offer.JoinToken token, DataStep data) implements Decision {}

    /** Start etcd again on the same data, as what it was. */
    record RestartInPlace(boolean killFirst) implements Decision {}

    enum StandDownReason {
        NO_USABLE_REPLICA("{self} has no usable replica, so {peer} is to continue alone"),
        CRASH_LOOP(
                "etcd on {self} exited unexpectedly too many times in a row, so {peer} is to"
                        + " continue alone"),
        PORTS_CUT(
                "the two etcd servers cannot reach each other, and {peer} is the one to take over"),
        OLDER_HISTORY("{peer} has the newer history and still needs the vote of {self}");

        private final String template;

        StandDownReason(String template) {
            this.template = template;
        }
    }

    /** Stop etcd, record a {@link Abdication.StandDown} with the data, tell the peer. */
    record StandDown(StandDownReason reason) implements Decision {}

    /** Give leadership to the peer, then ask again. */
    record HandLeadershipOver() implements Decision {}

    /** Record a {@link Abdication.Departure}, tell the peer, and ask again with its answer. */
    record Depart() implements Decision {}

    enum StopReason {
        LEFT("{peer} has removed {self} from the member list"),
        LAST_VOTER("{self} is the last voter and stays in the member list"),
        NO_HEIR("{peer} cannot continue alone now, so {self} stays in the member list"),
        NOT_A_VOTER("{self} is not a voter, so there is nothing to hand over"),
        DENIED("{peer} declined to remove {self}, so {self} stays in the member list"),
        UNCONFIRMED("{peer} did not answer in time; the departure stays recorded until it does"),
        MAJORITY("the other members keep the majority");

        private final String template;

        StopReason(String template) {
            this.template = template;
        }
    }

    /** Stop etcd now. */
    record Stop(StopReason reason) implements Decision {}

    /**
     * Nothing now. Whoever is named is to act before the limit; then the status names it as
     * overdue.
     */
    record Wait(WaitFor what) implements Decision {}

    /** Not with what is known. It clears automatically once the missing proof arrives. */
    record Refuse(Refusal refusal) implements Decision {}

    /** The decision as a sentence for people. */
    default String sentence(NodeName self, NodeName peer) {
        String template =
                switch (this) {
                    case StartAsVoter() ->
                            "etcd on {self} starts as a voter on its existing data, beside {peer}";
                    case StartAsSoleVoter(Lineage _, Alone how) ->
                            switch (how) {
                                case CONTINUE ->
                                        "etcd on {self} starts as the sole voter, as before";
                                case TAKE_OVER ->
                                        "{self} takes over: sole voter, whole log kept, new epoch";
                                case FINISH_TAKE_OVER ->
                                        "{self} completes its interrupted take-over";
                            };
                    case Bootstrap() ->
                            "the installation creates a new, empty etcd cluster on {self}";
                    case JoinAsLearner(Offer.JoinToken _, DataStep data) ->
                            switch (data) {
                                case NOTHING_THERE -> "{self} joins {peer} as a learner";
                                case SET_ASIDE ->
                                        "{self} sets its data aside and joins {peer} as a learner";
                                case KEEP ->
                                        "{self} continues catching up from {peer} where it stopped";
                            };
                    case RestartInPlace(boolean killFirst) ->
                            killFirst
                                    ? "etcd on {self} is killed and restarted on the same data"
                                    : "etcd on {self} is restarted on the same data";
                    case StandDown(StandDownReason reason) ->
                            "{self} stands down: " + reason.template;
                    case HandLeadershipOver() ->
                            "{self} transfers leadership to {peer} before it leaves";
                    case Depart() ->
                            "{self} records its departure and asks {peer} to remove it from the"
                                    + " member list";
                    case Stop(StopReason reason) -> "etcd on {self} stops: " + reason.template;
                    case Wait(WaitFor what) -> what.template();
                    case Refuse(Refusal refusal) -> refusal.why();
                };
        return Text.fill(template, self, peer);
    }
}
