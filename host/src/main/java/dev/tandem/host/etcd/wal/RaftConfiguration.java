package dev.tandem.host.etcd.wal;

import dev.tandem.host.etcd.api.EtcdId;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who votes and who listens, as raft counts it. A change takes effect when its entry is applied,
 * never when it is appended.
 */
public record RaftConfiguration(Set<EtcdId> voters, Set<EtcdId> learners, Set<EtcdId> removed) {
    public static final RaftConfiguration EMPTY =
            new RaftConfiguration(Set.of(), Set.of(), Set.of());

    /** What one member is in this configuration. */
    public enum Role {
        VOTER,
        LEARNER,
        /** It was a member once and was removed: its log holds its own removal. */
        REMOVED,
        /** This log never heard of it. */
        STRANGER
    }

    public RaftConfiguration {
        voters = Set.copyOf(voters);
        learners = Set.copyOf(learners);
        removed = Set.copyOf(removed);
    }

    public Role roleOf(EtcdId member) {
        if (voters.contains(member)) {
            return Role.VOTER;
        }
        if (learners.contains(member)) {
            return Role.LEARNER;
        }
        return removed.contains(member) ? Role.REMOVED : Role.STRANGER;
    }

    /** The configuration after these changes, in this order. */
    public RaftConfiguration after(Collection<ReplicaLog.ConfChange> changes) {
        Set<EtcdId> votersNow = new TreeSet<>(voters);
        Set<EtcdId> learnersNow = new TreeSet<>(learners);
        Set<EtcdId> removedNow = new TreeSet<>(removed);
        for (ReplicaLog.ConfChange change : changes) {
            EtcdId node = change.node();
            switch (change.kind()) {
                case ADD_VOTER -> {
                    learnersNow.remove(node);
                    removedNow.remove(node);
                    votersNow.add(node);
                }
                case ADD_LEARNER -> {
                    votersNow.remove(node);
                    removedNow.remove(node);
                    learnersNow.add(node);
                }
                case REMOVE -> {
                    boolean voted = votersNow.remove(node);
                    boolean listened = learnersNow.remove(node);
                    if (voted || listened) {
                        removedNow.add(node);
                    }
                }
                case UPDATE, UNSUPPORTED -> {
                    // Addresses only; and what we cannot read is refused where it would matter.
                }
            }
        }
        return new RaftConfiguration(votersNow, learnersNow, removedNow);
    }
}
