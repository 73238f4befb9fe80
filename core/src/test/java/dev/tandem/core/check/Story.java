package dev.tandem.core.check;

import dev.tandem.core.NodeName;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.EtcdOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A trace in plain words. */
final class Story {
    private final MemoizedSupervisors nodes;

    Story(MemoizedSupervisors nodes) {
        this.nodes = nodes;
    }

    static List<String> tell(Scene scene, MemoizedSupervisors nodes, List<Integer> codes) {
        Model model = new Model(nodes, scene);
        Story story = new Story(nodes);
        List<String> lines = new ArrayList<>();
        World world = scene.start(nodes);
        for (int code : codes) {
            World before = new World();
            before.set(world);
            if (!model.apply(world, code)) {
                throw new IllegalStateException("the trace does not replay at " + Step.of(code));
            }
            lines.add(story.line(before, world, Step.of(code)));
        }
        return lines;
    }

    /** What happens once faults have ended, where that is what went wrong. */
    static List<String> afterwards(Scene scene, MemoizedSupervisors nodes, List<Integer> codes) {
        Model model = new Model(nodes, scene);
        World world = scene.start(nodes);
        for (int code : codes) {
            model.apply(world, code);
        }
        return model.broken() != null ? List.of() : new ProgressCheck(nodes, scene).tell(world);
    }

