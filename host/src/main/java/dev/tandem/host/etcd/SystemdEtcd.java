package dev.tandem.host.etcd;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.peer.EtcdState;
import dev.tandem.core.replica.Lineage;
import dev.tandem.core.replica.Replica;
import dev.tandem.core.replica.Replica.MemberRole;
import dev.tandem.host.Commands;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.Linux;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.etcd.EtcdConfig.Timing;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdApi.Status;
import dev.tandem.host.etcd.wal.ReplicaLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * etcd in its unit. Two things are pushed rather than asked for: that the process has ended (by the
 * kernel, through a descriptor of the process) and that the server is ready (by systemd, which etcd
 * notifies). Everything else is asked when somebody looks.
 */
public final class SystemdEtcd implements EtcdProcess {
    /** For the peer's list of members, which needs a majority. */
    private static final Duration ANSWER = Duration.ofSeconds(2);

    /** Replicas kept of those that the current one contains. */
    private static final int KEPT = 2;

    /** etcd allocates its log in segments of 64 MB, one ahead of what it writes to. */
    private static final long LOG_BYTES = 128L << 20;

    private static final Duration SYSTEMCTL = Duration.ofSeconds(20);
    private static final Duration UNIT_POLL = Duration.ofMillis(20);

    /** Longer than any database takes to be loaded; the wait costs one sleeping thread. */
    private static final Duration READY = Duration.ofMinutes(30);

    /** Beside etcd's own files while the first cluster of this site has no lineage yet. */
    private static final String FOUNDING = "founding";

    private final NodeName self;
    private final BootId boot;
    private final EtcdConfig config;
    private final Timing normal;
    private final EtcdUnitFile unit;
    private final ReplicaDirectory directory;
    private final EtcdApi own;
    private final EtcdApi peer;
    private final ElectionNudge election;
    private final Commands commands;
    private final Runnable changed;
    private final LongConsumer unheard;
    private final HangDetector pulse =
            new HangDetector(HangDetector::processorTimeOf, System::nanoTime);
    private final ReadProbe store;

    private long generation;
    private long pid;
    private boolean ready;
    private boolean cannotBeEnded;
    private long orderedAt;
    private @Nullable ReplicaState onDisk;
    private @Nullable Replica lastReplica;
    private EtcdState lastServer = EtcdState.UNSEEN;
    private Figures figures = Figures.NONE;

    /**
     * @param changed called from any thread when the server has ended or become ready
     * @param unheard called from any thread, with the number of the start, when a learner misses
     *     its own announcement
     */
    public SystemdEtcd(
            NodeName self,
            BootId boot,
            EtcdConfig config,
            Timing normal,
            EtcdUnitFile unit,
            ReplicaDirectory directory,
            EtcdApi own,
            EtcdApi peer,
            ElectionNudge election,
            Commands commands,
            Runnable changed,
            LongConsumer unheard) {
        this.self = self;
        this.boot = boot;
        this.config = config;
        this.normal = normal;
        this.unit = unit;
        this.directory = directory;
        this.own = own;
        this.peer = peer;
        this.election = election;
        this.commands = commands;
        this.changed = changed;
        this.unheard = unheard;
        this.store = new ReadProbe(own, changed);
    }

    /**
     * A permit that an agent left behind is decided on what was known then. Called before anything
     * is decided here.
     */
    public synchronized void withdrawLeftOver() {
        EtcdUnitFile.LeftOver found = unit.withdrawLeftOver();
        if (found == EtcdUnitFile.LeftOver.UNKNOWN) {
            UnexpectedErrors.log(
                    "withdrawing a permit that was left",
                    new IllegalStateException("systemd does not say whether etcd is starting"));
        }
    }

