package dev.tandem.core.check;

import dev.tandem.core.decision.LeaderDecision.Listed;
import dev.tandem.core.decision.WholeLog;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.supervise.Membership;
import dev.tandem.core.supervise.ServerObservation;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What an agent sees of the world: its own etcd and Corosync. */
final class AgentObservations {
    private static final Replica.MemberRole[] ROLES = {
        Replica.MemberRole.ONE_OF_TWO,
        Replica.MemberRole.SOLE,
        Replica.MemberRole.LEARNER,
        Replica.MemberRole.REMOVED
    };
    private static final Map<Long, Lineage> LINEAGES = new ConcurrentHashMap<>();

    private AgentObservations() {}

    static ServerObservation etcd(World world, int self, long generation) {
        Machine me = world.nodes[self];
        EtcdModel disk = me.disk;
        EtcdState server = server(world, self);
        boolean answers = server.serves() || (server == EtcdState.LEADERLESS && !disk.starting);
        return new ServerObservation(
                generation,
                server,
                replica(world, disk, answers),
                disk.server == EtcdModel.RUNNING && disk.starting && server != EtcdState.UNSEEN,
                server == EtcdState.HUNG || server == EtcdState.UNSEEN,
                answers ? listed(disk) : new Listed.Nowhere(),
                disk.server == EtcdModel.STOPPED
                        ? wholeLog(world, self)
                        : WholeLog.CAN_BE_COMMITTED,
                0,
                0,
                "");
    }

    static EtcdState server(World world, int self) {
        Machine me = world.nodes[self];
        EtcdModel disk = me.disk;
        if (!me.on || disk.server == EtcdModel.STOPPED) {
            return EtcdState.STOPPED;
        }
        if (disk.server == EtcdModel.HUNG) {
            return EtcdState.HUNG;
        }
        if (me.blind) {
            return EtcdState.UNSEEN;
        }
        if (disk.server == EtcdModel.STUCK) {
            return disk.stuckLeading ? EtcdState.LEADING : EtcdState.FOLLOWING;
        }
        if (disk.starting) {
            return EtcdState.LEADERLESS;
        }
        if (world.leads(self)) {
            return EtcdState.LEADING;
        }
        return world.leader == 2 - self || world.taught(self)
                ? EtcdState.FOLLOWING
                : EtcdState.LEADERLESS;
    }

    /** A server that answers tells what is committed; the end of a log is known when it stopped. */
    static Replica replica(World world, EtcdModel disk, boolean answers) {
        return switch (disk.replica) {
            case EtcdModel.MISSING -> new Replica.Missing();
            case EtcdModel.DAMAGED -> new Replica.Damaged("checksum");
            default ->
                    new Replica.Intact(
                            lineage(world, disk.epoch),
                            disk.term,
                            answers ? disk.commit : disk.length,
                            disk.commit,
                            ROLES[disk.seat],
                            disk.complete
                                    && disk.seat != EtcdModel.LEARNER
                                    && disk.seat != EtcdModel.REMOVED,
                            disk.member);
        };
    }

    private static Listed listed(EtcdModel disk) {
        return switch (disk.seat) {
            case EtcdModel.TWO -> new Listed.Voter(disk.peerMember);
            case EtcdModel.SOLE ->
                    disk.learnerListed ? new Listed.Learner(disk.peerMember) : new Listed.Nowhere();
            default -> new Listed.Nowhere();
        };
    }

    private static WholeLog wholeLog(World world, int self) {
        EtcdModel disk = world.nodes[self].disk;
        return disk.replica == EtcdModel.LOG
                        && disk.last(EtcdModel.REMOVAL) > disk.commit
                        && world.removed == self
                ? WholeLog.REMOVES_THIS_NODE
                : WholeLog.CAN_BE_COMMITTED;
    }

    static Lineage lineage(World world, int epoch) {
        long key = epoch == 0 ? 0 : 1;
        for (int e = epoch; e != 0; e = world.parent[e]) {
            key =
                    (key << 9)
                            | ((long) world.fork[e] << 4)
                            | ((long) world.founder[e] << 3)
                            | world.founderBoot[e];
        }
        Lineage known = LINEAGES.get(key);
        if (known == null) {
            known =
                    epoch == 0
                            ? Lineage.installed(
                                    "tandem",
                                    MemoizedSupervisors.NAMES[0],
                                    MemoizedSupervisors.BOOTS[0][0])
                            : lineage(world, world.parent[epoch])
                                    .takenOver(
                                            MemoizedSupervisors.NAMES[world.founder[epoch]],
                                            MemoizedSupervisors.BOOTS[world.founder[epoch]][
                                                    world.founderBoot[epoch]],
                                            world.fork[epoch]);
            LINEAGES.put(key, known);
        }
        return known;
    }

    /** The epoch of this lineage; -1 if no node has founded it. */
    static int epoch(World world, Lineage lineage) {
        for (int epoch = 0; epoch < world.epochs; epoch++) {
            if (lineage(world, epoch).equals(lineage)) {
                return epoch;
            }
        }
        return -1;
    }

    static Membership corosync(Machine me) {
        return new Membership(true, me.sees, me.met || me.waitLifted, !me.met && !me.waitLifted);
    }
}
