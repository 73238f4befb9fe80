package dev.tandem.core.check;

import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.supervise.Action;
import dev.tandem.core.supervise.DurableState;
import dev.tandem.core.supervise.EtcdOrder;
import dev.tandem.core.supervise.Event;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.ServerObservation;
import dev.tandem.core.supervise.Supervisor;
import dev.tandem.core.supervise.VolatileState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the world moves. What the nodes think is the product's: each step that concerns an agent is
 * an event for its supervisor, and what the supervisor orders becomes a step that may happen later,
 * in any order, or go wrong.
 *
 * <p>An instance is used by one thread.
 */
final class Model {
    private final MemoizedSupervisors nodes;
    private final Scene scene;
    private final EtcdSteps etcd;
    private final FenceSteps fencing;
    private final Laws laws;

    /** What the last step broke, if it broke something. */
    private @Nullable String broken;

    private boolean acknowledged;

    Model(MemoizedSupervisors nodes, Scene scene) {
        this.nodes = nodes;
        this.scene = scene;
        this.laws = new Laws(nodes, scene);
        this.etcd = new EtcdSteps(this, nodes, laws);
        this.fencing = new FenceSteps(this, nodes);
    }

    /** Whether the step may be possible there; a quick look that spares copies of the world. */
    boolean mayApply(World world, int code) {
        int self = (code >>> 3) & 1;
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        boolean agent = me.agent != 0;
        return switch (Step.kind(code)) {
            case POWER_CUT -> me.on && world.left(Fault.POWER_CUT);
            case POWER_ON -> !me.on;
            case AGENT_DIES -> agent && world.left(Fault.AGENT_DIES);
            case AGENT_STARTS -> me.on && !agent;
            case STATE_LOST ->
                    agent && me.disk.server != EtcdModel.STOPPED && world.left(Fault.STATE_LOST);
            case RING_CUT -> world.ring && world.left(Fault.RING_CUT);
            case RING_HEALS -> !world.ring;
            case COROSYNC_CUT -> !world.corosyncCut && world.left(Fault.COROSYNC_CUT);
            case COROSYNC_HEALS -> world.corosyncCut;
            case WAY_CUT -> world.way[self] && world.left(Fault.ONE_WAY);
            case WAY_HEALS -> !world.way[self];
            case PORTS_CUT -> !world.portsCut && world.left(Fault.PORTS_CUT);
            case PORTS_HEAL -> world.portsCut;
            case NOTICE -> me.on && me.sees != (world.ringed() && peer.on);
            case ASK -> agent && peer.agent != 0 && world.ring && !has(me, Agent.ASKING);
            case DELIVER -> me.wire.question != 0;
            case READ_LETTER -> peer.wire.letter != 0;
            case HEAR -> me.wire.reply != 0;
            case GIVE_UP -> has(me, Agent.ASKING);
            case LOOK_BEGINS -> agent && world.left(Fault.SLOW);
            case LOOK_ENDS -> has(me, Agent.LOOKING);
            case BLIND -> agent && world.left(Fault.BLIND);
            case SEES_AGAIN -> me.blind || me.looksHang;
            case STORE -> has(me, Agent.STORING);
            case ORDER, REPORT -> has(me, Agent.ORDERING);
            case LEAD -> has(me, Agent.LEADING);
            case HAND_OVER -> has(me, Agent.HANDING_OVER);
            case MARK -> has(me, Agent.MARKING);
            case START -> agent && !me.started && !me.stopping;
            case STOP -> me.started || me.stopping;
            case STOP_REPORTED -> me.stopping;
            case FENCE_ORDER -> agent && me.met;
            case FENCE_RENEW, FENCE_OFF, FENCE_TIMEOUT, FENCE_LIE -> me.fence == Machine.ORDERED;
            case FENCE_ANSWER -> me.fence == Machine.READ_OFF;
            case FENCE_LATE -> me.fence == Machine.LEFT_BEHIND;
            case STOCK_ORDER -> world.left(Fault.STOCK_FENCE) && !me.sees;
            case STOCK_OFF -> me.stock == Machine.ORDERED;
            case FIND_RECORD -> me.record != Machine.NO_RECORD && !me.sees;
            case STATE -> world.left(Fault.STATEMENT) || world.left(Fault.FALSE_STATEMENT);
            case SERVES -> me.disk.forced;
            case ELECT -> world.leader == 0 && me.disk.runs() && peer.disk.runs();
            case WRITE -> me.disk.runs() && world.written < scene.writes();
            case SYNC -> me.disk.synced < me.disk.length;
            case REPLICATE -> me.disk.runs() && peer.disk.runs();
            case COMMIT -> world.leader == self + 1 && me.disk.commit < me.disk.length;
            case LEARN_COMMIT -> me.disk.runs() && me.disk.commit < peer.disk.commit;
            case TAKE_EFFECT -> me.disk.changing;
            case KILL -> me.disk.runs() && world.left(Fault.KILL);
            case DISK -> !me.on;
            case TIME -> agent && world.left(Fault.TIME);
            case READ_MEMBERSHIP, WRITE_LETTER, LOOK, READ_BMC, READ_SECOND -> agent;
            case BMC_BREAKS, BMC_SWAPPED -> true;
            case BMC_MENDED -> me.bmcOther;
        };
    }

