package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.host.etcd.EtcdProcess.EtcdObservation;
import dev.tandem.host.etcd.EtcdProcess.Figures;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdApi.Status;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation of what a look at etcd gave, and remembers what the next one needs: the last
 * role and replica, what lies on the disk, and how long the server has been silent. Not for several
 * threads: {@link SystemdEtcd} calls it under its lock.
 */
final class EtcdObserver {
    private final ReplicaDirectory directory;
    private final PendingLineage founding;
    private final HangDetector pulse =
            new HangDetector(HangDetector::processorTimeOf, System::nanoTime);
    private final ReadProbe store;

    private @Nullable ReplicaState onDisk;
    private boolean startedSince;
    private @Nullable Replica lastReplica;
    private EtcdState lastServer = EtcdState.UNSEEN;
    private Figures figures = Figures.NONE;

    EtcdObserver(
            ReplicaDirectory directory, PendingLineage founding, EtcdApi own, Runnable changed) {
        this.directory = directory;
        this.founding = founding;
        this.store = new ReadProbe(own, changed);
    }

    /** Whether the last look was not answered. */
    boolean silent() {
        return pulse.silent();
    }

    /** Whether the last look saw a leader. */
    boolean serves() {
        return lastServer.serves();
    }

    EtcdObservation starting(long generation, String words) {
        return new EtcdObservation(
                generation,
                EtcdState.LEADERLESS,
                lastReplica(),
                true,
                false,
                List.of(),
                figures,
                words);
    }

    /**
     * It was ordered to start, has no process, and systemd does not say more. Whoever gives orders
     * has one under way, since systemd may still carry it out; that it runs is not said.
     */
    EtcdObservation ordered(long generation, String words) {
        return new EtcdObservation(
                generation,
                EtcdState.LEADERLESS,
                lastReplica(),
                true,
                true,
                List.of(),
                figures,
                words);
    }

    EtcdObservation unanswered(long generation, long pid, String words) {
        boolean hung = pulse.unanswered(pid);
        return new EtcdObservation(
                generation,
                hung ? EtcdState.HUNG : lastServer,
                lastReplica(),
                false,
                true,
                List.of(),
                figures,
                words);
    }

    /**
     * Its no is a sign of life and tells nothing else: a certificate it does not take, a port it
     * has just closed. It may serve everybody but us.
     */
    EtcdObservation refuses(long generation, String words) {
        pulse.answered();
        lastServer = EtcdState.UNSEEN;
        return unseen(generation, words);
    }

    EtcdObservation unseen(long generation, String words) {
        return new EtcdObservation(
                generation,
                EtcdState.UNSEEN,
                lastReplica(),
                false,
                true,
                List.of(),
                figures,
                words);
    }

    EtcdObservation hung(long generation, String words) {
        return new EtcdObservation(
                generation, EtcdState.HUNG, lastReplica(), false, true, List.of(), figures, words);
    }

    EtcdObservation stopped(long generation) {
        ReplicaState state;
        try {
            state = withLineageOfFounding(asStopped());
        } catch (Failure e) {
            return unreadable(generation, e);
        }
        onDisk = state;
        figures = new Figures(state.databaseBytes(), state.log().bytes(), 0, figures.version());
        Replica replica = state.replica();
        lastReplica = replica;
        return new EtcdObservation(
                generation,
                EtcdState.STOPPED,
                replica,
                false,
                false,
                List.of(),
                figures,
                "etcd is stopped",
                CommitTail.wholeLog(state.log()));
    }

    /**
     * The server has ended and its disk cannot be read: that is told, and not kept. Saying nothing
     * would leave everybody with the last server that was seen.
     */
    private EtcdObservation unreadable(long generation, Failure e) {
        return new EtcdObservation(
                generation,
                EtcdState.STOPPED,
                new Replica.Damaged(e.why()),
                false,
                false,
                List.of(),
                figures,
                "etcd is stopped");
    }

    EtcdObservation answered(long generation, Status status, List<Member> members) {
        pulse.answered();
        store.ask();
        return store.stalled()
                ? hung(generation, "its database has not answered for " + ReadProbe.STALLED)
                : seen(generation, status, members);
    }

