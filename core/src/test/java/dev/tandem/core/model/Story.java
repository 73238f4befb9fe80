package dev.tandem.core.model;

import dev.tandem.core.NodeName;
import dev.tandem.core.decision.Decision;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A trace in plain words. */
final class Story {
    private Story() {}

    static List<String> tell(Model model, World start, List<Integer> codes) {
        List<String> lines = new ArrayList<>();
        World world = new World();
        world.set(start);
        for (int code : codes) {
            World before = new World();
            before.set(world);
            if (!model.apply(world, code)) {
                throw new IllegalStateException("the trace does not replay at " + Step.of(code));
            }
            lines.add(line(before, world, Step.of(code), model.decided()));
        }
        return lines;
    }

    private static String line(World before, World after, Step step, @Nullable Decision decided) {
        NodeName self = Model.NAMES[step.node()];
        NodeName peer = Model.NAMES[1 - step.node()];
        World.Node me = after.nodes[step.node()];
        World.Node was = before.nodes[step.node()];
        return switch (step.kind()) {
            case POWER_CUT -> self + " loses power";
            case POWER_ON -> self + " is switched on and boots";
            case NOTICE ->
                    self
                            + (me.present
                                    ? " sees " + peer + " in the membership"
                                    : " loses sight of " + peer);
            case CUT -> "the network between the nodes is cut";
            case HEAL -> "the network is whole again";
            case CUT_PORTS -> "only the ports of etcd are cut";
            case HEAL_PORTS -> "the ports of etcd are open again";
            case ASK ->
                    self
                            + " asks "
                            + peer
                            + ", whose reply ("
                            + facts(me.reply)
                            + ") is on its way";
            case HEAR -> "the reply reaches " + self + ": " + peer + " is " + facts(was.reply);
            case FENCE_ORDER -> self + " orders " + peer + " to be fenced";
            case FENCE_DONE ->
                    (after.nodes[1 - step.node()].bmcOther
                                    ? "the machine at the BMC of " + peer + " is switched off"
                                    : peer + " is switched off")
                            + ", its BMC reads Off, "
                            + self
                            + (step.variant() == 1
                                    ? " does not know yet"
                                    : me.receipt == World.READ_OFF
                                            ? " has the receipt"
                                            : " takes it for no proof");
            case FENCE_ANSWER ->
                    "the answer to its fence order reaches "
                            + self
                            + (me.receipt == World.READ_OFF
                                    ? ", which has the receipt"
                                    : ", which takes it for no proof");
            case STOCK_ORDER -> "the second level on " + self + " orders " + peer + " to be fenced";
            case STOCK_DONE ->
                    (after.nodes[1 - step.node()].bmcOther
                                    ? "the machine at the BMC of " + peer + " is switched off"
                                    : peer + " is switched off")
                            + (step.variant() == 1
                                    ? ", not recorded yet"
                                    : ", and " + self + " has a record of it");
            case STOCK_RECORD -> "the second level on " + self + " records that it fenced " + peer;
            case STOCK_FAILS -> "the second level on " + self + " fails";
            case FIND_RECORD -> self + " takes the record of the second level for a proof";
            case AGENT_RESTART -> "the agent of " + self + " is restarted";
            case REFUSED -> "etcd on " + self + " refuses its own agent";
            case ADMITTED -> "etcd on " + self + " admits its own agent again";
            case FENCE_TIMEOUT ->
                    "the fence action of " + self + " times out; the order may still work";
            case FENCE_LATE -> "an old fence order takes effect: " + peer + " is switched off";
            case FENCE_LIE ->
                    "the BMC of "
                            + peer
                            + " says Off to "
                            + (step.variant() == 1 ? "the second level on " : "")
                            + self
                            + ", but the host runs on";
            case READ_BMC -> self + " reads at the BMC that " + peer + " is off, and holds it off";
            case RELEASE_HOLD -> self + " no longer holds " + peer + " off";
            case BMC_SWAPPED -> "the BMC of " + self + " answers for another machine from now on";
            case BMC_BREAKS -> "the BMC of " + self + " stops answering";
            case STATE ->
                    "a person tells "
                            + self
                            + switch (step.variant()) {
                                case 1 -> ": \"" + peer + " is off\"";
                                case 2 ->
                                        ": \""
                                                + peer
                                                + " is off, and what it wrote alone is given up\"";
                                default -> ": \"keep the history of " + peer + "\"";
                            }
                            + (step.variant() < 3 && after.nodes[1 - step.node()].on
                                    ? ", which is false"
                                    : "");
            case ACT -> decided == null ? self + " acts" : decided.sentence(self, peer);
            case FORCE_START ->
                    "etcd on " + self + " starts as a cluster of one, log to " + me.length;
            case LEAD -> self + leading(was, me, peer);
            case ELECT -> self + " is elected leader of the pair";
            case WRITE ->
                    self
                            + " appends write "
                            + after.written
                            + (after.acknowledged == before.acknowledged
                                    ? ""
                                    : " and acknowledges it alone");
            case REPLICATE -> "entry " + me.length + " reaches " + self;
            case COMMIT -> self + " knows that its log is on both disks and acknowledges it";
            case LEARN_COMMIT -> self + " learns that the log is committed up to " + me.commit;
            case TAKE_EFFECT -> "the promotion of " + peer + " takes effect on " + self;
            case KILL ->
                    "etcd on "
                            + self
                            + " is killed"
                            + (step.variant() == 1 ? " again and again" : "");
            case HANG -> "etcd on " + self + " hangs";
            case DISK ->
                    "the replica of "
                            + self
                            + (step.variant() == 0 ? " is lost with its disk" : " is damaged");
            case ORDER_STOP -> self + " is told to stop etcd";
            case ORDER_START -> self + " is told to start etcd again";
            case ORDER_RESTART -> self + " is told to restart etcd in place";
        };
    }

    private static String leading(World.Node was, World.Node me, NodeName peer) {
        if (me.promoting && !was.promoting) {
            return " proposes the promotion of " + peer;
        }
        if (me.seat == World.SOLE && was.seat == World.TWO) {
            return " takes " + peer + " off the member list and is the only voter";
        }
        if (me.learnerListed && !was.learnerListed) {
            return " registers " + peer + " as a learner and invites it";
        }
        if (!me.learnerListed && was.learnerListed) {
            return " takes the unused seat of " + peer + " off the list";
        }
        return me.offer == World.CONFIRMATION
                ? " writes the entry that confirms the vote of " + peer
                : " invites " + peer;
    }

    static String seat(World.Node node) {
        return seat(node.seat, node.complete);
    }

    private static String seat(int seat, boolean complete) {
        return switch (seat) {
            case World.TWO -> complete ? "one of two voters" : "a voter not yet confirmed";
            case World.SOLE -> "the only voter";
            case World.LEARNER -> "a learner";
            default -> "removed";
        };
    }

    private static String facts(long bits) {
        if (Snapshot.replica(bits) == World.MISSING) {
            return "without a replica";
        }
        if (Snapshot.replica(bits) == World.DAMAGED) {
            return "left with a damaged replica";
        }
        return seat(Snapshot.seat(bits), Snapshot.complete(bits))
                + ", log to "
                + Snapshot.length(bits)
                + (Snapshot.yieldKind(bits) == 1 ? ", leaving" : "")
                + (Snapshot.yieldKind(bits) == 2 ? ", stood down" : "")
                + (Snapshot.claim(bits) ? ", taking over" : "")
                + (Snapshot.offer(bits) == World.TOKEN ? ", inviting" : "")
                + (Snapshot.offer(bits) == World.CONFIRMATION ? ", confirming the vote" : "");
    }
}
