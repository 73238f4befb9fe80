package dev.tandem.core.check;

import dev.tandem.core.decision.LeaderDecision;
import dev.tandem.core.peer.Offer;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import java.util.Optional;

/** What etcd does, by itself and on order. */
final class EtcdSteps {
    private static final int MEMBERS = 8;
    private static final int LAST_TERM = 7;

    private final Model model;
    private final MemoizedSupervisors nodes;
    private final Laws laws;

    EtcdSteps(Model model, MemoizedSupervisors nodes, Laws laws) {
        this.model = model;
        this.nodes = nodes;
        this.laws = laws;
    }

    private <A extends Action> Optional<A> work(Machine me, Class<A> kind) {
        return me.agent == 0 ? Optional.empty() : nodes.agent(me.agent).work(kind);
    }

    // ---- orders

    boolean order(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Optional<Action.Etcd> order = work(me, Action.Etcd.class);
        if (order.isEmpty() || me.phase == Machine.DONE) {
            return false;
        }
        if (variant == 2) {
            return world.spend(Fault.ORDER_FAILS) && fails(world, self, order.get());
        }
        // What is slow is so to its end.
        boolean slow = me.phase == Machine.LINEAGE_WRITTEN || world.left(Fault.SLOW);
        if (variant == 1 && !slow) {
            return false;
        }
        if (variant == 1 && me.phase != Machine.LINEAGE_WRITTEN) {
            world.spend(Fault.SLOW);
        }
        boolean half = variant == 1 && next(order.get().order(), me.phase) != Machine.DONE;
        if (!carriedOut(world, self, order.get().order(), half)) {
            return fails(world, self, order.get());
        }
        if (laws.isCut()) {
            return false;
        }
        if (half) {
            me.phase = next(order.get().order(), me.phase);
            return true;
        }
        if (variant == 1) {
            me.phase = Machine.DONE;
            me.agent = nodes.orderBegun(me.agent);
            return true;
        }
        me.phase = Machine.NOT_BEGUN;
        world.settle();
        model.tell(
                world,
                self,
                new Event.EtcdOrderEnded(
                        order.get().id(),
                        new Event.OrderResult.Done(
                                AgentObservations.etcd(world, self, Canonical.GENERATION + 1))));
        return true;
    }

    /** Where an order stands after its next part; between two parts a node may crash. */
    private static int next(EtcdOrder order, int phase) {
        return switch (order) {
            case EtcdOrder.TakeOver _ when phase == Machine.NOT_BEGUN -> Machine.LINEAGE_WRITTEN;
            case EtcdOrder.TakeOver _ when phase == Machine.LINEAGE_WRITTEN -> Machine.HALF_DONE;
            case EtcdOrder.Join join when !join.keepData() && phase == Machine.NOT_BEGUN ->
                    Machine.HALF_DONE;
            default -> Machine.DONE;
        };
    }

    boolean report(World world, int self) {
        Machine me = world.nodes[self];
        Optional<Action.Etcd> order = work(me, Action.Etcd.class);
        if (order.isEmpty() || me.phase != Machine.DONE) {
            return false;
        }
        me.phase = Machine.NOT_BEGUN;
        model.tell(
                world,
                self,
                new Event.EtcdOrderEnded(
                        order.get().id(),
                        new Event.OrderResult.Done(
                                AgentObservations.etcd(world, self, Canonical.GENERATION))));
        return true;
    }

    private boolean fails(World world, int self, Action.Etcd order) {
        Machine me = world.nodes[self];
        me.phase = Machine.NOT_BEGUN;
        boolean outlives =
                order.order() instanceof EtcdOrder.End && me.disk.server != EtcdModel.STOPPED;
        model.tell(
                world,
                self,
                new Event.EtcdOrderEnded(
                        order.id(),
                        new Event.OrderResult.Failed(
                                AgentObservations.etcd(world, self, Canonical.GENERATION + 1),
                                "failed",
                                "",
                                "",
                                outlives,
                                false)));
        return true;
    }