    private boolean has(Machine me, int work) {
        return me.agent != 0 && nodes.agent(me.agent).has(work);
    }

    /**
     * Carries the step out on {@code world}; false if it is not possible there (the world may then
     * be spoiled).
     */
    boolean apply(World world, int code) {
        broken = null;
        acknowledged = false;
        boolean done = step(world, Step.kind(code), (code >>> 3) & 1, code & 7);
        if (done) {
            world.settle();
            if (broken == null) {
                broken = laws.check(world);
            }
        }
        return done;
    }

    /** Nothing is left of fences that were under way: who waits for the end of one is told. */
    void fencesEnd(World world) {
        for (int self = 0; self < 2; self++) {
            if (world.nodes[self].fence != Machine.READ_OFF) {
                fencing.agentsOrderEnds(world, self);
            }
        }
    }

    /** The law the last step broke, in words; null if none. */
    @Nullable String broken() {
        return broken;
    }

    /** Whether Pacemaker was told in the last step that its fence order succeeded. */
    boolean acknowledged() {
        return acknowledged;
    }

    void breaks(@Nullable String law) {
        if (broken == null) {
            broken = law;
        }
    }

    private boolean step(World world, Step.Kind kind, int self, int variant) {
        Machine me = world.nodes[self];
        return switch (kind) {
            case POWER_CUT ->
                    me.on
                            && world.spend(Fault.POWER_CUT)
                            && (variant == 2
                                    ? shutDown(world, self)
                                    : switchOff(world, self, variant));
            case POWER_ON -> powerOn(world, self);
            case AGENT_DIES ->
                    me.agent != 0 && world.spend(Fault.AGENT_DIES) && agentDies(self, me, variant);
            case AGENT_STARTS -> agentStarts(world, self);
            case STATE_LOST -> stateLost(world, self);
            case RING_CUT -> {
                boolean cut = world.ring && world.spend(Fault.RING_CUT);
                world.ring = false;
                yield cut;
            }
            case RING_HEALS -> {
                boolean heals = !world.ring;
                world.ring = true;
                yield heals;
            }
            case COROSYNC_CUT -> {
                boolean cut = !world.corosyncCut && world.ring && world.spend(Fault.COROSYNC_CUT);
                world.corosyncCut = true;
                yield cut;
            }
            case COROSYNC_HEALS -> {
                boolean heals = world.corosyncCut;
                world.corosyncCut = false;
                yield heals;
            }
            case WAY_CUT -> {
                boolean cut = world.way[self] && world.spend(Fault.ONE_WAY);
                world.way[self] = false;
                yield cut;
            }
            case WAY_HEALS -> {
                boolean heals = !world.way[self];
                world.way[self] = true;
                yield heals;
            }
            case PORTS_CUT -> {
                boolean cut = !world.portsCut && world.ring && world.spend(Fault.PORTS_CUT);
                world.portsCut = true;
                yield cut;
            }
            case PORTS_HEAL -> {
                boolean heals = world.portsCut;
                world.portsCut = false;
                yield heals;
            }
            case NOTICE -> notice(world, self);
            case READ_MEMBERSHIP -> readMembership(world, self);
            case ASK -> ask(world, self, variant);
            case DELIVER -> deliver(world, self);
            case WRITE_LETTER -> writeLetter(world, self);
            case READ_LETTER -> readLetter(world, self);
            case HEAR -> hear(world, self);
            case GIVE_UP -> {
                if (me.agent == 0 || nodes.agent(me.agent).body().question().isEmpty()) {
                    yield false;
                }
                me.agent = nodes.unanswered(me.agent);
                me.wire.reply = 0;
                me.askedSince = false;
                yield true;
            }
            case LOOK -> look(world, self);
            case LOOK_BEGINS -> lookBegins(world, self);
            case LOOK_ENDS -> lookEnds(world, self);
            case BLIND -> blind(world, self, variant);
            case SEES_AGAIN -> {
                boolean again = me.blind || me.looksHang;
                me.blind = false;
                me.looksHang = false;
                yield again;
            }
            case STORE -> store(world, self, variant);
            case ORDER -> etcd.order(world, self, variant);
            case REPORT -> etcd.report(world, self);
            case LEAD -> etcd.lead(world, self, variant);
            case HAND_OVER -> etcd.handOver(world, self, variant);
            case MARK -> etcd.mark(world, self, variant);
            case START -> start(world, self);
            case STOP -> stop(world, self, variant);
            case STOP_REPORTED -> stopReported(world, self);
            case FENCE_ORDER -> fencing.order(world, self, variant);
            case FENCE_RENEW -> fencing.renew(world, self);
            case FENCE_OFF -> fencing.off(world, self, variant);
            case FENCE_ANSWER -> fencing.answer(world, self);
            case FENCE_TIMEOUT -> fencing.timeout(world, self);
            case FENCE_LATE -> fencing.late(world, self);
            case FENCE_LIE -> fencing.lie(world, self, variant);
            case STOCK_ORDER -> fencing.stockOrder(world, self);
            case STOCK_OFF -> fencing.stockOff(world, self, variant);
            case FIND_RECORD -> fencing.findRecord(world, self, variant);
            case READ_BMC -> fencing.readBmc(world, self, variant);
            case READ_SECOND -> fencing.readSecond(world, self, variant);
            case BMC_BREAKS -> {
                boolean breaks = variant == 0;
                boolean changes =
                        me.bmcBroken != breaks && (!breaks || world.spend(Fault.BMC_BREAKS));
                me.bmcBroken = breaks;
                yield changes;
            }
            case BMC_SWAPPED -> {
                boolean swapped = !me.bmcOther && world.spend(Fault.WRONG_MACHINE);
                me.bmcOther = true;
                yield swapped;
            }
            case BMC_MENDED -> {
                boolean mended = me.bmcOther;
                me.bmcOther = false;
                yield mended;
            }
            case STATE -> variant != 0 && fencing.state(world, self, variant);
            case SERVES -> etcd.serves(world, self);
            case ELECT -> etcd.elect(world, self);
            case WRITE -> etcd.write(world, self, scene.writes(), scene.has(Fault.SLOW));
            case SYNC -> etcd.sync(world, self);
            case REPLICATE -> etcd.replicate(world, self);
            case COMMIT -> etcd.commit(world, self);
            case LEARN_COMMIT -> etcd.learnCommit(world, self);
            case TAKE_EFFECT -> etcd.takeEffect(world, self);
            case KILL -> etcd.kill(world, self, variant);
            case DISK -> etcd.loseDisk(world, self, variant);
            case TIME -> {
                if (me.agent == 0 || !world.left(Fault.TIME)) {
                    yield false;
                }
                int before = me.agent;
                boolean stuck = me.disk.server == EtcdModel.STUCK;
                if (stuck) {
                    // The agent reads something now and then, and that does not come back.
                    me.disk.server = EtcdModel.HUNG;
                }
                take(world, self, nodes.later(me.agent, 1));
                yield (stuck || me.agent != before) && world.spend(Fault.TIME);
            }
        };
    }

