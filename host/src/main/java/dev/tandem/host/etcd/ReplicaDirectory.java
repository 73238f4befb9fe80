package dev.tandem.host.etcd;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.core.Failure;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.DurableFiles;
import dev.tandem.host.IoErrors;
import dev.tandem.host.NodePaths;
import dev.tandem.host.UnexpectedErrors;
import dev.tandem.host.etcd.wal.ReplicaLog;
import dev.tandem.host.etcd.wal.WriteAheadLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The place of this node's replica, and of those it had before.
 *
 * <pre>
 * ROOT/current           etcd's data directory, with lineage.json beside etcd's own files
 * ROOT/kept/TIME-REASON  replicas that were set aside, whole, each with its lineage
 * ROOT/erasing           what is left of one that is being erased: nothing to build on
 * </pre>
 *
 * A join renames the old replica, which cannot fail half way and needs no space, and reads its log
 * once more where it now lies. Erased are unfinished copies, and replicas that another one provably
 * contains: beyond the newest ones, or as many as a join needs room for.
 */
public final class ReplicaDirectory {
    /** Where a node has its replicas. */
    public static final Path STANDARD = NodePaths.REPLICAS;

    private static final String INCOMPLETE = "incomplete";
    private static final String KEPT_NOTE = "kept.json";
    private static final String OWES_JUMP = "owes-revision-jump";

    /** Beside the replicas, so that it stays when they are moved. */
    private static final String LOCK = "lock";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final Path root;
    private final InstantSource clock;

    public ReplicaDirectory(Path root, InstantSource clock) {
        this.root = root;
        this.clock = clock;
    }

    /** A replica that was set aside. */
    public record Kept(Path directory, String at, String reason, boolean usable, String summary) {
        public String name() {
            return String.valueOf(directory.getFileName());
        }
    }

    /** What pruning did, and what it left in place although there is more than asked for. */
    public record Pruned(List<String> deleted, List<String> held) {
        public Pruned {
            deleted = List.copyOf(deleted);
            held = List.copyOf(held);
        }
    }

    /** For people only, so one of any version is read as far as it is understood. */
    private record Note(int version, String at, String reason, boolean usable, String summary) {
        static final int VERSION = 1;

        Note(String at, String reason, boolean usable, String summary) {
            this(VERSION, at, reason, usable, summary);
        }

        Kept of(Path directory) {
            return new Kept(directory, told(at), told(reason), usable, told(summary));
        }

        private static String told(@Nullable String text) {
            return text == null ? "unknown" : text;
        }
    }

    /** etcd's data directory. */
    public Path current() {
        return root.resolve("current");
    }

    /** Makes the place for a replica that does not exist yet; nobody else may look into it. */
    public void prepare() {
        doing("prepare " + current(), () -> createOwnerOnly(current()));
    }

    /** Reads everything the directory tells. It changes nothing and may take a second per GiB. */
    public ReplicaState inspect() {
        return doing("read the replica in " + current(), () -> inspect(current()));
    }

    /** The replica in a line. */
    public String summary() {
        ReplicaState now = inspect();
        return now.present() ? summary(now) : "none";
    }

    /** Where etcd does not run, says so with the data themselves; survives any crash. */
    public void markIncomplete(String why) {
        doing(
                "mark the replica in " + current() + " incomplete",
                () -> {
                    createOwnerOnly(current());
                    DurableFiles.write(current().resolve(INCOMPLETE), why + "\n");
                    return current();
                });
    }

    /**
     * Declares the replica complete. The caller has seen it apply everything the leader had
     * committed after the promotion.
     */
    public void markComplete() {
        doing(
                "mark the replica in " + current() + " complete",
                () -> {
                    DurableFiles.delete(current().resolve(INCOMPLETE));
                    return current();
                });
    }

    /**
     * Notes that history goes on from older data here: before the replica serves alone, its
     * revision has to jump. The note lies with the data and survives any crash.
     */
    public void oweRevisionJump(String why) {
        doing(
                "note that the revision in " + current() + " has to jump",
                () -> {
                    createOwnerOnly(current());
                    DurableFiles.write(current().resolve(OWES_JUMP), why + "\n");
                    return current();
                });
    }

    public boolean owesRevisionJump() {
        return Files.exists(current().resolve(OWES_JUMP));
    }

