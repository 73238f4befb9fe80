package dev.tandem.core.check;

import dev.tandem.core.decision.PeerProof;
import dev.tandem.core.decision.PowerReading;
import dev.tandem.core.peer.Abdication;
import dev.tandem.core.peer.History;
import dev.tandem.core.peer.NodeFacts;
import dev.tandem.core.peer.PeerMessage;
import dev.tandem.core.peer.PeerView;
import dev.tandem.core.replica.Claim;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.DurableState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What must never be, seen from above: the observer knows what every disk holds, who has power and
 * which writes were acknowledged. Where a named assumption does not hold (a BMC lied, a person did)
 * what follows from it at once is not pursued; what follows later, when the node could know better,
 * is.
 */
final class Laws {
    static final List<String> ALL =
            List.of(
                    "never two writable histories",
                    "no node serves without a write that was acknowledged, unless a person gave it"
                            + " up",
                    "nobody takes over while the other has power and has not given up its right",
                    "only a complete voter's replica takes over",
                    "a replica with acknowledged writes that its peer lacks, or the only complete"
                            + " one, is never given up for a join",
                    "a replica is marked as complete only when it holds every acknowledged write",
                    "a learner gets a vote only when it holds every acknowledged write, and no"
                            + " claim on the leader's disk says that nobody else has served",
                    "two different logs never carry the same lineage",
                    "at most one node has the right to go on alone",
                    "no node holds a proof against a boot of the peer that still runs",
                    "nothing is told to the peer that is not on the disk",
                    "etcd does not start again after Pacemaker was told that it has stopped, and"
                            + " does not run then",
                    "a server that its agent cannot see is not ended for that",
                    "recovery never begins an empty cluster, and starts nothing without a replica",
                    "once faults stop, two voters serve again, or a person has to act",
                    "where one node is gone for good, the other serves or names what a person must"
                            + " state");

    private final MemoizedSupervisors nodes;
    private final Scene scene;
    private boolean cut;

    Laws(MemoizedSupervisors nodes, Scene scene) {
        this.nodes = nodes;
        this.scene = scene;
    }

    boolean excuses() {
        return scene.excuses();
    }

    /** The same, to be asked again. */
    boolean cutsHere() {
        return cut;
    }

    /** Whether the last step is not pursued, for an assumption excludes it. */
    boolean isCut() {
        boolean was = cut;
        cut = false;
        return was;
    }

    void cut() {
        cut = true;
    }

    private static int missing(World world, int node) {
        return world.acknowledged & ~world.givenUp & ~world.nodes[node].disk.writes();
    }

    private DurableState memory(Machine me) {
        return nodes.memories.value(me.memory);
    }

    // ---- of every state

    @Nullable String check(World world) {
        boolean northAlone = world.leads(0) && world.nodes[0].disk.seat == EtcdModel.SOLE;
        boolean southAlone = world.leads(1) && world.nodes[1].disk.seat == EtcdModel.SOLE;
        if (northAlone && southAlone) {
            return "two writable histories: north and south both serve alone";
        }
        for (int self = 0; self < 2; self++) {
            boolean excused = scene.excuses() && world.abandoned == self + 1;
            if (world.leads(self) && !excused && missing(world, self) != 0) {
                return MemoizedSupervisors.NAMES[self]
                        + " serves without a write that was acknowledged";
            }
            if (scene.excuses() && provesPresentBoot(world, self)) {
                return MemoizedSupervisors.NAMES[self]
                        + " holds a proof against a boot of its peer that still runs";
            }
            if (scene.rights() && leftBehind(world, self) && couldTakeOver(world, self)) {
                return MemoizedSupervisors.NAMES[self]
                        + " could still take over from a history its peer has left behind";
            }
        }
        EtcdModel a = world.nodes[0].disk;
        EtcdModel b = world.nodes[1].disk;
        if (a.replica == EtcdModel.LOG
                && b.replica == EtcdModel.LOG
                && a.epoch == b.epoch
                && a.matching(b) < Math.min(a.length, b.length)) {
            return "two different logs carry the same lineage";
        }
        return null;
    }