    /** False if it cannot be carried out, and nothing was done. */
    private boolean carriedOut(World world, int self, EtcdOrder order, boolean half) {
        Machine me = world.nodes[self];
        EtcdModel disk = me.disk;
        return switch (order) {
            case EtcdOrder.End _ -> {
                model.breaks(laws.ends(world, self));
                disk.stop();
                yield true;
            }
            case EtcdOrder.StartInPlace _ -> {
                if (disk.replica == EtcdModel.MISSING) {
                    model.breaks(
                            "etcd on "
                                    + MemoizedSupervisors.NAMES[self]
                                    + " was started without a replica");
                }
                yield start(world, self);
            }
            case EtcdOrder.RestartInPlace _ -> {
                disk.stop();
                yield start(world, self);
            }
            case EtcdOrder.Bootstrap() -> {
                model.breaks(
                        MemoizedSupervisors.NAMES[self] + " began an empty cluster in recovery");
                yield true;
            }
            case EtcdOrder.TakeOver(Lineage lineage, long _, boolean _) ->
                    takeOver(world, self, lineage, half);
            case EtcdOrder.Join(Lineage leaders, boolean keepData) ->
                    join(world, self, leaders, keepData, half);
        };
    }

    private boolean start(World world, int self) {
        Machine me = world.nodes[self];
        if (me.disk.replica != EtcdModel.LOG || me.disk.server != EtcdModel.STOPPED) {
            return false;
        }
        model.breaks(laws.starts(world, self));
        me.disk.start();
        return true;
    }

    private boolean takeOver(World world, int self, Lineage lineage, boolean half) {
        Machine me = world.nodes[self];
        EtcdModel disk = me.disk;
        if (disk.server != EtcdModel.STOPPED
                || disk.replica != EtcdModel.LOG
                || (disk.last(EtcdModel.REMOVAL) > disk.commit && world.removed == self)) {
            return false;
        }
        if (me.phase == Machine.NOT_BEGUN) {
            int epoch = AgentObservations.epoch(world, lineage);
            // What was begun by right is completed by right.
            if (epoch < 0 || epoch != disk.epoch) {
                model.breaks(laws.takesOver(world, self));
            }
            if (laws.cutsHere()) {
                return true;
            }
            if (epoch < 0) {
                if (world.epochs == World.EPOCHS) {
                    laws.cut();
                    return true;
                }
                epoch = world.epochs++;
                world.parent[epoch] = disk.epoch;
                world.fork[epoch] = disk.length;
                world.founder[epoch] = self;
                world.founderBoot[epoch] = me.boot;
                if (!AgentObservations.lineage(world, epoch).equals(lineage)) {
                    model.breaks(
                            MemoizedSupervisors.NAMES[self]
                                    + " takes over with a lineage that is not its log's");
                }
            }
            disk.epoch = epoch;
            if (half) {
                return true;
            }
        }
        if (me.phase != Machine.HALF_DONE) {
            disk.commit = disk.length;
        }
        if (!half) {
            model.breaks(laws.starts(world, self));
            disk.start();
            disk.forced = true;
        }
        return true;
    }

    private boolean join(World world, int self, Lineage leaders, boolean keepData, boolean half) {
        Machine me = world.nodes[self];
        EtcdModel disk = me.disk;
        if (keepData) {
            return start(world, self);
        }
        EtcdModel leader = world.nodes[1 - self].disk;
        int epoch = AgentObservations.epoch(world, leaders);
        // The leader's live list is read first; without it nothing is begun.
        if (disk.server != EtcdModel.STOPPED
                || epoch < 0
                || !world.leads(1 - self)
                || !world.ring
                || world.portsCut
                || !(leader.learnerListed || leader.seat == EtcdModel.TWO)) {
            return false;
        }
        model.breaks(laws.setsAside(world, self));
        disk.lose(EtcdModel.MISSING);
        if (half) {
            return true;
        }
        world.abandoned = world.abandoned == self + 1 ? 0 : world.abandoned;
        disk.replica = EtcdModel.LOG;
        disk.epoch = epoch;
        disk.seat = EtcdModel.LEARNER;
        disk.member = leader.peerMember;
        disk.doomed = leader.seatUsed || leader.seat == EtcdModel.TWO;
        disk.start();
        return true;
    }

