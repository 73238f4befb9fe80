package dev.tandem.host.etcd.api;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One etcd server, asked directly: what it says is about itself, never about "the cluster". Every
 * call ends within its limit, and every outcome is a value.
 */
public interface EtcdApi {

    /** The address this server is asked at. */
    URI endpoint();

    /** What the server says about itself. Works on learners and without a leader. */
    EtcdAnswer<Status> status(Duration limit);

    /**
     * The members. A linearizable list needs a leader and a majority; one that is not may be old.
     */
    EtcdAnswer<List<Member>> members(Consistency consistency, Duration limit);

    /** Adds a learner; the answer is the new member. Prefer {@link EtcdMembers#addLearner}. */
    EtcdAnswer<Member> addLearner(List<URI> peerUrls, Duration limit);

    /** Lists a member under these URLs. Prefer {@link EtcdMembers#list}. */
    EtcdAnswer<List<Member>> update(EtcdId member, List<URI> peerUrls, Duration limit);

    /**
     * Makes a learner a voter. etcd itself agrees at 90 % of the leader's index, far too early with
     * two voters: use {@link EtcdMembers#promote}, which waits for equality.
     */
    EtcdAnswer<List<Member>> promote(EtcdId member, Duration limit);

    EtcdAnswer<List<Member>> remove(EtcdId member, Duration limit);

    /** Hands leadership over. Only the leader can, and only to a voter. */
    EtcdAnswer<Done> moveLeader(EtcdId target, Duration limit);

    EtcdAnswer<Written> put(Bytes key, Bytes value, Duration limit);

    /** The keys from {@code key} up to, not including, {@code end}; just the key without one. */
    EtcdAnswer<Found> range(
            Bytes key, Optional<Bytes> end, long most, Consistency consistency, Duration limit);

    /** The hash of all keys up to a revision (0: now), for comparing two replicas. */
    EtcdAnswer<KeyHash> hashKeys(long revision, Duration limit);

    /** Gives up the history before a revision; returns when the database is rid of it. */
    EtcdAnswer<Done> compact(long revision, Duration limit);

    enum Consistency {
        /** As of now, agreed with a majority. */
        LINEARIZABLE,
        /** What this server has, possibly old; works without a leader and on a learner. */
        SERIALIZABLE
    }

    /**
     * One server's view of itself.
     *
     * @param leader {@link EtcdId#NONE} if this server knows of none
     * @param committed the index this server knows to be committed
     * @param applied the index up to which its database has followed
     */
    record Status(
            EtcdId cluster,
            EtcdId member,
            EtcdId leader,
            long term,
            long committed,
            long applied,
            long revision,
            long dbBytes,
            long dbBytesInUse,
            boolean learner,
            String version,
            List<String> errors) {
        public Status {
            errors = List.copyOf(errors);
        }

        public boolean isLeader() {
            return !leader.isNone() && leader.equals(member);
        }
    }

    /** A member as listed; one that never started has no name and no client addresses. */
    record Member(
            EtcdId id, String name, List<URI> peerUrls, List<URI> clientUrls, boolean learner) {
        public Member {
            peerUrls = List.copyOf(peerUrls);
            clientUrls = List.copyOf(clientUrls);
        }

        public boolean started() {
            return !name.isEmpty();
        }
    }

    /** Bytes of a key or value, compared by content. */
    record Bytes(String latin1) {
        public static Bytes of(String text) {
            return new Bytes(
                    new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
        }

        public static Bytes of(byte[] bytes) {
            return new Bytes(new String(bytes, StandardCharsets.ISO_8859_1));
        }

        public byte[] array() {
            return latin1.getBytes(StandardCharsets.ISO_8859_1);
        }

        public String text() {
            return new String(array(), StandardCharsets.UTF_8);
        }

        /** The end of the range of all keys that begin with these bytes. */
        public Bytes prefixEnd() {
            byte[] end = array();
            for (int i = end.length - 1; i >= 0; i--) {
                if (end[i] != (byte) 0xff) {
                    end[i]++;
                    return Bytes.of(Arrays.copyOf(end, i + 1));
                }
            }
            return new Bytes("\0");
        }
    }

    record KeyValue(Bytes key, Bytes value, long createRevision, long modRevision, long version) {}

    record Found(List<KeyValue> keyValues, long count, boolean more, long revision) {
        public Found {
            keyValues = List.copyOf(keyValues);
        }
    }

    record Written(long revision) {}

    record Done() {}

    record KeyHash(long hash, long compactRevision, long revision) {}
}
