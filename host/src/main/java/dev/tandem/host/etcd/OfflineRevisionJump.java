package dev.tandem.host.etcd;

import dev.tandem.core.Failure;
import dev.tandem.core.Runbook;
import dev.tandem.host.Deadline;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.etcd.BoltFile.Value;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.HttpEtcdApi;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * The jump, on etcd's own files.
 *
 * <p>Where history goes on from older data, revisions that clients have seen are given out again
 * for other writes, and a client that watches from such a revision never learns that it missed
 * something. etcd has one answer that makes every client read everything again: that the revision
 * has been compacted. So the store is told that it was compacted at a revision {@value #JUMP} above
 * its own; when it is loaded, it goes on from there (as in etcd 3.5.16).
 *
 * <ol>
 *   <li>The whole log is declared committed ({@link CommitTail}), and etcd is started by force as
 *       the only member on ports that nobody knows. So the database holds all that the log holds:
 *       entries applied after the jump would find other revisions than those they were written for,
 *       and a transaction that had succeeded would fail. The server compacts, so that the numbers
 *       of step 3 exist, and takes a snapshot for raft: a member that joins later gets the database
 *       and not entries from before the jump, which would give it other revisions.
 *   <li>The server is stopped. Both are looked up on the disk: the database has applied the last
 *       entry, and the snapshot is younger than every entry that another node can have.
 *   <li>The two numbers that say up to where the store is compacted are overwritten in the file.
 *   <li>The note that a jump is owed is deleted.
 * </ol>
 *
 * <p>The log goes on, and with it the identity of the cluster and of the member, raft's indexes and
 * the lineage. While the note is there nobody is served, and a crash in any step leaves a replica
 * that all steps can be done on again. At worst it jumps twice.
 */
public final class OfflineRevisionJump implements RevisionJump {
    /** More than a cluster writes in a year, and far from the end of 63 bits. */
    static final long JUMP = 1_000_000_000L;

    /** A lease that ends in the very moment of the stop leaves an entry that is not applied. */
    private static final int TRIES = 3;

    private static final Duration ANSWER = Duration.ofSeconds(2);

    /** etcd tells nobody but systemd when it serves. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private static final Duration STOP = Duration.ofSeconds(30);
    private static final Duration KILL = Duration.ofSeconds(10);

    private static final String META = "meta";
    private static final String APPLIED = "consistent_index";

    /** In the order in which they are written; the first alone is enough for a jump. */
    private static final List<String> COMPACTED =
            List.of("finishedCompactRev", "scheduledCompactRev");

    /** A revision in the database: two numbers with an underscore between them. */
    private static final int REVISION_BYTES = Long.BYTES + 1 + Long.BYTES;

    /** Of the agent's own unit: etcd would take itself for the agent. */
    private static final List<String> SYSTEMDS =
            List.of("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID");

    private final EtcdConfig config;
    private final Path program;
    private final Path runDirectory;
    private final ReplicaDirectory directory;
    private final Optional<SSLContext> tls;

    /**
     * @param tls with a certificate of etcd's clients; empty for a server without TLS, in tests
     */
    public OfflineRevisionJump(
            EtcdConfig config,
            Path program,
            Path runDirectory,
            ReplicaDirectory directory,
            Optional<SSLContext> tls) {
        this.config = config;
        this.program = program;
        this.runDirectory = runDirectory;
        this.directory = directory;
        this.tls = tls;
    }

    @Override
    public void carryOut() {
        // systemd knows nothing of the server that this starts.
        try (ReplicaDirectory.Exclusive _ =
                directory.exclusively("raise the revision of " + directory.current())) {
            long revision = bringUpToDate(Deadline.in(LIMIT));
            raise(revision);
            directory.revisionHasJumped();
        } catch (IOException e) {
            throw new Failure(
                    "cannot raise the revision of the store in " + config.dataDirectory(),
                    IoErrors.words(e),
                    "check free space and health of the disk (df %s; dmesg); this is retried automatically; if it fails again: %s"
                            .formatted(directory.root(), Runbook.REVISION_DOES_NOT_JUMP.path()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("the order timed out and was cancelled");
        }
    }

    /**
     * Steps 1 and 2.
     *
     * @return the store's revision
     */
    private long bringUpToDate(Deadline end) throws IOException, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            ReplicaLog before = committed();
            long revision = serveNobody(before, end);
            ReplicaLog after = WriteAheadLog.read(config.dataDirectory());
            if (isUpToDate(before, after)) {
                return revision;
            }
        }
        throw failure("after %d starts its database lags behind its log".formatted(TRIES));
    }

    /** The log, all of it committed: a forced start drops the rest. */
    private ReplicaLog committed() {
        CommitTail tail = new CommitTail(config.dataDirectory());
        return switch (tail.plan()) {
            case CommitTail.Refused(ReplicaLog _, String why, String remedy) ->
                    throw new Failure(
                            "cannot raise the revision of the store in " + config.dataDirectory(),
                            why,
                            remedy);
            case CommitTail.NothingToDo(ReplicaLog log) -> log;
            case CommitTail.Append append -> {
                CommitTail.Done _ = tail.carryOut(append);
                yield append.log();
            }
        };
    }

    private boolean isUpToDate(ReplicaLog before, ReplicaLog after) throws IOException {
        boolean snapshot =
                after.snapshot().filter(taken -> taken.index() > before.lastIndex()).isPresent();
        return after.usable() && snapshot && applied() == after.lastIndex();
    }

    private long applied() throws IOException {
        try (BoltFile database = BoltFile.open(database())) {
            byte[] index = value(database, APPLIED).bytes();
            return index.length == Long.BYTES ? ByteBuffer.wrap(index).getLong() : 0;
        }
    }

    /**
     * Step 1: the server runs, catches up with its log, compacts, and has ended when this returns.
     */
    private long serveNobody(ReplicaLog log, Deadline end)
            throws IOException, InterruptedException {
        long taken = log.snapshot().map(ReplicaLog.SnapshotPoint::index).orElse(0L);
        // The next snapshot is one behind the last entry that is there now.
        long snapshotCount = Math.max(1, log.lastIndex() - taken);
        List<Integer> ports = freePorts();
        URI endpoint = config.privateClientUrl(ports.getFirst());
        Path permit = runDirectory.resolve("revision-jump.json");
        Files.createDirectories(runDirectory);
        DurableFiles.write(
                permit, config.renderPrivate(ports.getFirst(), ports.getLast(), snapshotCount));
        ProcessBuilder builder =
                new ProcessBuilder(program.toString(), "--config-file=" + permit)
                        .redirectErrorStream(true)
                        .redirectOutput(output().toFile());
        SYSTEMDS.forEach(builder.environment()::remove);
        Process process = builder.start();
        try {
            long revision;
            try (HttpEtcdApi api =
                    tls.map(context -> new HttpEtcdApi(endpoint, context))
                            .orElseGet(() -> HttpEtcdApi.plain(endpoint))) {
                revision = awaitApplied(process, api, end);
                compact(api, revision, end);
            }
            process.destroy();
            if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                throw failure("its server did not end within %d s".formatted(STOP.toSeconds()));
            }
            return revision;
        } finally {
            kill(process);
            Files.deleteIfExists(permit);
        }
    }

    private long awaitApplied(Process process, EtcdApi api, Deadline end)
            throws InterruptedException {
        EtcdAnswer<EtcdApi.Status> last = new EtcdAnswer.Unreachable<>("not asked");
        while (!end.passed()) {
            if (!process.isAlive()) {
                throw failure("its server ended by itself with " + process.exitValue());
            }
            last = api.status(ANSWER);
            if (last instanceof EtcdAnswer.Ok<EtcdApi.Status>(EtcdApi.Status status)
                    && status.isLeader()
                    && status.applied() >= status.committed()) {
                return status.revision();
            }
            end.pause(PAUSE);
        }
        throw failure("its server was not ready in time: " + last.words());
    }

    /** A store that is compacted there already says no, and that is as good. */
    private void compact(EtcdApi api, long revision, Deadline end) {
        EtcdAnswer<EtcdApi.Done> answer = api.compact(revision, end.left());
        if (!answer.isOk() && !(answer instanceof EtcdAnswer.Refused<EtcdApi.Done>)) {
            throw failure("its server did not compact: " + answer.words());
        }
    }

    /** Also where the thread was interrupted: the data are not touched while it may write. */
    private void kill(Process process) {
        boolean interrupted = Thread.interrupted();
        process.destroyForcibly();
        try {
            if (!process.waitFor(KILL.toMillis(), TimeUnit.MILLISECONDS)) {
                throw failure("its server outlived SIGKILL: process " + process.pid());
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Step 3. */
    private void raise(long revision) throws IOException {
        try (BoltFile database = BoltFile.open(database())) {
            // Both are looked at before one is written.
            for (String name : COMPACTED) {
                byte[] bytes = value(database, name).bytes();
                long there = bytes.length < Long.BYTES ? -1 : ByteBuffer.wrap(bytes).getLong();
                if (bytes.length != REVISION_BYTES
                        || bytes[Long.BYTES] != '_'
                        || there < 1
                        || there > revision) {
                    throw new IOException(
                            "%s in %s is no revision up to %d"
                                    .formatted(name, database(), revision));
                }
            }
            for (String name : COMPACTED) {
                Value old = value(database, name);
                byte[] raised = old.bytes();
                ByteBuffer.wrap(raised).putLong(revision + JUMP);
                database.overwrite(old, raised);
            }
        }
    }

    private Value value(BoltFile database, String name) throws IOException {
        return database.find(META, name.getBytes(StandardCharsets.UTF_8))
                .orElseThrow(() -> new IOException("there is no " + name + " in " + database()));
    }

    private Path database() {
        return config.dataDirectory().resolve("member").resolve("snap").resolve("db");
    }

    private Path output() {
        return runDirectory.resolve("revision-jump.log");
    }

    /** Two that nobody else has a reason to ask at; if one is taken meanwhile, etcd ends. */
    private static List<Integer> freePorts() throws IOException {
        try (ServerSocket client = new ServerSocket();
                ServerSocket peer = new ServerSocket()) {
            for (ServerSocket socket : List.of(client, peer)) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            }
            return List.of(client.getLocalPort(), peer.getLocalPort());
        }
    }

    private Failure failure(String why) {
        return new Failure(
                "cannot raise the revision of the store in " + config.dataDirectory(),
                why,
                "this is retried automatically; if it fails again, %s and %s say more"
                        .formatted(output(), Runbook.REVISION_DOES_NOT_JUMP.path()));
    }
}