    /** It has jumped, and that is on the disk. */
    void revisionHasJumped() {
        doing(
                "note that the revision in " + current() + " has jumped",
                () -> {
                    DurableFiles.delete(current().resolve(OWES_JUMP));
                    return current();
                });
    }

    /** Its history goes on from what the peer has: nothing that anybody saw is given out again. */
    void revisionNeedsNoJump() {
        doing(
                "forget that the revision in " + current() + " was to jump",
                () -> {
                    DurableFiles.delete(current().resolve(OWES_JUMP));
                    return current();
                });
    }

    /** Held while somebody has the current replica to himself; the lock ends with the process. */
    interface Exclusive extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * For a caller that changes or reads the current replica in a way that systemd does not see.
     *
     * @throws Failure if another process has it
     */
    Exclusive exclusively(String what) {
        return doing(
                what,
                () -> {
                    createOwnerOnly(root);
                    FileChannel channel =
                            FileChannel.open(
                                    root.resolve(LOCK),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    if (isLocked(channel)) {
                        return () -> closeQuietly(channel);
                    }
                    channel.close();
                    throw new Failure(
                            "cannot " + what,
                            "the revision of the current replica is being raised, or another"
                                    + " replica is being put in its place",
                            "wait for it to end, minutes with a large database: tandem status; then"
                                    + " run this again");
                });
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Somebody in this very process.
            return false;
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            UnexpectedErrors.log("unlocking a replica", e);
        }
    }

    public void writeLineage(Lineage lineage) {
        doing(
                "write the lineage of " + current(),
                () -> {
                    createOwnerOnly(current());
                    LineageFile.write(current(), lineage);
                    return current();
                });
    }

    /** Moves the current replica out of the way, whole; none to move is an empty answer. */
    public Optional<Kept> setAside(String reason) {
        return doing(
                "set the replica in " + current() + " aside",
                () -> {
                    if (!Files.exists(current())) {
                        return Optional.empty();
                    }
                    ReplicaState state = inspect(current());
                    Instant now = clock.instant();
                    Note note =
                            new Note(
                                    TIME.format(now), reason, state.log().usable(), summary(state));
                    // The note goes first: the rename is the one step that counts.
                    DurableFiles.write(
                            current().resolve(KEPT_NOTE), JSON.writeValueAsString(note) + "\n");
                    createOwnerOnly(keptDirectory());
                    Path target = freeName(TIME.format(now) + "-" + slug(reason));
                    DurableFiles.rename(current(), target);
                    ReplicaLog moved = WriteAheadLog.read(target);
                    if (moved.usable() != state.log().usable()
                            || moved.lastIndex() != state.log().lastIndex()) {
                        throw new IOException(
                                "read back from %s, the log says %s, index %d instead of %d"
                                        .formatted(
                                                target,
                                                moved.verdict(),
                                                moved.lastIndex(),
                                                state.log().lastIndex()));
                    }
                    return Optional.of(kept(target));
                });
    }

    /** All replicas that were set aside, newest first. */
    public List<Kept> kept() {
        return doing(
                "list the replicas kept in " + keptDirectory(),
                () -> {
                    List<Kept> found = new ArrayList<>();
                    try (var directories = Files.newDirectoryStream(keptDirectory())) {
                        for (Path directory : directories) {
                            if (Files.isDirectory(directory)) {
                                found.add(kept(directory));
                            }
                        }
                    } catch (NoSuchFileException e) {
                        return List.<Kept>of();
                    }
                    found.sort(Comparator.comparing(Kept::name).reversed());
                    return List.copyOf(found);
                });
    }

    /**
     * Puts a kept replica in the place of the current one, which is kept in turn. Only while etcd
     * is stopped and nobody starts it. Clients may have seen later revisions than it holds, so it
     * owes a jump of the revision.
     *
     * @return what was set aside for it, if there was anything
     */
    public Optional<Kept> restore(Kept chosen) {
        String what = "restore the replica " + chosen.name();
        return doing(
                what,
                () -> {
                    try (Exclusive _ = exclusively(what)) {
                        return putInPlace(chosen, what);
                    }
                });
    }

    private Optional<Kept> putInPlace(Kept chosen, String what) throws IOException {
        ReplicaLog log = WriteAheadLog.read(chosen.directory());
        if (!log.usable()) {
            throw new Failure(
                    "cannot " + what,
                    "its log cannot be relied on: " + log.verdict().words(),
                    "choose another: tandem replicas list");
        }
        DurableFiles.write(chosen.directory().resolve(OWES_JUMP), "put back by a person\n");
        Optional<Kept> before = setAside("made way for another");
        DurableFiles.rename(chosen.directory(), current());
        DurableFiles.delete(current().resolve(KEPT_NOTE));
        return before;
    }