    // ---- the leader's steps

    boolean lead(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Optional<Action.ChangeMembership> work = work(me, Action.ChangeMembership.class);
        if (work.isEmpty()) {
            return false;
        }
        LeaderDecision.Step step = work.get().step();
        Optional<Offer> offer = Optional.empty();
        boolean done = false;
        boolean waits = false;
        boolean open = false;
        if (world.leads(self)) {
            EtcdModel disk = me.disk;
            switch (step) {
                case LeaderDecision.Step.AddLearner(var boot) -> {
                    done = disk.seat == EtcdModel.SOLE && !disk.learnerListed && !disk.changing;
                    if (done) {
                        disk.learnerListed = true;
                        disk.seatUsed = false;
                        disk.peerMember = world.members;
                        world.members = (world.members + 1) % MEMBERS;
                        offer =
                                Optional.of(
                                        new Offer.JoinToken(
                                                MemoizedSupervisors.NAMES[1 - self],
                                                boot,
                                                disk.peerMember));
                    }
                }
                case LeaderDecision.Step.DropLearner(long member) -> {
                    done = !disk.changing && disk.seat == EtcdModel.SOLE;
                    if (done && disk.peerMember == member) {
                        disk.learnerListed = false;
                        disk.seatUsed = false;
                        offer = Optional.of(Offer.none());
                    }
                }
                case LeaderDecision.Step.Promote(long member) -> {
                    done = disk.seat == EtcdModel.TWO && disk.peerMember == member;
                    offer = Optional.of(Offer.none());
                    open = me.leading && disk.changing;
                    waits = !done && !open && promotes(world, self, member);
                }
                case LeaderDecision.Step.Confirm(long member) -> {
                    boolean voter = disk.seat == EtcdModel.TWO && disk.peerMember == member;
                    waits = voter && !me.leading && appends(disk, EtcdModel.NOTE);
                    done = voter && me.leading && disk.commit == disk.length;
                    open = voter && me.leading && !done && world.paired();
                    offer = Optional.of(new Offer.Confirmation(member, disk.commit));
                }
                case LeaderDecision.Step.RemovePeer(long member) -> {
                    done = disk.seat == EtcdModel.SOLE && !disk.learnerListed;
                    offer = Optional.of(Offer.none());
                    open = me.leading && disk.changing && world.paired();
                    waits =
                            disk.seat == EtcdModel.TWO
                                    && disk.peerMember == member
                                    && !disk.changing
                                    && removes(world, self);
                }
                case LeaderDecision.Step.Nothing(),
                        LeaderDecision.Step.OfferSeat(_),
                        LeaderDecision.Step.MarkComplete() ->
                        done = true;
            }
        }
        if (waits && variant == 0) {
            me.leading = true;
            return true;
        }
        // One whose outcome is still open is not given up before its time.
        if ((variant == 1 && !world.spend(Fault.ORDER_FAILS)) || (variant == 0 && open)) {
            return false;
        }
        boolean told = done && variant == 0;
        me.leading = false;
        model.tell(
                world,
                self,
                new Event.StepEnded(
                        work.get().id(), step, told ? offer : Optional.empty(), told, ""));
        return true;
    }

    private boolean promotes(World world, int self, long member) {
        EtcdModel disk = world.nodes[self].disk;
        if (disk.seat != EtcdModel.SOLE
                || !disk.learnerListed
                || disk.peerMember != member
                || disk.changing
                // The shell compares both servers once more, and etcd accepts it only then.
                || !world.taught(1 - self)
                || world.nodes[1 - self].disk.commit < disk.commit) {
            return false;
        }
        model.breaks(laws.promotes(world, self));
        boolean appended = appends(disk, EtcdModel.PROMOTION);
        disk.changing |= appended;
        disk.commit = disk.length;
        return appended;
    }

    private static boolean removes(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        if (!appends(disk, EtcdModel.REMOVAL)) {
            return false;
        }
        disk.changing = true;
        world.removed = 1 - self;
        return true;
    }