    String line(World before, World after, Step step) {
        int node = step.node();
        NodeName self = MemoizedSupervisors.NAMES[node];
        NodeName peer = MemoizedSupervisors.NAMES[1 - node];
        Machine me = after.nodes[node];
        Machine was = before.nodes[node];
        Machine other = after.nodes[1 - node];
        String text =
                switch (step.kind()) {
                    case POWER_CUT ->
                            step.variant() == 2
                                    ? self + " is shut down in order"
                                    : self + " loses power" + stored(step.variant());
                    case POWER_ON -> self + " is switched on and boots";
                    case AGENT_DIES -> "the agent of " + self + " ends" + stored(step.variant());
                    case AGENT_STARTS -> "an agent starts on " + self;
                    case STATE_LOST ->
                            "the state of "
                                    + self
                                    + " is lost beside its running etcd, and its agent ends";
                    case RING_CUT -> "the network between the nodes is cut";
                    case RING_HEALS -> "the network is whole again";
                    case COROSYNC_CUT -> "only Corosync is cut off";
                    case COROSYNC_HEALS -> "Corosync is no longer cut off";
                    case WAY_CUT -> "messages from " + self + " no longer reach " + peer;
                    case WAY_HEALS -> "messages from " + self + " reach " + peer + " again";
                    case PORTS_CUT -> "only the ports of etcd are cut";
                    case PORTS_HEAL -> "the ports of etcd are open again";
                    case NOTICE ->
                            self
                                    + (me.sees
                                            ? " sees " + peer + " in the membership"
                                            : " loses sight of " + peer);
                    case READ_MEMBERSHIP ->
                            "the agent of "
                                    + self
                                    + " asks Corosync: "
                                    + peer
                                    + (me.sees ? " is there" : " is not there");
                    case ASK ->
                            self
                                    + " asks "
                                    + peer
                                    + " ("
                                    + message(message(was))
                                    + ")"
                                    + switch (step.variant()) {
                                        case 0 -> " and is answered";
                                        case 1 ->
                                                ", whose reply is on its way: "
                                                        + message(me.wire.reply);
                                        default -> ", which takes its time";
                                    };
                    case DELIVER -> "the question of " + self + " reaches " + peer;
                    case WRITE_LETTER ->
                            self
                                    + " writes into the attributes of the cluster ("
                                    + message(me.wire.letter)
                                    + ")";
                    case READ_LETTER ->
                            self
                                    + " reads what "
                                    + peer
                                    + " wrote into the attributes ("
                                    + message(other.wire.letter)
                                    + ")";
                    case HEAR -> "the reply reaches " + self + " (" + message(was.wire.reply) + ")";
                    case GIVE_UP -> self + " gives its question up";
                    case LOOK ->
                            "the agent of "
                                    + self
                                    + " sees its etcd: "
                                    + AgentObservations.server(after, node)
                                    + ", "
                                    + seat(me.disk);
                    case LOOK_BEGINS -> "a look of the agent of " + self + " at its etcd begins";
                    case LOOK_ENDS -> "that look comes back to the agent of " + self;
                    case BLIND ->
                            step.variant() == 0
                                    ? "etcd on " + self + " refuses its own agent"
                                    : "the looks of the agent of " + self + " do not come back";
                    case SEES_AGAIN -> "the agent of " + self + " sees its etcd again";
                    case STORE ->
                            "what the agent of "
                                    + self
                                    + " stores "
                                    + (step.variant() == 0
                                            ? "is on the disk"
                                            : step.variant() == 1
                                                    ? "does not reach the disk"
                                                    : "is reported as failed, and is there");
                    case ORDER ->
                            order(self, was)
                                    + (step.variant() == 0
                                            ? ""
                                            : step.variant() == 2 ? ", which fails" : slow(me));
                    case REPORT -> "its end is reported to the agent of " + self;
                    case LEAD -> self + lead(was) + (step.variant() == 1 ? ", which fails" : "");
                    case HAND_OVER -> self + " hands leadership over";
                    case MARK -> "the replica of " + self + " is marked as complete";
                    case START -> "Pacemaker starts etcd on " + self;
                    case STOP ->
                            step.variant() == 0
                                    ? "Pacemaker stops etcd on " + self
                                    : "Pacemaker's resource agent ends etcd on "
                                            + self
                                            + ", for the agent does not answer";
                    case STOP_REPORTED -> "Pacemaker is told that etcd on " + self + " stopped";
                    case FENCE_ORDER -> self + " orders " + peer + " to be fenced";
                    case FENCE_RENEW ->
                            "the order of " + self + " is about the new boot of " + peer + " now";
                    case FENCE_OFF ->
                            machine(other, peer)
                                    + " is switched off, and its BMC reads Off"
                                    + (step.variant() == 1 ? "; " + self + " is not told yet" : "");
                    case FENCE_ANSWER -> self + " is told that " + peer + " reads Off";
                    case FENCE_TIMEOUT ->
                            "the fence action of " + self + " times out; the order may still work";
                    case FENCE_LATE -> "an old order takes effect: " + peer + " is switched off";
                    case FENCE_LIE ->
                            "the BMC of "
                                    + peer
                                    + (step.variant() == 1
                                            ? " refuses the order and reads Off once to "
                                            : " says Off to ")
                                    + self
                                    + ", but the host runs on"
                                    + (step.variant() == 2 ? "; " + self + " is not told yet" : "");
                    case STOCK_ORDER ->
                            "the second level on " + self + " orders " + peer + " to be fenced";
                    case STOCK_OFF ->
                            step.variant() == 4
                                    ? "a further level on "
                                            + self
                                            + " switches an outlet off, on which "
                                            + peer
                                            + " does not hang"
                                    : step.variant() == 0 || step.variant() == 5
                                            ? machine(other, peer)
                                                    + " is switched off, and recorded so"
                                            : "the BMC of "
                                                    + peer
                                                    + switch (step.variant()) {
                                                        case 1 -> " says Off to the second level";
                                                        case 6 ->
                                                                ", the second one, says Off to the"
                                                                        + " second level";
                                                        case 2 ->
                                                                " says Off once to the second"
                                                                        + " level";
                                                        default ->
                                                                " is answered for, to the second"
                                                                        + " level";
                                                    }
                                                    + ", but the host runs on";
                    case FIND_RECORD ->
                            self
                                    + " finds the record of the second level"
                                    + (step.variant() == 1 ? "; the BMC says Off falsely" : "");
                    case READ_BMC ->
                            self
                                    + " reads the BMC of "
                                    + peer
                                    + (step.variant() == 1 ? ", which says Off falsely" : "");
                    case READ_SECOND ->
                            self
                                    + " reads the second BMC of "
                                    + peer
                                    + (step.variant() == 1 ? ", which says Off falsely" : "");
                    case BMC_BREAKS ->
                            "the BMC of "
                                    + self
                                    + (step.variant() == 0 ? " stops answering" : " answers again");
                    case BMC_SWAPPED ->
                            "the BMC of " + self + " answers for another machine from now on";
                    case BMC_MENDED ->
                            "the address of the BMC of "
                                    + self
                                    + " is corrected: it is its own again";
                    case STATE ->
                            "a person tells "
                                    + self
                                    + switch (step.variant()) {
                                        case 1 -> ": \"" + peer + " is off\"";
                                        case 2 ->
                                                ": \""
                                                        + peer
                                                        + " is off, and what it wrote alone is"
                                                        + " given up\"";
                                        default -> ": \"keep the history of " + peer + "\"";
                                    }
                                    + (step.variant() < 3 && other.on ? ", which is false" : "");
                    case SERVES ->
                            "etcd on "
                                    + self
                                    + " serves as a cluster of one, log to "
                                    + me.disk.length;
                    case ELECT -> self + " is elected leader of the pair";
                    case WRITE ->
                            self
                                    + " appends write "
                                    + after.written
                                    + (after.acknowledged == before.acknowledged
                                            ? ""
                                            : " and acknowledges it alone");
                    case SYNC -> "the log of " + self + " is on its disk";
                    case REPLICATE ->
                            me.disk.server == EtcdModel.STOPPED
                                    ? "etcd on " + self + " panics on the leader's first message"
                                    : "entry " + me.disk.length + " reaches " + self;
                    case COMMIT ->
                            self + " knows that its log is on both disks and acknowledges it";
                    case LEARN_COMMIT ->
                            self + " learns that the log is committed up to " + me.disk.commit;
                    case TAKE_EFFECT -> "the promotion of " + peer + " takes effect on " + self;
                    case KILL ->
                            "etcd on "
                                    + self
                                    + switch (step.variant()) {
                                        case 0 -> " is killed";
                                        case 1 -> " hangs";
                                        default -> " gets stuck, and answers its agent as before";
                                    };
                    case DISK ->
                            "the replica of "
                                    + self
                                    + switch (step.variant()) {
                                        case 0 -> " is lost with its disk";
                                        case 1 -> " is damaged";
                                        default -> " goes back to what it was an entry ago";
                                    };
                    case TIME ->
                            "time goes by on "
                                    + self
                                    + (me.fence == Machine.ORDERED && was.fence != Machine.ORDERED
                                            ? ", and it orders " + peer + " to be fenced"
                                            : "");
                };
        return text
                + decided(self, peer, was, me)
                + decided(peer, self, before.nodes[1 - node], other);
    }