    // ---- events

    /** The supervisor of the node takes an event in; what it orders at once is done. */
    MemoizedSupervisors.Outcome tell(World world, int self, Event event) {
        MemoizedSupervisors.Outcome outcome = nodes.on(world.nodes[self].agent, event);
        take(world, self, outcome);
        return outcome;
    }

    private void take(World world, int self, MemoizedSupervisors.Outcome outcome) {
        Machine me = world.nodes[self];
        me.agent = outcome.agent();
        if (outcome.memory() != 0) {
            me.memory = outcome.memory();
        }
        if (outcome.marks() != 0) {
            me.falseOff = outcome.marks() == 1;
        }
        if (outcome.secondMarks() != 0) {
            me.secondFalseOff = outcome.secondMarks() == 1;
        }
        if (outcome.declaresOff()) {
            me.waitLifted = true;
        }
        if (outcome.pacemaker() == 1) {
            acknowledged = true;
            me.fenceDone = true;
        }
        if (outcome.person() == 1) {
            // The same command tells Corosync not to wait, and Pacemaker that nothing is to do.
            me.waitLifted = true;
            me.fenceDone = true;
        }
        breaks(laws.told(world, self));
        if (outcome.ordersFence()) {
            fencing.orderedByAgent(world, self);
        }
    }

