package dev.tandem.host.etcd;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.Commands;
import dev.tandem.host.Linux;
import dev.tandem.host.Systemd;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdApi.Status;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * etcd in its unit. Two things are pushed rather than asked for: that the process has ended (by the
 * kernel, through a descriptor of the process) and that the server is ready (by systemd, which etcd
 * notifies). Everything else is asked when somebody looks.
 */
public final class SystemdEtcd implements EtcdProcess {
    /** Replicas kept of those that the current one contains. */
    private static final int KEPT = 2;

    /** An order to start that systemd has not come to by then is not counted on. */
    private static final Duration START_PENDING = Duration.ofSeconds(20);

    /** Longer than any database takes to be loaded; the wait costs one sleeping thread. */
    private static final Duration READY = Duration.ofMinutes(30);

    private static final String WAITS = "etcd has started and waits for a leader";

    private static final String JUMPS =
            "the revision of etcd's store is being raised before anybody is served";

    private static final String ACCEPTED = "a person has accepted that writes are lost";

    private static final String NOT_CARRIED_OUT =
            "etcd is not running here: systemd does not answer and has not started it";

    private final EtcdConfig config;
    private final Supplier<Adjustable> adjustable;
    private final EtcdUnitFile unit;
    private final ReplicaDirectory directory;
    private final EtcdApi own;
    private final ElectionTrigger election;
    private final RevisionJump jump;
    private final Systemd systemd;
    private final Runnable changed;
    private final LongConsumer unheard;
    private final StartPreparation preparation;
    private final EtcdTermination termination;
    private final EtcdObserver observer;
    private final MetricsPort figures;

    private long generation;
    private long pid;
    private boolean ready;
    private boolean leftOver;

    /**
     * The end of the last server was seen, and no other was started: only a permit of this agent
     * starts one. So it is not there, whether or not systemd says so.
     */
    private boolean sawItEnd;

    /** Nobody was told of that end yet. */
    private boolean untold;

    /**
     * A start was ordered, no process of it was seen, and systemd has not said that it is over. A
     * systemd that hangs may still carry it out, however late.
     */
    private boolean unconfirmed;

    /** The revision is being raised; a server of ours has the data meanwhile. */
    private volatile boolean jumping;

    private boolean cannotBeEnded;
    private long orderedAt;

    /** The start after which the peer was last seen to lead. */
    private long followed = -1;

    /**
     * What a plan may change while this runs; it counts from the next start of the server.
     *
     * @param normal of a server that has a peer
     */
    public record Adjustable(EtcdConfig.Limits limits, Timing normal) {}

    /**
     * @param config addresses, ports and certificates; its limits give way to the adjustable ones
     * @param adjustable asked once for each start
     * @param changed called from any thread when the server has ended or become ready
     * @param unheard called from any thread, with the number of the start, when a learner misses
     *     its own announcement
     */
    public SystemdEtcd(
            NodeName self,
            BootId boot,
            EtcdConfig config,
            Supplier<Adjustable> adjustable,
            EtcdUnitFile unit,
            ReplicaDirectory directory,
            EtcdApi own,
            EtcdApi peer,
            ElectionTrigger election,
            RevisionJump jump,
            Commands commands,
            Runnable changed,
            LongConsumer unheard) {
        this.config = config;
        this.adjustable = adjustable;
        this.unit = unit;
        this.directory = directory;
        this.own = own;
        this.election = election;
        this.jump = jump;
        this.systemd = new Systemd(commands);
        this.changed = changed;
        this.unheard = unheard;
        PendingLineage founding = new PendingLineage(directory);
        this.preparation = new StartPreparation(self, boot, config, directory, founding, peer);
        this.termination = new EtcdTermination(unit, systemd);
        this.observer = new EtcdObserver(directory, founding, own, changed);
        this.figures = new MetricsPort(config.metricsUrl());
    }

    /**
     * A permit that an agent left behind is decided on what was known then. Called before anything
     * is decided here.
     */
    public synchronized void withdrawLeftOver() {
        leftOver = unit.withdrawLeftOver() == EtcdUnitFile.LeftOver.UNKNOWN;
    }

