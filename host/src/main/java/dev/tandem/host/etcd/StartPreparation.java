package dev.tandem.host.etcd;

import dev.tandem.core.BootId;
import dev.tandem.core.Failure;
import dev.tandem.core.NodeName;
import dev.tandem.core.replica.Lineage;
import dev.tandem.host.etcd.api.EtcdAnswer;
import dev.tandem.host.etcd.api.EtcdApi;
import dev.tandem.host.etcd.api.EtcdApi.Consistency;
import dev.tandem.host.etcd.api.EtcdApi.Member;
import dev.tandem.host.etcd.api.EtcdApi.Status;
import dev.tandem.host.etcd.wal.ReplicaLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Makes the data directory ready for etcd to take over, to begin a cluster or to join one. */
final class StartPreparation {
    /** For the peer's list of members, which needs a majority. */
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final NodeName self;
    private final BootId boot;
    private final EtcdConfig config;
    private final ReplicaDirectory directory;
    private final PendingLineage founding;
    private final EtcdApi peer;

    StartPreparation(
            NodeName self,
            BootId boot,
            EtcdConfig config,
            ReplicaDirectory directory,
            PendingLineage founding,
            EtcdApi peer) {
        this.self = self;
        this.boot = boot;
        this.config = config;
        this.directory = directory;
        this.founding = founding;
        this.peer = peer;
    }

    /** What lies on the disk after it was made ready for a take-over. */
    record TakenOver(ReplicaState after) {}

    /**
     * Stores the lineage and declares the whole log committed. A log that may not be declared so
     * leaves everything as it was: the peer would stand back for an epoch that nobody can serve.
     *
     * @param read what the directory holds, read since the server ended
     */
    TakenOver takeOver(Lineage lineage, ReplicaState read) {
        CommitTail tail = new CommitTail(directory.current());
        CommitTail.Plan plan = CommitTail.plan(read.log());
        return switch (plan) {
            case CommitTail.Refused(ReplicaLog _, String why, String remedy) ->
                    throw new Failure("cannot take over with this replica", why, remedy);
            case CommitTail.NothingToDo _ -> {
                directory.writeLineage(lineage);
                yield new TakenOver(read.takenOver(lineage, read.log()));
            }
            case CommitTail.Append append -> {
                directory.writeLineage(lineage);
                CommitTail.Done _ = tail.carryOut(append);
                yield new TakenOver(read.takenOver(lineage, append.after()));
            }
        };
    }

    EtcdConfig.Bootstrap bootstrap() {
        directory.prepare();
        founding.write(self, boot);
        return new EtcdConfig.Bootstrap(UUID.randomUUID().toString());
    }

    /** Sets what is there aside, and notes that what comes is not complete yet. */
    EtcdConfig.Join join(Lineage leaders) {
        EtcdAnswer<List<Member>> listed = peer.members(Consistency.LINEARIZABLE, ANSWER);
        if (!(listed instanceof EtcdAnswer.Ok<List<Member>>(List<Member> members))) {
            throw new Failure(
                    "cannot join " + peer.endpoint(),
                    "its member list cannot be read: " + listed.words(),
                    "no action needed; this is retried automatically");
        }
        Optional<Member> seat = config.identity().in(members);
        if (seat.isEmpty()) {
            throw new Failure(
                    "cannot join " + peer.endpoint(),
                    self + " is not in its member list",
                    "no action needed; this is retried automatically");
        }
        makeRoom();
        directory.setAside("joined again");
        directory.prunePartial(1);
        directory.prepare();
        directory.markIncomplete("has been copying from the peer since it joined");
        directory.writeLineage(leaders);
        // As listed: the leader may be of a release that lists one URL only.
        return new EtcdConfig.Join(
                seat.get().peerUrls(),
                members.stream().filter(member -> !member.equals(seat.get())).toList());
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
        long needed = NoSpaceToJoin.neededBytes(status.dbBytes());
        if (!directory.makeRoom(needed)) {
            throw NoSpaceToJoin.of(
                    directory.root(), peer.endpoint().toString(), needed, directory.freeBytes());
        }
    }
}
