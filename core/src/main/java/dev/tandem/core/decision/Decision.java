package dev.tandem.core.decision;

import dev.tandem.core.NodeName;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.replica.Lineage;

/** What etcd on this node does next. Carrying out the same decision twice changes nothing. */
public sealed interface Decision {

    /** Start on the own data as the member they say it is; etcd's own election does the rest. */
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

    /** Begin an empty cluster. Only an open installation does that. */
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
        NO_USABLE_REPLICA("{self} has no usable replica, so {peer} shall go on alone"),
        CRASH_LOOP("etcd on {self} died too often in a row, so {peer} shall go on alone"),
        PORTS_CUT("the servers cannot reach each other and {peer} leads the recovery"),
        OLDER_HISTORY("{peer} has the newer history and still counts on the vote of {self}");

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
        LEFT("{peer} took {self} off the member list"),
        LAST_VOTER("{self} is the last voter and stays in the member list"),
        NO_HEIR("{peer} cannot go on alone now, so {self} stays in the member list"),
        NOT_A_VOTER("{self} has no vote to give up"),
        DENIED("{peer} did not let {self} go, so {self} stays in the member list"),
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

    /** Not with this evidence. It clears itself when the evidence arrives. */
    record Refuse(Refusal refusal) implements Decision {}

    /** The decision as a sentence for people. */
    default String sentence(NodeName self, NodeName peer) {
        String template =
                switch (this) {
                    case StartAsVoter() -> "etcd on {self} starts on its own data beside {peer}";
                    case StartAsSoleVoter(Lineage _, Alone how) ->
                            switch (how) {
                                case CONTINUE ->
                                        "etcd on {self} starts as the only voter, which it already"
                                                + " is";
                                case TAKE_OVER ->
                                        "{self} takes over: only voter, whole log kept, new epoch";
                                case FINISH_TAKE_OVER ->
                                        "{self} finishes the take-over it had begun";
                            };
                    case Bootstrap() -> "the installation begins an empty cluster on {self}";
                    case JoinAsLearner(Offer.JoinToken _, DataStep data) ->
                            switch (data) {
                                case NOTHING_THERE -> "{self} joins {peer} as a learner";
                                case SET_ASIDE ->
                                        "{self} sets its data aside and joins {peer} as a learner";
                                case KEEP -> "{self} goes on learning from {peer} where it stopped";
                            };
                    case RestartInPlace(boolean killFirst) ->
                            killFirst
                                    ? "etcd on {self} is killed and started again on the same data"
                                    : "etcd on {self} is started again on the same data";
                    case StandDown(StandDownReason reason) ->
                            "{self} stands down: " + reason.template;
                    case HandLeadershipOver() ->
                            "{self} hands leadership to {peer} before it leaves";
                    case Depart() ->
                            "{self} records its departure and asks {peer} to take it off the member"
                                    + " list";
                    case Stop(StopReason reason) -> "etcd on {self} stops: " + reason.template;
                    case Wait(WaitFor what) -> what.template();
                    case Refuse(Refusal refusal) -> refusal.why();
                };
        return Text.fill(template, self, peer);
    }
}