    private static boolean appends(EtcdModel disk, int entry) {
        if (disk.length >= EtcdModel.LONGEST) {
            return false;
        }
        disk.append(entry);
        disk.sync();
        return true;
    }

    boolean handOver(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Optional<Action.HandLeadershipOver> work = work(me, Action.HandLeadershipOver.class);
        if (work.isEmpty() || (variant == 1 && !world.spend(Fault.ORDER_FAILS))) {
            return false;
        }
        EtcdModel disk = me.disk;
        EtcdModel peer = world.nodes[1 - self].disk;
        if (variant == 0
                && world.leader == self + 1
                && disk.seat == EtcdModel.TWO
                && peer.seat == EtcdModel.TWO
                && disk.matching(peer) == disk.length) {
            world.leader = 2 - self;
            newTerm(world);
        }
        model.tell(world, self, new Event.HandOverEnded(work.get().id()));
        return true;
    }

    boolean mark(World world, int self, int variant) {
        Machine me = world.nodes[self];
        Optional<Action.MarkComplete> work = work(me, Action.MarkComplete.class);
        if (work.isEmpty() || (variant == 1 && !world.spend(Fault.STORE_FAILS))) {
            return false;
        }
        if (variant == 0) {
            model.breaks(laws.marks(world, self));
            me.disk.complete = true;
        }
        model.tell(world, self, new Event.MarkEnded(work.get().id(), variant == 0, ""));
        return true;
    }

    // ---- by itself

    boolean serves(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        if (!disk.forced || !world.nodes[self].on) {
            return false;
        }
        disk.forced = false;
        disk.starting = false;
        disk.seat = EtcdModel.SOLE;
        disk.changing = false;
        disk.learnerListed = false;
        disk.commit = disk.length;
        return true;
    }

    private static void newTerm(World world) {
        int term = Math.max(world.nodes[0].disk.term, world.nodes[1].disk.term) + 1;
        world.nodes[0].disk.term = Math.min(LAST_TERM, term);
        world.nodes[1].disk.term = Math.min(LAST_TERM, term);
    }

    boolean elect(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        if (world.leader != 0
                || !world.paired()
                || disk.seat != EtcdModel.TWO
                || disk.length < world.nodes[1 - self].disk.length) {
            return false;
        }
        world.leader = self + 1;
        newTerm(world);
        return true;
    }

    boolean write(World world, int self, int writes, boolean slow) {
        EtcdModel disk = world.nodes[self].disk;
        if (!world.leads(self) || world.written >= writes || disk.length >= EtcdModel.LONGEST - 3) {
            return false;
        }
        world.written++;
        disk.append(world.written);
        return slow || sync(world, self);
    }

    boolean sync(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        if (!world.nodes[self].on || disk.synced == disk.length) {
            return false;
        }
        disk.sync();
        if (world.leads(self) && disk.seat == EtcdModel.SOLE) {
            disk.commit = disk.length;
            world.acknowledged |= disk.writes();
        }
        return true;
    }

    boolean replicate(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        EtcdModel leader = world.nodes[1 - self].disk;
        if (!(world.leader == 2 - self && world.paired()) && !world.taught(self)) {
            return false;
        }
        if (disk.doomed) {
            disk.stop();
            return true;
        }
        int same = disk.matching(leader);
        if (same == leader.length) {
            return false;
        }
        disk.truncate(same);
        disk.append(leader.entry(same + 1));
        disk.sync();
        disk.term = leader.term;
        leader.seatUsed = leader.learnerListed;
        boolean mine =
                disk.entry(disk.length) == EtcdModel.PROMOTION
                        && disk.length == leader.last(EtcdModel.PROMOTION)
                        && (leader.changing || leader.seat == EtcdModel.TWO);
        if (mine && disk.seat == EtcdModel.LEARNER) {
            disk.seat = EtcdModel.TWO;
            disk.peerMember = leader.member;
        }
        return true;
    }