    // ---- power and agents

    /**
     * The node is shut down after Pacemaker has stopped etcd there: its Pacemaker says goodbye, and
     * the other one does not fence a node that has left.
     */
    private boolean shutDown(World world, int self) {
        Machine me = world.nodes[self];
        if (!hasStopped(me)) {
            return false;
        }
        Machine peer = world.nodes[1 - self];
        boolean heard = world.ringed() && peer.on && peer.sees;
        boolean off = switchOff(world, self, 0);
        peer.fenceDone |= heard;
        return off;
    }

    /** Pacemaker has ordered etcd to stop, and was told that it has. */
    static boolean hasStopped(Machine me) {
        return me.on
                && me.stopReported
                && !me.started
                && !me.stopping
                && me.disk.server == EtcdModel.STOPPED;
    }

    boolean switchOff(World world, int self, int stored) {
        Machine me = world.nodes[self];
        if (!me.on || !reachesDisk(me, stored)) {
            return false;
        }
        me.agentEnds();
        me.disk.powerLost();
        me.wire.lose();
        // A question that the peer has not taken in is gone with its sender's connection.
        me.on = false;
        me.blind = false;
        me.sees = false;
        me.met = false;
        me.waitLifted = false;
        me.started = false;
        me.stopping = false;
        me.stopReported = false;
        me.stopMark = false;
        me.fenceDone = false;
        me.stock = me.stock == Machine.ORDERED ? Machine.ORDERED : Machine.NO_ORDER;
        if (me.stock == Machine.ORDERED) {
            me.fence = Machine.LEFT_BEHIND;
            me.stock = Machine.NO_ORDER;
        }
        me.stockOld = false;
        me.recordIsGone();
        me.falseOff = false;
        me.secondFalseOff = false;
        me.bmcLied = false;
        me.personLied = false;
        me.lossAccepted = false;
        me.peerEnded = !world.nodes[1 - self].on;
        // What was false is true now.
        world.nodes[1 - self].bmcLied = false;
        world.nodes[1 - self].personLied = false;
        world.nodes[1 - self].peerEnded = true;
        return true;
    }

    /** What was being stored when the agent ended may be on the disk or not. */
    private boolean reachesDisk(Machine me, int stored) {
        if (stored == 0) {
            return true;
        }
        if (me.agent == 0) {
            return false;
        }
        Optional<Action.Store> store = nodes.agent(me.agent).work(Action.Store.class);
        store.ifPresent(write -> me.memory = nodes.memories.number(write.content()));
        return store.isPresent();
    }

    private boolean powerOn(World world, int self) {
        Machine me = world.nodes[self];
        if (me.on || me.boot == MemoizedSupervisors.LAST_BOOT) {
            return false;
        }
        me.on = true;
        me.boot++;
        return startAgent(world, self);
    }