    private boolean provesPresentBoot(World world, int self) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        if (me.agent == 0 || !peer.on || me.bmcLied) {
            return false;
        }
        for (PeerProof proof : nodes.agent(me.agent).live().writes().wanted().proofs()) {
            if (proof instanceof PeerProof.Fenced fence
                    && fence.observed() == PowerReading.OFF
                    && fence.peerBoot().equals(MemoizedSupervisors.BOOTS[1 - self][peer.boot])) {
                return true;
            }
        }
        return false;
    }

    /** The peer went on alone, or is about to. */
    private static boolean leftBehind(World world, int self) {
        EtcdModel me = world.nodes[self].disk;
        EtcdModel peer = world.nodes[1 - self].disk;
        if (!world.nodes[self].on || peer.replica != EtcdModel.LOG || me.replica != EtcdModel.LOG) {
            return false;
        }
        if (me.epoch == peer.epoch) {
            return peer.seat == EtcdModel.SOLE;
        }
        for (int epoch = peer.epoch; epoch != 0; epoch = world.parent[epoch]) {
            if (world.parent[epoch] == me.epoch) {
                return true;
            }
        }
        return false;
    }

    /**
     * All this node needs is to fence its peer. The law that at most one node is in this position
     * is what keeps the others.
     */
    private boolean couldTakeOver(World world, int self) {
        Machine me = world.nodes[self];
        DurableState memory = memory(me).in(MemoizedSupervisors.BOOTS[self][me.boot]);
        if (!me.disk.complete
                || me.disk.seat != EtcdModel.TWO
                || !(memory.abdication() instanceof Abdication.None)
                || memory.claim() instanceof Claim.TakeOver) {
            return false;
        }
        PeerView heard =
                me.agent == 0
                        ? memory.peer()
                        : nodes.agent(me.agent).live().heard().conversation().view();
        boolean known =
                me.agent == 0
                        ? memory.peerKnownNotAhead()
                        : nodes.agent(me.agent).live().heard().conversation().peerKnownNotAhead();
        if (!(heard instanceof PeerView.FactsKnown(NodeFacts facts))
                || !(facts.replica() instanceof Replica.Intact theirs)) {
            return known;
        }
        History.Relation relation =
                History.relate(
                        new Replica.Intact(
                                AgentObservations.lineage(world, me.disk.epoch),
                                me.disk.term,
                                me.disk.length,
                                me.disk.commit,
                                Replica.MemberRole.ONE_OF_TWO,
                                true,
                                me.disk.member),
                        theirs);
        return relation == History.Relation.SAME || relation == History.Relation.MINE_AHEAD;
    }

    // ---- of single steps

    /** What this node would say now is on its disk. */
    @Nullable String told(World world, int self) {
        Machine me = world.nodes[self];
        if (me.agent == 0
                || !(nodes.messages.value(nodes.agent(me.agent).message(nodes))
                        instanceof PeerMessage.Facts(NodeFacts facts, var _))) {
            return null;
        }
        DurableState memory = memory(me);
        // A write that was reported as failed may be there all the same: more may be given up on
        // the disk than is told, but not less.
        boolean yields = !(facts.abdication() instanceof Abdication.None);
        boolean claims = facts.claim() instanceof Claim.TakeOver;
        return (!yields || facts.abdication().equals(memory.abdication()))
                        && facts.released() <= memory.released()
                        && (!claims || facts.claim().equals(memory.claim()))
                ? null
                : MemoizedSupervisors.NAMES[self] + " tells its peer what is not on its disk";
    }

    @Nullable String starts(World world, int self) {
        return world.nodes[self].stopReported
                ? "etcd on "
                        + MemoizedSupervisors.NAMES[self]
                        + " starts although Pacemaker was told that it has stopped"
                : null;
    }

    @Nullable String takesOver(World world, int self) {
        Machine me = world.nodes[self];
        Machine peer = world.nodes[1 - self];
        if (!me.disk.complete
                || me.disk.seat == EtcdModel.LEARNER
                || me.disk.seat == EtcdModel.REMOVED) {
            return MemoizedSupervisors.NAMES[self]
                    + " takes over with a replica that is not a complete voter's";
        }
        if (me.lossAccepted) {
            world.givenUp |= world.acknowledged & ~me.disk.writes();
            world.abandoned = 2 - self;
        }
        boolean yields = peer.yieldLost || !(memory(peer).abdication() instanceof Abdication.None);
        if (!peer.on || yields || me.peerEnded) {
            return null;
        }
        if (scene.excuses() && (me.bmcLied || me.personLied)) {
            cut = true;
            return null;
        }
        return scene.excuses()
                ? MemoizedSupervisors.NAMES[self]
                        + " takes over while its peer has power and has not given up its right"
                : null;
    }

    @Nullable String setsAside(World world, int self) {
        Machine me = world.nodes[self];
        Machine leader = world.nodes[1 - self];
        boolean chosen =
                memory(me).proofs().stream()
                        .anyMatch(proof ->
                                proof instanceof PeerProof.Stated stated
                                        && stated.statement()
                                                == PeerProof.Statement.KEEP_PEERS_HISTORY);
        // A leader that died with its disk a moment ago cannot be told from a living one, and
        // nothing was erased.
        if (chosen || me.disk.replica != EtcdModel.LOG || leader.disk.replica != EtcdModel.LOG) {
            return null;
        }
        if ((me.disk.writes() & world.acknowledged & ~leader.disk.writes()) != 0) {
            return MemoizedSupervisors.NAMES[self]
                    + " gives up a replica with acknowledged writes that its peer lacks";
        }
        return me.disk.complete && !leader.disk.complete
                ? MemoizedSupervisors.NAMES[self] + " gives up the only complete replica"
                : null;
    }

    @Nullable String promotes(World world, int self) {
        if (memory(world.nodes[self])
                        .claimOn(AgentObservations.replica(world, world.nodes[self].disk, true))
                instanceof Claim.TakeOver) {
            return MemoizedSupervisors.NAMES[1 - self]
                    + " gets a vote while the disk of "
                    + MemoizedSupervisors.NAMES[self]
                    + " claims that nobody else has served";
        }
        // A leader whose history a person gave up cannot know what it lacks (AS4).
        boolean excused = scene.excuses() && world.abandoned == self + 1;
        return !excused
                        && world.nodes[1 - self].disk.replica == EtcdModel.LOG
                        && missing(world, 1 - self) != 0
                ? MemoizedSupervisors.NAMES[1 - self]
                        + " gets a vote before it holds every acknowledged write"
                : null;
    }

    @Nullable String marks(World world, int self) {
        boolean excused = scene.excuses() && world.abandoned != 0;
        return !excused && missing(world, self) != 0
                ? "the replica of "
                        + MemoizedSupervisors.NAMES[self]
                        + " is marked as complete without an acknowledged write"
                : null;
    }

    /** A healthy server is ended. */
    @Nullable String ends(World world, int self) {
        Machine me = world.nodes[self];
        boolean unseen = me.blind || me.looksHang;
        boolean works = world.leader != 0 && world.paired();
        boolean asked = me.stopping || !me.started;
        return !asked && works && (unseen || scene.healthy())
                ? "etcd on " + MemoizedSupervisors.NAMES[self] + " is ended although it works"
                : null;
    }
}