    private EtcdObservation seen(long generation, Status status, List<Member> members) {
        EtcdState server =
                status.leader().isNone()
                        ? EtcdState.LEADERLESS
                        : status.isLeader() ? EtcdState.LEADING : EtcdState.FOLLOWING;
        lastServer = server;
        figures =
                new Figures(
                        status.dbBytes(), figures.logBytes(), status.revision(), status.version());
        ReplicaState state = directoryState();
        if (state.lineage() instanceof LineageFile.Absent) {
            state = foundedAs(status.cluster().toString(), state);
        }
        long voters = members.stream().filter(member -> !member.learner()).count();
        boolean listed = members.stream().anyMatch(member -> member.id().equals(status.member()));
        MemberRole role =
                status.learner() ? MemberRole.LEARNER : listed ? role(voters) : MemberRole.REMOVED;
        Replica replica =
                state.lineage() instanceof LineageFile.Known(Lineage lineage)
                        ? new Replica.Intact(
                                lineage,
                                status.term(),
                                status.committed(),
                                status.committed(),
                                role,
                                state.incomplete().isEmpty()
                                        && role != MemberRole.LEARNER
                                        && role != MemberRole.REMOVED,
                                status.member().bits())
                        : new Replica.Damaged("the replica has no readable lineage");
        lastReplica = replica;
        return new EtcdObservation(
                generation,
                server,
                replica,
                false,
                false,
                members,
                figures,
                String.join("; ", status.errors()));
    }

    private static MemberRole role(long voters) {
        return voters == 1
                ? MemberRole.SOLE
                : voters == 2 ? MemberRole.ONE_OF_TWO : MemberRole.ONE_OF_MANY;
    }

    /** Lineage and mark beside the data, as they were when the server was started. */
    private ReplicaState directoryState() {
        // An agent that was restarted while etcd ran on has to read it.
        return readOnce();
    }

    private Replica lastReplica() {
        Replica known = lastReplica;
        if (known == null) {
            try {
                known = withLineageOfFounding(directoryState()).replica();
            } catch (Failure e) {
                return new Replica.Damaged(e.why());
            }
            lastReplica = known;
        }
        return known;
    }

    private ReplicaState withLineageOfFounding(ReplicaState state) {
        return state.log().usable() && state.lineage() instanceof LineageFile.Absent
                ? foundedAs(state.log().cluster().toString(), state)
                : state;
    }

    /** Gives the first cluster its lineage, as soon as its id is known. */
    private ReplicaState foundedAs(String clusterId, ReplicaState state) {
        if (!founding.becomeLineage(clusterId)) {
            return state;
        }
        ReplicaState now = directory.inspect();
        onDisk = now;
        return now;
    }

    /** The data directory has changed, and has to be read again. */
    void forgetDisk() {
        onDisk = null;
    }

    /**
     * What lies on the disk of a stopped server. A server that was started since it was read may
     * have written, also if nobody saw its process.
     */
    ReplicaState asStopped() {
        if (startedSince) {
            onDisk = null;
            startedSince = false;
        }
        return readOnce();
    }

    /**
     * What lies beside the data, which a server does not change; read where it is not known yet.
     */
    private ReplicaState readOnce() {
        ReplicaState state = onDisk;
        if (state == null) {
            state = directory.inspect();
            onDisk = state;
        }
        return state;
    }

    /** A start is about to be ordered on these data. */
    void starts(ReplicaState state) {
        onDisk = state;
        startedSince = true;
        lastReplica = state.replica();
        lastServer = EtcdState.LEADERLESS;
        newServer();
    }

    /** The process has ended. */
    void ended() {
        newServer();
        onDisk = null;
        startedSince = false;
    }

    private void newServer() {
        pulse.answered();
        store.forget();
    }

    /** The mark of an incomplete replica was taken away. */
    void completed() {
        ReplicaState state = onDisk;
        if (state != null) {
            onDisk =
                    new ReplicaState(
                            state.log(),
                            state.lineage(),
                            Optional.empty(),
                            state.databaseBytes(),
                            state.freeBytes());
        }
    }
}