    @Override
    public EtcdObservation look() {
        long asked;
        synchronized (this) {
            if ((pid == 0 || !ready) && !readUnit() && pid == 0) {
                return unseen("systemd does not say whether it runs");
            }
            if (pid == 0 && !startPending()) {
                return stopped();
            }
            if (cannotBeEnded) {
                return hung("its process outlived SIGKILL");
            }
            if (!ready) {
                return starting("etcd has started and waits for a leader");
            }
            asked = generation;
        }
        // Not under the lock: a hung server must not keep others from stopping it.
        long before = System.nanoTime();
        EtcdAnswer<Status> answer = own.status(HangDetector.ANSWER);
        EtcdAnswer<List<Member>> listed = membersFor(answer);
        boolean waited = System.nanoTime() - before >= HangDetector.ANSWER.toNanos();
        synchronized (this) {
            if (generation != asked || pid == 0) {
                return pid == 0 && !startPending() ? stopped() : starting("etcd was just started");
            }
            if (answer instanceof EtcdAnswer.Ok<Status>(Status status)
                    && listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> list)) {
                pulse.answered();
                store.ask();
                return store.stalled()
                        ? hung("its database has not answered for " + ReadProbe.STALLED)
                        : seen(status, list);
            }
            String words = answer.isOk() ? listed.words() : answer.words();
            return waited ? silent(words) : refuses(words);
        }
    }

    /** A learner tells its status and refuses to list the members (etcd 3.5 and 3.6). */
    private EtcdAnswer<List<Member>> membersFor(EtcdAnswer<Status> answer) {
        return answer.flatMap(status ->
                status.learner()
                        ? new EtcdAnswer.Ok<>(List.of())
                        : own.members(Consistency.SERIALIZABLE, HangDetector.ANSWER));
    }

    private EtcdObservation starting(String words) {
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

    /** Whether the next look should not wait: the last one was not answered. */
    public synchronized boolean silent() {
        return pulse.silent();
    }

    /** Whether the last look saw a leader. */
    public synchronized boolean serves() {
        return pid != 0 && ready && lastServer.serves();
    }

    private EtcdObservation silent(String words) {
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
    private EtcdObservation refuses(String words) {
        pulse.answered();
        lastServer = EtcdState.UNSEEN;
        return unseen(words);
    }

    private EtcdObservation unseen(String words) {
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

    private EtcdObservation hung(String words) {
        return new EtcdObservation(
                generation, EtcdState.HUNG, lastReplica(), false, true, List.of(), figures, words);
    }

    private EtcdObservation stopped() {
        ReplicaState state = onDisk;
        if (state == null) {
            state = directory.inspect();
            state = withLineageOfFounding(state);
            onDisk = state;
        }
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
                "etcd is stopped");
    }

    private EtcdObservation seen(Status status, List<Member> members) {
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

    /** Lineage and mark beside the data, as they were when the server was started. */
    private ReplicaState directoryState() {
        ReplicaState state = onDisk;
        if (state == null) {
            // An agent that was restarted while etcd ran on.
            state = directory.inspect();
            onDisk = state;
        }
        return state;
    }

    private Replica lastReplica() {
        Replica known = lastReplica;
        if (known == null) {
            known = withLineageOfFounding(directoryState()).replica();
            lastReplica = known;
        }
        return known;
    }

    private static MemberRole role(long voters) {
        return voters == 1
                ? MemberRole.SOLE
                : voters == 2 ? MemberRole.ONE_OF_TWO : MemberRole.ONE_OF_MANY;
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
                watch(pid);
            }
        }
        return true;
    }

    /** Ordered, and systemd has not come to it yet. */
    private boolean startPending() {
        return orderedAt != 0 && System.nanoTime() - orderedAt < SYSTEMCTL.toNanos();
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
        }
        changed.run();
    }

    private void forgetServer() {
        pid = 0;
        ready = false;
        cannotBeEnded = false;
        newServer();
        orderedAt = 0;
        onDisk = null;
    }

    private void newServer() {
        pulse.answered();
        store.forget();
    }

    @Override
    public synchronized void startInPlace() {
        start(new EtcdConfig.InPlace(), normal);
    }

    @Override
    public synchronized void takeOver(Lineage lineage) {
        directory.writeLineage(lineage);
        CommitTail tail = new CommitTail(directory.current());
        CommitTail.Plan plan = tail.plan();
        switch (plan) {
            case CommitTail.NothingToDo _ -> {}
            case CommitTail.Append append -> tail.carryOut(append);
            case CommitTail.Refused(ReplicaLog _, String why, String remedy) ->
                    throw new Failure("cannot take over with this replica", why, remedy);
        }
        ReplicaLog log = plan.log();
        start(new EtcdConfig.TakeOver(), normal, _ -> election.call(log.cluster(), log.node()));
    }

    @Override
    public synchronized void found() {
        directory.prepare();
        try {
            DurableFiles.write(directory.current().resolve(FOUNDING), self + "\n" + boot + "\n");
        } catch (IOException e) {
            throw new Failure(
                    "cannot create a cluster in " + directory.current(),
                    IoErrors.words(e),
                    "check free space and permissions of its directory",
                    e);
        }
        start(new EtcdConfig.Found(UUID.randomUUID().toString()), normal);
    }

    @Override
    public synchronized void join(Lineage leaders, boolean keepData) {
        if (keepData) {
            start(new EtcdConfig.InPlace(), normal);
            return;
        }
        EtcdAnswer<List<Member>> listed = peer.members(Consistency.LINEARIZABLE, ANSWER);
        if (!(listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> members))) {
            throw new Failure(
                    "cannot join " + peer.endpoint(),
                    "its member list cannot be read: " + listed.words(),
                    "no action needed; this is retried automatically");
        }
        makeRoom();
        directory.setAside("joined again");
        directory.prunePartial(1);
        directory.prepare();
        directory.markIncomplete("learns from the peer since it joined");
        directory.writeLineage(leaders);
        onDisk = null;
        start(
                new EtcdConfig.Join(
                        members.stream()
                                .filter(member -> !member.peerUrls().contains(config.peerUrl()))
                                .toList()),
                normal,
                this::watchAnnouncement);
    }

    private void watchAnnouncement(long asked) {
        try (StalledPublish announcement = new StalledPublish(config)) {
            if (announcement.await()) {
                unheard.accept(asked);
            }
        } catch (InterruptedException e) {
            // The server is ready or gone, and the thread ends here.
        }
    }

    /**
     * The leader sends its whole database; the existing one is kept beside it until it has arrived.
     */
    private void makeRoom() {
        EtcdAnswer<Status> leader = peer.status(ANSWER);
        if (!(leader instanceof EtcdAnswer.Ok<Status>(Status status))) {
            throw new Failure(
                    "cannot join " + peer.endpoint(),
                    "the size of its database cannot be read: " + leader.words(),
                    "no action needed; this is retried automatically");
        }
        long needed = status.dbBytes() + LOG_BYTES;
        if (!directory.makeRoom(needed)) {
            throw new Failure(
                    "not enough space to join " + peer.endpoint(),
                    "its database and log take %d MB, more than %s has free"
                            .formatted(needed >> 20, directory.current().getParent()),
                    "free space there; replicas that were set aside: tandem replicas list");
        }
    }

    private void start(EtcdConfig.Mode mode, Timing timing) {
        start(mode, timing, _ -> {});
    }

    /**
     * @param meanwhile done beside the start, whose number it is told, and interrupted when that
     *     has come to its end
     */
    private void start(EtcdConfig.Mode mode, Timing timing, LongConsumer meanwhile) {
        unit.install(config);
        unit.permit(config, mode, timing, directory);
        ReplicaState state = onDisk;
        if (state == null || !(mode instanceof EtcdConfig.InPlace)) {
            state = directory.inspect();
            onDisk = state;
        }
        lastReplica = state.replica();
        lastServer = EtcdState.LEADERLESS;
        newServer();
        generation++;
        orderedAt = System.nanoTime();
        unit.start();
        ready = false;
        long ordered = generation;
        Thread beside =
                Thread.ofVirtual().name("etcd-start").start(() -> meanwhile.accept(ordered));
        Thread.ofVirtual().name("etcd-ready").start(() -> awaitReady(ordered, beside));
    }

    /** systemd ends this command when the job has: etcd is ready, or has failed. */
    private void awaitReady(long ordered, Thread beside) {
        commands.run(READY, List.of("systemctl", "start", EtcdUnitFile.NAME));
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
        synchronized (this) {
            generation++;
            unit.withdraw();
            process = pid > 0 ? pid : unit.state().mainPid();
        }
        // By a signal, and systemd's stop is not waited for: while the machine shuts down it is
        // held back until Pacemaker has stopped, and Pacemaker waits for this.
        Optional<ProcessHandle> server = ProcessHandle.of(process);
        if (atOnce && server.isPresent()) {
            // The log is made for sudden ends, and a server without a leader takes its time.
            server.get().destroyForcibly();
        } else {
            server.ifPresent(ProcessHandle::destroy);
            // For a start that has not begun, and for a server that does not heed the signal.
            commands.run(SYSTEMCTL, List.of("systemctl", "stop", "--no-block", EtcdUnitFile.NAME));
        }
        EtcdUnitFile.State state = awaitOver(limit.compareTo(SYSTEMCTL) < 0 ? limit : SYSTEMCTL);
        synchronized (this) {
            // Whatever systemd says of its unit: a process that lives has the data.
            boolean lives = server.filter(ProcessHandle::isAlive).isPresent();
            if (process == 0 && !state.known()) {
                throw new Failure(
                        "cannot tell whether etcd has ended",
                        "systemd did not answer: " + state.words(),
                        "no action needed; this is retried automatically");
            }
            if (lives || state.running()) {
                throw new Failure(
                        "cannot stop etcd",
                        "the process %d is still there: %s".formatted(process, state.words()),
                        "see what holds it: cat /proc/" + process + "/stack");
            }
            forgetServer();
        }
    }

    /** Only when systemd is done with the unit may a new permit be written. */
    private EtcdUnitFile.State awaitOver(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            EtcdUnitFile.State state = unit.state();
            if (state.over() || System.nanoTime() - end > 0) {
                return state;
            }
            try {
                Thread.sleep(UNIT_POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return state;
            }
        }
    }

    @Override
    public synchronized void markComplete() {
        directory.markComplete();
        directory.prune(KEPT);
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

    private ReplicaState withLineageOfFounding(ReplicaState state) {
        return state.log().usable() && state.lineage() instanceof LineageFile.Absent
                ? foundedAs(state.log().cluster().toString(), state)
                : state;
    }

    /** Gives the first cluster its lineage, as soon as its id is known; twice does no harm. */
    private ReplicaState foundedAs(String clusterId, ReplicaState state) {
        Path note = directory.current().resolve(FOUNDING);
        try {
            if (!Files.exists(note)) {
                return state;
            }
            List<String> founder = Files.readAllLines(note);
            directory.writeLineage(
                    Lineage.installed(
                            clusterId, new NodeName(founder.get(0)), new BootId(founder.get(1))));
            Files.delete(note);
        } catch (IOException e) {
            throw new Failure(
                    "cannot give the new cluster its lineage",
                    IoErrors.words(e),
                    "check free space and permissions of " + directory.current(),
                    e);
        }
        ReplicaState now = directory.inspect();
        onDisk = now;
        return now;
    }
}