    /**
     * Deletes the oldest kept replicas beyond this number, but only those whose every acknowledged
     * entry the current, complete replica holds by its lineage. Diverged, damaged and unidentified
     * ones stay until a person decides.
     */
    public Pruned prune(int most) {
        return doing(
                "prune the replicas kept in " + keptDirectory(),
                () -> {
                    List<String> deleted = new ArrayList<>();
                    List<String> held = new ArrayList<>();
                    List<Kept> all = kept();
                    if (all.size() <= most) {
                        return new Pruned(deleted, held);
                    }
                    ReplicaState now = inspect(current());
                    for (Kept old : all.subList(most, all.size())) {
                        Optional<String> reason = notContained(inspect(old.directory()), now);
                        if (reason.isPresent()) {
                            held.add(old.name() + ": " + reason.get());
                        } else {
                            erase(old.directory());
                            deleted.add(old.name());
                        }
                    }
                    return new Pruned(deleted, held);
                });
    }

    /**
     * Deletes the oldest kept replicas beyond this number that were begun by joining and never
     * became complete. All they hold came from a leader that had more; one is worth keeping while
     * that leader is gone, a second is not, and joins that fail again and again would fill the
     * disk.
     */
    public Pruned prunePartial(int most) {
        return doing(
                "prune the partial replicas kept in " + keptDirectory(),
                () -> {
                    List<String> deleted = new ArrayList<>();
                    List<Kept> partial =
                            kept().stream()
                                    .filter(old ->
                                            Files.exists(old.directory().resolve(INCOMPLETE)))
                                    .toList();
                    for (Kept old :
                            partial.subList(Math.min(most, partial.size()), partial.size())) {
                        erase(old.directory());
                        deleted.add(old.name());
                    }
                    return new Pruned(deleted, List.of());
                });
    }

    /**
     * Sees to it that a replica of this size finds room beside the current one, before it is
     * learned from a leader. While there is room nothing is deleted; otherwise everything goes that
     * the leader or the current replica has too: kept replicas that the current one contains, and
     * parts of replicas, which came from a leader in the first place.
     *
     * @return false when there is not enough room even so
     */
    public boolean makeRoom(long bytes) {
        return doing(
                "make room in " + root,
                () -> {
                    if (freeBytes(root) >= bytes) {
                        return true;
                    }
                    eraseLeftover();
                    var _ = prune(0);
                    var _ = prunePartial(0);
                    if (freeBytes(root) < bytes && Files.exists(current().resolve(INCOMPLETE))) {
                        erase(current());
                    }
                    return freeBytes(root) >= bytes;
                });
    }

    /**
     * Erases a replica. It loses its name first: with its files gone in any order, a part of it
     * could pass for a whole one after a power cut, as when the mark that it is incomplete goes
     * before the log. The name is one beside the others, for which a full disk has room.
     */
    private void erase(Path directory) throws IOException {
        eraseLeftover();
        DurableFiles.rename(directory, erasing());
        eraseLeftover();
    }

    /** What a crash has left of an earlier one. */
    private void eraseLeftover() throws IOException {
        if (Files.exists(erasing())) {
            DurableFiles.deleteTree(erasing());
        }
    }

    private Path erasing() {
        return root.resolve("erasing");
    }

    private static Optional<String> notContained(ReplicaState old, ReplicaState now) {
        if (!now.log().usable() || now.incomplete().isPresent()) {
            return Optional.of("the current replica is not complete");
        }
        if (!old.present()) {
            // A directory without a log holds nothing anybody could miss.
            return Optional.empty();
        }
        if (!old.log().usable()) {
            return Optional.of("its log cannot be relied on, nor can it be compared");
        }
        if (!(old.lineage() instanceof LineageFile.Known(Lineage then))
                || !(now.lineage() instanceof LineageFile.Known(Lineage today))) {
            return Optional.of("its lineage is not known");
        }
        if (!isPrefix(then, today)) {
            return Optional.of("it belongs to another lineage, epoch " + then.current().number());
        }
        boolean sameEpoch = then.epochs().size() == today.epochs().size();
        long shared =
                sameEpoch
                        ? now.log().hardState().commit()
                        : today.epochs().get(then.epochs().size()).forkIndex();
        return old.acknowledged() <= shared
                ? Optional.empty()
                : Optional.of(
                        "it may have acknowledged index %d, the current one shares only %d"
                                .formatted(old.acknowledged(), shared));
    }