    /** What the supervisor decided in this step, if it decided something new. */
    private String decided(NodeName self, NodeName peer, Machine was, Machine me) {
        if (me.agent == 0 || me.agent == was.agent) {
            return "";
        }
        var now = nodes.agent(me.agent).live().pending().map(pending -> pending.decision());
        var then =
                was.agent == 0
                        ? Optional.empty()
                        : nodes.agent(was.agent)
                                .live()
                                .pending()
                                .map(pending -> pending.decision());
        return now.isEmpty() || now.equals(then) ? "" : " [" + now.get().sentence(self, peer) + "]";
    }

    private static String stored(int variant) {
        return variant == 1 ? ", just after what it was storing had reached the disk" : "";
    }

    private static String machine(Machine of, NodeName name) {
        return of.bmcOther ? "the machine at the BMC of " + name : name.toString();
    }

    private int message(Machine me) {
        return me.agent == 0 ? 0 : nodes.agent(me.agent).message(nodes);
    }

    private String order(NodeName self, Machine was) {
        Optional<Action.Etcd> order =
                was.agent == 0 ? Optional.empty() : nodes.agent(was.agent).work(Action.Etcd.class);
        return order.map(action ->
                        switch (action.order()) {
                            case EtcdOrder.End _ -> "etcd on " + self + " is ended";
                            case EtcdOrder.StartInPlace _ ->
                                    "etcd on " + self + " is started on its data";
                            case EtcdOrder.RestartInPlace _ -> "etcd on " + self + " is restarted";
                            case EtcdOrder.TakeOver _ ->
                                    self + " stores the new epoch and starts as a cluster of one";
                            case EtcdOrder.Bootstrap() -> self + " begins an empty cluster";
                            case EtcdOrder.Join(var _, boolean keep) ->
                                    keep
                                            ? "etcd on "
                                                    + self
                                                    + " is started as the learner it was"
                                            : self
                                                    + " sets its data aside and starts as a"
                                                    + " learner";
                        })
                .orElse(self + " does nothing to etcd");
    }

    private static String slow(Machine me) {
        return switch (me.phase) {
            case Machine.LINEAGE_WRITTEN -> "; so far only the epoch is on the disk";
            case Machine.HALF_DONE -> "; so far half of it is done";
            default -> ", and the report takes its time";
        };
    }

    private String lead(Machine was) {
        Optional<Action.ChangeMembership> work =
                was.agent == 0
                        ? Optional.empty()
                        : nodes.agent(was.agent).work(Action.ChangeMembership.class);
        return work.map(action ->
                        " changes the members: " + action.step().getClass().getSimpleName())
                .orElse(" changes nothing");
    }

    static String seat(EtcdModel disk) {
        if (disk.replica == EtcdModel.MISSING) {
            return "no replica";
        }
        if (disk.replica == EtcdModel.DAMAGED) {
            return "a damaged replica";
        }
        return switch (disk.seat) {
            case EtcdModel.TWO -> disk.complete ? "one of two voters" : "a voter not yet confirmed";
            case EtcdModel.SOLE -> "the only voter";
            case EtcdModel.LEARNER -> "a learner";
            default -> "removed";
        };
    }

    private String message(int number) {
        if (number == 0) {
            return "nothing";
        }
        return switch (nodes.messages.value(number)) {
            case PeerMessage.Hello _ -> "hello";
            case PeerMessage.Facts(NodeFacts facts, var to) -> "to " + to + ": " + facts(facts);
        };
    }

    private static String facts(NodeFacts facts) {
        if (!(facts.replica() instanceof Replica.Intact log)) {
            return facts.replica() + ", " + facts.server();
        }
        return log.role()
                + (log.complete() ? "" : " not complete")
                + ", epoch "
                + log.lineage().current().number()
                + ", log to "
                + log.lastIndex()
                + ", "
                + facts.server()
                + switch (facts.abdication()) {
                    case Abdication.None() -> "";
                    case Abdication.Departure(long id) -> ", leaving " + id;
                    case Abdication.StandDown(long id) -> ", stood down " + id;
                }
                + (facts.released() > 0 ? ", releases " + facts.released() : "")
                + (facts.claim() instanceof Claim.TakeOver ? ", taking over" : "")
                + (facts.offer() instanceof Offer.None
                        ? ""
                        : ", offers " + facts.offer().getClass().getSimpleName());
    }
}
