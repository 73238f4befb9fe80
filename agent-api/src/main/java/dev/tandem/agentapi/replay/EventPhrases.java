package dev.tandem.agentapi.replay;

import dev.tandem.core.replay.Response;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a supervisor took in, and what followed from it, in words. */
final class EventPhrases {
    private EventPhrases() {}

    /** To be read after "when". */
    static String event(Event event) {
        return switch (event) {
            case Event.EtcdObserved(var seen) -> "etcd was seen to be " + name(seen.server());
            case Event.MembershipRead(Membership membership) ->
                    "Corosync was asked: "
                            + (membership.known()
                                    ? membership.peerPresent()
                                            ? "the peer is there"
                                            : "the peer is not there"
                                    : "no answer");
            case Event.PeerAsked _ -> "the peer asked";
            case Event.PeerAnswered _ -> "the peer answered";
            case Event.FenceAnswered fence ->
                    "a fence by %s ended: power %s"
                            .formatted(fence.method(), name(fence.reading().power()));
            case Event.LevelTwoFound _ -> "a record of the second fencing level was found";
            case Event.FurtherLevelFound _ -> "a record of a further fencing level was found";
            case Event.SecondRecordFound _ -> "a record of a fence by the second BMC was found";
            case Event.PeerPowerRead read -> "the peer's BMC read " + name(read.reading());
            case Event.SecondPowerRead read -> "the peer's second BMC read " + name(read.reading());
            case Event.PersonStated stated -> "a person stated: " + name(stated.statement());
            case Event.FencingSeen(boolean underWay) ->
                    underWay ? "a fence of the peer began" : "a fence of the peer ended";
            case Event.FenceExpected _ -> "the second fencing level was about to begin";
            case Event.PacemakerRead(boolean mayFence) ->
                    "Pacemaker was asked: it " + (mayFence ? "may fence" : "may not fence");
            case Event.StartRequested _ -> "Pacemaker asked to start etcd";
            case Event.StopRequested _ -> "Pacemaker asked to stop etcd";
            case Event.LearnerUnheard _ -> "the learner did not announce itself";
            case Event.Tick() -> "time had passed";
            case Event.Stored _ -> "the state was stored";
            case Event.NotStored _ -> "the state could not be stored";
            case Event.EtcdOrderEnded(long _, Event.OrderResult result) ->
                    switch (result) {
                        case Event.OrderResult.Done _ -> "an order to etcd was carried out";
                        case Event.OrderResult.Failed failed ->
                                "an order to etcd failed: " + failed.what();
                    };
            case Event.StepEnded _ -> "a change of the member list was tried";
            case Event.HandOverEnded _ -> "leadership had been handed over";
            case Event.MarkEnded _ -> "the replica had been marked";
            case Event.FenceOrderEnded ended ->
                    ended.done()
                            ? "the fence it ordered was carried out"
                            : "the fence it ordered failed";
            case Event.InstallationClosed _ -> "the installation was closed";
        };
    }

    /** Everything that followed, in order. */
    static String response(Response response) {
        List<String> parts =
                Stream.concat(
                                response.decisions().stream()
                                        .map(decided -> "decides: " + decided.sentence()),
                                response.actions().stream().map(EventPhrases::action))
                        .toList();
        return parts.isEmpty() ? "does nothing" : String.join("; ", parts);
    }

    private static String action(Action action) {
        return switch (action) {
            case Action.Store(long _, var content) ->
                    "stores its state (%s)"
                            .formatted(
                                    Stream.of(
                                                    content.wanted()
                                                            ? "etcd wanted"
                                                            : "etcd not wanted",
                                                    "proofs: " + content.proofs().size(),
                                                    "abdication: "
                                                            + content.abdication()
                                                                    .getClass()
                                                                    .getSimpleName()
                                                                    .toLowerCase(Locale.ROOT))
                                            .collect(Collectors.joining(", ")));
            case Action.Etcd(long _, EtcdOrder order) -> order(order);
            case Action.ChangeMembership(long _, var step) ->
                    "changes the member list: " + step.getClass().getSimpleName();
            case Action.HandLeadershipOver _ -> "hands leadership over";
            case Action.MarkComplete _ -> "marks its replica as complete";
            case Action.OrderFence(long _, Action.FenceKind how) ->
                    "orders a fence of the peer (%s)".formatted(name(how));
            case Action.CloseInstallation() -> "closes the installation";
            case Action.AnswerPeer _ -> "answers the peer";
            case Action.TellPeer() -> "sends a message to the peer";
            case Action.LookAtEtcd() -> "looks at etcd";
            case Action.Acknowledge(long _, Action.Acknowledgement what) -> acknowledgement(what);
            case Action.DeclarePeerOff _ -> "declares the peer off to the cluster";
            case Action.NoteBmc(Action.BmcMark mark) -> "notes about the peer's BMC: " + name(mark);
            case Action.Journal _ -> "writes to the journal";
        };
    }

    private static String order(EtcdOrder order) {
        return switch (order) {
            case EtcdOrder.End end -> end.atOnce() ? "kills etcd" : "stops etcd";
            case EtcdOrder.StartInPlace _ -> "starts etcd";
            case EtcdOrder.TakeOver over ->
                    "takes over as epoch " + over.lineage().current().number();
            case EtcdOrder.Bootstrap() -> "begins an empty cluster";
            case EtcdOrder.Join join ->
                    join.keepData() ? "joins on its own data" : "joins as a learner";
            case EtcdOrder.RestartInPlace _ -> "restarts etcd";
        };
    }

    private static String acknowledgement(Action.Acknowledgement what) {
        return switch (what) {
            case Action.Acknowledgement.Done() -> "confirms it to the caller";
            case Action.Acknowledgement.NotBelieved(var why) -> "does not believe it: " + name(why);
            case Action.Acknowledgement.NotTaken(var why) ->
                    "does not accept the statement: " + name(why);
            case Action.Acknowledgement.NotStored _ -> "says that it is not stored";
        };
    }

    /** {@code OFF_WHILE_ALIVE} as "off while alive". */
    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