    private static boolean isPrefix(Lineage older, Lineage newer) {
        return older.clusterId().equals(newer.clusterId())
                && older.epochs().size() <= newer.epochs().size()
                && older.epochs().equals(newer.epochs().subList(0, older.epochs().size()));
    }

    private static ReplicaState inspect(Path directory) throws IOException {
        Path mark = directory.resolve(INCOMPLETE);
        Path database = directory.resolve("member").resolve("snap").resolve("db");
        return new ReplicaState(
                WriteAheadLog.read(directory),
                LineageFile.read(directory),
                Files.exists(mark)
                        ? Optional.of(Files.readString(mark, StandardCharsets.UTF_8).strip())
                        : Optional.empty(),
                Files.exists(database) ? Files.size(database) : 0,
                freeBytes(directory));
    }

    /** Where the replicas are. */
    public Path root() {
        return root;
    }

    /** What the file system of the replicas has left. */
    public long freeBytes() {
        return doing("see how much is free in " + root, () -> freeBytes(root));
    }

    /** The size of the current log; of a running server too, which may drop a segment meanwhile. */
    public long logBytes() {
        return doing(
                "see how long the log in " + current() + " is",
                () -> WriteAheadLog.bytes(current()));
    }

    /** What the replicas that were set aside take of it; a join may give most of them up. */
    public long keptBytes() {
        return doing(
                "see how much is kept in " + keptDirectory(),
                () -> {
                    long bytes = 0;
                    for (Path file : filesBelow(keptDirectory())) {
                        bytes += size(file);
                    }
                    return bytes;
                });
    }

    private static List<Path> filesBelow(Path directory) throws IOException {
        if (Files.notExists(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).toList();
        } catch (UncheckedIOException e) {
            // Deleted meanwhile, as by a join that makes room.
            throw e.getCause();
        }
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static long freeBytes(Path directory) throws IOException {
        for (Path at = directory.toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at)) {
                return Files.getFileStore(at).getUsableSpace();
            }
        }
        return 0;
    }

    private static Kept kept(Path directory) throws IOException {
        Note note = note(directory);
        return note == null
                ? new Kept(directory, "", "unknown", false, "no note says why it was set aside")
                : note.of(directory);
    }

    private static @Nullable Note note(Path directory) throws IOException {
        Path file = directory.resolve(KEPT_NOTE);
        if (!Files.exists(file)) {
            return null;
        }
        try {
            return JSON.readValue(Files.readAllBytes(file), Note.class);
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static String summary(ReplicaState state) {
        ReplicaLog log = state.log();
        String epoch =
                state.lineage() instanceof LineageFile.Known(Lineage lineage)
                        ? "epoch " + lineage.current().number()
                        : "epoch unknown";
        return "member %s of cluster %s, %s, term %d, index %d, committed %d, %s"
                .formatted(
                        log.node(),
                        log.cluster(),
                        epoch,
                        log.lastTerm(),
                        log.lastIndex(),
                        log.hardState().commit(),
                        log.verdict().words());
    }

    private Path keptDirectory() {
        return root.resolve("kept");
    }

    private Path freeName(String wanted) {
        Path name = keptDirectory().resolve(wanted);
        for (int i = 2; Files.exists(name); i++) {
            name = keptDirectory().resolve(wanted + "-" + i);
        }
        return name;
    }

    private static String slug(String reason) {
        String slug = reason.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return slug.substring(0, Math.min(slug.length(), 60)).replaceAll("^-|-$", "");
    }

    private static Path createOwnerOnly(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            DurableFiles.createDirectories(DurableFiles.parent(directory));
            // etcd insists on a directory that nobody else can open.
            Files.createDirectory(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            DurableFiles.syncDirectory(DurableFiles.parent(directory));
        }
        return directory;
    }

    private interface Step<T> {
        T run() throws IOException;
    }

    private static <T> T doing(String what, Step<T> step) {
        try {
            return step.run();
        } catch (IOException e) {
            throw new Failure(
                    "cannot " + what,
                    IoErrors.words(e),
                    "check free space, permissions and health of the disk, then try again",
                    e);
        }
    }
}