    @Override
    public EtcdObservation look() {
        long asked;
        boolean starting;
        boolean silentBefore;
        synchronized (this) {
            if (jumping) {
                return observer.starting(generation, JUMPS);
            }
            if (leftOver) {
                // systemd did not say whether it is in use.
                withdrawLeftOver();
            }
            if (pid == 0 && untold) {
                // The kernel has told it. A systemd that hangs would be waited for, and its server
                // be called a running one meanwhile.
                return stopped();
            }
            if ((pid == 0 || !ready) && !readUnit() && pid == 0 && !sawItEnd) {
                return unconfirmed && !unit.hasProcess()
                        ? observer.ordered(generation, NOT_CARRIED_OUT)
                        : observer.unseen(generation, "systemd does not say whether it runs");
            }
            if (pid == 0 && !startPending()) {
                return stopped();
            }
            if (cannotBeEnded) {
                return observer.hung(generation, "its process outlived SIGKILL");
            }
            if (pid == 0) {
                return observer.starting(generation, WAITS);
            }
            starting = !ready;
            asked = generation;
            silentBefore = observer.silent();
        }
        // Not under the lock: a hung server must not keep others from stopping it.
        EtcdAnswer<Status> answer = own.status(HangDetector.ANSWER);
        EtcdAnswer<List<Member>> listed = membersFor(answer);
        boolean waited = answer.timedOut() || listed.timedOut();
        // What keeps us from its port need not keep its clients from it, nor its peer.
        boolean moves = waited && silentBefore && !starting && figures.answers();
        synchronized (this) {
            if (generation != asked || pid == 0) {
                return pid == 0 && !startPending()
                        ? stopped()
                        : observer.starting(generation, "etcd was just started");
            }
            if (answer instanceof EtcdAnswer.Ok<Status>(Status status)
                    && listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> list)
                    // One that serves does so whatever holds its unit back: a program of the
                    // administrator's after the start, or systemd itself.
                    && (!starting || !status.leader().isNone())) {
                forgetOwedJump(status, list);
                return observer.answered(generation, status, list);
            }
            if (starting) {
                return observer.starting(generation, WAITS);
            }
            String words = answer.isOk() ? listed.words() : answer.words();
            if (moves) {
                return observer.refuses(generation, words + "; on the loopback it answers");
            }
            return waited
                    ? observer.unanswered(generation, pid, words)
                    : observer.refuses(generation, words);
        }
    }

    /**
     * A note that a jump is owed has lost its reason when the peer leads and both vote: what both
     * have goes on. It is looked for once in the life of a server.
     */
    private void forgetOwedJump(Status status, List<Member> members) {
        boolean goesOnWithPeer =
                !status.leader().isNone()
                        && !status.isLeader()
                        && !status.learner()
                        && members.stream().filter(member -> !member.learner()).count() == 2;
        if (!goesOnWithPeer || followed == generation) {
            return;
        }
        followed = generation;
        try {
            if (directory.owesRevisionJump()) {
                directory.revisionNeedsNoJump();
            }
        } catch (Failure e) {
            // It costs the next take-over a jump that nobody needs.
            UnexpectedErrors.log("forgetting an owed jump of the revision", e);
        }
    }

    private EtcdObservation stopped() {
        untold = false;
        unconfirmed = false;
        return observer.stopped(generation);
    }

    /** A learner tells its status and refuses to list the members (etcd 3.5 and 3.6). */
    private EtcdAnswer<List<Member>> membersFor(EtcdAnswer<Status> answer) {
        return answer.flatMap(status ->
                status.learner()
                        ? new EtcdAnswer.Ok<>(List.of())
                        : own.members(Consistency.SERIALIZABLE, HangDetector.ANSWER));
    }

    /** Whether the next look should not wait: the last one was not answered. */
    public synchronized boolean silent() {
        return observer.silent();
    }

    /** Whether the last look saw a leader. */
    public synchronized boolean serves() {
        return pid != 0 && ready && observer.serves();
    }

    /** False if systemd did not answer: then nothing is known, and least of all that it is gone. */
    private boolean readUnit() {
        EtcdUnitFile.State state = unit.state();
        if (!state.known()) {
            return false;
        }
        ready = state.ready();
        cannotBeEnded = state.cannotBeEnded();
        if (state.mainPid() != pid) {
            pid = state.mainPid();
            if (pid > 0) {
                sawItEnd = false;
                unconfirmed = false;
                watch(pid);
            }
        }
        return true;
    }

    /** Ordered, and systemd has not come to it yet. */
    private boolean startPending() {
        return orderedAt != 0 && System.nanoTime() - orderedAt < START_PENDING.toNanos();
    }

    private void watch(long process) {
        Thread.ofPlatform()
                .daemon()
                .name("etcd-" + process)
                .start(() -> {
                    Linux.awaitEnd(process);
                    ended(process);
                });
    }

    private void ended(long process) {
        synchronized (this) {
            if (pid != process) {
                return;
            }
            forgetServer();
            sawItEnd = true;
            untold = true;
        }
        changed.run();
    }

    private void forgetServer() {
        pid = 0;
        ready = false;
        cannotBeEnded = false;
        unconfirmed = false;
        orderedAt = 0;
        observer.ended();
    }

    @Override
    public synchronized long generation() {
        return generation;
    }

    @Override
    public boolean owesRevisionJump() {
        return directory.owesRevisionJump();
    }

    /** Not under the lock: Pacemaker waits for the answer, and a join may hold it for a minute. */
    @Override
    public boolean raisesRevision() {
        return jumping;
    }

    @Override
    public void startInPlace(boolean lossAccepted) {
        synchronized (this) {
            ReplicaState read = observer.asStopped();
            if (lossAccepted) {
                directory.oweRevisionJump(ACCEPTED);
            }
            // One of two voters serves nobody without its peer, and goes on from what that has.
            if (!read.votesAlone() || !directory.owesRevisionJump()) {
                start(new EtcdConfig.InPlace(), read, _ -> {});
                return;
            }
            unit.awaitRest();
            refuseTakeOver(read);
        }
        jumpAndStart();
    }

    @Override
    public void takeOver(Lineage lineage, long readAt, boolean lossAccepted) {
        synchronized (this) {
            if (generation != readAt || pid != 0) {
                throw new Failure(
                        "cannot take over with this replica",
                        "etcd was started or stopped since its log was read",
                        "no action needed; this is retried automatically");
            }
            ReplicaState read = observer.asStopped();
            // Before anything is written: an epoch that nobody can serve has the peer stand down.
            refuseTakeOver(read);
            refuseIfCancelled();
            if (lossAccepted) {
                // Before the lineage, with which the new epoch begins and the statement is over.
                directory.oweRevisionJump(ACCEPTED);
            }
            boolean jumps = directory.owesRevisionJump();
            boolean started = false;
            try {
                StartPreparation.TakenOver over = preparation.takeOver(lineage, read);
                if (!jumps) {
                    start(
                            new EtcdConfig.TakeOver(),
                            over.after(),
                            _ ->
                                    election.call(
                                            over.after().log().cluster(),
                                            over.after().log().node()));
                    started = true;
                    return;
                }
            } finally {
                if (!started) {
                    observer.forgetDisk();
                }
            }
            unit.awaitRest();
        }
        jumpAndStart();
    }

    /**
     * The jump ends with this node as the only voter, and the start is one in place. Not under the
     * lock while that takes its time; no order is given meanwhile.
     */
    private void jumpAndStart() {
        synchronized (this) {
            generation++;
            jumping = true;
        }
        try {
            jump.carryOut();
        } finally {
            synchronized (this) {
                generation++;
                jumping = false;
                observer.forgetDisk();
            }
        }
        synchronized (this) {
            start(new EtcdConfig.InPlace(), observer.asStopped(), _ -> {});
        }
    }

    @Override
    public synchronized void bootstrap() {
        EtcdConfig.Bootstrap mode = preparation.bootstrap();
        observer.forgetDisk();
        start(mode, observer.asStopped(), _ -> {});
    }

    @Override
    public synchronized void join(Lineage leaders, boolean keepData) {
        if (keepData) {
            start(new EtcdConfig.InPlace(), observer.asStopped(), _ -> {});
            return;
        }
        refuseIfCancelled();
        EtcdConfig.Join join;
        try {
            join = preparation.join(leaders);
        } finally {
            observer.forgetDisk();
        }
        start(join, observer.asStopped(), this::watchAnnouncement);
    }

    private void watchAnnouncement(long asked) {
        try (PublishStallDetector announcement = new PublishStallDetector(config)) {
            if (announcement.await()) {
                unheard.accept(asked);
            }
        } catch (InterruptedException e) {
            // The server is ready or gone, and the thread ends here.
        }
    }

    /**
     * @param data what lies on the disk, as it was read or as it was changed since
     * @param meanwhile done beside the start, whose number it is told, and interrupted when that
     *     has come to its end
     */
    private void start(EtcdConfig.Mode mode, ReplicaState data, LongConsumer meanwhile) {
        Adjustable now = adjustable.get();
        unit.install(config);
        unit.awaitRest();
        refuseIfCancelled();
        unit.permit(config.with(now.limits()), mode, now.normal(), directory, data);
        leftOver = false;
        boolean hadEnded = sawItEnd;
        sawItEnd = false;
        untold = false;
        unconfirmed = true;
        observer.starts(data);
        generation++;
        orderedAt = System.nanoTime();
        try {
            unit.start();
        } catch (Failure e) {
            // Whatever a systemd that did not answer makes of it later, it finds no permit; so one
            // that had ended still has, and is not unknown for as long as systemd hangs.
            if (unit.withdraw()) {
                forgetServer();
                sawItEnd = hadEnded;
            }
            throw e;
        }
        ready = false;
        long ordered = generation;
        Thread beside =
                Thread.ofVirtual().name("etcd-start").start(() -> meanwhile.accept(ordered));
        Thread.ofVirtual().name("etcd-ready").start(() -> awaitReady(ordered, beside));
    }

    private void refuseTakeOver(ReplicaState read) {
        Adjustable now = adjustable.get();
        unit.refuseTakeOver(config.with(now.limits()), now.normal(), read);
    }

    private static void refuseIfCancelled() {
        if (Thread.currentThread().isInterrupted()) {
            throw new Failure(
                    "etcd is not started",
                    "the order timed out and was cancelled",
                    "no action needed; this is retried automatically");
        }
    }

    /** systemd ends this command when the job has: etcd is ready, or has failed. */
    private void awaitReady(long ordered, Thread beside) {
        systemd.start(READY, EtcdUnitFile.NAME);
        beside.interrupt();
        synchronized (this) {
            if (generation == ordered) {
                orderedAt = 0;
            }
        }
        changed.run();
    }

    @Override
    public void end(boolean atOnce, Duration limit) {
        long process;
        boolean watched;
        synchronized (this) {
            generation++;
            boolean _ = unit.withdraw();
            watched = pid > 0;
            process = watched ? pid : unit.state().mainPid();
        }
        termination.end(process, atOnce, limit);
        synchronized (this) {
            // If its end was seen first, it is forgotten already, and its log may have been read.
            if (!watched || pid != 0) {
                forgetServer();
            }
        }
    }

    @Override
    public void markComplete() {
        // Not under the lock, which everybody needs who looks at etcd or ends it. No order is given
        // meanwhile.
        directory.markComplete();
        synchronized (this) {
            observer.completed();
        }
        // Old replicas are large, and nobody waits for them to be gone.
        Thread.ofVirtual().name("prune").start(this::prune);
    }

    private void prune() {
        try {
            directory.prune(KEPT);
        } catch (RuntimeException e) {
            UnexpectedErrors.log("deleting replicas that are kept no longer", e);
        }
    }
}