    private boolean agentDies(int self, Machine me, int stored) {
        if (!reachesDisk(me, stored)) {
            return false;
        }
        me.agentEnds();
        // A start that is not on the disk was not acknowledged, and Pacemaker tries it again.
        me.started &= nodes.wanted(self, me.boot, me.memory);
        return true;
    }

    private boolean stateLost(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0
                || me.disk.server == EtcdModel.STOPPED
                || !world.spend(Fault.STATE_LOST)
                || !agentDies(self, me, 0)) {
            return false;
        }
        me.yieldLost |= !(nodes.memories.value(me.memory).abdication() instanceof Abdication.None);
        me.memory =
                nodes.memories.number(DurableState.blank(MemoizedSupervisors.BOOTS[self][me.boot]));
        // Its question to the agent breaks off, and the first thing the resource agent then does
        // is to leave its mark.
        me.stopMark |= me.stopping;
        return true;
    }

    private boolean agentStarts(World world, int self) {
        return world.nodes[self].on && world.nodes[self].agent == 0 && startAgent(world, self);
    }

    private boolean startAgent(World world, int self) {
        Machine me = world.nodes[self];
        // An agent that wants nothing beside a server that has died tells Pacemaker's monitor that
        // it does not run, and Pacemaker starts it.
        me.started &= me.disk.server != EtcdModel.STOPPED || nodes.wanted(self, me.boot, me.memory);
        take(
                world,
                self,
                nodes.begin(
                        self,
                        me.boot,
                        me.memory,
                        AgentObservations.etcd(world, self, Canonical.GENERATION),
                        new Supervisor.Marks(me.falseOff, me.secondFalseOff, me.stopMark, false)));
        return true;
    }

    // ---- Corosync and messages

    private boolean notice(World world, int self) {
        Machine me = world.nodes[self];
        boolean there = world.ringed() && world.nodes[1 - self].on;
        if (!me.on || me.sees == there) {
            return false;
        }
        me.sees = there;
        me.met |= there;
        if (there) {
            me.fenceDone = false;
        }
        if (me.agent != 0) {
            seen(world, me);
            tell(world, self, new Event.MembershipRead(AgentObservations.corosync(me)));
        }
        return true;
    }

    private boolean readMembership(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0) {
            return false;
        }
        Membership now = AgentObservations.corosync(me);
        if (nodes.agent(me.agent).live().membership().equals(now)) {
            return false;
        }
        seen(world, me);
        tell(world, self, new Event.MembershipRead(now));
        return true;
    }

    /** The agent learns what Corosync says. */
    private void seen(World world, Machine me) {
        if (me.sees) {
            me.ageRecords();
            signOfLife(me);
            livesAgain(world, me);
        }
    }

    /** From now on no lie excuses this node; what it has begun goes on. */
    private void signOfLife(Machine me) {
        if (!takesOver(me)) {
            me.bmcLied = false;
            me.personLied = false;
            me.lossAccepted = false;
        }
    }

    boolean takesOver(Machine me) {
        return nodes.agent(me.agent)
                .work(Action.Etcd.class)
                .filter(work -> work.order() instanceof EtcdOrder.TakeOver)
                .isPresent();
    }

    /**
     * The agent learns that the peer is there; what it has begun goes on. News of one that has no
     * power by now is of a boot that has ended.
     */
    private void livesAgain(World world, Machine me) {
        Machine peer = world.nodes[0] == me ? world.nodes[1] : world.nodes[0];
        me.peerEnded &= takesOver(me) || !peer.on;
    }

    /** The agent of the sender and that of the receiver are up, and the network between them. */
    private static boolean reaches(World world, int from) {
        return world.ring
                && world.way[from]
                && world.nodes[from].agent != 0
                && world.nodes[1 - from].agent != 0;
    }

    private boolean ask(World world, int self, int variant) {
        Machine me = world.nodes[self];
        if (!reaches(world, self)
                || nodes.agent(me.agent).body().question().isPresent()
                || me.wire.question != 0
                || (variant > 0 && !world.spend(Fault.SLOW))) {
            return false;
        }
        breaks(laws.told(world, self));
        int message = nodes.agent(me.agent).message(nodes);
        me.agent = nodes.asking(me.agent);
        me.askedSince = me.bmcLied || me.personLied || me.lossAccepted;
        me.wire.question = message;
        me.wire.questionNumber = me.wire.next();
        if (variant == 2) {
            return true;
        }
        deliver(world, self);
        if (variant == 0 && me.wire.reply != 0) {
            if (!hear(world, self)) {
                me.wire.reply = 0;
                me.agent = nodes.unanswered(me.agent);
            }
        }
        return true;
    }

    /** The question of {@code asker} reaches its peer. */
    private boolean deliver(World world, int asker) {
        Machine from = world.nodes[asker];
        if (from.wire.question == 0 || !reaches(world, asker)) {
            return false;
        }
        int question = from.wire.question;
        int number = from.wire.questionNumber;
        from.wire.question = 0;
        from.wire.questionNumber = 0;
        int answer = hears(world, asker, question, number);
        if (nodes.agent(from.agent).body().question().isEmpty()) {
            return true;
        }
        from.wire.reply = answer;
        if (answer == 0) {
            from.agent = nodes.unanswered(from.agent);
        }
        return true;
    }

    private int hears(World world, int asker, int message, int number) {
        int self = 1 - asker;
        told(world.nodes[asker], world.nodes[self], nodes.messages.value(message));
        world.nodes[self].ageRecords();
        livesAgain(world, world.nodes[self]);
        MemoizedSupervisors.Outcome outcome =
                tell(world, self, new Event.PeerAsked(number, nodes.messages.value(message), true));
        // A restarted agent takes in what the one before it had taken in already.
        world.nodes[asker].wire.taken(number);
        return outcome.answer();
    }

    /**
     * What the listener has begun on the word that is lost goes on; and what was said before the
     * loss, and arrives after it, is that very word.
     */
    private void told(Machine teller, Machine listener, PeerMessage message) {
        boolean withdrawn =
                message instanceof PeerMessage.Facts(NodeFacts facts, var _)
                        && facts.abdication() instanceof Abdication.None;
        teller.yieldLost &= takesOver(listener) || !withdrawn;
    }

    private boolean writeLetter(World world, int self) {
        Machine me = world.nodes[self];
        boolean https = world.way[self] && world.way[1 - self];
        if (me.agent == 0 || https || !me.sees || !world.ringed()) {
            return false;
        }
        int message = nodes.agent(me.agent).message(nodes);
        if (message == me.wire.letter) {
            return false;
        }
        breaks(laws.told(world, self));
        me.wire.letterNumber = me.wire.next();
        me.wire.letter = message;
        return true;
    }

    private boolean readLetter(World world, int reader) {
        Machine from = world.nodes[1 - reader];
        Machine me = world.nodes[reader];
        if (from.wire.letter == 0 || me.agent == 0 || !world.ringed() || !from.on) {
            return false;
        }
        int before = me.agent;
        hears(world, 1 - reader, from.wire.letter, from.wire.letterNumber);
        return me.agent != before;
    }

    private boolean hear(World world, int self) {
        Machine me = world.nodes[self];
        if (me.wire.reply == 0 || !world.ring || !world.way[1 - self]) {
            return false;
        }
        Agent.Body body = nodes.agent(me.agent).body();
        VolatileState.Question question = body.question().orElseThrow();
        PeerMessage message = nodes.messages.value(me.wire.reply);
        me.wire.reply = 0;
        me.ageRecords();
        Machine peer = world.nodes[1 - self];
        told(peer, me, message);
        // One that was overtaken tells the supervisor nothing of a new boot. That boot was told
        // nothing of this one either: what the question said was for the boot before it.
        boolean overtaken = question.count() != body.state().live().heard().conversation().count();
        if (peer.on
                && !overtaken
                && message.boot().equals(MemoizedSupervisors.BOOTS[1 - self][peer.boot])) {
            livesAgain(world, me);
        }
        // Where a fence has read Off and nobody was told of it yet, the supervisor knows nothing of
        // a proof; the observer does.
        boolean afterProof =
                body.off().isEmpty()
                        && !question.asked().isBefore(body.state().live().power().provenAt());
        if (me.askedSince || afterProof) {
            signOfLife(me);
        }
        me.askedSince = false;
        tell(world, self, new Event.PeerAnswered(question, message, true));
        return true;
    }

    // ---- the agent and its own etcd

    private boolean look(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0 || me.looksHang) {
            return false;
        }
        int before = me.agent;
        tell(
                world,
                self,
                new Event.EtcdObserved(AgentObservations.etcd(world, self, Canonical.GENERATION)));
        return me.agent != before;
    }

    private boolean lookBegins(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0
                || me.looksHang
                || nodes.agent(me.agent).body().look().isPresent()
                || !world.spend(Fault.SLOW)) {
            return false;
        }
        me.agent =
                nodes.looking(
                        me.agent,
                        Optional.of(AgentObservations.etcd(world, self, Canonical.GENERATION)));
        return true;
    }

    private boolean lookEnds(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0) {
            return false;
        }
        Optional<ServerObservation> seen = nodes.agent(me.agent).body().look();
        if (seen.isEmpty()) {
            return false;
        }
        me.agent = nodes.looking(me.agent, Optional.empty());
        tell(world, self, new Event.EtcdObserved(seen.get()));
        return true;
    }

    private static boolean blind(World world, int self, int variant) {
        Machine me = world.nodes[self];
        if (!world.runs(self)
                || me.agent == 0
                || me.blind
                || me.looksHang
                || !world.spend(Fault.BLIND)) {
            return false;
        }
        me.blind = variant == 0;
        me.looksHang = variant == 1;
        return true;
    }

    private boolean store(World world, int self, int variant) {
        Machine me = world.nodes[self];
        if (me.agent == 0) {
            return false;
        }
        Optional<Action.Store> write = nodes.agent(me.agent).work(Action.Store.class);
        if (write.isEmpty() || (variant > 0 && !world.spend(Fault.STORE_FAILS))) {
            return false;
        }
        if (variant != 1) {
            me.memory = nodes.memories.number(write.get().content());
            me.stopMark &= write.get().content().wanted();
        }
        tell(
                world,
                self,
                variant == 0
                        ? new Event.Stored(write.get().write())
                        : new Event.NotStored(write.get().write(), "full"));
        return true;
    }

    // ---- Pacemaker

    private boolean start(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0 || me.started || me.stopping || !(me.met || me.waitLifted)) {
            return false;
        }
        me.started = true;
        me.stopReported = false;
        me.stopMark = false;
        tell(world, self, new Event.StartRequested());
        return true;
    }

    private boolean stop(World world, int self, int variant) {
        Machine me = world.nodes[self];
        // The agent that was told to stop has gone: the resource agent asks the next one, or does
        // it
        // itself where there is none.
        boolean forgotten =
                me.stopping
                        && (me.agent == 0 || nodes.agent(me.agent).live().stopping().isEmpty())
                        && me.disk.server != EtcdModel.STOPPED;
        // One that could not stop it has said so: the resource agent kills it.
        boolean refused = me.stopping && me.agent != 0 && nodes.agent(me.agent).stopFailed(nodes);
        boolean may = variant == 1 ? me.agent == 0 || refused : me.agent != 0;
        if (!me.on
                || !may
                || !(forgotten
                        || (refused && variant == 1)
                        || (me.started && !me.stopping && world.spend(Fault.STOP)))) {
            return false;
        }
        me.started = false;
        if (variant == 1) {
            // The resource agent ends the process itself, and leaves a mark for the next agent.
            me.stopping = false;
            me.disk.stop();
            me.stopMark = true;
            me.stopReported = true;
            return true;
        }
        me.stopping = true;
        tell(
                world,
                self,
                new Event.StopRequested(MemoizedSupervisors.in(1), MemoizedSupervisors.in(2)));
        return true;
    }

    private boolean stopReported(World world, int self) {
        Machine me = world.nodes[self];
        if (!me.stopping || me.agent == 0 || !nodes.agent(me.agent).stopped(nodes)) {
            return false;
        }
        me.stopping = false;
        me.stopReported = true;
        if (me.disk.server != EtcdModel.STOPPED) {
            breaks(
                    "Pacemaker was told that etcd on "
                            + MemoizedSupervisors.NAMES[self]
                            + " stopped, but it runs");
        }
        return true;
    }
}