    boolean commit(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        EtcdModel peer = world.nodes[1 - self].disk;
        if (world.leader != self + 1
                || disk.synced < disk.length
                || disk.matching(peer) < disk.length
                || disk.commit == disk.length) {
            return false;
        }
        disk.commit = disk.length;
        world.acknowledged |= disk.writes();
        if (disk.changing && disk.last(EtcdModel.REMOVAL) > disk.last(EtcdModel.PROMOTION)) {
            disk.changing = false;
            disk.seat = EtcdModel.SOLE;
            disk.learnerListed = false;
        }
        return true;
    }

    boolean learnCommit(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        EtcdModel leader = world.nodes[1 - self].disk;
        boolean follows =
                world.leader == 2 - self
                        || world.taught(self)
                        || (world.runs(self)
                                && leader.seat == EtcdModel.SOLE
                                && wasRemoved(world, self));
        int commit = Math.min(disk.length, leader.commit);
        if (!follows || !world.runs(self) || commit <= disk.commit) {
            return false;
        }
        disk.commit = commit;
        if (wasRemoved(world, self) && disk.last(EtcdModel.REMOVAL) <= commit) {
            disk.seat = EtcdModel.REMOVED;
            disk.complete = false;
        }
        return true;
    }

    /** The last word on this node's seat is its removal, and the leader still tells it so. */
    private static boolean wasRemoved(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        return world.removed == self
                && disk.seat == EtcdModel.TWO
                && disk.epoch == world.nodes[1 - self].disk.epoch
                && disk.last(EtcdModel.REMOVAL) > disk.last(EtcdModel.PROMOTION)
                && world.runs(1 - self)
                && world.ring
                && !world.portsCut;
    }

    boolean takeEffect(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        if (!world.leads(self)
                || disk.seat != EtcdModel.SOLE
                || !disk.changing
                || disk.last(EtcdModel.PROMOTION) < disk.last(EtcdModel.REMOVAL)) {
            return false;
        }
        disk.changing = false;
        disk.learnerListed = false;
        disk.seatUsed = false;
        disk.seat = EtcdModel.TWO;
        if (world.paired()) {
            world.leader = self + 1;
        }
        return true;
    }

    boolean kill(World world, int self, int variant) {
        EtcdModel disk = world.nodes[self].disk;
        if (!world.nodes[self].on || !disk.runs() || !world.spend(Fault.KILL)) {
            return false;
        }
        switch (variant) {
            case 0 -> disk.stop();
            case 1 -> disk.server = EtcdModel.HUNG;
            default -> {
                if (world.leader == 0) {
                    return false;
                }
                disk.stuckLeading = world.leader == self + 1;
                disk.server = EtcdModel.STUCK;
            }
        }
        return true;
    }

    boolean loseDisk(World world, int self, int variant) {
        EtcdModel disk = world.nodes[self].disk;
        if (world.nodes[self].on || disk.replica != EtcdModel.LOG) {
            return false;
        }
        if (variant == 2) {
            // What the peer has not told as committed cannot be missed (AS5).
            long told =
                    nodes.memories
                            .value(world.nodes[self].memory)
                            .peerCommit()
                            .in(AgentObservations.lineage(world, disk.epoch).current());
            boolean missed =
                    told >= disk.length
                            || confirmedUpTo(world, self) >= disk.length
                            || !laws.excuses();
            if (disk.length == 0 || !missed || !world.spend(Fault.ROLLED_BACK)) {
                return false;
            }
            disk.truncate(disk.length - 1);
            return true;
        }
        if (!world.spend(Fault.DISK_LOST)) {
            return false;
        }
        disk.lose(variant == 0 ? EtcdModel.MISSING : EtcdModel.DAMAGED);
        return true;
    }

    /** What the peer's agent asks of a replica that is not complete yet. */
    private long confirmedUpTo(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        Machine peer = world.nodes[1 - self];
        return peer.agent != 0
                        && !disk.complete
                        && nodes.agent(peer.agent).live().offer()
                                instanceof Offer.Confirmation(long member, long index)
                        && member == disk.member
                ? index
                : 0;
    }
}
